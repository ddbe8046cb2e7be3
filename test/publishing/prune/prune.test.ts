import assert from "node:assert/strict";
import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { add, keysOf, publishAll, rulesEntry, type Site, today } from "../../../lab/publisher/site.ts";
import { planPruning, prune } from "../../../src/publishing/prune/prune.ts";
import { type PruneRequest, planPrune } from "../../../src/publishing/prune/prune-plan.ts";
import { type ReleaseEntry, targetPath } from "../../../src/publishing/release-entry.ts";
import { noRoleFiles } from "../../../src/publishing/roles.ts";
import { encode, stateOf } from "../../../src/publishing/state.ts";
import { downloadWithTufJs, makeDevice } from "../clients.ts";
import { siteAt } from "../fixture.ts";

const path = (version: string) => `stable/rules/demo-rules-${version}.tar.gz`;
const all = ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0"];

/** Five releases, published one after the other. */
async function makeFullSite(test: TestContext, now: Date): Promise<Site> {
  const site = await siteAt(test, now);
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
    const paths = dropped.map((one) => one.path);
    assert.deepEqual(paths, ["1.2.0", "1.1.0", "1.0.0"].map(path));
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
    const found = before.filter((name) => !namesIn(site.workspace.public).includes(name));
    assert.deepEqual(found, []);
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
    const seen = left.filter((name) => name.endsWith(".json"));
    assert.deepEqual(
      seen,
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
});

type Some = Partial<ReleaseEntry>;

function rulesWith(entries: readonly Some[], others: object = {}) {
  const targets = entries.map((one) => {
    const entry = rulesEntry(one);
    return [targetPath(entry), { length: 1, hashes: { sha512: "ab".repeat(64) }, custom: entry }] as const;
  });
  const expires = "2027-01-01T00:00:00Z";
  const signed = { _type: "targets", spec_version: "1.0.34", version: 1, expires } as const;
  return encode("rules", { ...signed, targets: { ...Object.fromEntries(targets), ...others } }, []);
}

/** Versions that go, and those that are spared, as rules of one name on the working day of the tests. */
function planned(entries: readonly Some[], request: Partial<PruneRequest> = {}, drafted?: readonly Some[]) {
  const published = { ...noRoleFiles, rules: rulesWith(entries) };
  const drafts = { ...noRoleFiles, rules: drafted ? rulesWith(drafted) : null };
  const whole = { kinds: ["rules"], keep: 2, keepVersions: [], ...request } as const;
  const plan = planPrune(stateOf(published, drafts), whole, today.getTime() / 1_000);
  return {
    dropped: plan.dropped.map(({ entry }) => entry.version).sort(),
    spared: plan.spared.map(({ entry, why }) => `${entry.version} ${why}`),
    finished: plan.finished.map(({ entry }) => entry.version),
    unknown: plan.unknownVersions,
  };
}

const versions = (...all: string[]): Some[] => all.map((version) => ({ version }));
const seven = versions("1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.9.0", "1.10.0", "2.0.0-rc.1");
const waves = (start: string) => ({ start, steps: [{ percent: 100, after_seconds: 86_400 }] });

