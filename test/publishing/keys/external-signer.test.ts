import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { add, keysOf, makeScratch, makeSite, type Site, surroundings } from "../../../lab/publisher/site.ts";
import { signDraft } from "../../../src/publishing/drafts/sign-draft.ts";
import { externalKeys } from "../../../src/publishing/keys/external-signer.ts";
import { heldKeys, nameOwners } from "../../../src/publishing/keys/owners.ts";
import { readPublicKey } from "../../../src/publishing/keys/public-keys.ts";
import { publish } from "../../../src/publishing/publish.ts";
import { readState } from "../../../src/publishing/state.ts";
import { openWorkspace } from "../../../src/publishing/workspace.ts";

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
