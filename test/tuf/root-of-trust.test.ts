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
  it("gives the root and the SHA-256 of the canonical form of its signed part", () => {
    const lab = new SignedRepository();
    const { root, fingerprint } = readRootOfTrust(lab.metadata("1.root"));
    assert.equal(root.version, 1);
    assert.equal(fingerprint, createHash("sha256").update(canonical(lab.root)).digest("hex"));
  });

  it("gives the same fingerprint however the file is laid out", () => {
    const bytes = new SignedRepository().metadata("1.root");
    const other = Buffer.from(JSON.stringify(JSON.parse(bytes.toString()), null, 7));
    assert.equal(readRootOfTrust(other).fingerprint, readRootOfTrust(bytes).fingerprint);
  });

  it("takes one that has expired: what follows it decides", () => {
    const lab = new SignedRepository({ now: new Date("2019-01-01T00:00:00Z") });
    assert.equal(readRootOfTrust(lab.metadata("1.root")).root.expires.slice(0, 4), "2020");
  });

  const placeholders: [name: string, role: string, hex: string, reason: RegExp][] = [
    ["all zero", "root", "00".repeat(32), /all zero: a placeholder/],
    ["all zero", "timestamp", "00".repeat(32), /all zero: a placeholder/],
    ["all zero", "targets", "00".repeat(32), /all zero: a placeholder/],
    ["no hex", "root", "key goes here", /0 bytes instead of 32/],
    ["hex with more behind it", "root", `${"aa".repeat(32)}zz`, /0 bytes instead of 32/],
    ["hex with half a byte more", "root", `${"aa".repeat(32)}a`, /0 bytes instead of 32/],
    ["hex in letters that Buffer takes for digits", "root", "\u0161".repeat(64), /0 bytes instead of 32/],
  ];
  for (const [name, role, hex, message] of placeholders)
    it(`refuses a key of ${role} that is ${name}, and says so`, () => {
      const lab = new SignedRepository();
      lab.keys[role]?.push(placeholderKey(hex));
      lab.publishRoot();
      assert.throws(() => readRootOfTrust(lab.metadata("2.root")), { code: "update_root_unusable", message });
    });

  const broken: [string, (lab: SignedRepository) => Buffer][] = [
    ["is empty", () => Buffer.alloc(0)],
    ["is HTML", () => Buffer.from("<!doctype html><title>Sign in</title>")],
    ["is another role's file", (lab) => lab.metadata("timestamp")],
    ["was changed", (lab) => Buffer.from(String(lab.metadata("1.root")).replace('"1.0.34"', '"1.0.33"'))],
    ["is cut off", (lab) => lab.metadata("1.root").subarray(0, -20)],
  ];
  for (const [name, make] of broken) {
    it(`refuses a file that ${name}`, () => {
      assert.throws(() => readRootOfTrust(make(new SignedRepository())), { code: "update_root_unusable" });
    });
  }

  it("refuses one that is signed by fewer of its keys than it asks for", () => {
    const lab = new SignedRepository({ keyCounts: { root: 3 }, thresholds: { root: 2 } });
    assert.equal(readRootOfTrust(lab.metadata("1.root")).root.roles.root.threshold, 2);
    const [first] = lab.keys.root ?? [];
    lab.signers.root = first ? [first] : [];
    lab.publishRoot();
    assert.throws(() => readRootOfTrust(lab.metadata("2.root")), {
      code: "update_root_unusable",
      message: /by 1 of/,
    });
  });

  it("counts no key id that has no key, neither as a key nor as one of another type", () => {
    const lab = new SignedRepository();
    lab.publishRoot(({ roles: { root } }) => {
      if (root) Object.assign(root, { threshold: 2, keyids: [...root.keyids, "ab".repeat(32)] });
    });
    assert.throws(() => readRootOfTrust(lab.metadata("2.root")), {
      code: "update_root_unusable",
      message: /by 1 of its keys and must be by 2/,
    });
  });

  it("names four other types of keys at most, and the beginning of each", () => {
    const lab = new SignedRepository();
    lab.keys.root = Array.from({ length: 6 }, (_, index) => {
      const key = createSigningKey();
      return { ...key, object: { ...key.object, keytype: `type${index}`, scheme: "x".repeat(9_000) } };
    });
    lab.publishRoot();
    const types = [0, 1, 2, 3].map((index) => `"type${index}/${"x".repeat(54)}"`).join(", ");
    assert.throws(() => readRootOfTrust(lab.metadata("2.root")), {
      code: "update_root_unusable",
      message: new RegExp(`has 6 of another type: ${types}\\. `),
    });
  });

  it("names a bad key by the beginning of its id", () => {
    const lab = new SignedRepository();
    const key = placeholderKey("00".repeat(32));
    lab.keys.root?.push(key);
    lab.publishRoot();
    assert.throws(
      () => readRootOfTrust(lab.metadata("2.root")),
      (error: Error) => {
        assert.ok(error.message.includes(`The key ${key.id.slice(0, 16)} is all zero`), error.message);
        assert.ok(error.cause instanceof StewardError, "it has lost its cause");
        return true;
      },
    );
  });

  it("does not call a fault of the program one of the root", () => {
    const verifiers = { "ed25519/ed25519": () => assert.fail("a fault") };
    const bytes = new SignedRepository().metadata("1.root");
    assert.throws(() => readRootOfTrust(bytes, verifiers), assert.AssertionError);
  });

  it("verifies no more signatures than must be good", () => {
    const lab = new SignedRepository({ keyCounts: { root: 4 }, thresholds: { root: 2 } });
    const answers = [true, false, true, true];
    let verified = 0;
    const verifiers = { "ed25519/ed25519": () => answers[verified++] ?? false };
    readRootOfTrust(lab.metadata("1.root"), verifiers);
    assert.equal(verified, 3);
  });
});

