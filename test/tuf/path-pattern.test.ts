import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import { runs } from "../../lab/basics/counts.ts";
import type { DelegatedRole } from "../../src/tuf/metadata.ts";
import { isDelegated, mayHold } from "../../src/tuf/path-pattern.ts";

const role = (more: Partial<DelegatedRole>): DelegatedRole => ({
  ...{ name: "role", keyids: [], threshold: 1, terminating: false },
  ...more,
});

describe("isDelegated", () => {
  // The examples of TUF §4.5, and what follows from its words.
  for (const [pattern, given, others] of [
    ["targets/*.tgz", ["targets/foo.tgz"], ["targets/foo.txt", "foo.tgz"]],
    ["foo-version-?.tgz", ["foo-version-2.tgz", "foo-version-a.tgz"], ["foo-version-alpha.tgz"]],
    ["*.tgz", ["foo.tgz"], ["targets/foo.tgz"]],
    ["foo.tgz", ["foo.tgz"], ["Foo.tgz"]],
    ["*/rules/*", ["stable/rules/a-1.tar.gz"], ["stable/binary/a-1.tar.gz", "stable/rules/deep/a"]],
    ["*", ["", "a"], ["a/b"]],
    ["", [""], ["a"]],
    ["[ab].tgz", ["[ab].tgz"], ["a.tgz"]],
    ["(a+)+$", ["(a+)+$"], ["aaaaaaaaaaaaaaaaaaaaaaaaaaaa!"]],
  ] as const)
    it(`gives "${pattern}" its own paths and no others`, () => {
      for (const path of given) assert.equal(isDelegated(role({ paths: [pattern] }), path), true, path);
      for (const path of others) assert.equal(isDelegated(role({ paths: [pattern] }), path), false, path);
    });

  it("goes by the first digits of the path's SHA-256 where the delegation says so", () => {
    const hash = createHash("sha256").update("stable/rules/a").digest("hex");
    assert.equal(isDelegated(role({ path_hash_prefixes: ["zz", hash.slice(0, 4)] }), "stable/rules/a"), true);
    assert.equal(isDelegated(role({ path_hash_prefixes: [hash.slice(0, 4)] }), "stable/rules/b"), false);
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
  for (const [expected, ...roles] of [
    [true, { paths: ["*/rules/*"] }, { paths: ["stable/rules/base-*"] }, { paths: ["st*/r?les/x"] }],
    [true, { paths: ["*/binary/*", "*/rules/*"] }, { path_hash_prefixes: ["00"] }],
    [false, { paths: ["beta/rules/*"] }, { paths: ["*/binary/*"] }, { paths: ["*"] }, { paths: [] }],
    [false, { paths: ["stable/*"] }, { paths: ["stable/rules/*/*"] }],
  ] as const)
    for (const more of roles)
      it(`says ${expected} of ${Object.values(more)} and stable/rules/`, () => {
        assert.equal(mayHold(role(more), "stable", "rules"), expected);
      });
});
