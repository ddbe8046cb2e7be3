import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Argon2, moduleArgon2, nodeArgon2, openArgon2 } from "../../../src/accounts/users/argon2.ts";

/** The first version of this program made it of "a known password". */
const earlier =
  "$argon2id$v=19$m=19456,t=2,p=1$c3Rld2FyZCBzZWxmY2hlY2s$wDIEhUtpdc3ek5bKSLQ08o1zGpiJHjNGrr8Yo0CLcQY";
const cost = { memory: 4_096, passes: 1, parallelism: 1 };

const ofNode = nodeArgon2();
const module: Argon2 = await moduleArgon2();
/** Node 20 has none; `make test-lts` tries Node's own. */
const all: [name: string, argon2: Argon2][] = [
  ["the native module", module],
  ...(ofNode ? [["Node itself", ofNode] satisfies [string, Argon2]] : []),
];

for (const [name, argon2] of all)
  describe(`argon2id by ${name}`, () => {
    it("verifies what an earlier version made", async () => {
      assert.equal(await argon2.verify(earlier, "a known password"), true);
      assert.equal(await argon2.verify(earlier, "another password"), false);
    });

    it("makes PHC strings with the cost, a salt of 16 bytes and a hash of 32", async () => {
      const phc = await argon2.hash("p\u00e4ss", cost);
      assert.match(phc, /^\$argon2id\$v=19\$m=4096,t=1,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
      assert.notEqual(phc, await argon2.hash("p\u00e4ss", cost));
    });

    it("refuses a text that is not a hash", async () => {
      await assert.rejects(async () => argon2.verify("$argon2id$v=19$m=4096", "x"));
    });
  });

describe("argon2id", () => {
  it("gives the same hash by each: each verifies those of all", async () => {
    for (const [, maker] of all)
      for (const [, verifier] of all) {
        const phc = await maker.hash("p\u00e4ss", cost);
        assert.equal(await verifier.verify(phc, "p\u00e4ss"), true);
        assert.equal(await verifier.verify(phc, "pass"), false);
      }
  });

  it("is that of Node where Node has one, without the native module; else that of the module", (test) => {
    test.diagnostic(`argon2 of this Node: ${ofNode ? "tried" : "none, see make test-lts"}`);
    const hasOwn = (process.getBuiltinModule("node:crypto") as { argon2?: unknown }).argon2 !== undefined;
    assert.equal(openArgon2() instanceof Promise, !hasOwn);
    assert.equal(all.length, hasOwn ? 2 : 1);
  });
});