/** Roots 1 to 4 of two keys that both must sign: 2 and 3 by the same keys, 4 by others and those before. */
function succession(): { lab: SignedRepository; roots: Buffer[] } {
  const lab = new SignedRepository({ keyCounts: { root: 2 }, thresholds: { root: 2 } });
  lab.publishRoot();
  lab.publishRoot();
  lab.keys.root = [createSigningKey(), createSigningKey()];
  lab.publishRoot();
  return { lab, roots: [1, 2, 3, 4].map((version) => lab.metadata(`${version}.root`)) };
}

/** A fifth root that one of the two keys of the fourth has signed, and a new key. */
function stolen(lab: SignedRepository): Buffer {
  const own = createSigningKey();
  const keys = (lab.keys.root ?? []).slice(0, 1);
  lab.keys.root = [...keys, own];
  lab.signers.root = [...keys, own];
  lab.publishRoot();
  return lab.metadata("5.root");
}

describe("requireSuccession", () => {
  it("takes the next version alone, signed by a threshold of the former's keys (TUF 5.3.4, 5.3.5)", () => {
    const { lab, roots } = succession();
    roots.push(stolen(lab));
    const codeOf = (former: Buffer, next: Buffer): string => {
      try {
        requireSuccession(readRootOfTrust(former).root, next);
        return "taken";
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    const found = roots.map((former) => roots.map((next) => codeOf(former, next)));
    const [other, unsigned] = ["update_metadata_mismatch", "update_signature_invalid"];
    assert.deepEqual(found, [
      [other, "taken", other, other, other],
      [other, other, "taken", other, other],
      [other, other, other, "taken", other],
      [other, other, other, other, unsigned],
      [other, other, other, other, other],
    ]);
  });
});

describe("isSignedBySuccession", () => {
  it("takes what a threshold of the keys in force has signed and what is not older", () => {
    const { lab, roots } = succession();
    roots.push(stolen(lab));
    const found = roots.map((inForce) => roots.map((other) => isSignedBySuccession(inForce, other)));
    assert.deepEqual(found, [
      // The fourth is signed by the keys of the third, which are those of the first.
      [true, true, true, true, false],
      [false, true, true, true, false],
      [false, false, true, true, false],
      [false, false, false, true, false],
      [false, false, false, false, true],
    ]);
  });
});

describe("the root that trusted metadata follow", () => {
  /** A follower whose anchor is kept, with what was written. */
  function following(roots: { installed: Buffer; kept?: Buffer; anchor?: Buffer }) {
    const contents: Record<string, Uint8Array> = { timestamp: Buffer.from("kept") };
    if (roots.kept) contents.root = roots.kept;
    let anchor = roots.anchor ? readRootOfTrust(roots.anchor).fingerprint : null;
    const move = async (fingerprint: string): Promise<void> => {
      anchor = fingerprint;
    };
    const files = filesInMemory(contents);
    const follower = new RootFollower({ files, anchor: () => anchor, onContinued: move, onReplaced: move });
    return { follower, contents, anchor: () => anchor };
  }

  it("is the installed one's successor where the metadata are further, and it is still the anchor", async () => {
    const [installed, second] = succession().roots as [Buffer, Buffer];
    const { follower, contents } = following({ installed, kept: second, anchor: installed });
    const { fingerprint } = readRootOfTrust(installed);
    assert.equal(follower.read(installed).fingerprint, fingerprint);
    const { inForce, ...followed } = await follower.follow(installed);
    assert.deepEqual(followed, { fingerprint, version: 1, change: "none" });
    assert.equal(inForce.version, 2);
    assert.deepEqual(contents.root, second);
  });

  it("is the installed one where none is kept", async () => {
    const [installed] = succession().roots as [Buffer];
    const { follower, contents } = following({ installed, anchor: installed });
    const { inForce, change } = await follower.follow(installed);
    assert.deepEqual([inForce.version, change], [1, "none"]);
    assert.deepEqual(contents, { root: installed, timestamp: Buffer.from("kept") });
  });

  for (const version of [2, 3, 4]) {
    it(`is the installed one of version ${version} where version 2 has signed it`, async () => {
      const { roots } = succession();
      const [first, kept] = roots as [Buffer, Buffer];
      const installed = roots[version - 1] as Buffer;
      const { follower, contents, anchor } = following({ installed, kept, anchor: first });
      const { fingerprint } = readRootOfTrust(installed);
      const { inForce, ...followed } = await follower.follow(installed);
      assert.deepEqual(followed, { fingerprint, version, change: "continued" });
      assert.deepEqual([inForce.version, anchor()], [version, fingerprint]);
      assert.deepEqual(contents, { root: installed, timestamp: Buffer.from("kept") });
    });
  }

  it("is another's, and what was known under the former one is forgotten, unless its record was lost", async () => {
    const [first] = succession().roots as [Buffer];
    const installed = new SignedRepository().metadata("1.root");
    for (const [former, left] of [
      [{ anchor: first }, { root: installed }],
      [{}, { root: installed, timestamp: Buffer.from("kept") }],
    ] as const) {
      const { follower, contents, anchor } = following({ installed, kept: first, ...former });
      const { fingerprint } = readRootOfTrust(installed);
      const { inForce, ...followed } = await follower.follow(installed);
      assert.deepEqual(followed, { fingerprint, version: 1, change: "replaced" });
      assert.deepEqual([inForce, anchor()], [readRootOfTrust(installed).root, fingerprint]);
      assert.deepEqual(contents, left);
    }
  });

  it("is verified once while its bytes are the same", async (test) => {
    const [installed, second] = succession().roots as [Buffer, Buffer];
    const { follower } = following({ installed, kept: second, anchor: installed });
    const { mock } = test.mock.method(nacl.sign.detached, "verify");
    const counts: number[] = [];
    for (const bytes of [installed, Buffer.from(installed), second, installed]) {
      follower.read(bytes);
      counts.push(mock.callCount());
    }
    // Two signatures each.
    assert.deepEqual(counts, [2, 2, 4, 6]);
    await follower.follow(installed);
    await follower.follow(installed);
    assert.equal(mock.callCount(), 8);
  });
});
