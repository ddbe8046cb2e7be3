import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StewardError } from "../../../src/contract/errors.ts";
import { entryPath, linkTarget } from "../../../src/releases/payload/entry-path.ts";
import { printableName, unsafePayload } from "../../../src/releases/payload/unsafe-payload.ts";

const caps = { nameBytes: 20, componentBytes: 8, components: 4 };

describe("the name of an entry", () => {
  const right: [name: string, isDirectory: boolean, components: string[]][] = [
    [".", true, []],
    ["./", true, []],
    ["lib", true, ["lib"]],
    ["lib/", true, ["lib"]],
    ["./lib/", true, ["lib"]],
    ["lib", false, ["lib"]],
    ["./a/b", false, ["a", "b"]],
    ["a/.b/..c", false, ["a", ".b", "..c"]],
    ["12345678", false, ["12345678"]],
    ["1/2/3/4", false, ["1", "2", "3", "4"]],
    ["1234/1234/1234/12345", false, ["1234", "1234", "1234", "12345"]],
    ["ä/ö", false, ["ä", "ö"]],
  ];
  for (const [name, isDirectory, components] of right) {
    it(`is below the release: ${isDirectory ? "directory" : "file"} ${name}`, () =>
      assert.deepEqual(entryPath(name, isDirectory, caps), components));
  }

  const wrong: [name: string, isDirectory: boolean, why: string][] = [
    ["", false, "has no name"],
    ["/a", false, "is an absolute name"],
    [".", false, 'has an empty or a "." component'],
    ["./", false, 'has an empty or a "." component'],
    ["a/", false, 'has an empty or a "." component'],
    ["a//", true, 'has an empty or a "." component'],
    ["a//b", false, 'has an empty or a "." component'],
    ["a/./b", false, 'has an empty or a "." component'],
    ["././a", false, 'has an empty or a "." component'],
    ["..", true, 'has ".." in its name'],
    ["a/../b", false, 'has ".." in its name'],
    ["123456789", false, "has a component of more than 8 bytes"],
    ["ääääa", false, "has a component of more than 8 bytes"],
    ["a/123456789", false, "has a component of more than 8 bytes"],
    ["1/2/3/4/5", false, "has more than 4 components"],
    ["1234/1234/1234/123456", false, "is longer than 20 bytes"],
    ["ääää/ääää/ää", false, "is longer than 20 bytes"],
    ["a\\b", false, "has a backslash in its name"],
    ["a\u0000b", false, "has control characters or broken UTF-8 in its name"],
    ["a\ufffdb", false, "has control characters or broken UTF-8 in its name"],
    ["a\ud800b", false, "has control characters or broken UTF-8 in its name"],
  ];
  for (const [name, isDirectory, why] of wrong) {
    it(`is refused where it ${why}: ${JSON.stringify(name)}`, () =>
      assert.throws(() => entryPath(name, isDirectory, caps), isUnsafe(name, why)));
  }
});

describe("the target of a link", () => {
  it("may lead up and stay where it is, which is followed later", () => {
    assert.deepEqual(linkTarget("../a/./b", "link", caps), ["..", "a", ".", "b"]);
  });

  const wrong: [target: string, why: string][] = [
    ["", "is a link with an empty target"],
    ["/etc", "is a link to an absolute name"],
    ["a\u0007", "has control characters or broken UTF-8 in its name"],
    ["1/2/3/4/5", "has more than 4 components"],
    ["123456789", "has a component of more than 8 bytes"],
  ];
  for (const [target, why] of wrong) {
    it(`is refused where it ${why}, under the name of the link`, () =>
      assert.throws(() => linkTarget(target, "link", caps), isUnsafe("link", why)));
  }
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
