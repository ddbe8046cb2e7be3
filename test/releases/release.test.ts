import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { runs } from "../../lab/basics/counts.ts";
import { type Custom, offer } from "../../lab/publisher/offers.ts";
import { readRelease } from "../../src/releases/release.ts";
import { waveDueSeconds, wavePosition } from "../../src/releases/waves.ts";
import { caps } from "../../src/tuf/caps.ts";

const start = "2026-11-20T12:00:00Z";
const steps = [
  { percent: 1, after_seconds: 14_400 },
  { percent: 100, after_seconds: 604_800 },
];

const inSteps = (...list: unknown[]) => ({ waves: { start, steps: list } });
/** Steps of which the last one is that of all devices. */
const rising = (count: number) =>
  Array.from({ length: count }, (_, step) => ({ percent: step + 101 - count, after_seconds: step }));

/** Returns the reason for which it is no release; fails where it is one. */
function reasonOf(overrides: Custom, path?: string): string {
  const read = readRelease(offer(overrides, path));
  assert.ok("reason" in read, `${JSON.stringify(overrides)} was taken for a release`);
  return read.reason;
}

describe("a release", () => {
  it("has waves of as many steps as there may be", () => {
    const atOnce = [...steps.slice(0, 1), { percent: 7, after_seconds: 14_400 }, ...steps.slice(1)];
    for (const list of [rising(32), atOnce])
      assert.ok("id" in readRelease(offer(inSteps(...list))), `${list.length} steps were refused`);
  });

  it("is read from what was signed", () => {
    const custom = { version: "1.2.0", arch: "arm64", min_agent: "0.1.0", floor: "1.1.0", urgent: true };
    const target = offer(custom);
    assert.deepEqual(readRelease(target), {
      id: target.file.hashes.sha512?.slice(0, 32),
      kind: "rules",
      name: "base",
      version: "1.2.0",
      channel: "stable",
      product: "demo",
      arch: "arm64",
      minAgent: "0.1.0",
      floor: "1.1.0",
      waves: null,
      urgent: true,
      withdrawn: null,
      notes: "",
      moreNotes: [],
      lengthBytes: 1_000,
      target,
    });
  });

  it("has its waves in seconds, whether or not they begin with milliseconds", () => {
    for (const [begins, startSeconds] of [
      [start, 1_795_176_000],
      ["2026-11-20T12:00:00.250Z", 1_795_176_000.25],
    ] as const) {
      const read = readRelease(offer({ waves: { start: begins, steps } }));
      assert.deepEqual("waves" in read && read.waves, {
        startSeconds,
        steps: [
          { percent: 1, afterSeconds: 14_400 },
          { percent: 100, afterSeconds: 604_800 },
        ],
      });
    }
  });

  it("is not urgent unless it says so, and may have as many lines of notes as are shown", () => {
    for (const more_notes of [Array(60).fill(""), Array(8).fill("a".repeat(500))]) {
      const read = readRelease(offer({ more_notes }));
      assert.deepEqual("id" in read && [read.urgent, read.moreNotes], [false, more_notes]);
    }
  });

  it("is not called unreadable where this program has a fault", () => {
    const broken = (): never => {
      throw new TypeError("a fault");
    };
    const { file, ...target } = offer();
    const custom = Object.defineProperty({}, "steward", { get: broken, enumerable: true });
    const hashes = Object.defineProperty({}, "sha512", { get: broken, enumerable: true });
    assert.throws(() => readRelease({ ...target, file: { ...file, custom } }), TypeError);
    assert.throws(() => readRelease({ ...target, file: { ...file, hashes } }), TypeError);
  });

  it("may hold members that are not known here", () => {
    assert.ok(
      "id" in readRelease(offer({ colour: { of: ["the", "sky"] } })),
      "an unknown member was refused",
    );
  });

  const bad: [string, Custom, RegExp][] = [
    ["of a form of tomorrow", { steward: 2 }, /newer agent/],
    ["without its form", { steward: undefined }, /steward/],
    ["of a form that is a text", { steward: "1" }, /steward/],
    ["of an unknown kind", { kind: "firmware" }, /neither rules nor binary/],
    ["with more behind its name", { name: "base!" }, /name/],
    ["with more behind its channel", { channel: "stable!" }, /its channel is empty/],
    ["with a page in one of its lines", { more_notes: ["a", "a".repeat(501)] }, /too long/],
    ["with a wave of no device", inSteps({ percent: 0, after_seconds: 1 }, ...steps), /percent/],
    ["named like a path", { name: "../../etc" }, /name/],
    ["named by an object", { name: {} }, /name/],
    ["of no semantic version", { version: "1.0" }, /version/],
    ["of a version that is a number", { version: 1 }, /version/],
    ["for a channel that is none", { channel: "Stable" }, /channel/],
    ["for no product", { product: undefined }, /product/],
    ["for an architecture of its own making", { arch: "x86" }, /arch/],
    ["with a floor that is no version", { floor: "1" }, /floor/],
    ["with a floor above itself", { floor: "1.0.1" }, /floor/],
    ["with a floor of null", { floor: null }, /floor/],
    ["with an agent that is no version", { min_agent: "new" }, /min_agent/],
    ["that is urgent in words", { urgent: "yes" }, /urgent/],
    ["with an escape sequence in its notes", { notes: "\u001b[2J" }, /control/],
    ["with a second line in its notes", { notes: "a\nb" }, /control/],
    ["with text that turns around", { notes: "a\u202eb" }, /control/],
    ["with half a character", { withdrawn: "\ud800" }, /control/],
    ["with further notes that are no list", { more_notes: "a" }, /lines/],
    ["with further notes of an escape sequence", { more_notes: ["a", "\u001b[2J"] }, /control/],
    ["with further notes of two lines in one", { more_notes: ["a\nb"] }, /control/],
    ["with a page in one line of its notes", { more_notes: ["a".repeat(501)] }, /too long/],
    ["with more lines of notes than are shown", { more_notes: Array(61).fill("") }, /60 lines/],
    ["with a book in many lines", { more_notes: Array(9).fill("a".repeat(500)) }, /too long/],
    ["with a book for notes", { notes: "a".repeat(2_001) }, /longer/],
    ["with waves that are a list", { waves: [] }, /waves/],
    ["with waves on 30 February", { waves: { start: "2026-02-30T00:00:00Z", steps } }, /start/],
    ["with waves that start in words", { waves: { start: "tomorrow", steps } }, /start/],
    ["with waves in the year 10000", { waves: { start: "+010000-01-01T00:00:00Z", steps } }, /start/],
    ["with waves in another zone", { waves: { start: "2026-11-20T12:00:00+01:00", steps } }, /start/],
    ["with waves that end before all have it", { waves: { start, steps: steps.slice(0, 1) } }, /100/],
    ["with waves that fall", { waves: { start, steps: steps.toReversed() } }, /rise/],
    ["with waves that stay where they are", inSteps(steps[0], steps[0], steps[1]), /rise/],
    ["with waves that go back in time", inSteps(steps[0], { percent: 100, after_seconds: 3 }), /rise/],
    ["with a wave of half a device", inSteps({ percent: 0.5, after_seconds: 1 }), /percent/],
    ["with a wave of one percent and a half", inSteps({ percent: 1.5, after_seconds: 1 }), /integer/],
    ["with a wave in words", inSteps({ percent: "100", after_seconds: 1 }), /integer/],
    ["with steps that are no list", { waves: { start, steps: "100" } }, /steps/],
    ["without a step", inSteps(), /1 to 32 steps/],
    ["with more steps than there may be", inSteps(...rising(33)), /1 to 32 steps/],
    ["with a wave in a century", inSteps({ percent: 100, after_seconds: 4e9 }), /after/],
  ];
  for (const [name, overrides, expected] of bad)
    it(`is not one ${name}`, () =>
      assert.match(reasonOf(overrides, "stable/rules/base-1.0.0.tar.gz"), expected));

  it("is not one where it lies under another channel or kind than it says", () => {
    assert.match(reasonOf({}, "beta/rules/base-1.0.0.tar.gz"), /channel/);
    assert.match(reasonOf({}, "stable/binary/base-1.0.0.tar.gz"), /kind/);
  });

  it("is taken with a SHA-256 alone, as python-tuf and tuf-on-ci sign it, and named by that", () => {
    const target = offer();
    const sha256 = "0123456789abcdef".repeat(4);
    const read = readRelease({ ...target, file: { ...target.file, hashes: { sha256 } } });
    assert.equal("id" in read ? read.id : read.reason, sha256.slice(0, 32));
  });

  it("may be of one byte, and of as many as any payload may have", () => {
    const target = offer();
    for (const length of [1, caps.payloadBytes]) {
      const read = readRelease({ ...target, file: { ...target.file, length } });
      assert.equal("lengthBytes" in read && read.lengthBytes, length);
    }
    const above = readRelease({ ...target, file: { ...target.file, length: caps.payloadBytes + 1 } });
    assert.ok("reason" in above, "a payload that is too long was taken");
  });

  it("is not read from the prototype", () => {
    const custom: unknown = JSON.parse('{"__proto__": {"steward": 1, "kind": "rules"}}');
    const target = offer();
    const read = readRelease({ ...target, file: { ...target.file, custom } });
    assert.match("reason" in read ? read.reason : "", /steward/);
  });

  it("never throws, whatever was signed", () => {
    const target = offer();
    const hostile = fc.oneof(
      fc.anything({ withNullPrototype: true, withBigInt: true }),
      fc
        .dictionary(
          fc.constantFrom(...Object.keys(target.file.custom as object), "waves", "floor", "notes", "urgent"),
          fc.anything({ withNullPrototype: true }),
        )
        .map((members) => ({ ...(target.file.custom as object), ...members })),
    );
    fc.assert(
      fc.property(hostile, fc.oneof(fc.string(), fc.constant(target.path)), (custom, path) => {
        const read = readRelease({ ...target, path, file: { ...target.file, custom } });
        assert.ok("id" in read || read.reason.length > 0, "neither a release nor a reason");
      }),
      runs({ usual: 200, all: 2_000 }),
    );
  });
});

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
