import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  emptyJournal,
  type JournalEntry,
  type ReleaseJournal,
} from "../../../src/releases/release-journal.ts";
import { deviceReport } from "../../../src/updates/check/device-report.ts";
import { binary, rules } from "../example-releases.ts";
import { entry } from "../told-device.ts";

interface Given {
  readonly available?: { rules: typeof rules | null; binary: typeof binary | null };
  readonly slots?: Partial<ReleaseJournal["slots"]>;
  readonly history?: readonly JournalEntry[];
  readonly staged?: readonly string[];
  readonly isOn?: boolean;
  readonly seed?: string | null;
}

function reportOf({ isOn = true, seed = "00".repeat(16), staged = [], ...given }: Given): string | null {
  const available = given.available ?? { rules: null, binary: null };
  const slots = { ...emptyJournal.slots, ...given.slots };
  return deviceReport({
    options: {
      record: { read: () => ({ seed, available }) },
      settings: () => ({ ota: { report: isOn } }),
      ...{ product: "demo", agentVersion: "0.1.0" },
    },
    watch: { journal: () => ({ ...emptyJournal, slots, history: given.history ?? [] }) },
    downloads: { isStaged: (id: string) => staged.includes(id) },
  } as unknown as Parameters<typeof deviceReport>[0]);
}

/** Name, version and state of each release. */
function releasesIn(report: string | null): string[] {
  const [device, product, ...releases] = (report ?? "").split(", ");
  assert.deepEqual([device, product], ["steward/0.1.0;v=1", "product/demo"]);
  return releases.map((one) => one.replace(/;wave=[0-9.]+;device=d[0-9a-f]{12}$/, ""));
}

const release = (version: string) => ({
  id: version.replaceAll(".", "").padEnd(32, "0"),
  name: "base",
  version,
});
const slot = { good: [release("1.0.0"), release("1.1.0")], trial: null, setAside: [] };
const onTrial = { ...slot, trial: { release: release("1.2.0") } as never };
const outcomeOf = (version: string, outcome: JournalEntry["outcome"]) => {
  const { id, name } = release(version);
  return entry(1, { release_id: id, name, version, outcome });
};

describe("what a device tells its server", () => {
  it("is nothing where that is off, and where it has no place in the waves yet", () => {
    assert.equal(reportOf({ isOn: false }), null);
    assert.equal(reportOf({ seed: null }), null);
    assert.deepEqual(releasesIn(reportOf({})), []);
  });

  it("is what was found for it, and whether that lies here", () => {
    const available = { rules, binary };
    assert.deepEqual(releasesIn(reportOf({ available, staged: [binary.id] })), [
      "rules/base/1.2.0;state=offered",
      "binary/demo/1.2.0;state=staged",
    ]);
  });

  it("is the last good release, and the one on trial", () => {
    assert.deepEqual(releasesIn(reportOf({ slots: { rules: slot } })), ["rules/base/1.1.0;state=good"]);
    assert.deepEqual(releasesIn(reportOf({ slots: { binary: onTrial } })), [
      "binary/base/1.1.0;state=good",
      "binary/base/1.2.0;state=trial",
    ]);
  });

  it("is what came of the last one that was tried, unless it is one of these", () => {
    const told = (...history: JournalEntry[]) => releasesIn(reportOf({ slots: { rules: onTrial }, history }));
    const [good, trial] = ["rules/base/1.1.0;state=good", "rules/base/1.2.0;state=trial"];
    assert.deepEqual(told(outcomeOf("1.3.0", "failed")), [good, trial, "rules/base/1.3.0;state=failed"]);
    for (const version of ["1.1.0", "1.2.0"])
      assert.deepEqual(told(outcomeOf(version, "failed")), [good, trial], version);
    const found = told({ ...outcomeOf("1.3.0", "failed"), kind: "binary" });
    assert.deepEqual(found, [good, trial].concat("binary/base/1.3.0;state=failed"));
    for (const unknown of ["release_id", "name", "version"] as const)
      assert.deepEqual(told({ ...outcomeOf("1.3.0", "refused"), [unknown]: null }), [good, trial], unknown);
  });

  it("is no offer that it has told of already", () => {
    const available = { rules: { ...rules, ...release("1.1.0") }, binary: null };
    assert.deepEqual(releasesIn(reportOf({ available, slots: { rules: slot } })), [
      "rules/base/1.1.0;state=good",
    ]);
    const other = { rules, binary: null };
    assert.deepEqual(releasesIn(reportOf({ available: other, slots: { rules: slot } })), [
      "rules/base/1.1.0;state=good",
      "rules/base/1.2.0;state=offered",
    ]);
  });
});
