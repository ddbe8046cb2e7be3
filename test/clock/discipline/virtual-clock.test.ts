import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createVirtualClock } from "../../../src/clock/discipline/virtual-clock.ts";
import type { ClockDriver } from "../../../src/host/ports.ts";

function host() {
  const reading = { wallSeconds: 5_000, monotonicSeconds: 100 };
  const refuse = (): never => {
    throw new Error("the host's clock was set");
  };
  const driver: ClockDriver = {
    blocker: "no_capability",
    read: () => ({ ...reading }),
    kernel: () => null,
    step: refuse,
    slew: refuse,
    setFrequency: refuse,
    setQuality: refuse,
  };
  const pass = (seconds: number) => {
    reading.wallSeconds += seconds;
    reading.monotonicSeconds += seconds;
  };
  return { reading, pass, virtual: createVirtualClock(driver) };
}

function near(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) < 1e-9, `${actual}, not ${expected}`);
}

describe("a virtual clock", () => {
  it("begins as the host's and does not follow who sets that", () => {
    const { reading, pass, virtual } = host();
    pass(10);
    reading.wallSeconds += 3_600;
    near(virtual.read().wallSeconds, 5_010);
  });

  it("is stepped without the host's being touched", () => {
    const { reading, virtual } = host();
    virtual.step(-7);
    near(virtual.read().wallSeconds, 4_993);
    near(reading.wallSeconds, 5_000);
  });

  it("is slewed at 500 ppm until the rest is gone", () => {
    const { pass, virtual } = host();
    virtual.slew(0.05);
    pass(10);
    near(virtual.read().wallSeconds, 5_010.005);
    pass(1_000);
    near(virtual.read().wallSeconds, 6_010.05);
  });

  it("puts a new slew in the place of the last one's rest", () => {
    const { pass, virtual } = host();
    virtual.slew(0.05);
    pass(10);
    virtual.slew(-0.001);
    pass(1_000);
    near(virtual.read().wallSeconds, 6_010.004);
  });

  it("drops the rest of a slew at a step, and keeps it through a change of frequency", () => {
    const { pass, virtual } = host();
    virtual.slew(0.05);
    virtual.setFrequency(100);
    pass(200);
    near(virtual.read().wallSeconds, 5_200 + 0.05 + 0.02);
    virtual.slew(0.05);
    virtual.step(1);
    virtual.setFrequency(0);
    pass(200);
    near(virtual.read().wallSeconds, 5_401.07);
  });
});
