import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { add, keysOf, makeScratch, makeSite, type Site, surroundings } from "../../lab/publisher/site.ts";
import { signDraft } from "../../src/publishing/drafts/sign-draft.ts";
import { externalKeys } from "../../src/publishing/keys/external-signer.ts";
import { heldKeys, nameOwners } from "../../src/publishing/keys/owners.ts";
import { readKeysAtHand, readPrivateKey } from "../../src/publishing/keys/private-keys.ts";
import { readPublicKey } from "../../src/publishing/keys/public-keys.ts";
import { countSignatures } from "../../src/publishing/keys/signing.ts";
import { publish } from "../../src/publishing/publish.ts";
import { readState } from "../../src/publishing/state.ts";
import { openWorkspace } from "../../src/publishing/workspace.ts";

const { askPassphrase } = surroundings;

const openssl = (...words: string[]) => void execFileSync("openssl", words, { stdio: "pipe" });

/** A key in a file of its own, of Ed25519 unless other options are given. */
function keyFile(test: TestContext, options = ["-algorithm", "ed25519"]): string {
  const file = join(makeScratch(test), "key.pem");
  openssl("genpkey", ...options, "-out", file);
  return file;
}

const pemOf = (der: Buffer) =>
  `-----BEGIN PRIVATE KEY-----\n${der.toString("base64")}\n-----END PRIVATE KEY-----\n`;

describe("readPublicKey", () => {
  /** RFC 8032 §7.1, test 1: the secret key in PKCS #8, and the public key. */
  const seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
  const known = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

  it("finds RFC 8032's public key in its private key or in hex, and names it by the hash of its canonical form", async (test) => {
    const [pem = "", hex = ""] = ["key.pem", "key.hex"].map((name) => join(makeScratch(test), name));
    writeFileSync(pem, pemOf(Buffer.from(`302e020100300506032b657004220420${seed}`, "hex")));
    writeFileSync(hex, `${known}\n`);
    const { id, key } = await readPublicKey(pem);
    assert.equal(key.keyval.public, known);
    assert.equal((await readPublicKey(hex)).id, id);
    // printf '{"keytype":"ed25519","keyval":{"public":"d75a…"},"scheme":"ed25519"}' | sha256sum
    const written = `{"keytype":"ed25519","keyval":{"public":"${known}"},"scheme":"ed25519"}`;
    assert.equal(execFileSync("sha256sum", { input: written, encoding: "utf8" }).split(" ")[0], id);
  });

  for (const [name, text, message] of [
    ["nothing", "", /not a public key in PEM/],
    ["something else", "hello", /not a public key in PEM/],
    ["the key that is all zero", "0".repeat(64), /all zero/],
    ["the neutral point", `01${"0".repeat(62)}`, /every message would verify/],
    ["a point of small order", `ecff${"f".repeat(58)}7f`, /small order/],
    ["a key in another form than its one", `ee${"f".repeat(60)}7f`, /one form/],
  ] as const)
    it(`refuses ${name}`, async (test) => {
      const file = join(makeScratch(test), "key");
      writeFileSync(file, text);
      await assert.rejects(readPublicKey(file), { code: "validation_failed", message });
    });

  it("refuses a key of another kind, and says which file is not there", async (test) => {
    const file = keyFile(test, ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]);
    await assert.rejects(readPublicKey(file), { code: "validation_failed", message: /of the kind ec/ });
    await assert.rejects(readPublicKey("/nowhere/key.pem"), { code: "not_found", message: /\/nowhere\/key/ });
  });
});

