import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { runs } from "../../lab/basics/counts.ts";
import { type Custom, offer } from "../../lab/publisher/offers.ts";
import { type Release, readRelease } from "../../src/releases/release.ts";
import { waveDueSeconds, wavePosition } from "../../src/releases/waves.ts";
import { caps } from "../../src/tuf/caps.ts";
import type { TargetFile } from "../../src/tuf/metadata.ts";

const start = "2026-11-20T12:00:00Z";
const steps = [
  { percent: 1, after_seconds: 14_400 },
  { percent: 100, after_seconds: 604_800 },
];
const inSteps = (...list: unknown[]) => ({ waves: { start, steps: list } });
/** Steps of which the last one is that of all devices. */
const rising = (count: number) =>
  Array.from({ length: count }, (_, step) => ({ percent: step + 101 - count, after_seconds: step }));

/** The release, or why it is none. */
function readAs(overrides: Custom, file: Partial<TargetFile> = {}, path?: string): Release | string {
  const target = offer(overrides, path);
  const read = readRelease({ ...target, file: { ...target.file, ...file } });
  return "id" in read ? read : read.reason;
}

function taken(...given: Parameters<typeof readAs>): Release {
  const read = readAs(...given);
  return typeof read === "string" ? assert.fail(read) : read;
}

