import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import nacl from "tweetnacl";
import { canonical } from "../../lab/publisher/canonical.ts";
import { filesInMemory } from "../../lab/publisher/refreshing.ts";
import { SignedRepository } from "../../lab/publisher/signed-repository.ts";
import { createSigningKey, placeholderKey } from "../../lab/publisher/signing-key.ts";
import { StewardError } from "../../src/contract/errors.ts";
import { RootFollower } from "../../src/tuf/root-following.ts";
import { isSignedBySuccession, readRootOfTrust, requireSuccession } from "../../src/tuf/root-of-trust.ts";

describe("readRootOfTrust", () => {
  it("gives the root, also an expired one, and the SHA-256 of its signed part however the file is laid out", () => {
    const lab = new SignedRepository({ now: new Date("2019-01-01T00:00:00Z") });
    const bytes = lab.metadata("1.root");
    const fingerprint = createHash("sha256").update(canonical(lab.root)).digest("hex");
    for (const indent of [0, 7]) {
      const read = readRootOfTrust(Buffer.from(JSON.stringify(JSON.parse(String(bytes)), null, indent)));
      assert.deepEqual([read.fingerprint, read.root.expires.slice(0, 4)], [fingerprint, "2020"]);
    }
  });

  it("refuses a file that is no whole root", () => {
    const lab = new SignedRepository();
    const root = lab.metadata("1.root");
    for (const bytes of [
      ...[Buffer.alloc(0), Buffer.from("<!doctype html>"), lab.metadata("timestamp"), root.subarray(0, -20)],
      Buffer.from(String(root).replace('"1.0.34"', '"1.0.33"')),
    ])
      assert.throws(() => readRootOfTrust(bytes), { code: "update_root_unusable" });
  });

  /** The second root of a lab that was changed before it was published. */
  const second = (change: (lab: SignedRepository) => void, lab = new SignedRepository()): Buffer => {
    change(lab);
    if (lab.root.version === 1) lab.publishRoot();
    return lab.metadata("2.root");
  };

  it("refuses a key of any role that no one made, names it by the beginning of its id, and keeps the cause", () => {
    for (const [role, hex, reason] of [
      ["root", "00".repeat(32), "all zero: a placeholder"],
      ["timestamp", "00".repeat(32), "all zero: a placeholder"],
      ["targets", "key goes here", "0 bytes instead of 32"],
      ["root", `${"aa".repeat(32)}zz`, "0 bytes instead of 32"],
      ["root", `${"aa".repeat(32)}a`, "0 bytes instead of 32"],
      // Buffer takes such a letter for a digit.
      ["root", "\u0161".repeat(64), "0 bytes instead of 32"],
    ] as const) {
      const key = placeholderKey(hex);
      const bytes = second(({ keys }) => void keys[role]?.push(key));
      assert.throws(
        () => readRootOfTrust(bytes),
        (error: StewardError) => {
          assert.equal(error.code, "update_root_unusable");
          assert.match(error.message, new RegExp(`The key ${key.id.slice(0, 16)} (is|has) ${reason}`));
          assert.ok(error.cause instanceof StewardError, "it has lost its cause");
          return true;
        },
      );
    }
  });

  const several = { keyCounts: { root: 4 }, thresholds: { root: 2 } };
  const signByOne = (lab: SignedRepository): void => {
    lab.signers.root = (lab.keys.root ?? []).slice(0, 1);
  };
  const nameNoKey = (lab: SignedRepository): void =>
    lab.publishRoot(({ roles: { root } }) => {
      if (root) Object.assign(root, { threshold: 2, keyids: [...root.keyids, "ab".repeat(32)] });
    });
  const useOtherTypes = (lab: SignedRepository): void => {
    lab.keys.root = Array.from({ length: 6 }, (_, index) => {
      const key = createSigningKey();
      return { ...key, object: { ...key.object, keytype: `type${index}`, scheme: "x".repeat(9_000) } };
    });
  };
  const tooFew = /by 1 of its keys and must be by 2/;
  const others = [0, 1, 2, 3].map((at) => `"type${at}/x{54}"`).join(", ");
  for (const [what, bytes, message] of [
    ["is signed by fewer than it asks for", second(signByOne, new SignedRepository(several)), tooFew],
    ["names a key id without a key, which counts as none of any type", second(nameNoKey), tooFew],
    [
      "has keys of other types, four named by their beginning",
      second(useOtherTypes),
      `has 6 of another type: ${others}\\. `,
    ],
  ] as const)
    it(`refuses one that ${what}`, () => {
      const isUnusable = { code: "update_root_unusable", message: new RegExp(message) };
      assert.throws(() => readRootOfTrust(bytes), isUnusable);
    });

  it("verifies no more signatures than must be good, and does not hide a fault of the program", () => {
    const bytes = new SignedRepository(several).metadata("1.root");
    const answers = [true, false, true, true];
    let verified = 0;
    readRootOfTrust(bytes, { "ed25519/ed25519": () => answers[verified++] ?? false });
    assert.equal(verified, 3);
    const broken = { "ed25519/ed25519": () => assert.fail("a fault") };
    assert.throws(() => readRootOfTrust(bytes, broken), assert.AssertionError);
  });
});