describe("readPrivateKey", () => {
  it("makes the signature that openssl makes", async (test) => {
    const file = keyFile(test);
    writeFileSync(`${file}.bytes`, "to be signed");
    openssl(..."pkeyutl -sign -rawin -inkey".split(" "), file, "-in", `${file}.bytes`, "-out", `${file}.sig`);
    const key = await readPrivateKey(file, askPassphrase);
    assert.deepEqual(Buffer.from(key.sign(Buffer.from("to be signed"))), readFileSync(`${file}.sig`));
  });

  it("refuses a file that others can read, and says what to do, and one that is not a key", async (test) => {
    const file = keyFile(test);
    chmodSync(file, 0o640);
    const message = /mode 640.*chmod 600/;
    await assert.rejects(readPrivateKey(file, askPassphrase), { code: "forbidden", message });
    chmodSync(file, 0o600);
    writeFileSync(file, pemOf(Buffer.alloc(3)));
    await assert.rejects(readPrivateKey(file, askPassphrase), { code: "validation_failed" });
  });

  it("asks for the passphrase of a file that has one, and refuses a wrong one", async (test) => {
    const file = keyFile(test, ["-algorithm", "ed25519", "-aes256", "-pass", "pass:open sesame"]);
    assert.match((await readPrivateKey(file, async () => "open sesame")).id, /^[0-9a-f]{64}$/);
    const message = /cannot be opened with this passphrase/;
    const wrong = readPrivateKey(file, async () => "wrong");
    await assert.rejects(wrong, { code: "validation_failed", message });
    assert.deepEqual(await readKeysAtHand(join(file, "..")), { keys: [], sealed: [file] });
  });
});

describe("countSignatures", () => {
  it("counts one key once that stands under two ids", async (test) => {
    const { workspace } = await makeSite(test);
    const [mine] = await keysOf(workspace);
    assert.ok(mine, "a key");
    const signedBytes = Buffer.from("signed");
    const sig = Buffer.from(mine.sign(signedBytes)).toString("hex");
    const keyids = ["one", "other"];
    const keys = { one: mine.key, other: mine.key };
    const authority = {
      name: "rules",
      by: "targets version 1",
      isRequired: true,
      keyids,
      keys,
      threshold: 2,
    };
    const missing = (ids: readonly string[]) =>
      countSignatures({ signatures: ids.map((keyid) => ({ keyid, sig })), signedBytes }, authority).missing;
    assert.deepEqual([missing(keyids), missing([])], [1, 2]);
  });
});

describe("initRepository", () => {
  it("makes as many keys as a threshold asks for, each readable by its owner alone", async (test) => {
    const { workspace } = await makeSite(test, { thresholds: { root: 2 } });
    assert.equal((await keysOf(workspace)).length, 7);
    assert.ok(existsSync(join(workspace.keys, "root-2.pem")), "a second root key");
  });

  it("refuses one key for rules and for binary, which a thief would have both, and a threshold above the keys", async (test) => {
    const key = await readPublicKey(keyFile(test));
    for (const [request, message] of [
      [{ publicKeys: { rules: [key], binary: [key] } }, /given for rules and for binary/],
      [
        { publicKeys: { root: [key, key] }, thresholds: { root: 2 } },
        /threshold of root is 2, and 1 public key/,
      ],
    ] as const)
      await assert.rejects(makeSite(test, request), { code: "validation_failed", message });
  });
});

/** As publishers of this page do it: openssl wants a file, whose length it can tell. */
function opensslWith(key: string, file: string): string {
  return `cat > ${file} && openssl pkeyutl -sign -rawin -inkey ${key} -in ${file}`;
}

/** A site whose key of rules is away, with a draft of rules that waits for it. */
async function makeWaitingSite(test: TestContext) {
  const site = await makeSite(test);
  const at = (name: string) => join(site.scratch, name);
  renameSync(join(site.workspace.keys, "rules.pem"), at("rules.pem"));
  await add(site);
  return {
    ...site,
    input: at("input"),
    asked: at("asked"),
    command: opensslWith(at("rules.pem"), at("input")),
  };
}

async function sign(site: Site, command: string, seconds?: number) {
  return signDraft(site.workspace, "rules", externalKeys(command, await readState(site.workspace), seconds));
}

