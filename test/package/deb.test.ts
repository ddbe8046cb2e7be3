import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { pack } from "../../scripts/package/deb.ts";

const directory = scratchDirectory();

const words = { version: "1.2.3" };
const example = {
  name: "steward-timekeeper",
  architecture: "all",
  version: "1.2.3",
  date: 1_767_225_600,
  words,
};

/** A package of two files, made in a directory of its own at another time. */
function packed(name: string, seconds: number): string {
  const tree = join(directory, name, "tree");
  mkdirSync(join(tree, "usr/share/doc"), { recursive: true });
  const names = ["usr/share/doc/one", "usr/share/doc/two"];
  for (const path of seconds % 2 === 0 ? names : names.toReversed()) {
    writeFileSync(join(tree, path), `${path}\n`);
    utimesSync(join(tree, path), seconds, seconds);
  }
  const umask = process.umask(seconds % 2 === 0 ? 0o022 : 0o077);
  try {
    return pack(example, tree, join(directory, name));
  } finally {
    process.umask(umask);
  }
}

const ask = (...args: readonly string[]): string => execFileSync("dpkg-deb", args, { encoding: "utf8" });

describe("a Debian package that the build makes", () => {
  const path = packed("first", 1_000_000_000);

  it("has the same bytes when it is made elsewhere, at another time, in another order and under another umask", () => {
    const other = packed("second", 1_500_000_001);
    assert.ok(readFileSync(path).equals(readFileSync(other)), `cmp ${path} ${other}`);
  });

  it("has the members of debian/control, with what the build knows", () => {
    const fields = ["Package", "Source", "Version", "Architecture", "Depends", "Provides", "Conflicts"];
    assert.equal(
      ask("--field", path, ...fields),
      `Package: steward-timekeeper
Source: steward
Version: 1.2.3
Architecture: all
Depends: steward (= 1.2.3)
Provides: time-daemon
Conflicts: time-daemon
`,
    );
  });

  it("holds its files as root's, all of the same date", () => {
    const lines = ask("--contents", path).trim().split("\n");
    assert.equal(lines.length, 6);
    for (const line of lines) assert.match(line, / root\/root .* 2026-01-01 /);
  });

  it("is not made where a word of debian/ has no value", () => {
    const tree = join(directory, "wordless");
    mkdirSync(tree);
    assert.throws(
      () => pack({ ...example, words: {} }, tree, directory),
      /steward-timekeeper: its files of debian\/ name "version", which has no value/,
    );
  });
});
