import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  emptyJournal,
  type JournalEntry,
  type ReleaseJournal,
} from "../../../src/releases/release-journal.ts";
import { deviceReport } from "../../../src/updates/check/device-report.ts";
import { binary, entry, rules } from "../fixture.ts";

const none = { rules: null, binary: null };

interface Given {
  readonly available?: { rules: typeof rules | null; binary: typeof binary | null };
  readonly slots?: Partial<ReleaseJournal["slots"]>;
  readonly history?: readonly JournalEntry[];
  readonly isOn?: boolean;
  readonly seed?: string | null;
}

function reportOf({ available = none, slots, history = [], isOn = true, seed = "00".repeat(16) }: Given) {
  const journal = { ...emptyJournal, slots: { ...emptyJournal.slots, ...slots }, history };
  return deviceReport({
    options: {
      record: { read: () => ({ seed, available }) },
      settings: () => ({ ota: { report: isOn } }),
      ...{ product: "demo", agentVersion: "0.1.0" },
    },
    watch: { journal: () => journal },
    downloads: { isStaged: (id: string) => id === binary.id },
  } as unknown as Parameters<typeof deviceReport>[0]);
}

const release = (version: string) => ({
  id: version.replaceAll(".", "").padEnd(32, "0"),
  name: "base",
  version,
});
const slot = { good: [release("1.0.0"), release("1.1.0")], trial: null, setAside: [] };
const onTrial = { ...slot, trial: { release: release("1.2.0") } as never };
const came = (version: string, change: Partial<JournalEntry> = {}): Given => {
  const { id, name } = release(version);
  const last = entry(1, { release_id: id, name, version, outcome: "failed", ...change });
  return { slots: { rules: onTrial }, history: [last] };
};
const offered = { rules: { ...rules, ...release("1.1.0") }, binary: null };
const ofOther = came("1.3.0", { kind: "binary" });
const [good, trial] = ["rules/base/1.1.0;state=good", "rules/base/1.2.0;state=trial"];
const offer = "rules/base/1.2.0;state=offered";
const ofBinary = [good, trial].map((one) => one.replace("rules", "binary"));

describe("what a device tells its server", () => {
  it("is nothing where that is off, and where it has no place in the waves yet", () => {
    for (const given of [{ isOn: false }, { seed: null }]) assert.equal(reportOf(given), null);
  });

  for (const [what, given, ...expected] of [
    ["is of no release where there is none", {}],
    [
      "is what was found, and if it lies here",
      { available: { rules, binary } },
      offer,
      "binary/demo/1.2.0;state=staged",
    ],
    ["is the last good release", { slots: { rules: slot } }, good],
    ["is the one on trial", { slots: { binary: onTrial } }, ...ofBinary],
    ["is what came of the last one", came("1.3.0"), good, trial, "rules/base/1.3.0;state=failed"],
    ["is that of the other kind too", ofOther, good, trial, "binary/base/1.3.0;state=failed"],
    ["is not that of the good one again", came("1.1.0"), good, trial],
    ["is not that of the one on trial", came("1.2.0"), good, trial],
    ["is not that of one without an id", came("1.3.0", { release_id: null }), good, trial],
    ["is not that of one without a name", came("1.3.0", { name: null }), good, trial],
    ["is not that of one without a version", came("1.3.0", { version: null }), good, trial],
    ["is no offer that it has told of", { available: offered, slots: { rules: slot } }, good],
    ["is another offer", { available: { rules, binary: null }, slots: { rules: slot } }, good, offer],
  ] as [string, Given, ...string[]][])
    it(what, () => {
      const [device, product, ...releases] = (reportOf(given) ?? "").split(", ");
      assert.deepEqual([device, product], ["steward/0.1.0;v=1", "product/demo"]);
      const found = releases.map((one) => one.replace(/;wave=[0-9.]+;device=d[0-9a-f]{12}$/, ""));
      assert.deepEqual(found, expected);
    });
});