describe("a signer elsewhere", () => {
  it("signs with openssl what its role lacks, and is asked for nothing else", async (test) => {
    const site = await makeWaitingSite(test);
    const command = `echo $STEWARD_ROLE >> ${site.asked}; ${site.command}`;
    const elsewhere = externalKeys(command, await readState(site.workspace));
    const keys = [...(await keysOf(site.workspace)), ...elsewhere];
    const { published } = await publish(site.workspace, keys, { signers: elsewhere });
    assert.equal(published.length, 6);
    assert.equal(readFileSync(site.asked, "utf8"), "rules\n");
    const canonical = execFileSync("jq", ["-jcS", ".signed", join(site.workspace.metadata, "1.rules.json")]);
    assert.deepEqual(readFileSync(site.input), canonical);
  });

  it("may write its signature in hex or in Base64", async (test) => {
    for (const filter of ["od -An -v -tx1", "base64 -w 0"]) {
      const site = await makeWaitingSite(test);
      assert.deepEqual((await sign(site, `${site.command} | ${filter}`)).lacking, []);
    }
  });

  it("may be one of two that a role needs, and is run once for both keys", async (test) => {
    const files = [keyFile(test), keyFile(test)];
    const publicKeys = { rules: await Promise.all(files.map(readPublicKey)) };
    const site = await makeSite(test, { publicKeys, thresholds: { rules: 2 } });
    await add(site);
    const [asked, input] = ["asked", "input"].map((name) => join(site.scratch, name)) as [string, string];
    const [one, other] = files.map((file) => `echo >> ${asked}; ${opensslWith(file, input)}`);
    const first = await sign(site, one ?? "");
    assert.deepEqual([first.signed_by.length, first.lacking[0]?.missing], [1, 1]);
    assert.equal(readFileSync(asked, "utf8"), "\n");
    assert.deepEqual((await sign(site, other ?? "")).lacking, []);
  });

  it("is refused with what is wrong, and the draft stays as it was", async (test) => {
    const site = await makeWaitingSite(test);
    const draft = join(site.workspace.drafts, "rules.json");
    const before = readFileSync(draft);
    for (const [command, message] of [
      ["cat >/dev/null", /made no signature/],
      ["exit 3", /ended with exit code 3\. Nothing was signed/],
      ["no-such-command-here 2>/dev/null", /exit code 127/],
      ["echo no", /wrote 3 bytes that are not a signature/],
      ["yes 2>/dev/null", /wrote more than 4096 bytes/],
      ["exec sleep 20", /did not end within 0\.3 s/],
      ["sleep 1 & exec sleep 20", /did not end within 0\.3 s/],
      ["head -c 64 /dev/zero", /no key of this repository/],
    ] as const) {
      await assert.rejects(sign(site, command, command.includes("sleep") ? 0.3 : 60), { message }, command);
      assert.deepEqual(readFileSync(draft), before);
    }
  });

  it("cannot have what it signed changed: another draft is signed anew", async (test) => {
    const site = await makeWaitingSite(test);
    const keys = externalKeys(`echo >> ${site.asked}; ${site.command}`, await readState(site.workspace));
    await signDraft(site.workspace, "rules", keys);
    await add(site, { version: "2.0.0" });
    const { lacking } = await signDraft(site.workspace, "rules", keys);
    assert.deepEqual([lacking, readFileSync(site.asked, "utf8")], [[], "\n\n"]);
  });
});

describe("the owners of keys", () => {
  it("are one line of text, of a key that there is, until they are empty, and refused by file where they are damaged", async (test) => {
    const site = await makeSite(test);
    const [key] = await heldKeys(site.workspace, new Map());
    assert.deepEqual([key?.role, key?.owner, key?.state], ["root", null, "drafted"]);
    const keyId = key?.key_id.slice(0, 8) ?? "";
    const file = join(site.directory, "repository.json");
    const before = readFileSync(file, "utf8");
    for (const [id, owner, code] of [
      [keyId, "a\nb", "validation_failed"],
      [keyId, "a\u202eb", "validation_failed"],
      [keyId, "x".repeat(101), "validation_failed"],
      ["00000000", "Anna", "not_found"],
    ] as const)
      await assert.rejects(nameOwners(site.workspace, [{ keyId: id, owner }]), { code });
    assert.equal(readFileSync(file, "utf8"), before);
    for (const owner of ["x".repeat(100), ""]) {
      await nameOwners(site.workspace, [{ keyId, owner }]);
      const { owners } = await openWorkspace(site.directory, surroundings);
      assert.deepEqual(Object.values(owners), owner === "" ? [] : [owner]);
    }
    writeFileSync(file, JSON.stringify({ ...JSON.parse(before), key_owners: { root: 7 } }));
    const message = /repository\.json: key_owners/;
    await assert.rejects(openWorkspace(site.directory, surroundings), { message });
  });
});
