import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { makeScratch, makeSite, surroundings } from "../../lab/publisher/site.ts";
import { readKeysAtHand, readPrivateKey } from "../../src/publishing/keys/private-keys.ts";
import { readPublicKey } from "../../src/publishing/keys/public-keys.ts";
import { countSignatures } from "../../src/publishing/keys/signing.ts";

const { askPassphrase } = surroundings;

function openssl(...words: string[]): void {
  execFileSync("openssl", words, { stdio: "pipe" });
}

describe("readPublicKey", () => {
  /** RFC 8032 §7.1, test 1: the secret key in PKCS #8, and the public key. */
  const seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
  const known = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

  it("finds RFC 8032's public key in its private key, and names it by the hash of its canonical form", async (test) => {
    const file = join(makeScratch(test), "key.pem");
    const der = Buffer.concat([
      Buffer.from("302e020100300506032b657004220420", "hex"),
      Buffer.from(seed, "hex"),
    ]);
    writeFileSync(
      file,
      `-----BEGIN PRIVATE KEY-----\n${der.toString("base64")}\n-----END PRIVATE KEY-----\n`,
    );
    const { id, key } = await readPublicKey(file);
    assert.equal(key.keyval.public, known);
    // printf '{"keytype":"ed25519","keyval":{"public":"d75a…"},"scheme":"ed25519"}' | sha256sum
    const written = `{"keytype":"ed25519","keyval":{"public":"${known}"},"scheme":"ed25519"}`;
    const [expected] = execFileSync("sha256sum", { input: written, encoding: "utf8" }).split(" ");
    assert.equal(id, expected);
  });

  it("reads 64 hex digits", async (test) => {
    const file = join(makeScratch(test), "key.hex");
    writeFileSync(file, `${known}\n`);
    assert.equal((await readPublicKey(file)).key.keyval.public, known);
  });

  const bad: [name: string, text: string, message: RegExp][] = [
    ["nothing", "", /not a public key in PEM/],
    ["something else", "hello", /not a public key in PEM/],
    ["the key that is all zero", "0".repeat(64), /all zero/],
    ["the neutral point", `01${"0".repeat(62)}`, /every message would verify/],
    ["a point of small order", `ecff${"f".repeat(58)}7f`, /small order/],
    ["a key in another form than its one", `ee${"f".repeat(60)}7f`, /one form/],
  ];
  for (const [name, text, message] of bad) {
    it(`refuses ${name}`, async (test) => {
      const file = join(makeScratch(test), "key");
      writeFileSync(file, text);
      await assert.rejects(readPublicKey(file), { code: "validation_failed", message });
    });
  }

  it("refuses a key of another kind", async (test) => {
    const file = join(makeScratch(test), "key.pem");
    openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", file);
    await assert.rejects(readPublicKey(file), { code: "validation_failed", message: /of the kind ec/ });
  });

  it("says which file is not there", async () => {
    await assert.rejects(readPublicKey("/nowhere/key.pem"), {
      code: "not_found",
      message: /\/nowhere\/key\.pem/,
    });
  });
});

describe("readPrivateKey", () => {
  it("makes the signature that openssl makes", async (test) => {
    const scratch = makeScratch(test);
    const [pem, bytes, signature] = ["key.pem", "bytes", "sig"].map((name) => join(scratch, name)) as [
      string,
      string,
      string,
    ];
    openssl("genpkey", "-algorithm", "ed25519", "-out", pem);
    writeFileSync(bytes, "to be signed");
    openssl("pkeyutl", "-sign", "-rawin", "-inkey", pem, "-in", bytes, "-out", signature);
    const key = await readPrivateKey(pem, askPassphrase);
    assert.deepEqual(Buffer.from(key.sign(readFileSync(bytes))), readFileSync(signature));
  });

  it("refuses a file that others can read, and says what to do", async (test) => {
    const file = join(makeScratch(test), "key.pem");
    openssl("genpkey", "-algorithm", "ed25519", "-out", file);
    chmodSync(file, 0o640);
    await assert.rejects(readPrivateKey(file, askPassphrase), {
      code: "forbidden",
      message: /mode 640.*chmod 600/,
    });
  });

  it("asks for the passphrase of a file that has one, and refuses a wrong one", async (test) => {
    const scratch = makeScratch(test);
    const file = join(scratch, "key.pem");
    openssl("genpkey", "-algorithm", "ed25519", "-aes256", "-pass", "pass:open sesame", "-out", file);
    const { id } = await readPrivateKey(file, async () => "open sesame");
    assert.match(id, /^[0-9a-f]{64}$/);
    await assert.rejects(
      readPrivateKey(file, async () => "wrong"),
      { code: "validation_failed", message: /cannot be opened with this passphrase/ },
    );
    assert.deepEqual(await readKeysAtHand(scratch), { keys: [], sealed: [file] });
  });

  it("refuses a file that is not a key", async (test) => {
    const file = join(makeScratch(test), "key.pem");
    writeFileSync(file, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", { mode: 0o600 });
    await assert.rejects(readPrivateKey(file, askPassphrase), { code: "validation_failed" });
  });
});

describe("countSignatures", () => {
  it("counts one key once that stands under two ids", async (test) => {
    const { directory } = await makeSite(test);
    const { keys } = await readKeysAtHand(join(directory, "keys"));
    const [mine] = keys;
    assert.ok(mine, "a key");
    const signedBytes = Buffer.from("signed");
    const sig = Buffer.from(mine.sign(signedBytes)).toString("hex");
    const authority = {
      name: "rules",
      by: "targets version 1",
      isRequired: true,
      keyids: ["one", "other"],
      keys: { one: mine.key, other: mine.key },
      threshold: 2,
    };
    const signatures = [
      { keyid: "one", sig },
      { keyid: "other", sig },
    ];
    assert.equal(countSignatures({ signatures, signedBytes }, authority).missing, 1);
    assert.equal(countSignatures({ signatures: [], signedBytes }, authority).missing, 2);
  });
});

describe("initRepository", () => {
  it("makes as many keys as a threshold asks for, each readable by its owner alone", async (test) => {
    const { workspace } = await makeSite(test, { thresholds: { root: 2 } });
    const { keys } = await readKeysAtHand(workspace.keys);
    assert.equal(keys.length, 7);
    assert.ok(existsSync(join(workspace.keys, "root-2.pem")), "a second root key");
  });

  it("refuses one key for rules and for binary, which a thief would have both", async (test) => {
    const file = join(makeScratch(test), "key.pem");
    openssl("genpkey", "-algorithm", "ed25519", "-out", file);
    const key = await readPublicKey(file);
    await assert.rejects(makeSite(test, { publicKeys: { rules: [key], binary: [key] } }), {
      code: "validation_failed",
      message: /given for rules and for binary/,
    });
  });

  it("refuses a threshold that the given keys can never reach", async (test) => {
    const file = join(makeScratch(test), "key.pem");
    openssl("genpkey", "-algorithm", "ed25519", "-out", file);
    const key = await readPublicKey(file);
    await assert.rejects(makeSite(test, { publicKeys: { root: [key, key] }, thresholds: { root: 2 } }), {
      code: "validation_failed",
      message: /threshold of root is 2, and 1 public key/,
    });
  });
});
