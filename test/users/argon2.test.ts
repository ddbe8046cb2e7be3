import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Argon2, moduleArgon2, nodeArgon2, openArgon2 } from "../../src/users/argon2.ts";

/** Of "a known password", made by the first version of this program. */
const earlier =
  "$argon2id$v=19$m=19456,t=2,p=1$c3Rld2FyZCBzZWxmY2hlY2s$wDIEhUtpdc3ek5bKSLQ08o1zGpiJHjNGrr8Yo0CLcQY";
const cost = { memory: 4_096, passes: 1, parallelism: 1 };

const ofNode = nodeArgon2();
const noneOfNode = ofNode ? false : "this Node has no argon2";
const module: Argon2 = await moduleArgon2();
const all: [name: string, argon2: Argon2 | null][] = [
  ["the native module", module],
  ["Node itself", ofNode],
];

for (const [name, argon2] of all)
  describe(`argon2id by ${name}`, { skip: argon2 ? false : noneOfNode }, () => {
    it("verifies what an earlier version made", async () => {
      assert.equal(await argon2?.verify(earlier, "a known password"), true);
      assert.equal(await argon2?.verify(earlier, "another password"), false);
    });

    it("makes PHC strings with the cost, a salt of 16 bytes and a hash of 32", async () => {
      const phc = (await argon2?.hash("p\u00e4ss", cost)) ?? "";
      assert.match(phc, /^\$argon2id\$v=19\$m=4096,t=1,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
      assert.notEqual(phc, await argon2?.hash("p\u00e4ss", cost));
    });

    it("refuses a text that is not a hash", async () => {
      await assert.rejects(async () => argon2?.verify("$argon2id$v=19$m=4096", "x"));
    });
  });

describe("argon2id by both", { skip: noneOfNode }, () => {
  it("gives the same hash: each verifies what the other made", async () => {
    for (const [maker, verifier] of [
      [module, ofNode],
      [ofNode, module],
    ]) {
      const phc = (await maker?.hash("p\u00e4ss", cost)) ?? "";
      assert.equal(await verifier?.verify(phc, "p\u00e4ss"), true);
      assert.equal(await verifier?.verify(phc, "pass"), false);
    }
  });

  it("leaves the native module alone", () => {
    assert.ok(!(openArgon2() instanceof Promise));
  });
});
