import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { add, makeScratch, makeSite, publishAll } from "../../lab/publisher/site.ts";
import { attachSignature, bytesToSign } from "../../src/publishing/drafts/sign-draft.ts";
import { type NamedKey, readPublicKey } from "../../src/publishing/keys/public-keys.ts";
import { publish } from "../../src/publishing/publish.ts";
import { renewRole } from "../../src/publishing/renew.ts";
import { type RoleName, roleNames } from "../../src/publishing/roles.ts";
import { downloadWithTufJs, makeDevice } from "./clients.ts";
import { renewed, unchanged } from "./fixture.ts";

const path = "stable/rules/demo-rules-1.0.0.tar.gz";

describe("a repository that was published", () => {
  it("is read by tuf-js over HTTP, down to the payload", async (test) => {
    const site = await makeSite(test, {}, new Date());
    await add(site);
    await publishAll(site);
    const root = join(site.workspace.metadata, "1.root.json");
    const download = async () =>
      Buffer.from(await downloadWithTufJs(test, site.workspace.public, { root, path }));
    const payload = readFileSync(join(site.scratch, "demo-rules-1.0.0.tar.gz"));
    assert.deepEqual(await download(), payload);
    // From the first root on after each key has been replaced, too.
    await renewed(site, "root", { roles: ["root", "timestamp", "snapshot", "targets"] });
    await renewed(site, "targets", { roles: ["rules", "binary"] });
    await publishAll(site);
    assert.deepEqual(await download(), payload);
  });
});

describe("a repository that was signed by openssl alone", () => {
  it("is read by tuf-js and by our client, and no private key was ever in it", async (test) => {
    const { site, sign } = await makeSiteOfOpenssl(test);
    const now = { ...site.workspace, now: () => new Date() };
    const drafted = ["root", "targets", "rules", "binary"] as const;
    for (const role of drafted) await renewRole(now, role, { keys: [], changes: unchanged });
    const added = await add({ ...site, workspace: now });
    assert.equal(added.lacking[0]?.missing, 1);
    for (const role of drafted) await sign(role);
    for (const role of ["snapshot", "timestamp"] as const) {
      const message = new RegExp(`draft of ${role} needs 1`);
      await assert.rejects(publish(now, []), { code: "repository_unsigned", message });
      assert.equal(existsSync(join(now.metadata, "timestamp.json")), false);
      await sign(role);
    }
    await publish(now, []);
    const root = join(now.metadata, "1.root.json");
    assert.ok((await downloadWithTufJs(test, now.public, { root, path })).length > 0, "a payload");
    const device = makeDevice(readFileSync(root));
    const refreshed = await device.refresh(now.public, new Date());
    assert.equal((await refreshed.find(path))?.role, "rules");
    assert.equal(existsSync(join(site.directory, "keys", "root.pem")), false);
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
