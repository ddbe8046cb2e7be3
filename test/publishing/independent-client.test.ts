import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { add, keysOf, makeScratch, makeSite, publishAll, type Site } from "../../lab/publisher/site.ts";
import { attachSignature, bytesToSign } from "../../src/publishing/drafts/sign-draft.ts";
import { type NamedKey, readPublicKey } from "../../src/publishing/keys/public-keys.ts";
import { publish } from "../../src/publishing/publish.ts";
import { renewRole } from "../../src/publishing/renew.ts";
import { type RoleName, roleNames } from "../../src/publishing/roles.ts";
import { downloadWithTufJs, makeDevice } from "./clients.ts";
import { renewed, siteAt, unchanged } from "./fixture.ts";

const path = "stable/rules/demo-rules-1.0.0.tar.gz";

describe("a repository that was published", () => {
  it("is read by tuf-js over HTTP, down to the payload", async (test) => {
    const site = await siteAt(test, new Date());
    await add(site);
    await publishAll(site);
    const root = join(site.workspace.metadata, "1.root.json");
    const payload = await downloadWithTufJs(test, site.workspace.public, { root, path });
    assert.deepEqual(Buffer.from(payload), readFileSync(join(site.scratch, "demo-rules-1.0.0.tar.gz")));
  });

  it("is read by tuf-js from the first root on after each key has been replaced", async (test) => {
    const site = await siteAt(test, new Date());
    await add(site);
    await publishAll(site);
    const first = readFileSync(join(site.workspace.metadata, "1.root.json"));
    await replaceKeys(site);
    await publishAll(site);
    const root = join(site.scratch, "trusted.json");
    writeFileSync(root, first);
    assert.ok((await downloadWithTufJs(test, site.workspace.public, { root, path })).length > 0, "a payload");
  });
});

async function renewAll({ workspace }: Site): Promise<void> {
  for (const role of ["root", "targets", "rules", "binary"] as const)
    await renewRole(workspace, role, { keys: await keysOf(workspace), changes: unchanged });
}

async function replaceKeys(site: Site): Promise<void> {
  await renewed(site, "root", { roles: ["root", "timestamp", "snapshot", "targets"] });
  await renewed(site, "targets", { roles: ["rules", "binary"] });
}

describe("a repository that was signed by openssl alone", () => {
  it("is read by tuf-js and by our client, and no private key was ever in it", async (test) => {
    const { site, sign } = await makeSiteOfOpenssl(test);
    const now = { ...site.workspace, now: () => new Date() };
    const real = { ...site, workspace: now };
    await renewAll(real);
    const added = await add(real);
    const found = added.lacking.map(({ missing }) => missing);
    assert.deepEqual(found, [1]);
    for (const role of ["root", "targets", "rules", "binary"] as const) await sign(role);
    await assert.rejects(publish(now, []), {
      code: "repository_unsigned",
      message: /draft of snapshot needs 1/,
    });
    await sign("snapshot");
    await assert.rejects(publish(now, []), {
      code: "repository_unsigned",
      message: /draft of timestamp needs 1/,
    });
    assert.equal(existsSync(join(now.metadata, "timestamp.json")), false);
    await sign("timestamp");
    await publish(now, []);

    const root = join(now.metadata, "1.root.json");
    assert.ok((await downloadWithTufJs(test, now.public, { root, path })).length > 0, "a payload");
    const device = await makeDevice(readFileSync(root));
    const refreshed = await device.refresh(now.public, new Date());
    assert.equal((await refreshed.find(path))?.role, "rules");
    assert.equal(existsSync(join(site.directory, "keys", "root.pem")), false);
  });

  it("has the bytes to sign that jq makes of the draft", async (test) => {
    const site = await makeSite(test);
    await add(site, { notes: 'a "quoted" text with a \\' });
    for (const role of ["root", "targets", "rules", "binary"] as const) {
      const draft = join(site.workspace.drafts, `${role}.json`);
      const expected = execFileSync("jq", ["-jcS", ".signed", draft]);
      assert.deepEqual(Buffer.from(await bytesToSign(site.workspace, role)), expected, role);
    }
  });
});

async function makeSiteOfOpenssl(test: TestContext) {
  const keys = join(makeScratch(test), "safe");
  mkdirSync(keys);
  const publicKeys: Partial<Record<RoleName, NamedKey[]>> = {};
  for (const role of roleNames) {
    const file = join(keys, `${role}.pem`);
    execFileSync("openssl", ["genpkey", "-algorithm", "ed25519", "-out", file]);
    execFileSync("openssl", ["pkey", "-in", file, "-pubout", "-out", `${file}.pub`]);
    publicKeys[role] = [await readPublicKey(`${file}.pub`)];
  }
  const site = await makeSite(test, { publicKeys });
  const sign = async (role: RoleName): Promise<void> => {
    const [bytes, signature] = [join(keys, `${role}.bytes`), join(keys, `${role}.sig`)];
    writeFileSync(bytes, await bytesToSign(site.workspace, role));
    const key = join(keys, `${role}.pem`);
    execFileSync("openssl", ["pkeyutl", "-sign", "-rawin", "-inkey", key, "-in", bytes, "-out", signature]);
    const result = await attachSignature(site.workspace, role, { file: readFileSync(signature) });
    assert.deepEqual(result.lacking, []);
  };
  return { site, sign };
}