describe("a prune", () => {
  it("keeps the newest of each line by precedence, and drops the others", () => {
    assert.deepEqual(planned(seven).dropped, ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.9.0"]);
    assert.deepEqual(planned(seven, { keep: 6 }).dropped, ["1.0.0"]);
    assert.deepEqual(planned(seven, { keep: 7 }).dropped, []);
    assert.deepEqual(planned([]).dropped, []);
  });

  it("takes channels, products, names and architectures for lines of their own", () => {
    for (const other of [
      { channel: "beta" },
      { product: "other" },
      { name: "more" },
      { arch: "x64" },
    ] as const)
      assert.deepEqual(
        planned([...versions("1.0.0", "1.1.0", "1.2.0"), { version: "0.9.0", ...other }]).dropped,
        ["1.0.0"],
      );
  });

  it("keeps what is asked for, in every line, and says which version no release has", () => {
    const asked = planned(seven, { keepVersions: ["1.1.0", "9.9.9", "2.0.0-rc.1"] });
    const found = [asked.spared, asked.unknown, asked.dropped.includes("1.1.0")];
    assert.deepEqual(found, [["1.1.0 asked"], ["9.9.9"], false]);
  });

  it("keeps what is drafted, whether it is new or changed", () => {
    const all = versions("1.0.0", "1.1.0", "1.2.0", "1.3.0");
    const drafted = [{ version: "1.0.0", notes: "changed" }, ...all.slice(1), { version: "0.1.0" }];
    const plan = planned(all, {}, drafted);
    assert.deepEqual(plan.spared, ["1.0.0 drafted", "0.1.0 drafted"]);
    assert.deepEqual(plan.dropped, ["1.1.0"]);
  });

  it("keeps the highest floor, without which a new device could go below it", () => {
    const all = [
      { version: "1.0.0", floor: "1.0.0" },
      { version: "1.1.0", floor: "1.1.0" },
      ...seven.slice(2),
    ];
    assert.deepEqual(planned(all).spared, ["1.1.0 floor"]);
    const higher = [...all, { version: "3.0.0", floor: "1.1.0" }];
    assert.deepEqual(planned(higher).spared, [], "a release that stays has it too");
    const withdrawn = all.map((one) => (one.version === "1.1.0" ? { ...one, withdrawn: "bad" } : one));
    assert.deepEqual(planned(withdrawn).spared, ["1.0.0 floor"], "devices ignore those of withdrawn ones");
  });

  it("keeps for each older agent the newest release that it can install", () => {
    const all = [
      { version: "1.0.0" },
      { version: "1.1.0" },
      { version: "1.2.0", min_agent: "0.5.0" },
      { version: "1.3.0", min_agent: "0.5.0" },
      { version: "1.4.0", min_agent: "0.9.0" },
      { version: "1.5.0", min_agent: "0.8.0" },
      { version: "1.6.0", min_agent: "0.10.0" },
    ];
    assert.deepEqual(planned(all, { keep: 1 }).spared, [
      "1.5.0 older_agents",
      "1.3.0 older_agents",
      "1.1.0 older_agents",
    ]);
    assert.deepEqual(planned(all, { keep: 1 }).dropped, ["1.0.0", "1.2.0", "1.4.0"]);
  });

  it("counts no release that is withdrawn or paused among the newest, and keeps those above them", () => {
    const all = [
      ...versions("1.0.0", "1.1.0", "1.2.0"),
      { version: "1.3.0", withdrawn: "bad" },
      { version: "1.4.0", paused: { at: "2026-11-19T00:00:00Z" } },
    ];
    // Without 1.3.0 its version could be given to other bytes.
    assert.deepEqual(planned(all).dropped, ["1.0.0"]);
    const found = planned([{ version: "1.0.0", withdrawn: "bad" }, ...versions("1.1.0", "1.2.0")]).dropped;
    assert.deepEqual(found, ["1.0.0"]);
    assert.deepEqual(
      planned([
        { version: "1.0.0", withdrawn: "bad" },
        { version: "1.1.0", withdrawn: "bad" },
      ]).dropped,
      [],
    );
  });

  it("keeps the newest release that is within reach of every device, while later ones roll out", () => {
    const all = [
      ...versions("1.0.0", "1.1.0"),
      { version: "1.2.0", waves: waves("2026-11-19T13:00:00Z") },
      { version: "1.3.0", waves: waves("2026-11-20T11:00:00Z") },
    ];
    assert.deepEqual(planned(all).dropped, ["1.0.0"], "the last waves come in an hour, and in a day");
    const later = all.map((one) =>
      one.version === "1.2.0" ? { ...one, waves: waves("2026-11-19T11:00:00Z") } : one,
    );
    assert.deepEqual(planned(later).dropped, ["1.0.0", "1.1.0"]);
    assert.deepEqual(planned(all.slice(2), { keep: 1 }).dropped, [], "every device waits for one of them");
  });

  it("drops waves that have been over for a week, and no others", () => {
    const all = [
      { version: "1.0.0", waves: waves("2026-11-12T11:59:59Z") },
      { version: "1.1.0", waves: waves("2026-11-12T12:00:00Z") },
      { version: "1.2.0", waves: waves("2999-12-31T00:00:00Z"), paused: { at: "2026-11-01T00:00:00Z" } },
    ];
    assert.deepEqual(planned(all, { keep: 9 }).finished, ["1.0.0"]);
  });

  it("leaves alone what another tool has put there", () => {
    const foreign = { "stable/rules/a.tar.gz": { length: 1, hashes: { sha256: "ab".repeat(32) } } };
    const published = { ...noRoleFiles, rules: rulesWith(seven, foreign) };
    const request = { kinds: ["rules"], keep: 1, keepVersions: [] } as const;
    const { dropped } = planPrune(stateOf(published, noRoleFiles), request, today.getTime() / 1_000);
    assert.deepEqual([dropped.length, dropped.some(({ path }) => path.endsWith("/a.tar.gz"))], [6, false]);
  });
});
