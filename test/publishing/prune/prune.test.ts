import assert from "node:assert/strict";
import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import {
  add,
  keysOf,
  makeSite,
  publishAll,
  rulesEntry,
  type Site,
  today,
} from "../../../lab/publisher/site.ts";
import { planPruning, prune } from "../../../src/publishing/prune/prune.ts";
import { type PruneRequest, planPrune } from "../../../src/publishing/prune/prune-plan.ts";
import { type ReleaseEntry, targetPath } from "../../../src/publishing/release-entry.ts";
import { noRoleFiles } from "../../../src/publishing/roles.ts";
import { encode, stateOf } from "../../../src/publishing/state.ts";
import { deviceOf, downloadWithTufJs, pathsFor } from "../clients.ts";

const path = (version: string) => `stable/rules/demo-rules-${version}.tar.gz`;

/** Five releases, published one after the other. */
async function makeFullSite(test: TestContext, now: Date): Promise<Site> {
  const site = await makeSite(test, {}, now);
  for (const version of ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0"]) {
    await add(site, { version });
    await publishAll(site);
  }
  return site;
}

async function pruned({ workspace }: Site, keep = 2) {
  const plan = await planPruning(workspace, { kinds: ["rules", "binary"], keep, keepVersions: [] });
  return { ...plan, drafts: await prune(workspace, plan, await keysOf(workspace)) };
}

const namesIn = (directory: string) => readdirSync(directory, { recursive: true }).map(String).sort();

/** The files seem to have been written so long before the present of the workspace. */
function age({ workspace }: Site, days: number): void {
  const seconds = workspace.now().getTime() / 1_000 - days * 86_400;
  for (const name of readdirSync(workspace.metadata))
    utimesSync(join(workspace.metadata, name), seconds, seconds);
}

describe("a pruned repository", () => {
  it("is read on by devices and by tuf-js, offers what was dropped no more, and keeps files as long as a timestamp leads to them", async (test) => {
    // tuf-js looks at the machine's own clock.
    const site = await makeFullSite(test, new Date());
    const { public: open } = site.workspace;
    const root = join(site.workspace.metadata, "1.root.json");
    const device = await deviceOf(open);
    await device.refresh(open, new Date());
    const before = namesIn(open);
    const { dropped, drafts, files: none } = await pruned(site);
    assert.deepEqual(
      dropped.map((one) => one.path),
      ["1.2.0", "1.1.0", "1.0.0"].map(path),
    );
    assert.ok((drafts[0]?.bytes ?? 0) < (drafts[0]?.bytes_before ?? 0), "fewer bytes");
    await publishAll(site);
    for (const one of [device, await deviceOf(open)])
      assert.deepEqual(await pathsFor(one, open, { start: new Date() }), ["1.3.0", "1.4.0"].map(path));
    assert.deepEqual([none, (await pruned(site)).files], [[], []], "devices may be fetching them");
    const seen = before.filter((name) => !namesIn(open).includes(name));
    assert.deepEqual(seen, []);
    age(site, 7.1);
    const gone = (await pruned(site)).files.map((one) => one.path.replace(/[0-9a-f]{128}\./, "")).sort();
    const versions = [1, 2, 3, 4, 5];
    const metadata = ["rules", "snapshot"].flatMap((role) =>
      versions.map((at) => `metadata/${at}.${role}.json`),
    );
    const payloads = ["1.0.0", "1.1.0", "1.2.0"].map((version) => `targets/${path(version)}`);
    assert.deepEqual(gone, [...metadata, ...payloads].sort());
    const fresh = ["1.binary", "1.root", "1.targets", "6.rules", "6.snapshot", "timestamp"];
    assert.deepEqual(
      namesIn(join(open, "metadata")),
      fresh.map((name) => `${name}.json`),
    );
    const payload = await downloadWithTufJs(test, open, { root, path: path("1.4.0") });
    assert.deepEqual(Buffer.from(payload), readFileSync(join(site.scratch, "demo-rules-1.4.0.tar.gz")));
    const old = downloadWithTufJs(test, open, { root, path: path("1.2.0") });
    await assert.rejects(old, /tuf-js finds no/);
  });

  it("loses no file of an interrupted publish, and none of another program", async (test) => {
    const site = await makeFullSite(test, new Date());
    // A publish that was killed before its timestamp: version 9 is written, version 5 is still the present one.
    const present = readFileSync(join(site.workspace.metadata, "5.rules.json"));
    writeFileSync(join(site.workspace.metadata, "9.rules.json"), present);
    for (const name of ["README", "stable/rules/notes.txt"])
      writeFileSync(join(site.workspace.targets, name), "");
    age(site, 30);
    const gone = (await pruned(site, 5)).files.map((one) => one.path);
    const found = gone.filter((one) => /5\.rules|9\.rules|README|notes|targets/.test(one));
    assert.deepEqual(found, []);
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
    const sorted = ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.9.0"];
    for (const [keep, count] of [
      [2, 5],
      [6, 1],
      [7, 0],
    ] as const)
      assert.deepEqual(planned(seven, { keep }).dropped, sorted.slice(0, count));
    assert.deepEqual(planned([]).dropped, []);
    const lines = [{ channel: "beta" }, { product: "other" }, { name: "more" }, { arch: "x64" }] as const;
    for (const other of lines) {
      const all = [...versions("1.0.0", "1.1.0", "1.2.0"), { version: "0.9.0", ...other }];
      assert.deepEqual(planned(all).dropped, ["1.0.0"], JSON.stringify(other));
    }
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
    const agents = [undefined, undefined, "0.5.0", "0.5.0", "0.9.0", "0.8.0", "0.10.0"];
    const all = agents.map((min_agent, at) => ({ version: `1.${at}.0`, ...(min_agent && { min_agent }) }));
    const { spared, dropped } = planned(all, { keep: 1 });
    assert.deepEqual(spared, ["1.5.0 older_agents", "1.3.0 older_agents", "1.1.0 older_agents"]);
    assert.deepEqual(dropped, ["1.0.0", "1.2.0", "1.4.0"]);
  });

  it("counts no release that is withdrawn or paused among the newest, and keeps those above them", () => {
    const bad = (version: string) => ({ version, withdrawn: "bad" });
    const paused = { version: "1.4.0", paused: { at: "2026-11-19T00:00:00Z" } };
    // Without 1.3.0 its version could be given to other bytes.
    assert.deepEqual(planned([...versions("1.0.0", "1.1.0", "1.2.0"), bad("1.3.0"), paused]).dropped, [
      "1.0.0",
    ]);
    assert.deepEqual(planned([bad("1.0.0"), ...versions("1.1.0", "1.2.0")]).dropped, ["1.0.0"]);
    assert.deepEqual(planned([bad("1.0.0"), bad("1.1.0")]).dropped, []);
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
