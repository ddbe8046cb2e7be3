import type { Sample } from "../../src/clock/ntp/sample.ts";

/** A sample of a good server on a LAN, but for what a test says. */
export function sampleWith(differences: Partial<Sample> = {}): Sample {
  return {
    atSeconds: 0,
    offsetSeconds: 0,
    delaySeconds: 0.001,
    dispersionSeconds: 0.000_01,
    stratum: 2,
    leap: "none",
    refid: "c0000201",
    rootDelaySeconds: 0,
    rootDispersionSeconds: 0,
    ...differences,
  };
}
