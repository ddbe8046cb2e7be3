import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StewardError } from "../../../src/contract/errors.ts";
import { entryPath, linkTarget } from "../../../src/releases/payload/entry-path.ts";
import { printableName, unsafePayload } from "../../../src/releases/payload/unsafe-payload.ts";

const caps = { nameBytes: 20, componentBytes: 8, components: 4 };

describe("the name of an entry", () => {
  const right: [name: string, components: string[]][] = [
    [".", []],
    ["./", []],
    ["lib", ["lib"]],
    ["lib/", ["lib"]],
    ["./lib/", ["lib"]],
    ["./a/b", ["a", "b"]],
    ["./././a", ["a"]],
    ["a/./b", ["a", "b"]],
    ["a//b", ["a", "b"]],
    ["a/.b/..c", ["a", ".b", "..c"]],
    ["..\\a", ["..\\a"]],
    ["12345678", ["12345678"]],
    ["1/2/3/4", ["1", "2", "3", "4"]],
    ["1234/1234/1234/12345", ["1234", "1234", "1234", "12345"]],
    ["ä/ö", ["ä", "ö"]],
  ];
  for (const [name, components] of right) {
    it(`is below the release: ${name}`, () => assert.deepEqual(entryPath(name, caps), components));
  }

  const wrong: [name: string, why: string][] = [
    ["", "has no name"],
    ["/a", "is an absolute name"],
    ["..", 'has ".." in its name'],
    ["a/../b", 'has ".." in its name'],
    ["a/./..", 'has ".." in its name'],
    ["123456789", "has a component of more than 8 bytes"],
    ["ääääa", "has a component of more than 8 bytes"],
    ["a/123456789", "has a component of more than 8 bytes"],
    ["1/2/3/4/5", "has more than 4 components"],
    ["1234/1234/1234/123456", "is longer than 20 bytes"],
    ["ääää/ääää/ää", "is longer than 20 bytes"],
    ["a\u0000b", "has control characters or broken UTF-8 in its name"],
    ["a\ufffdb", "has control characters or broken UTF-8 in its name"],
    ["a\ud800b", "has control characters or broken UTF-8 in its name"],
  ];
  for (const [name, why] of wrong) {
    it(`is refused where it ${why}: ${JSON.stringify(name)}`, () =>
      assert.throws(() => entryPath(name, caps), isUnsafe(name, why)));
  }
});

describe("the target of a link", () => {
  it("may lead up and stay where it is, which is followed later", () => {
    assert.deepEqual(linkTarget("../a/./b", "link", caps), ["..", "a", "b"]);
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