describe("a release", () => {
  it("is read from what was signed", () => {
    const custom = { version: "1.2.0", arch: "arm64", min_agent: "0.1.0", floor: "1.1.0", urgent: true };
    const target = offer(custom);
    assert.deepEqual(readRelease(target), {
      ...{ id: target.file.hashes.sha512?.slice(0, 32), kind: "rules", name: "base", version: "1.2.0" },
      ...{ channel: "stable", product: "demo", arch: "arm64", minAgent: "0.1.0", floor: "1.1.0" },
      ...{ waves: null, urgent: true, withdrawn: null, notes: "", moreNotes: [], lengthBytes: 1_000, target },
    });
  });

  it("has its waves in seconds, whether or not they begin with milliseconds, in as many steps as there may be", () => {
    const [first, last] = steps;
    const given = [
      [start, steps, 1_795_176_000],
      ["2026-11-20T12:00:00.250Z", rising(32), 1_795_176_000.25],
      [start, [first, { percent: 7, after_seconds: 14_400 }, last], 1_795_176_000],
    ] as const;
    for (const [begins, list, startSeconds] of given)
      assert.deepEqual(taken({ waves: { start: begins, steps: list } }).waves, {
        startSeconds,
        steps: list.map((step) => ({ percent: step?.percent, afterSeconds: step?.after_seconds })),
      });
  });

  it("may have as many lines of notes as are shown, and members that are not known here", () => {
    for (const more_notes of [Array(60).fill(""), Array(8).fill("a".repeat(500))]) {
      const { urgent, moreNotes } = taken({ more_notes, colour: { of: ["the", "sky"] } });
      assert.deepEqual([urgent, moreNotes], [false, more_notes]);
    }
  });

  it("is taken with a SHA-256 alone, as python-tuf and tuf-on-ci sign it, and named by that", () => {
    const sha256 = "0123456789abcdef".repeat(4);
    assert.equal(taken({}, { hashes: { sha256 } }).id, sha256.slice(0, 32));
  });

  it("may be of one byte, and of as many as any payload may have", () => {
    for (const length of [1, caps.payloadBytes]) assert.equal(taken({}, { length }).lengthBytes, length);
    assert.equal(typeof readAs({}, { length: caps.payloadBytes + 1 }), "string");
  });

  const book = "a".repeat(500);
  const rows: [what: string, RegExp, Custom][] = [
    ["of a form of tomorrow", /newer agent/, { steward: 2 }],
    ["without its form", /steward/, { steward: undefined }],
    ["of a form that is a text", /steward/, { steward: "1" }],
    ["of an unknown kind", /neither rules nor binary/, { kind: "firmware" }],
    ["with more behind its name", /name/, { name: "base!" }],
    ["named like a path", /name/, { name: "../../etc" }],
    ["named by an object", /name/, { name: {} }],
    ["with more behind its channel", /its channel is empty/, { channel: "stable!" }],
    ["for a channel that is none", /channel/, { channel: "Stable" }],
    ["of no semantic version", /version/, { version: "1.0" }],
    ["of a version that is a number", /version/, { version: 1 }],
    ["for no product", /product/, { product: undefined }],
    ["for an architecture of its own making", /arch/, { arch: "x86" }],
    ["with a floor that is no version", /floor/, { floor: "1" }],
    ["with a floor above itself", /floor/, { floor: "1.0.1" }],
    ["with a floor of null", /floor/, { floor: null }],
    ["with an agent that is no version", /min_agent/, { min_agent: "new" }],
    ["that is urgent in words", /urgent/, { urgent: "yes" }],
    ["with an escape sequence in its notes", /control/, { notes: "\u001b[2J" }],
    ["with a second line in its notes", /control/, { notes: "a\nb" }],
    ["with text that turns around", /control/, { notes: "a\u202eb" }],
    ["with half a character", /control/, { withdrawn: "\ud800" }],
    ["with a book for notes", /longer/, { notes: "a".repeat(2_001) }],
    ["with further notes that are no list", /lines/, { more_notes: "a" }],
    ["with further notes of an escape sequence", /control/, { more_notes: ["a", "\u001b[2J"] }],
    ["with further notes of two lines in one", /control/, { more_notes: ["a\nb"] }],
    ["with a page in the first line", /too long/, { more_notes: [`${book}a`] }],
    ["with a page in a later line", /too long/, { more_notes: ["a", `${book}a`] }],
    ["with more lines of notes than are shown", /60 lines/, { more_notes: Array(61).fill("") }],
    ["with a book in many lines", /too long/, { more_notes: Array(9).fill(book) }],
    ["with waves that are a list", /waves/, { waves: [] }],
    ["with waves on 30 February", /start/, { waves: { start: "2026-02-30T00:00:00Z", steps } }],
    ["with waves that start in words", /start/, { waves: { start: "tomorrow", steps } }],
    ["with waves in the year 10000", /start/, { waves: { start: "+010000-01-01T00:00:00Z", steps } }],
    ["with waves in another zone", /start/, { waves: { start: "2026-11-20T12:00:00+01:00", steps } }],
    ["with waves that end before all have it", /100/, inSteps(steps[0])],
    ["with waves that fall", /rise/, inSteps(...steps.toReversed())],
    ["with waves that stay where they are", /rise/, inSteps(steps[0], steps[0], steps[1])],
    ["with waves that go back in time", /rise/, inSteps(steps[0], { percent: 100, after_seconds: 3 })],
    ["with a wave of no device", /percent/, inSteps({ percent: 0, after_seconds: 1 }, ...steps)],
    ["with a wave of half a device", /percent/, inSteps({ percent: 0.5, after_seconds: 1 })],
    ["with a wave of one percent and a half", /integer/, inSteps({ percent: 1.5, after_seconds: 1 })],
    ["with a wave in words", /integer/, inSteps({ percent: "100", after_seconds: 1 })],
    ["with a wave in a century", /after/, inSteps({ percent: 100, after_seconds: 4e9 })],
    ["with steps that are no list", /steps/, { waves: { start, steps: "100" } }],
    ["without a step", /1 to 32 steps/, inSteps()],
    ["with more steps than there may be", /1 to 32 steps/, inSteps(...rising(33))],
  ];
  for (const [what, reason, custom] of rows)
    it(`is not one ${what}`, () =>
      assert.match(String(readAs(custom, {}, "stable/rules/base-1.0.0.tar.gz")), reason));

  it("is not one where it lies under another channel or kind than it says", () => {
    assert.match(String(readAs({}, {}, "beta/rules/base-1.0.0.tar.gz")), /channel/);
    assert.match(String(readAs({}, {}, "stable/binary/base-1.0.0.tar.gz")), /kind/);
  });

  it("is not read from the prototype", () => {
    const custom: unknown = JSON.parse('{"__proto__": {"steward": 1, "kind": "rules"}}');
    assert.match(String(readAs({}, { custom })), /steward/);
  });

  it("is not called unreadable where this program has a fault", () => {
    const faulty = (member: string): never =>
      Object.defineProperty({}, member, {
        get: () => {
          throw new TypeError("a fault");
        },
        enumerable: true,
      }) as never;
    for (const file of [{ custom: faulty("steward") }, { hashes: faulty("sha512") }])
      assert.throws(() => readAs({}, file), TypeError);
  });

  it("never throws, whatever was signed", () => {
    const target = offer();
    const known = target.file.custom as object;
    const members = fc.constantFrom(...Object.keys(known), "waves", "floor", "notes", "urgent");
    const hostile = fc.oneof(
      fc.anything({ withNullPrototype: true, withBigInt: true }),
      fc.dictionary(members, fc.anything({ withNullPrototype: true })).map((some) => ({ ...known, ...some })),
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

describe("the place of a device in a wave", () => {
  it("is the HMAC of the release under the device's seed, as openssl makes it", () => {
    // printf %s 0123456789abcdef0123456789abcdef | openssl dgst -sha256 -mac HMAC -macopt hexkey:00112233445566778899aabbccddeeff
    const seed = Buffer.from("00112233445566778899aabbccddeeff", "hex");
    const digest = "808b66e6d3ba57640f8b0781c86825cf82787f895e344ed37761872516574cf9";
    const expected = Number.parseInt(digest.slice(0, 12), 16) / 2 ** 48;
    assert.equal(wavePosition(seed, "0123456789abcdef0123456789abcdef"), expected);
  });

  it("is spread evenly over devices, and is another one for each release", () => {
    const positions = Array.from({ length: 2_000 }, (_, index) => {
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

it("a wave comes at the first step that holds the device's place, else at the last, and at once where there is none", () => {
  const [one, many, all] = [1, 40, 100].map((percent) => ({ percent, afterSeconds: percent }));
  const due = (position: number, list = [one, many, all], urgent = false) => {
    const steps = list.filter((step) => step !== undefined);
    return waveDueSeconds({ waves: { startSeconds: 1_000, steps }, urgent }, position);
  };
  const found = [0, 0.0099, 0.01, 0.3999, 0.4, 0.999999].map((at) => due(at));
  assert.deepEqual(found, [1_001, 1_001, 1_040, 1_040, 1_100, 1_100]);
  assert.deepEqual([due(0.99, [one]), due(0.99, [one, many]), due(0.99, [])], [1_001, 1_040, null]);
  assert.equal(due(0.99, [one, many, all], true), null);
  assert.equal(waveDueSeconds({ waves: null, urgent: false }, 0.99), null);
});
