import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { codePoint } from "../../lab/basics/code-point.ts";
import { runs } from "../../lab/basics/counts.ts";
import { offer } from "../../lab/publisher/offers.ts";
import { readRelease } from "../../src/releases/release.ts";
import { targetPathPattern } from "../../src/releases/release-format.ts";

const path = join(import.meta.dirname, "../../docs/updates/release.schema.json");
const isOfSchema = new Ajv2020().compile(JSON.parse(readFileSync(path, "utf8")).properties.custom);

/** The schema says of itself that it cannot express these. */
const beyondTheSchema = /lie|elsewhere|floor is above|start at a time|do not rise|longer than|too long/;

const begins = ["2026-11-20T12:00:00Z", "2026-11-20T12:00:00.000Z", "2026-02-30T00:00:00Z", "9"];
const start = fc.constantFrom(...begins);
const step = fc.record({
  percent: fc.constantFrom<unknown>(1, 50, 100, 0, 101, 0.5, "1"),
  after_seconds: fc.constantFrom<unknown>(0, 3_600, 366 * 86_400 + 1, -1),
});
const versions = ["1.0.0", "1.0.0-rc.1+b", "1.0", "v1.0.0", `1.0.0-${"a".repeat(70)}`, 1];
const version = fc.constantFrom<unknown>(...versions);
const text = fc.oneof(
  fc.string({ unit: codePoint }),
  fc.constantFrom<unknown>("", "a\nb", "\u202e", "a".repeat(2_001), 1),
);
const name = fc.constantFrom<unknown>("base", "a".repeat(65), "../etc", "Base", "", null);

const members = [
  ...["kind", "name", "version", "channel", "product", "arch", "min_agent", "floor", "urgent", "notes"],
  ...["more_notes", "withdrawn", "waves", "colour", "steward"],
];

/** Mostly a good one, with any of its members spoilt, unknown or missing. */
const custom = fc
  .tuple(
    fc.subarray(members, { maxLength: 3 }),
    fc.record({
      steward: fc.constantFrom<unknown>(1, 0, "1", null, undefined),
      kind: fc.constantFrom<unknown>("rules", "binary", "firmware", undefined),
      ...{ name, product: name, version, min_agent: version, floor: version },
      channel: fc.constantFrom<unknown>("stable", "Stable", "a".repeat(33), undefined),
      arch: fc.constantFrom<unknown>("any", "arm64", "x86", null),
      urgent: fc.constantFrom<unknown>(true, "yes"),
      ...{ notes: text, withdrawn: text },
      more_notes: fc.oneof(fc.array(text, { maxLength: 3 }), text, fc.constant(Array(61).fill("a"))),
      colour: fc.anything(),
      waves: fc.oneof(
        fc.record({ start, steps: fc.array(step, { maxLength: 3 }) }),
        fc.constant({ start: "2026-11-20T12:00:00Z", steps: [{ percent: 100, after_seconds: 0 }] }),
        fc.constantFrom<unknown>([], null, {}),
      ),
    }),
  )
  .map(([chosen, spoilt]) =>
    Object.fromEntries(Object.entries(spoilt).filter(([key]) => chosen.includes(key))),
  );

describe("the schema of what a publisher signs of a release", () => {
  it("lets in what a device takes, and refuses what a device refuses", () => {
    fc.assert(
      fc.property(custom, (overrides) => {
        const target = offer(overrides, "stable/rules/base-1.0.0.tar.gz");
        const read = readRelease(target);
        const isValid = isOfSchema(target.file.custom);
        if ("id" in read)
          assert.ok(isValid, `the schema refuses what the reader takes: ${JSON.stringify(overrides)}`);
        else if (isValid) assert.match(read.reason, beyondTheSchema, JSON.stringify(overrides));
      }),
      runs({ usual: 100, all: 20_000 }),
    );
  });

  for (const [isRight, ...paths] of [
    [true, "stable/rules/base-1.0.0.tar.gz", "beta-2/binary/demo-1.0.0-linux-x64.tar.gz"],
    [false, "stable/firmware/base.tar.gz", "Stable/rules/base.tar.gz", "stable/rules/.hidden"],
    [false, "stable/rules/", "stable/rules/a/b", "stable/rules/..", "stable/rules", "/stable/rules/a"],
  ] as const)
    for (const path of paths)
      it(`${isRight ? "lets in" : "refuses"} the path ${path}`, () => {
        assert.equal(targetPathPattern.test(path), isRight);
        const [channel, kind] = path.split("/");
        assert.equal("id" in readRelease(offer({ channel, kind }, path)), isRight);
      });
});
