import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { waveDueSeconds, wavePosition } from "../../src/releases/waves.ts";

const hour = 3_600;
const day = 24 * hour;
const waves = {
  startSeconds: 1_000_000,
  steps: [
    { percent: 1, afterSeconds: 4 * hour },
    { percent: 40, afterSeconds: 4 * day },
    { percent: 100, afterSeconds: 7 * day },
  ],
};

describe("the place of a device in a wave", () => {
  it("is the HMAC of the release under the device's seed, as openssl makes it", () => {
    // printf %s 0123456789abcdef0123456789abcdef | openssl dgst -sha256 -mac HMAC -macopt hexkey:00112233445566778899aabbccddeeff
    const seed = Buffer.from("00112233445566778899aabbccddeeff", "hex");
    const digest = "808b66e6d3ba57640f8b0781c86825cf82787f895e344ed37761872516574cf9";
    const expected = Number.parseInt(digest.slice(0, 12), 16) / 2 ** 48;
    assert.equal(wavePosition(seed, "0123456789abcdef0123456789abcdef"), expected);
  });

  it("is spread evenly over devices, and is another one for each release", () => {
    const count = 2_000;
    const positions = Array.from({ length: count }, (_, index) => {
      const seed = Buffer.alloc(16);
      seed.writeUInt32BE(index);
      return [wavePosition(seed, "a".repeat(32)), wavePosition(seed, "b".repeat(32))] as const;
    });
    const tenth = positions.filter(([first]) => first < 0.1).length;
    // Three standard deviations of a binomial of 2000 and 0.1 are 40.
    assert.ok(Math.abs(tenth - 200) <= 40, `${tenth} of 2000 in the first tenth`);
    const both = positions.filter(([first, second]) => first < 0.5 && second < 0.5).length;
    assert.ok(Math.abs(both - 500) <= 58, `${both} of 2000 in the first half both times`);
  });
});

describe("when a wave comes", () => {
  const due = (position: number, urgent = false) => waveDueSeconds({ waves, urgent }, position);

  it("is the first step that holds the device's place", () => {
    assert.equal(due(0), 1_000_000 + 4 * hour);
    assert.equal(due(0.0099), 1_000_000 + 4 * hour);
    assert.equal(due(0.01), 1_000_000 + 4 * day);
    assert.equal(due(0.3999), 1_000_000 + 4 * day);
    assert.equal(due(0.4), 1_000_000 + 7 * day);
    assert.equal(due(0.999999), 1_000_000 + 7 * day);
  });

  it("is at once for an urgent release, and for one without waves", () => {
    assert.equal(due(0.99, true), null);
    assert.equal(waveDueSeconds({ waves: null, urgent: false }, 0.99), null);
  });

  it("is the last step where a schedule ends before all have it, and at once where it has none", () => {
    const without = (steps: typeof waves.steps) =>
      waveDueSeconds({ waves: { ...waves, steps }, urgent: false }, 0.99);
    assert.equal(without(waves.steps.slice(0, 1)), 1_000_000 + 4 * hour);
    assert.equal(without([{ percent: 2, afterSeconds: 9 }, ...waves.steps.slice(0, 2)]), 1_000_000 + 4 * day);
    assert.equal(without([]), null);
  });
});
