import assert from "node:assert/strict";
import * as pathsOfNode from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { runs } from "../../lab/basics/counts.ts";
import * as paths from "../../scripts/build/light/paths.ts";

describe("paths as the built agent joins them", () => {
  const segment = fc.oneof(
    fc.constantFrom(
      "",
      ".",
      "..",
      "/",
      "/etc",
      "a",
      ".a",
      "..a",
      "a.",
      "...",
      "a/b",
      "a//b",
      "./a",
      "../a",
      "a/",
      "a/.",
      "a/..",
    ),
    fc.string({ unit: fc.constantFrom("/", ".", "a") }),
  );
  const functions = {
    join: [paths.join, pathsOfNode.join],
    resolve: [paths.resolve, pathsOfNode.resolve],
  } as const;
  for (const [name, [own, ofNodes]] of Object.entries(functions))
    it(`are those of node:path: ${name}`, () => {
      const isSame = (segments: string[]) =>
        assert.equal(own(...segments), ofNodes(...segments), JSON.stringify(segments));
      fc.assert(fc.property(fc.array(segment), isSame), runs({ usual: 2_000, all: 50_000 }));
    });
});
