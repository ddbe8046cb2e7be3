import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import { runs } from "../../lab/basics/counts.ts";
import { etagOf, isTagged, textOf, weaklyTagged } from "../../src/http/answer-text.ts";
import { lasting } from "../../src/store/documents/lasting.ts";

const tagOf = (text: string) => `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;

/** Values as answers have them, some of which last; `fresh`: the same, of which none does. */
const part = fc.record(
  { detail: fc.string(), count: fc.double(), at: fc.option(fc.string()), list: fc.array(fc.integer()) },
  { requiredKeys: ["detail"] },
);
const member = fc.oneof(
  fc.record({ isLasting: fc.boolean(), value: fc.oneof(part, fc.array(part)) }),
  fc.record({
    isLasting: fc.constant(false),
    value: fc.oneof(fc.constant(undefined), fc.string(), fc.float()),
  }),
);
const answer = fc.dictionary(fc.constantFrom("clock", "host", "needs", "time", "1", 'a"b', "é"), member);

function marked(members: Record<string, { isLasting: boolean; value: unknown }>): Record<string, unknown> {
  const entries = Object.entries(members).map(([name, { isLasting, value }]) => {
    if (isLasting && Array.isArray(value)) return [name, value.map(lasting)];
    return [name, isLasting && typeof value === "object" && value !== null ? lasting(value) : value];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

describe("the text of an answer", () => {
  it("is its JSON, whichever of its members last", () => {
    fc.assert(
      fc.property(answer, (members) => {
        const value = marked(members);
        for (let times = 0; times < 2; times += 1) assert.equal(textOf(value), JSON.stringify(value));
        assert.equal(etagOf(value), tagOf(JSON.stringify(value)));
      }),
      runs({ usual: 300, all: 10_000 }),
    );
  });

  it("has a weak tag of all but the figures of the moment", () => {
    // The tags of the rests, and the rests of the tags: each has one of the other.
    const [tags, rests] = [new Map<string, string>(), new Map<string, string>()];
    const pointers = ["/time", "/clock/count", "/clock/at", "/host/list"];
    fc.assert(
      fc.property(fc.array(answer), (answers) => {
        for (const members of answers) {
          const value = marked(members);
          const { time: _, ...steady } = value;
          for (const [name, figures] of [
            ["clock", ["count", "at"]],
            ["host", ["list"]],
          ] as const) {
            const inner = steady[name];
            if (typeof inner !== "object" || Array.isArray(inner)) continue;
            const rest = Object.entries(inner ?? {}).filter(
              ([figure]) => !figures.some((one) => one === figure),
            );
            steady[name] = Object.fromEntries(rest);
          }
          const { text, etag } = weaklyTagged(value, pointers);
          assert.equal(text, JSON.stringify(value));
          const rest = JSON.stringify(steady);
          assert.equal(tags.get(rest) ?? etag, etag);
          assert.equal(rests.get(etag) ?? rest, rest);
          tags.set(rest, etag);
          rests.set(etag, rest);
        }
      }),
      runs({ usual: 300, all: 10_000 }),
    );
  });
});

describe("a tag that comes back", () => {
  // A base64url text may end in a hyphen, which is no part of what a proxy adds.
  for (const own of ["abcdefghij", "abcdefghi-", "abcdefgh-_", "ab-br"])
    it(`${own} is ours with what a proxy that compresses adds, and with nothing else`, () => {
      const etag = `"${own}"`;
      const endings = ["-gzip", "-br", "-zstd", "--gzip", ";deflate"].map((end) => `"${own}${end}"`);
      const ours = [etag, own, `W/${etag}`, ...endings];
      const others = ['""', `"x${own}"`, `"${own.slice(0, -1)}"`];
      for (const end of ["x", "-gzipx", "---br"]) others.push(`"${own}${end}"`);
      for (const header of [...ours, "*", `"other", ${etag}`])
        assert.equal(isTagged(header, etag), true, header);
      for (const header of [...others, "", "W/*"]) assert.equal(isTagged(header, etag), false, header);
    });
});
