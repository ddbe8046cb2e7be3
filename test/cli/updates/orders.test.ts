import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { exampleEntry, exampleFailure, exampleTrial } from "../../../lab/command-line/example-updates.ts";
import type { HistoryEntry } from "../../../src/contract/types.ts";
import type { JournalEntry } from "../../../src/releases/release-journal.ts";
import { ends, endsAlone, notedCalls, pageOf, temporaryDirectory } from "../fixture.ts";

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
  const places = ["--state", directory, "--socket", join(directory, "none.sock")];
  /** Ends so, and has asked the installer for this. */
  const run = async (
    line: string,
    installer: readonly string[] | null,
    { environment = {}, ...end }: Parameters<typeof endsAlone>[1] = {},
  ) => {
    const own = { STEWARD_RELEASES: join(directory, "releases"), ...environment };
    await endsAlone([...line.split(" "), ...places], { ...end, environment: own });
    const [call] = notedCalls(directory) as { installer: string[] }[];
    assert.deepEqual(call?.installer ?? null, installer);
  };
  return { after, run };
};

describe("the orders of root for a release, without an agent", { concurrency: true }, () => {
  const rolledBack = { outcome: "rolled_back", from_version: "1.3.0", restored_healthy: true } as const;
  const aborted = { ...exampleFailure.reason, detail: "Root aborted its trial." };
  const rows: readonly (readonly [
    line: string,
    entry: HistoryEntry,
    installer: readonly string[],
    code: number,
    stdout: RegExp,
  ])[] = [
    [
      ...(["update confirm", exampleEntry, ["confirm", "rules"], 0] as const),
      /^rules base 1\.3\.0 is installed, in place of 1\.2\.0\. It proved healthy: pump\.service is active\.\n/,
    ],
    [
      "update abort rules",
      { ...exampleFailure, outcome: "aborted", reason: aborted },
      ...([["abort", "rules"], 0] as const),
      /^rules base 1\.3\.0 was undone and is held\. Root aborted its trial\. 1\.2\.0 is/,
    ],
    // The guard was faster, and it ended otherwise.
    ["update confirm", exampleFailure, ["confirm", "rules"], 1, /^rules base 1\.3\.0 failed and was undone/],
    [
      "update rollback rules --as-root --yes",
      { ...exampleEntry, ...rolledBack },
      ...([["rollback", "rules"], 0, /was undone on request and is held/] as const),
    ],
  ];
  for (const [line, entry, installer, code, stdout] of rows)
    it(`${line} runs the installer, says what came of it (${entry.outcome}), and ends with ${code}`, async (test) => {
      const { after, run } = releases(test, { onTrial: !line.includes("rollback") });
      after(entry);
      await run(line, installer, { code, stdout });
    });

  it("end as the installer ends where it refuses", (test) =>
    releases(test).run("update confirm", ["confirm", "rules"], {
      environment: { INSTALLER_EXIT: "4" },
      code: 4,
      stdout: "",
    }));

  it("end with 5 where nothing is on trial, and run nothing", (test) =>
    releases(test, { onTrial: false }).run("update abort", null, { code: 5, stderr: /nothing to abort/ }));

  for (const line of ["update confirm", "update rollback rules --as-root --yes"])
    it(`${line} is not for another device`, () => endsAlone(`${line} --url http://127.0.0.1:1`, { code: 2 }));
});

describe("steward update history", { concurrency: true }, () => {
  const history = { "GET /api/updates/history": pageOf(exampleFailure, older) };

  it("lists what was done, newest first", (test) =>
    ends(test, "update history", history, {
      stdout: [
        /^NUMBER +AT +KIND +NAME +VERSION +BEFORE +OUTCOME +LOG\n7 /,
        /^7 +2026-11-20T14:01:00\.000Z +rules +base +1\.3\.0 +1\.2\.0 +failed +1 line\n6 .* 1\.2\.0 +- +good +-$/m,
      ],
    }));

  it("shows one entry in full, with its log, and its control characters harmlessly", (test) => {
    const entry = { ...exampleFailure, log: [...exampleFailure.log, "a\u001b[2Jb"] };
    return ends(
      test,
      "update history --log 7",
      { "GET /api/updates/history": pageOf(entry) },
      {
        stdout: [
          /^rules base 1\.3\.0 failed and was undone\./,
          /^took +31\.3 s$/m,
          /^ {2}engine: line 1 of rules\.txt is no rule\n {2}a\\x1b\[2Jb$/m,
        ],
      },
    );
  });

  for (const [log, code] of Object.entries({ "5": 3, last: 6 }))
    it(`ends with ${code} for --log ${log}`, (test) =>
      ends(test, `update history --log ${log}`, history, { code }));
});