/**
 * Roots 1 to 5 of two keys that both must sign: 2 and 3 by the same keys, 4 by others and those before, 5 by one of those
 * of 4 and a thief's.
 */
function succession(): [Buffer, Buffer, Buffer, Buffer, Buffer] {
  const lab = new SignedRepository({ keyCounts: { root: 2 }, thresholds: { root: 2 } });
  lab.publishRoot();
  lab.publishRoot();
  lab.keys.root = [createSigningKey(), createSigningKey()];
  lab.publishRoot();
  lab.keys.root = [...lab.keys.root.slice(0, 1), createSigningKey()];
  lab.signers.root = lab.keys.root;
  lab.publishRoot();
  const root = (version: number): Buffer => lab.metadata(`${version}.root`);
  return [root(1), root(2), root(3), root(4), root(5)];
}

it("requireSuccession takes the next version alone, signed by a threshold of the former's keys (TUF 5.3.4, 5.3.5)", () => {
  const roots = succession();
  const codeOf = (former: Buffer, next: Buffer): string => {
    try {
      requireSuccession(readRootOfTrust(former).root, next);
      return "taken";
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  const [other, unsigned] = ["update_metadata_mismatch", "update_signature_invalid"];
  assert.deepEqual(
    roots.map((former) => roots.map((next) => codeOf(former, next))),
    [
      [other, "taken", other, other, other],
      [other, other, "taken", other, other],
      [other, other, other, "taken", other],
      [other, other, other, other, unsigned],
      [other, other, other, other, other],
    ],
  );
});

it("isSignedBySuccession takes what a threshold of the keys in force has signed and what is not older", () => {
  const roots = succession();
  assert.deepEqual(
    roots.map((inForce) => roots.map((other) => isSignedBySuccession(inForce, other))),
    [
      // The fourth is signed by the keys of the third, which are those of the first.
      [true, true, true, true, false],
      [false, true, true, true, false],
      [false, false, true, true, false],
      [false, false, false, true, false],
      [false, false, false, false, true],
    ],
  );
});

it("the root that trusted metadata follow is verified once while its bytes are the same", async (test) => {
  const [first, second] = succession();
  const { fingerprint } = readRootOfTrust(first);
  const nothing = async (): Promise<void> => undefined;
  const options = { anchor: () => fingerprint, onContinued: nothing, onReplaced: nothing };
  const follower = new RootFollower({ files: filesInMemory({ root: second }), ...options });
  const { mock } = test.mock.method(nacl.sign.detached, "verify");
  const counts = [first, Buffer.from(first), second, first].map((bytes) => {
    follower.read(bytes);
    return mock.callCount();
  });
  // Two signatures each.
  assert.deepEqual(counts, [2, 2, 4, 6]);
  for (const _ of [1, 2]) await follower.follow(first);
  assert.equal(mock.callCount(), 8);
});
