import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { runPublisher } from "../../lab/publisher/run-publisher.ts";
import { makePayload, makeScratch } from "../../lab/publisher/site.ts";
import { type PrivateKey, readKeysAtHand } from "../../src/publishing/keys/private-keys.ts";
import { readPublished } from "../../src/publishing/published.ts";
import type { RoleName } from "../../src/publishing/roles.ts";
import { canonicalJson } from "../../src/tuf/canonical-json.ts";
import { deviceOf, pathsFor } from "./clients.ts";

/** Reads the blocks that docs/updates/publish.md has its reader type after a theft; `site` is the repository. */
function blocksOfPage(): string[][] {
  const page = readFileSync(join(import.meta.dirname, "../../docs/updates/publish.md"), "utf8");
  const [, section = ""] = page.split("## A key was stolen\n");
  const [text = ""] = section.split(/^##/m);
  return [...text.matchAll(/^```text\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block.trim().split("\n"));
}

type Scene = Awaited<ReturnType<typeof makeScene>>;

async function makeScene(test: TestContext) {
  const scratch = makeScratch(test);
  const site = join(scratch, "site");
  /** Types lines of the page. */
  const type = async (lines: readonly string[]): Promise<string> => {
    let said = "";
    for (const line of lines) {
      const [program, ...words] = line.split(" ").map((word) => (word === "site" ? site : word));
      assert.equal(program, "steward-publisher");
      const { code, stderr } = await runPublisher(words);
      assert.equal(code, 0, `${line}: ${stderr}`);
      said += stderr;
    }
    return said;
  };
  const payload = makePayload({ scratch }, "rules.tar.gz", "{}");
  await type([
    "steward-publisher init site --product demo",
    `steward-publisher add site ${payload} --kind rules --name base --release 1.0.0`,
    "steward-publisher publish site",
  ]);
  // The thief has copied these; the device has read all that was published before.
  const { keys: stolen } = await readKeysAtHand(join(site, "keys"));
  const device = await deviceOf(join(site, "public"));
  await device.refresh(join(site, "public"), new Date());
  return { scratch, site, stolen, device, type };
}

type Signed = Record<string, unknown> & { version: number; meta?: Record<string, object> };

/** A copy of the published files in which the thief has signed new versions of these roles, far ahead. */
async function forge({ scratch, site }: Scene, keys: readonly PrivateKey[], roles: readonly RoleName[]) {
  const copy = join(scratch, `forged-${readdirSync(scratch).length}`);
  cpSync(join(site, "public"), copy, { recursive: true });
  const metadata = join(copy, "metadata");
  const published = await readPublished(metadata);
  let meta: Record<string, object> = {};
  for (const role of roles) {
    const signed = structuredClone(published[role]?.signed) as unknown as Signed;
    signed.version += role === "root" ? 1 : 1_000;
    signed.meta = { ...signed.meta, ...meta };
    if (Object.keys(signed.meta).length === 0) delete signed.meta;
    const bytes = Buffer.from(canonicalJson(signed));
    const signatures = keys.map(({ id, sign }) => ({
      keyid: id,
      sig: Buffer.from(sign(bytes)).toString("hex"),
    }));
    const file = Buffer.from(JSON.stringify({ signatures, signed }));
    const name = role === "timestamp" ? "timestamp.json" : `${signed.version}.${role}.json`;
    writeFileSync(join(metadata, name), file);
    const sha256 = createHash("sha256").update(file).digest("hex");
    meta = { [`${role}.json`]: { version: signed.version, length: file.length, hashes: { sha256 } } };
  }
  return copy;
}

describe("the documented way out after a theft", () => {
  const [online = [], offline = []] = blocksOfPage();
  const now = new Date();

  it("lets devices follow that a thief of the online keys has led a thousand versions ahead", async (test) => {
    const scene = await makeScene(test);
    const { site, stolen, device, type } = scene;
    await device.refresh(await forge(scene, stolen, ["snapshot", "timestamp"]), now);
    const open = join(site, "public");
    await assert.rejects(device.refresh(open, now), { code: "update_rollback_refused" });
    const said = await type(online);
    assert.equal((await device.refresh(open, now)).root.version, 2);
    for (const role of ["timestamp", "snapshot"]) {
      const pattern = `1 of these keys must sign ${role}: [0-9a-f]{16} \\(\\S+/keys/${role}-[0-9a-f]{8}\\.pem\\)\\.\\n +No longer counts for ${role}: [0-9a-f]{16} \\(\\S+/keys/${role}\\.pem\\)`;
      assert.match(said, new RegExp(pattern));
    }
  });

  it("has devices refuse what the thief of the online keys signs from then on", async (test) => {
    const scene = await makeScene(test);
    await scene.type(online);
    await assert.rejects(
      scene.device.refresh(await forge(scene, scene.stolen, ["snapshot", "timestamp"]), now),
      { code: "update_signature_invalid", message: /role timestamp/ },
    );
  });

  it("has devices refuse rules and roots of a thief, who also has the keys that were not replaced", async (test) => {
    const scene = await makeScene(test);
    const { site, stolen, device, type } = scene;
    const said = await type(offline);
    const rules = await forge(scene, stolen, ["rules", "snapshot", "timestamp"]);
    const found = (await device.refresh(rules, now)).list("stable", "rules");
    await assert.rejects(found, { code: "update_signature_invalid", message: /role rules/ });
    await assert.rejects(device.refresh(await forge(scene, stolen, ["root"]), now), {
      code: "update_signature_invalid",
      message: /role root/,
    });
    const fresh = await deviceOf(join(site, "public"));
    assert.equal((await pathsFor(fresh, join(site, "public"), { start: now })).length, 1);
    assert.match(said, /must sign rules: .*\n +No longer counts for rules: /);
    assert.match(said, /must sign root: .*\n +No longer counts for root: /);
  });
});
