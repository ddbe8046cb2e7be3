import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { rulesEntry, today } from "../../../lab/publisher/site.ts";
import { type PruneRequest, planPrune } from "../../../src/publishing/prune/prune-plan.ts";
import { type ReleaseEntry, targetPath } from "../../../src/publishing/release-entry.ts";
import { noRoleFiles } from "../../../src/publishing/roles.ts";
import { encode, stateOf } from "../../../src/publishing/state.ts";

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
    assert.deepEqual(
      [asked.spared, asked.unknown, asked.dropped.includes("1.1.0")],
      [["1.1.0 asked"], ["9.9.9"], false],
    );
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
    assert.deepEqual(
      planned([{ version: "1.0.0", withdrawn: "bad" }, ...versions("1.1.0", "1.2.0")]).dropped,
      ["1.0.0"],
    );
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
