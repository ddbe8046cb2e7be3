import assert from "node:assert/strict";
import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { add, keysOf, makeSite, publishAll, type Site } from "../../../lab/publisher/site.ts";
import { planPruning, prune } from "../../../src/publishing/prune/prune.ts";
import type { PruneRequest } from "../../../src/publishing/prune/prune-plan.ts";
import { renewRole } from "../../../src/publishing/renew.ts";
import { readState } from "../../../src/publishing/state.ts";
import { downloadWithTufJs, makeDevice } from "../clients.ts";

const path = (version: string) => `stable/rules/demo-rules-${version}.tar.gz`;
const all = ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0"];

/** Five releases, published one after the other. */
async function makeFullSite(test: TestContext, now: Date): Promise<Site> {
  const made = await makeSite(test);
  const site = { ...made, workspace: { ...made.workspace, now: () => now } };
  const keys = await keysOf(site.workspace);
  // init was made on the working day of the tests.
  for (const role of ["root", "targets", "rules", "binary"] as const)
    await renewRole(site.workspace, role, { keys, changes: { add: {}, remove: {}, thresholds: {} } });
  for (const version of all) {
    await add(site, { version });
    await publishAll(site);
  }
  return site;
}

async function pruned({ workspace }: Site, request: Partial<PruneRequest> = {}) {
  const plan = await planPruning(workspace, {
    kinds: ["rules", "binary"],
    keep: 2,
    keepVersions: [],
    ...request,
  });
  const drafts = await prune(workspace, plan, await keysOf(workspace));
  return { ...plan, drafts };
}

const namesIn = (directory: string) => readdirSync(directory, { recursive: true }).map(String).sort();

/** The files seem to have been written so long before the present of the workspace. */
function age({ workspace }: Site, days: number): void {
  const seconds = workspace.now().getTime() / 1_000 - days * 86_400;
  for (const name of readdirSync(workspace.metadata))
    utimesSync(join(workspace.metadata, name), seconds, seconds);
}

describe("a pruned repository", () => {
  it("is read by tuf-js down to the payload, and offers what was dropped no more", async (test) => {
    // tuf-js looks at the machine's own clock.
    const site = await makeFullSite(test, new Date());
    const { dropped, drafts } = await pruned(site);
    assert.deepEqual(
      dropped.map((one) => one.path),
      ["1.2.0", "1.1.0", "1.0.0"].map(path),
    );
    assert.ok((drafts[0]?.bytes ?? 0) < (drafts[0]?.bytes_before ?? 0), "fewer bytes");
    await publishAll(site);
    const root = join(site.workspace.metadata, "1.root.json");
    const payload = await downloadWithTufJs(test, site.workspace.public, { root, path: path("1.4.0") });
    assert.deepEqual(Buffer.from(payload), readFileSync(join(site.scratch, "demo-rules-1.4.0.tar.gz")));
    await assert.rejects(
      downloadWithTufJs(test, site.workspace.public, { root, path: path("1.2.0") }),
      /tuf-js finds no/,
    );
  });

  it("is read on by a device that has read it before, and by a new one", async (test) => {
    const now = new Date("2026-11-20T12:00:00Z");
    const site = await makeFullSite(test, now);
    const root = readFileSync(join(site.workspace.metadata, "1.root.json"));
    const device = await makeDevice(root);
    await device.refresh(site.workspace.public, now);
    await pruned(site);
    await publishAll(site);
    for (const one of [device, await makeDevice(root)]) {
      const found = await (await one.refresh(site.workspace.public, now)).list("stable", "rules");
      assert.deepEqual(found.map((target) => target.path).sort(), ["1.3.0", "1.4.0"].map(path));
    }
  });

  it("keeps payloads and metadata as long as a timestamp leads to them, and the roots for ever", async (test) => {
    const now = new Date();
    const site = await makeFullSite(test, now);
    const before = namesIn(site.workspace.public);
    assert.deepEqual((await pruned(site)).files, []);
    await publishAll(site);
    assert.deepEqual((await pruned(site)).files, [], "devices may be fetching them");
    assert.deepEqual(
      before.filter((name) => !namesIn(site.workspace.public).includes(name)),
      [],
    );
    age(site, 7.1);
    const { files } = await pruned(site);
    const gone = files.map((one) => one.path.replace(/[0-9a-f]{128}\./, "")).sort();
    assert.deepEqual(gone, [
      ...[1, 2, 3, 4, 5].flatMap((version) =>
        ["rules", "snapshot"].map((role) => `metadata/${version}.${role}.json`),
      ),
      ...["1.0.0", "1.1.0", "1.2.0"].map((version) => `targets/${path(version)}`),
    ]);
    const left = namesIn(site.workspace.public);
    assert.deepEqual(
      left.filter((name) => name.endsWith(".json")),
      ["1.binary.json", "1.root.json", "1.targets.json", "6.rules.json", "6.snapshot.json", "timestamp.json"]
        .map((name) => join("metadata", name))
        .sort(),
    );
    const root = join(site.workspace.metadata, "1.root.json");
    assert.ok(
      (await downloadWithTufJs(test, site.workspace.public, { root, path: path("1.3.0") })).length > 0,
    );
  });

  it("loses no file of an interrupted publish, and none of another program", async (test) => {
    const site = await makeFullSite(test, new Date());
    // A publish that was killed before its timestamp: version 9 is written, version 5 is still the present one.
    const present = readFileSync(join(site.workspace.metadata, "5.rules.json"));
    writeFileSync(join(site.workspace.metadata, "9.rules.json"), present);
    for (const name of ["README", "stable/rules/notes.txt"])
      writeFileSync(join(site.workspace.targets, name), "");
    age(site, 30);
    const { files } = await pruned(site, { keep: 5 });
    assert.deepEqual(
      files.map((one) => one.path).filter((one) => /5\.rules|9\.rules|README|notes|targets/.test(one)),
      [],
    );
  });

  it("refuses a version to keep that no release has, and changes nothing", async (test) => {
    const site = await makeFullSite(test, new Date());
    await assert.rejects(pruned(site, { keepVersions: ["1.40.0"] }), {
      code: "not_found",
      message: /No release here has the version 1\.40\.0/,
    });
    assert.equal((await readState(site.workspace)).drafts.rules, null);
  });
});
