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

/** As publishers of this page do it: openssl wants a file, whose length it can tell. */
function opensslWith(key: string, file: string): string {
  return `cat > ${file} && openssl pkeyutl -sign -rawin -inkey ${key} -in ${file}`;
}

/** A site whose key of rules is away, with a draft of rules that waits for it. */
async function makeWaitingSite(test: TestContext): Promise<Site & { key: string; input: string }> {
  const site = await makeSite(test);
  const [key, input] = [join(site.scratch, "rules.pem"), join(site.scratch, "input")];
  renameSync(join(site.workspace.keys, "rules.pem"), key);
  await add(site);
  return { ...site, key, input };
}

async function sign(site: Site, command: string, seconds?: number) {
  const keys = externalKeys(command, await readState(site.workspace), seconds);
  return signDraft(site.workspace, "rules", keys);
}

describe("a signer elsewhere", () => {
  it("signs with openssl what its role lacks, and is asked for nothing else", async (test) => {
    const site = await makeWaitingSite(test);
    const asked = join(site.scratch, "asked");
    const command = `echo $STEWARD_ROLE >> ${asked}; ${opensslWith(site.key, site.input)}`;
    const elsewhere = externalKeys(command, await readState(site.workspace));
    const keys = [...(await keysOf(site.workspace)), ...elsewhere];
    const { published } = await publish(site.workspace, keys, { signers: elsewhere });
    assert.equal(published.length, 6);
    assert.equal(readFileSync(asked, "utf8"), "rules\n");
    const rules = join(site.workspace.metadata, "1.rules.json");
    const canonical = execFileSync("jq", ["-jcS", ".signed", rules]);
    assert.deepEqual(readFileSync(site.input), canonical);
  });

  for (const [form, filter] of [
    ["hex", "od -An -v -tx1"],
    ["Base64", "base64 -w 0"],
  ] as const) {
    it(`may write its signature in ${form}`, async (test) => {
      const site = await makeWaitingSite(test);
      const { lacking } = await sign(site, `${opensslWith(site.key, site.input)} | ${filter}`);
      assert.deepEqual(lacking, []);
    });
  }

  it("may be one of two that a role needs, and is run once for both keys", async (test) => {
    const scratch = makeScratch(test);
    const scratchKeys = ["a", "b"].map((name) => {
      const file = join(scratch, `${name}.pem`);
      execFileSync("openssl", ["genpkey", "-algorithm", "ed25519", "-out", file]);
      return file;
    });
    const publicKeys = { rules: await Promise.all(scratchKeys.map((file) => readPublicKey(file))) };
    const site = await makeSite(test, { publicKeys, thresholds: { rules: 2 } });
    await add(site);
    const asked = join(site.scratch, "asked");
    const input = join(site.scratch, "input");
    const first = await sign(site, `echo >> ${asked}; ${opensslWith(scratchKeys[0] ?? "", input)}`);
    assert.deepEqual([first.signed_by.length, first.lacking[0]?.missing], [1, 1]);
    assert.equal(readFileSync(asked, "utf8"), "\n");
    const second = await sign(site, opensslWith(scratchKeys[1] ?? "", input));
    assert.deepEqual(second.lacking, []);
  });

  it("that writes nothing does not sign, and that is said", async (test) => {
    const site = await makeWaitingSite(test);
    await assert.rejects(sign(site, "cat >/dev/null"), { code: "not_found", message: /made no signature/ });
  });

  for (const [what, command, message] of [
    ["fails", "exit 3", /ended with exit code 3\. Nothing was signed/],
    ["does not exist", "no-such-command-here 2>/dev/null", /exit code 127/],
    ["writes something else", "echo no", /wrote 3 bytes that are no signature/],
    ["does not stop writing", "yes 2>/dev/null", /wrote more than 4096 bytes/],
    ["does not end", "exec sleep 20", /did not end within 0\.3 s/],
    ["leaves a child that does not end", "sleep 1 & exec sleep 20", /did not end within 0\.3 s/],
    ["writes 64 bytes that no key has made", "head -c 64 /dev/zero", /no key of this repository/],
  ] as const) {
    it(`that ${what} is refused, and the draft stays as it was`, async (test) => {
      const site = await makeWaitingSite(test);
      const draft = join(site.workspace.drafts, "rules.json");
      const before = readFileSync(draft);
      await assert.rejects(sign(site, command, command.includes("sleep") ? 0.3 : 60), { message });
      assert.deepEqual(readFileSync(draft), before);
    });
  }

  it("cannot have what it signed changed: another draft is signed anew", async (test) => {
    const site = await makeWaitingSite(test);
    const asked = join(site.scratch, "asked");
    const keys = externalKeys(
      `echo >> ${asked}; ${opensslWith(site.key, site.input)}`,
      await readState(site.workspace),
    );
    await signDraft(site.workspace, "rules", keys);
    await add(site, { version: "2.0.0" });
    const { lacking } = await signDraft(site.workspace, "rules", keys);
    assert.deepEqual([lacking, readFileSync(asked, "utf8")], [[], "\n\n"]);
  });
});

describe("the owners of keys", () => {
  it("are kept beside the repository, and go with their keys", async (test) => {
    const site = await makeSite(test);
    const [key] = await heldKeys(site.workspace, new Map());
    assert.deepEqual([key?.role, key?.owner, key?.state], ["root", null, "drafted"]);
    const keyId = key?.key_id.slice(0, 8) ?? "";
    await nameOwners(site.workspace, [{ keyId, owner: "Anna, safe in Berlin" }]);
    const again = await openWorkspace(site.directory, surroundings);
    assert.equal((await heldKeys(again, new Map()))[0]?.owner, "Anna, safe in Berlin");
    await nameOwners(again, [{ keyId, owner: "" }]);
    assert.deepEqual((await openWorkspace(site.directory, surroundings)).owners, {});
  });

  it("are one line of text, of a key that there is", async (test) => {
    const site = await makeSite(test);
    const keyId = (await heldKeys(site.workspace, new Map()))[0]?.key_id ?? "";
    const before = readFileSync(join(site.directory, "repository.json"));
    for (const owner of ["a\nb", "a\u202eb", "x".repeat(101)])
      await assert.rejects(nameOwners(site.workspace, [{ keyId, owner }]), { code: "validation_failed" });
    await assert.rejects(nameOwners(site.workspace, [{ keyId: "00000000", owner: "Anna" }]), {
      code: "not_found",
    });
    assert.deepEqual(readFileSync(join(site.directory, "repository.json")), before);
  });

  it("that are damaged in the file are refused, with its name", async (test) => {
    const site = await makeSite(test);
    const file = join(site.directory, "repository.json");
    const config = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify({ ...config, key_owners: { root: 7 } }));
    await assert.rejects(openWorkspace(site.directory, surroundings), {
      message: /repository\.json: key_owners/,
    });
  });
});
