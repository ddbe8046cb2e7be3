import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { keysOf, makeSite, publishAll, rulesEntry } from "../../lab/publisher/site.ts";
import { draftRole } from "../../src/publishing/add.ts";
import { fillingSentence, fillingsOf } from "../../src/publishing/fullness.ts";
import { planPrune } from "../../src/publishing/prune/prune-plan.ts";
import { targetPath } from "../../src/publishing/release-entry.ts";
import { noRoleFiles } from "../../src/publishing/roles.ts";
import { encode, readState, stateOf } from "../../src/publishing/state.ts";
import { usualSteps } from "../../src/publishing/wave-plan.ts";
import { caps } from "../../src/tuf/caps.ts";
import type { Targets } from "../../src/tuf/metadata.ts";
import { readMetadata } from "../../src/tuf/read-metadata.ts";

const waves = { start: "2026-01-01T00:00:00Z", steps: usualSteps };

/** So many releases, with the usual waves. */
function targetsOf(count: number, { notes }: { notes?: string } = {}): Targets["targets"] {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const entry = rulesEntry({ version: `1.0.${index}`, waves, ...(notes !== undefined && { notes }) });
      return [targetPath(entry), { length: 1, hashes: { sha512: "ab".repeat(64) }, custom: entry }] as const;
    }),
  );
}

function rulesWith(targets: Targets["targets"]) {
  const expires = "2027-01-01T00:00:00Z";
  const common = { _type: "targets", spec_version: "1.0.34", version: 1, expires } as const;
  return encode("rules", { ...common, targets }, []);
}

const full = (count: number, some = {}) =>
  fillingsOf({ ...noRoleFiles, rules: rulesWith(targetsOf(count, some)) }, "site");

describe("the room that devices leave for metadata", () => {
  it("is told of from a half on, with the line that makes room, and not below", () => {
    assert.deepEqual(full(2_700), []);
    // The usual waves: 36 values a release, of 200,000.
    const [one, ...others] = full(2_800);
    assert.ok(one);
    assert.deepEqual([one.of, others], ["values", []]);
    assert.equal(
      fillingSentence(one),
      `The metadata of rules take up 50 % of the values that devices read (${one.used} of 200000), and each device fetches them after each publish. At 100 % nothing can be added. To make room: steward-publisher prune site --kind rules`,
    );
    const [long] = full(3_000, { notes: "x".repeat(500) });
    assert.deepEqual([long?.of, long?.most], ["bytes", 5_000_000], "the limit that is reached first");
  });

  it("is counted as the reader of devices counts it", () => {
    const { bytes } = rulesWith(targetsOf(3_000));
    const { used = 0 } = full(3_000).find(({ of }) => of === "values") ?? {};
    const read = (jsonValues: number) => readMetadata("targets", bytes, { ...caps, jsonValues });
    assert.ok(read(used));
    assert.throws(() => read(used - 1), { code: "update_metadata_malformed" });
  });

  it("ends with an error that says how to go on, and a prune makes room", async (test) => {
    const { workspace } = await makeSite(test);
    await publishAll({ workspace });
    const keys = await keysOf(workspace);
    const { published } = await readState(workspace);
    const state = stateOf({ ...published, rules: rulesWith(targetsOf(5_500)) }, noRoleFiles);
    const drafted = (targets: Targets["targets"]) => draftRole(workspace, state, "rules", { targets, keys });
    await assert.rejects(drafted(targetsOf(5_600)), {
      code: "validation_failed",
      message:
        /rules would have 20\d{4} values; devices read at most 200000\. Nothing was changed\. To make room: steward-publisher prune \S+ --kind rules$/,
    });
    const request = { kinds: ["rules"], keep: 10, keepVersions: [] } as const;
    const { dropped, finished } = planPrune(state, request, workspace.now().getTime() / 1_000);
    assert.deepEqual([dropped.length, finished.length], [5_490, 10]);
    const gone = new Set(dropped.map(({ path }) => path));
    const left = Object.entries(targetsOf(5_500)).filter(([path]) => !gone.has(path));
    const { lacking, fillings } = await drafted(Object.fromEntries(left));
    assert.deepEqual([lacking, fillings], [[], []]);
  });
});
