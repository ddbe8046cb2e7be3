import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { runs } from "../../../lab/basics/counts.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import { entryPath, linkTarget } from "../../../src/releases/payload/entry-path.ts";
import { linkFaults } from "../../../src/releases/payload/link-ends.ts";
import { printableName, unsafePayload } from "../../../src/releases/payload/unsafe-payload.ts";

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

const caps = { nameBytes: 20, componentBytes: 8, components: 4 };

describe("the name of an entry", () => {
  for (const [components, ...names] of [
    ["", ".", "./"],
    ["lib", "lib", "lib/", "./lib/", "./././lib"],
    ["a|b", "./a/b", "a/./b", "a//b"],
    ["a|.b|..c", "a/.b/..c"],
    ["..\\a", "..\\a"],
    ["12345678", "12345678"],
    ["1|2|3|4", "1/2/3/4"],
    ["1234|1234|1234|12345", "1234/1234/1234/12345"],
    ["ä|ö", "ä/ö"],
  ] as const)
    it(`is below the release: ${names}`, () => {
      for (const one of names) assert.equal(entryPath(one, caps).join("|"), components, one);
    });

  for (const [why, ...names] of [
    ["has no name", ""],
    ["is an absolute name", "/a"],
    ['has ".." in its name', "..", "a/../b", "a/./.."],
    ["has a component of more than 8 bytes", "123456789", "ääääa", "a/123456789"],
    ["has more than 4 components", "1/2/3/4/5"],
    ["is longer than 20 bytes", "1234/1234/1234/123456", "ääää/ääää/ää"],
    ["has control characters or broken UTF-8 in its name", "a\u0000b", "a\ufffdb", "a\ud800b"],
  ] as const)
    it(`is refused where it ${why}`, () => {
      for (const one of names) assert.throws(() => entryPath(one, caps), isUnsafe(one, why), one);
    });
});

describe("the target of a link", () => {
  it("may lead up and stay where it is, which is followed later", () => {
    assert.deepEqual(linkTarget("../a/./b", "link", caps), ["..", "a", "b"]);
  });

  for (const [target, why] of [
    ["", "is a link with an empty target"],
    ["/etc", "is a link to an absolute name"],
    ["a\u0007", "has control characters or broken UTF-8 in its name"],
    ["1/2/3/4/5", "has more than 4 components"],
    ["123456789", "has a component of more than 8 bytes"],
  ] as const)
    it(`is refused where it ${why}, under the name of the link`, () =>
      assert.throws(() => linkTarget(target, "link", caps), isUnsafe("link", why)));
});

describe("the sentence about a payload", () => {
  it("names an entry on one line, shortened, with what no terminal should see as its number", () => {
    assert.equal(printableName("a\u001b[2J\n\u202eb"), '"a\\u{1b}[2J\\u{a}\\u{202e}b"');
    assert.equal(printableName("x".repeat(120)), `"${"x".repeat(120)}"`);
    assert.equal(printableName("x".repeat(121)), `"${"x".repeat(120)}…"`);
  });

  it("names none where the fault is of the whole, and keeps its cause", () => {
    const cause = new Error("damaged");
    const error = unsafePayload("its archive is truncated", { cause });
    assert.equal(error.message, "The payload cannot be unpacked safely: its archive is truncated.");
    assert.equal(error.cause, cause);
  });
});

function isUnsafe(name: string, why: string): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof StewardError, String(error));
    assert.equal(error.code, "update_payload_unsafe");
    assert.equal(error.message, `The payload cannot be unpacked safely: ${printableName(name)} ${why}.`);
    return true;
  };
}
