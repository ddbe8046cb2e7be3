import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { refuseLinksOut } from "../../src/installing/link-ends.ts";

/** Directories that are there, links in them, and targets that climb, go through such links, or both. */
const place = fc.constantFrom([], ["a"], ["a", "b"], ["a", "b", "c"]);
const name = fc.constantFrom("l", "m", "n");
const climb = fc.array(fc.constant(".."), { maxLength: 3 });
const through = fc.tuple(place, name, climb).map(([way, last, up]) => [...way, last, ...up]);
const target = fc.oneof(
  fc.tuple(climb, place).map(([up, way]) => [...up, ...way, "."]),
  through,
  fc.tuple(climb, through).map(([up, way]) => [...up, ...way]),
);
const tree = fc.array(fc.record({ place, name, target }), { minLength: 2, maxLength: 6 });

describe("links of a tree that are found to stay inside", () => {
  it("lead nowhere else by the kernel's own walk either", () => {
    let [accepted, resolved] = [0, 0];
    const check = fc.property(tree, (wanted) => {
      const scratch = realpathSync(mkdtempSync(join(tmpdir(), "steward-links-")));
      const top = join(scratch, "top");
      try {
        mkdirSync(join(top, "a/b/c"), { recursive: true });
        const links = new Map<string, string[]>();
        for (const { place: way, name: last, target: words } of wanted) {
          const path = [...way, last].join("/");
          if (links.has(path)) continue;
          symlinkSync(words.join("/"), join(top, path));
          links.set(path, words);
        }
        try {
          refuseLinksOut(links, 40);
        } catch {
          return;
        }
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
    fc.assert(check, { numRuns: 400 });
    assert.ok(accepted > 50 && resolved > 50, `only ${accepted} trees and ${resolved} links were looked at`);
  });
});

/** null: nothing is there. */
function kernelsEnd(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}
