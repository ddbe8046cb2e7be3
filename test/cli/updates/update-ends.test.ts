import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import {
  exampleEntry,
  exampleFailed,
  exampleFailure,
  exampleHold,
  exampleRelease,
  exampleUpdateSummary,
  exampleUpdates,
} from "../../../lab/command-line/example-updates.ts";
import { runSteward } from "../../../lab/command-line/run-steward.ts";
import { pageOf, startAgent } from "../../../lab/command-line/scripted-agent.ts";
import { updateExitCodes } from "../../../src/cli/updates/update-ends.ts";
import type { HistoryEntry, ReleaseHold, Updates } from "../../../src/contract/types.ts";
import { idle } from "../../../src/updates/facts/progress.ts";

const lastCheck = (outcome: "ok" | "failed", code: "update_server_unreachable" | null = null) => ({
  last_check: {
    ...{ at: "2026-11-20T15:00:00.000Z", outcome, code, detail: code && "No answer.", requests: 1 },
    body_bytes: 0,
  },
});
const ended = (change: Partial<Updates> = {}): Updates =>
  exampleUpdates({ ...change, schedule: lastCheck("ok") });
const rulesHeld = (code: ReleaseHold["code"], isStaged = false): Partial<Updates> => ({
  state: "available",
  available: {
    rules: { ...exampleRelease, staged: isStaged, hold: exampleHold(code, `Why: ${code}.`) },
    binary: null,
  },
});
const binaryHeld = (code: ReleaseHold["code"]): Partial<Updates> => {
  const { available, ...rest } = rulesHeld(code);
  const binary = available?.rules ? { ...available.rules, kind: "binary" as const, name: "demo" } : null;
  return { ...rest, available: { rules: null, binary } };
};
const blocked = (code: "update_metadata_expired" | "clock_not_synchronised"): Partial<Updates> => ({
  blockers: { rules: null, binary: { code, detail: "It expired." } },
});
const waitingForClock: Partial<Updates> = {
  state: "waiting_for_clock",
  summary: exampleUpdateSummary("check_waiting_for_clock", "The clock comes first."),
};
const refused: HistoryEntry = { ...exampleEntry, outcome: "refused" };

/** The exit codes of check and apply (null: that command cannot end so), and the new entries of the history. */
type Row = readonly [
  name: string,
  end: Updates,
  check: number | null,
  apply: number | null,
  entries?: readonly HistoryEntry[],
];

const rows: readonly Row[] = [
  ["nothing newer", ended(), 0, 5],
  ["all of it healthy", ended({ state: "good" }), 0, 0, [exampleEntry]],
  ["a release that waits for its wave", ended(rulesHeld("wave")), 0, null],
  ["a release that waits for a window", ended(rulesHeld("window", true)), 0, null],
  ["a release that is applied on request", ended(rulesHeld("not_automatic", true)), 0, null],
  ["a download that failed", ended(rulesHeld("download_failed")), 1, 1],
  [
    "one download that failed beside what is healthy",
    ended(binaryHeld("download_failed")),
    1,
    1,
    [exampleEntry],
  ],
  ["a release that the installer refused", ended(rulesHeld("refused", true)), 1, 1, [refused]],
  ["an installer that could not be started", ended(rulesHeld("installer_unavailable", true)), 1, 1],
  ["a journal that cannot be read", ended(rulesHeld("journal_unreadable", true)), 1, 1],
  ["a release that was undone", ended({ failed: [exampleFailed] }), 1, 1, [exampleFailure]],
  ["a kind that cannot be verified", ended(blocked("update_metadata_expired")), 1, 1],
  ["that kind beside what is healthy", ended(blocked("update_metadata_expired")), 1, 1, [exampleEntry]],
  [
    "a kind that nothing is set up for beside what is healthy",
    ended(binaryHeld("not_configured")),
    0,
    0,
    [exampleEntry],
  ],
  ["a kind in doubt until the clock is right", ended(blocked("clock_not_synchronised")), 9, 9],
  ["all in doubt until the clock is right", ended(waitingForClock), 9, 9],
  [
    "a check that failed",
    exampleUpdates({ schedule: lastCheck("failed", "update_server_unreachable") }),
    1,
    1,
  ],
];

const begun = exampleUpdates({ state: "checking", progress: { ...idle, phase: "checking" } });

async function run(test: TestContext, command: "check" | "apply", [, end, , , entries = []]: Row) {
  let isBegun = false;
  const begin = () => {
    isBegun = true;
    return { status: 202, body: begun };
  };
  const { socketPath } = await startAgent(test, {
    [`POST /api/updates/${command}`]: begin,
    "GET /api/updates": () => ({ body: isBegun ? end : exampleUpdates() }),
    "GET /api/updates/history": () => pageOf(...(isBegun ? entries : [])),
  });
  const consent = command === "apply" ? ["--yes"] : [];
  return runSteward(["update", command, ...consent, "--socket", socketPath]);
}

describe("the exit code of an update command says how it ended", { concurrency: true }, () => {
  for (const row of rows)
    for (const [index, command] of (["check", "apply"] as const).entries()) {
      const [name, end, ...exits] = row;
      const exit = exits[index];
      if (typeof exit !== "number") continue;
      it(`${command}, ${name}: ${exit}`, async (test) => {
        const { code, stdout, stderr } = await run(test, command, row);
        assert.equal(code, exit, stdout + stderr);
        assert.ok(
          updateExitCodes.some(([one]) => one === `${exit}`),
          "help and documents have it",
        );
        const { hold } = end.available.binary ?? {};
        if (hold && exit === 1) assert.ok((stdout + stderr).includes(hold.detail), "it says why");
      });
    }
});

describe("the exit codes of an update command", { concurrency: true }, () => {
  for (const command of ["check", "apply"])
    it(`are in the help of ${command}`, async () => {
      const { stdout } = await runSteward(["update", command, "--help"]);
      for (const [code, meaning] of updateExitCodes)
        assert.match(
          stdout.replaceAll(/\s+/g, " "),
          new RegExp(`${code} ${meaning.replaceAll(/[.]/g, "\\.")}`),
        );
    });
});
