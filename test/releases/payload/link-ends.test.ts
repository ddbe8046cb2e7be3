import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { runs } from "../../../lab/basics/counts.ts";
import { linkFaults } from "../../../src/releases/payload/link-ends.ts";

/** Directories that are there, links in them, and targets that climb, go through such links, or both. */
const directories = ["a", "b", "c"];
const place = fc.nat({ max: directories.length }).map((depth) => directories.slice(0, depth));
const name = fc.constantFrom("l", "m", "n");
const climb = (most: number) => fc.nat({ max: most }).map((steps) => new Array<string>(steps).fill(".."));
const through = fc.tuple(place, name, climb(3)).map(([way, last, up]) => [...way, last, ...up]);
const wild = fc.oneof(
  fc.tuple(climb(3), place).map(([up, way]) => [...up, ...way, "."]),
  through,
  fc.tuple(climb(3), through).map(([up, way]) => [...up, ...way]),
);

interface Link {
  readonly way: readonly string[];
  readonly last: string;
}

/** Most lead to a directory that is there, or through a link that is: a tree is refused for its first that leads out. */
function targetOf({ way }: Link, all: readonly Link[]): fc.Arbitrary<string[]> {
  const there = climb(way.length).chain((up) => {
    const depth = way.length - up.length;
    const most = directories.length - depth;
    return fc.nat({ max: most }).map((steps) => [...up, ".", ...directories.slice(depth, depth + steps)]);
  });
  const toTop = way.map(() => "..");
  const throughOne = fc
    .tuple(fc.constantFrom(...all), climb(3))
    .map(([other, up]) => [...toTop, ...other.way, other.last, ...up]);
  return fc.oneof({ weight: 4, arbitrary: there }, { weight: 3, arbitrary: throughOne }, wild);
}

const link = fc.record({ way: place, last: name });
const tree = fc
  .uniqueArray(link, { minLength: 2, maxLength: 6, selector: pathOf })
  .chain((all) => fc.tuple(...all.map((one) => targetOf(one, all).map((words) => ({ ...one, words })))));

describe("links of a tree that are found to stay inside", () => {
  it("lead nowhere else by the kernel's own walk either", () => {
    let [accepted, resolved] = [0, 0];
    const check = fc.property(tree, (wanted) => {
      const scratch = realpathSync(mkdtempSync(join(tmpdir(), "steward-links-")));
      const top = join(scratch, "top");
      try {
        mkdirSync(join(top, "a/b/c"), { recursive: true });
        const links = new Map<string, string[]>();
        for (const one of wanted) {
          const path = pathOf(one);
          symlinkSync(one.words.join("/"), join(top, path));
          links.set(path, one.words);
        }
        if (!linkFaults(links, 40).next().done) return;
        accepted += 1;
        for (const path of links.keys()) {
          const end = kernelsEnd(join(top, path));
          if (end === null) continue;
          resolved += 1;
          assert.ok(end === top || end.startsWith(`${top}/`), `${path} leads to ${end}`);
        }
      } finally {
        rmSync(scratch, { recursive: true, force: true });
      }
    });
    const how = runs({ usual: 150, all: 400 });
    fc.assert(check, how);
    const isEnough = accepted > how.numRuns / 6 && resolved > how.numRuns / 2;
    assert.ok(isEnough, `only ${accepted} trees and ${resolved} links were looked at`);
  });
});

function pathOf({ way, last }: Link): string {
  return [...way, last].join("/");
}

/** null: nothing is there. */
function kernelsEnd(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}
