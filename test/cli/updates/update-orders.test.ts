import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { exampleEntry, exampleFailure, exampleTrial } from "../../../lab/command-line/example-updates.ts";
import { notedCalls, runSteward, temporaryDirectory } from "../../../lab/command-line/run-steward.ts";
import { pageOf, runAgainst, startAgent } from "../../../lab/command-line/scripted-agent.ts";
import type { HistoryEntry } from "../../../src/contract/types.ts";
import type { JournalEntry } from "../../../src/releases/release-journal.ts";

/** As the journal stores it: `detail` in the place of `reason`. */
const stored = ({ reason, ...entry }: HistoryEntry): JournalEntry => ({ ...entry, detail: reason.detail });

const older: HistoryEntry = { ...exampleEntry, sequence: 6, version: "1.2.0", from_version: null };

/** The releases of a device without an agent, with an installer that notes how it was called. */
const releases = (test: TestContext, { onTrial = true } = {}) => {
  const directory = temporaryDirectory(test);
  mkdirSync(join(directory, "releases"));
  const slot = { good: [], trial: null, setAside: [] };
  const { kind: _, id, name, version, phase, begun_at, boots, crashes } = exampleTrial;
  const health = { successes: 2, needed: 6, last: "pump.service is active", at: begun_at };
  const trial = {
    ...{ release: { id, name, version }, phase, begun_at, begun_uptime: 5, boot_id: "b", boots },
    ...{ crashes, deadline_uptime: 305, health, undo: null },
  };
  const journal = (change: object) => ({
    ...{ format: 1, sequence: 6, history: [] },
    slots: { rules: { ...slot, trial: onTrial ? trial : null }, binary: slot },
    ...change,
  });
  writeFileSync(join(directory, "releases/journal.json"), JSON.stringify(journal({})));
  const after = (entry: HistoryEntry) =>
    writeFileSync(
      join(directory, "journal-after.json"),
      JSON.stringify(
        journal({ sequence: 7, history: [stored(entry)], slots: { rules: slot, binary: slot } }),
      ),
    );
  const run = (words: readonly string[], environment: Record<string, string> = {}) =>
    runSteward(["update", ...words, "--state", directory, "--socket", join(directory, "none.sock")], {
      environment: { STEWARD_RELEASES: join(directory, "releases"), ...environment },
    });
  return { directory, after, run };
};

describe("steward update confirm and abort", { concurrency: true }, () => {
  it("confirm runs the installer for the release on trial, without an agent, and reports the outcome", async (test) => {
    const { directory, after, run } = releases(test);
    after(exampleEntry);
    const { code, stdout } = await run(["confirm"]);
    assert.deepEqual(
      [code, stdout.split("\n")[0]],
      [0, "rules base 1.3.0 is installed, in place of 1.2.0. It proved healthy: pump.service is active."],
    );
    const [call] = notedCalls(directory) as { installer: string[] }[];
    assert.deepEqual(call?.installer, ["confirm", "rules"]);
  });

  it("abort ends with 0 when the release was undone", async (test) => {
    const { directory, after, run } = releases(test);
    const reason = { ...exampleFailure.reason, detail: "Root aborted its trial." };
    after({ ...exampleFailure, outcome: "aborted", reason });
    const { code, stdout } = await run(["abort", "rules"]);
    assert.equal(code, 0);
    assert.match(stdout, /^rules base 1\.3\.0 was undone and is held\. Root aborted its trial\. 1\.2\.0 is/);
    assert.deepEqual((notedCalls(directory) as { installer: string[] }[])[0]?.installer, ["abort", "rules"]);
  });

  it("end with 1 when the guard was faster and it ended otherwise", async (test) => {
    const { after, run } = releases(test);
    after(exampleFailure);
    const { code } = await run(["confirm"]);
    assert.equal(code, 1);
  });

  it("end as the installer ends where it refuses", async (test) => {
    const { run } = releases(test);
    const { code, stdout } = await run(["confirm"], { INSTALLER_EXIT: "4" });
    assert.deepEqual([code, stdout], [4, ""]);
  });

  it("end with 5 where nothing is on trial, and run nothing", async (test) => {
    const { directory, run } = releases(test, { onTrial: false });
    const { code, stderr } = await run(["abort"]);
    assert.deepEqual([code, notedCalls(directory)], [5, []]);
    assert.match(stderr, /nothing to abort/);
  });

  it("are not for another device", async () => {
    const { code } = await runSteward("update confirm --url http://127.0.0.1:1");
    assert.equal(code, 2);
  });
});

describe("steward update rollback --as-root", () => {
  it("runs the installer without an agent, past the limit of the agent, and says what came of it", async (test) => {
    const { directory, after, run } = releases(test, { onTrial: false });
    after({ ...exampleEntry, outcome: "rolled_back", from_version: "1.3.0", restored_healthy: true });
    const { code, stdout } = await run(["rollback", "rules", "--as-root", "--yes"]);
    assert.deepEqual([code, /was undone on request and is held/.test(stdout)], [0, true]);
    const [call] = notedCalls(directory) as { installer: string[] }[];
    assert.deepEqual(call?.installer, ["rollback", "rules"]);
  });

  it("is not for another device", async () => {
    const { code } = await runSteward("update rollback rules --as-root --yes --url http://127.0.0.1:1");
    assert.equal(code, 2);
  });
});

describe("steward update history", { concurrency: true }, () => {
  const entries = [exampleFailure, older];
  const shown = async (test: TestContext, ...words: string[]) => {
    const { socketPath } = await startAgent(test, { "GET /api/updates/history": pageOf(...entries) });
    return runSteward(["update", "history", ...words, "--socket", socketPath]);
  };

  it("lists what was done, newest first", async (test) => {
    const { code, stdout } = await shown(test);
    assert.equal(code, 0);
    const [heads, first, second] = stdout.split("\n");
    assert.match(heads ?? "", /^NUMBER +AT +KIND +NAME +VERSION +BEFORE +OUTCOME +LOG$/);
    assert.match(
      first ?? "",
      /^7 +2026-11-20T14:01:00\.000Z +rules +base +1\.3\.0 +1\.2\.0 +failed +1 line$/,
    );
    assert.match(second ?? "", /^6 .* 1\.2\.0 +- +good +-$/);
  });

  it("shows one entry in full, with its log", async (test) => {
    const { code, stdout } = await shown(test, "--log", "7");
    assert.equal(code, 0);
    assert.match(stdout, /^rules base 1\.3\.0 failed and was undone\./);
    assert.match(stdout, /^took +31\.3 s$/m);
    assert.match(stdout, /^ {2}engine: line 1 of rules\.txt is no rule$/m);
  });

  it("ends with 3 for an entry that is not there, and with 6 for no number", async (test) => {
    assert.equal((await shown(test, "--log", "5")).code, 3);
    assert.equal((await shown(test, "--log", "last")).code, 6);
  });

  it("shows control characters of what failed harmlessly", async (test) => {
    const { stdout } = await runAgainst(test, "update history --log 7", {
      "GET /api/updates/history": pageOf({ ...exampleFailure, log: ["a\u001b[2Jb"] }),
    });
    assert.match(stdout, /a\\x1b\[2Jb/);
  });
});
