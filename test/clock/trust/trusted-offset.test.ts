import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createVouchedTime } from "../../../src/clock/trust/trusted-offset.ts";

function host() {
  const clocks = { wallMilliseconds: 1_000_000, uptime: 50 };
  const vouched = createVouchedTime(
    () => clocks.wallMilliseconds,
    () => clocks.uptime,
  );
  return { clocks, vouched };
}

describe("the time that was vouched for", () => {
  it("is the host's own while nobody vouches", () => {
    assert.equal(host().vouched.offsetSeconds(), 0);
  });

  it("is what the host's clock lacks", () => {
    const { vouched } = host();
    vouched.set(12);
    assert.equal(vouched.offsetSeconds(), 12);
  });

  it("does not move when somebody sets the host's clock", () => {
    const { clocks, vouched } = host();
    vouched.set(0);
    clocks.wallMilliseconds += 3_600_000;
    assert.equal(vouched.offsetSeconds(), -3_600);
  });

  it("runs on with monotonic time", () => {
    const { clocks, vouched } = host();
    vouched.set(12);
    clocks.wallMilliseconds += 500_000;
    clocks.uptime += 500;
    assert.equal(vouched.offsetSeconds(), 12);
  });

  it("takes the coarseness of its clocks for nothing", () => {
    const { clocks, vouched } = host();
    vouched.set(0);
    clocks.wallMilliseconds += 40;
    assert.equal(vouched.offsetSeconds(), 0);
  });

  it("is forgotten when nobody vouches any more", () => {
    const { vouched } = host();
    vouched.set(12);
    vouched.forget();
    assert.equal(vouched.offsetSeconds(), 0);
  });
});
