import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import { runs } from "../../lab/basics/counts.ts";
import type { DelegatedRole } from "../../src/tuf/metadata.ts";
import { isDelegated, mayHold } from "../../src/tuf/path-pattern.ts";

const role = (more: Partial<DelegatedRole>): DelegatedRole => ({
  name: "role",
  keyids: [],
  threshold: 1,
  terminating: false,
  ...more,
});

describe("isDelegated", () => {
  // The examples of TUF §4.5, and what follows from its words.
  const table: [string, string, boolean][] = [
    ["targets/*.tgz", "targets/foo.tgz", true],
    ["targets/*.tgz", "targets/foo.txt", false],
    ["foo-version-?.tgz", "foo-version-2.tgz", true],
    ["foo-version-?.tgz", "foo-version-a.tgz", true],
    ["foo-version-?.tgz", "foo-version-alpha.tgz", false],
    ["*.tgz", "foo.tgz", true],
    ["*.tgz", "targets/foo.tgz", false],
    ["foo.tgz", "foo.tgz", true],
    ["foo.tgz", "Foo.tgz", false],
    ["*/rules/*", "stable/rules/a-1.tar.gz", true],
    ["*/rules/*", "stable/binary/a-1.tar.gz", false],
    ["*/rules/*", "stable/rules/deep/a", false],
    ["*", "", true],
    ["", "", true],
    ["a*b*c", "axxbxxbc", true],
    ["a*b*c", "axxbxxb", false],
    ["[ab].tgz", "a.tgz", false],
    ["(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa!", false],
  ];
  for (const [pattern, path, expected] of table) {
    it(`${expected ? "gives" : "does not give"} "${path}" to "${pattern}"`, () => {
      assert.equal(isDelegated(role({ paths: [pattern] }), path), expected);
    });
  }

  it("goes by the first digits of the path's SHA-256 where the delegation says so", () => {
    const hash = createHash("sha256").update("stable/rules/a").digest("hex");
    assert.equal(isDelegated(role({ path_hash_prefixes: ["zz", hash.slice(0, 4)] }), "stable/rules/a"), true);
    assert.equal(isDelegated(role({ path_hash_prefixes: [hash.slice(0, 4)] }), "stable/rules/b"), false);
  });

  it("gives nothing to a delegation that names neither paths nor prefixes", () => {
    assert.equal(isDelegated(role({}), "stable/rules/a"), false);
  });

  it("agrees with the same pattern as a regular expression", () => {
    const part = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), maxLength: 8 });
    const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 });
    fc.assert(
      fc.property(part, text, (pattern, path) => {
        const expression = new RegExp(`^${pattern.replaceAll("*", ".*").replaceAll("?", ".")}$`);
        assert.equal(isDelegated(role({ paths: [pattern] }), path), expression.test(path));
      }),
      runs({ usual: 200, all: 2_000 }),
    );
  });

  it("takes a pattern that a regular expression would never come to the end of", () => {
    const pattern = `${"*a".repeat(2_000)}b`;
    assert.equal(isDelegated(role({ paths: [pattern] }), "a".repeat(4_000)), false);
  });
});

describe("mayHold", () => {
  const table: [string, boolean][] = [
    ["*/rules/*", true],
    ["stable/rules/base-*", true],
    ["st*/r?les/x", true],
    ["beta/rules/*", false],
    ["*/binary/*", false],
    ["*", false],
    ["stable/*", false],
    ["stable/rules/*/*", false],
  ];
  for (const [pattern, expected] of table) {
    it(`says ${expected} of "${pattern}" and stable/rules/`, () => {
      assert.equal(mayHold(role({ paths: [pattern] }), "stable", "rules"), expected);
    });
  }

  it("goes by any one of the patterns", () => {
    assert.equal(mayHold(role({ paths: ["*/binary/*", "*/rules/*"] }), "stable", "rules"), true);
    assert.equal(mayHold(role({ paths: [] }), "stable", "rules"), false);
  });

  it("cannot say no where hashes are delegated", () => {
    assert.equal(mayHold(role({ path_hash_prefixes: ["00"] }), "stable", "rules"), true);
  });
});
