import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TrustedOffset } from "../../../src/clock/trust/trusted-offset.ts";

function host() {
  const clocks = { wallMilliseconds: 1_000_000, uptime: 50 };
  const trusted = new TrustedOffset(
    () => clocks.wallMilliseconds,
    () => clocks.uptime,
  );
  return { clocks, trusted };
}

describe("the trusted offset", () => {
  it("is none while no time is trusted", () => {
    assert.equal(host().trusted.seconds(), 0);
  });

  it("is what the host's clock lacks", () => {
    const { trusted } = host();
    trusted.set(12);
    assert.equal(trusted.seconds(), 12);
  });

  it("makes up for a step of the host's clock", () => {
    const { clocks, trusted } = host();
    trusted.set(0);
    clocks.wallMilliseconds += 3_600_000;
    assert.equal(trusted.seconds(), -3_600);
  });

  it("runs on with monotonic time", () => {
    const { clocks, trusted } = host();
    trusted.set(12);
    clocks.wallMilliseconds += 500_000;
    clocks.uptime += 500;
    assert.equal(trusted.seconds(), 12);
  });

  it("takes the coarseness of its clocks for nothing", () => {
    const { clocks, trusted } = host();
    trusted.set(0);
    clocks.wallMilliseconds += 40;
    assert.equal(trusted.seconds(), 0);
  });

  it("is forgotten when no time is trusted any more", () => {
    const { trusted } = host();
    trusted.set(12);
    trusted.forget();
    assert.equal(trusted.seconds(), 0);
  });
});
