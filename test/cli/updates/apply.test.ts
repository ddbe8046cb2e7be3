import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  exampleEntry,
  exampleFailed,
  exampleFailure,
  exampleHold,
  exampleReason,
  exampleRelease,
  exampleTrial,
  exampleUpdateSummary,
  exampleUpdates,
} from "../../../lab/command-line/example-updates.ts";
import { updateExitCodes } from "../../../src/cli/updates/update-ends.ts";
import type { HistoryEntry, ReleaseHold, Updates } from "../../../src/contract/types.ts";
import { idle } from "../../../src/updates/facts/progress.ts";
import {
  type Answers,
  answerFrom,
  ended,
  ends,
  endsAlone,
  endsOnTerminal,
  notedCalls,
  offline,
  pageOf,
  problem,
  runSteward,
  stewardCommand,
  temporaryDirectory,
  typeInto,
} from "../fixture.ts";

const staged = { ...exampleRelease, staged: true };
const waiting = exampleUpdates({ state: "staged", available: { rules: staged, binary: null } });
const confirming = exampleUpdates({
  state: "confirming",
  summary: exampleUpdateSummary("confirming", "Trying base 1.3.0."),
  trial: exampleTrial,
  progress: { ...idle, phase: "confirming", release_id: exampleRelease.id, name: "base 1.3.0" },
});
const checking = exampleUpdates({ state: "checking", progress: { ...idle, phase: "checking" } });
const good = exampleUpdates({ state: "good", installed: { rules: "1.3.0", binary: null } });
const rolledBack = exampleUpdates({ state: "rolled_back", failed: [exampleFailed] });
const older: HistoryEntry = { ...exampleEntry, sequence: 6, version: "1.2.0", from_version: null };
const refused = {
  ...exampleEntry,
  outcome: "refused",
  reason: exampleReason("update_not_acceptable", "It is withdrawn."),
} as const;

interface Story {
  before?: Updates;
  begun?: Updates;
  /** The status has one of these at each look after the begin; the last one stays. */
  looks: readonly Updates[];
  /** The history has these entries when all is over. */
  entries?: readonly HistoryEntry[];
}

/** The answers of an agent that waits, and goes through a story once it is asked. */
function answersOf(
  route: string,
  { before = waiting, begun = confirming, looks, entries = [] }: Story,
): Answers {
  let seen = -1;
  return {
    [`POST /api/updates/${route}`]: () => {
      seen = 0;
      return { status: 202, body: begun };
    },
    "GET /api/updates": () => ({ body: seen < 0 ? before : looks[Math.min(seen++, looks.length - 1)] }),
    "GET /api/updates/history": () => pageOf(...(seen < looks.length ? [] : entries), older),
  };
}

const applied: Story = { looks: [good], entries: [exampleEntry] };

describe("steward update apply", { concurrency: true }, () => {
  const apply = "update apply --yes";

  const binary = { ...staged, kind: "binary", id: "f".repeat(32), name: "demo" } as const;
  it("waits for both kinds, one after the other", async (test) => {
    const between = exampleUpdates({ state: "good", available: { rules: null, binary } });
    const second = { ...exampleEntry, sequence: 8, kind: "binary", name: "demo" } as const;
    const all = [waiting, between, between, confirming, good];
    let looks = 0;
    const answers: Answers = {
      ...answersOf("apply", { looks: [confirming] }),
      "GET /api/updates": () => ({ body: all[Math.min(looks++, 4)] }),
      "GET /api/updates/history": () =>
        pageOf(...(looks > 4 ? [second] : []), ...(looks > 1 ? [exampleEntry] : [])),
    };
    await ends(test, apply, answers, { stdout: /^rules base .*\n\nbinary demo 1\.3\.0 is installed/ });
  });

  it("waits for no second kind once the first has failed", async (test) => {
    const looks = [{ ...rolledBack, available: { rules: null, binary } }];
    const story = answersOf("apply", { looks, entries: [exampleFailure] });
    const { received } = await ended(test, apply, story, { code: 1 });
    assert.ok(received.length < 10, `${received.length} requests`);
  });

  it("gives programs the new entries of the history, in the API's shape", async (test) => {
    const story = answersOf("apply", { looks: [rolledBack], entries: [exampleFailure] });
    const { stdout } = await ended(test, `${apply} -o json`, story, { code: 1 });
    assert.deepEqual(JSON.parse(stdout), pageOf(exampleFailure).body);
  });

  it("does not wait with --no-wait", (test) =>
    ends(test, "update apply rules --no-wait --yes", answersOf("apply", { looks: [good] }), {
      stderr: /^It has begun; `steward update status` shows the progress\.$/m,
    }));

  it("names a directory of this device by its whole address", (test) => {
    const directory = temporaryDirectory(test);
    const bodies = { "/api/updates/apply": { kind: "binary", repository: `file://${directory}` } };
    const line = `update apply binary --repo ${directory} --yes`;
    return ends(test, line, answersOf("apply", applied), { bodies });
  });

  it("asks before it applies, and changes nothing without a yes", async (test) => {
    const answers = answersOf("apply", applied);
    const end = { code: 1, screen: /Apply rules base 1\.3\.0\? \[y\/N\]/, sent: [] };
    await endsOnTerminal(test, "update apply", answers, [["[y/N]", "n\n"]], end);
    await ends(test, "update apply", answers, { code: 2, sent: [] });
  });

  it("shows on a terminal how many healthy answers there are, of how many, and until when", (test) =>
    endsOnTerminal(test, apply, answersOf("apply", { ...applied, looks: [confirming, good] }), [], {
      screen: /Confirming rules base 1\.3\.0: 2 of 6 healthy, until 2026-11-20T14:05:00\.000Z/,
    }));

  it("needs the agent, and says what works without", async (test) => {
    const { directory, places } = offline(test);
    const stderr = /`steward update confirm`, `steward update abort` and .* work without the agent/;
    await endsAlone([...apply.split(" "), ...places], { code: 8, stderr });
    assert.deepEqual(notedCalls(directory), [], "the state was not opened");
  });

  it("has the installer forget the failed release on offer first with --again", async (test) => {
    const state = temporaryDirectory(test);
    const failed = [{ ...exampleFailed, id: "1".repeat(32), version: "1.1.0" }, exampleFailed];
    const story = answersOf("apply", { ...applied, before: { ...waiting, failed } });
    await ends(test, `${apply} --again --state ${state}`, story, {
      environment: { STEWARD_RELEASES: "/r", STEWARD_TRUST: "/t" },
      stderr: /^rules base 1\.3\.0 may be tried again\.$/m,
    });
    const [call] = notedCalls(state) as { installer: string[]; releasesDirectory: string }[];
    assert.deepEqual([call?.installer, call?.releasesDirectory], [["forgive", exampleFailed.id], "/r"]);
  });

  it("does not apply what the installer would not forget", (test) => {
    const answers = { "GET /api/updates": { body: { ...waiting, failed: [exampleFailed] } } };
    const line = `${apply} --again --state ${temporaryDirectory(test)}`;
    return ends(test, line, answers, { environment: { INSTALLER_EXIT: "4" }, code: 4, sent: [] });
  });

  it("with --again says where nothing has failed", (test) =>
    ends(test, `${apply} --again`, { "GET /api/updates": { body: waiting } }, { code: 5 }));
});

describe("an agent that is replaced while a command waits", { concurrency: true }, () => {
  const summary = exampleUpdateSummary("applied", "The rules base 1.3.0 are installed.");
  for (const [route, end, said] of [
    ["apply", good, "rules base 1.3.0 is installed"],
    ["check", { ...good, summary }, summary.detail],
  ] as const)
    it(`is waited for by ${route}, which never takes its lock`, async (test) => {
      const directory = temporaryDirectory(test);
      const socketPath = join(directory, "steward.sock");
      const answers = answersOf(route, { ...applied, looks: [confirming, end] });
      const listening = () => createServer(answerFrom(answers, [])).listen(socketPath);
      // It ends when it has begun, and is started again once the command has noticed.
      const first = listening().on("request", ({ method }, response) => {
        if (method !== "POST") return;
        response.setHeader("Connection", "close");
        response.on("finish", () => first.close());
      });
      let second: Server | undefined;
      test.after(() => [first, second].map((server) => server?.close()));
      const words = ["update", route, "--yes", "--state", directory, "--socket", socketPath];
      const restart = () => {
        second = listening();
        return "";
      };
      const { code, screen } = await typeInto(
        [...stewardCommand, ...words],
        [["The agent is restarting", restart]],
      );
      assert.deepEqual([code, screen.includes(said), notedCalls(directory)], [0, true, []], screen);
    });
});

describe("the end of an update command", { concurrency: true }, () => {
  const checked = (outcome: "ok" | "failed", code: "update_server_unreachable" | null = null) => {
    const detail = code && "No answer.";
    return { last_check: { at: "2026-11-20T15:00Z", outcome, code, detail, requests: 1, body_bytes: 0 } };
  };
  const atEnd = (change: Partial<Updates> = {}) => exampleUpdates({ ...change, schedule: checked("ok") });
  const held = (code: ReleaseHold["code"], staged = false) =>
    ({ ...exampleRelease, staged, hold: exampleHold(code, `Why: ${code}.`) }) as const;
  const rules = (...given: Parameters<typeof held>) =>
    atEnd({ state: "available", available: { rules: held(...given), binary: null } });
  const binary = (code: ReleaseHold["code"]) => {
    const release = { ...held(code), kind: "binary", name: "demo" } as const;
    return atEnd({ state: "available", available: { rules: null, binary: release } });
  };
  const blocked = (code: "update_metadata_expired" | "clock_not_synchronised") =>
    atEnd({ blockers: { rules: null, binary: { code, detail: "It expired." } } });
  const summary = exampleUpdateSummary("check_waiting_for_clock", "The clock comes first.");
  const unreachable = exampleUpdates({ schedule: checked("failed", "update_server_unreachable") });
  const undone = atEnd({ failed: [exampleFailed] });

  const installed =
    "rules base 1.3.0 is installed, in place of 1.2.0. It proved healthy: pump.service is active.\n";
  const failed = "rules base 1.3.0 failed and was undone. It did not become healthy in time.";
  const log = "\nThe last lines of the failure:\n  engine: line 1 of rules.txt is no rule\n";
  const notApplied = (code: string, name = "rules base") =>
    `steward: ${name} 1.3.0 was not applied. Why: ${code}.\n`;

  /** The exit codes of check and apply (null: that command cannot end so), the new entry of the history, and what apply says. */
  const rows: readonly (readonly [
    name: string,
    end: Updates,
    check: number,
    apply: number | null,
    entry?: HistoryEntry | null,
    said?: string,
  ])[] = [
    ["nothing newer", atEnd(), 0, 5, null, "steward: Nothing newer is offered.\n"],
    ["all of it healthy", atEnd({ state: "good" }), 0, 0, exampleEntry, installed],
    ["a release that waits for its wave", rules("wave"), 0, null],
    ["a release that waits for a window", rules("window", true), 0, null],
    ["a release that is applied on request", rules("not_automatic", true), 0, null],
    ["a download that failed", rules("download_failed"), 1, 1, null, notApplied("download_failed")],
    ["a failed download beside what is healthy", binary("download_failed"), 1, 1, exampleEntry],
    [
      "a release that the installer refused",
      ...([rules("refused", true), 1, 1, refused] as const),
      "rules base 1.3.0 was refused; nothing was changed. It is withdrawn.\n",
    ],
    ["an installer that could not be started", rules("installer_unavailable", true), 1, 1],
    ["a journal that cannot be read", rules("journal_unreadable", true), 1, 1],
    [
      "a release that was undone",
      ...([undone, 1, 1, exampleFailure] as const),
      `${failed} 1.2.0 is installed again and healthy.\n${log}`,
    ],
    [
      "one that was undone with nothing before it",
      ...([undone, 1, 1, { ...exampleFailure, from_version: null }] as const),
      `${failed} No release of an update was installed before it.\n${log}`,
    ],
    ["a kind that cannot be verified", blocked("update_metadata_expired"), 1, 1],
    ["that kind beside what is healthy", blocked("update_metadata_expired"), 1, 1, exampleEntry],
    ["a kind that is not set up beside what is healthy", binary("not_configured"), 0, 0, exampleEntry],
    ["a kind in doubt until the clock is right", blocked("clock_not_synchronised"), 9, 9],
    [
      "all in doubt until the clock is right",
      ...([atEnd({ state: "waiting_for_clock", summary }), 9, 9, null, `${summary.detail}\n`] as const),
    ],
    ["a check that failed", unreachable, 1, 1],
  ];
  for (const [name, end, check, apply, entry, said] of rows)
    for (const [command, code] of Object.entries({ check, "apply --yes": apply })) {
      const how = `${code} for ${command} at ${name}`;
      if (code !== null)
        it(`ends with ${how}`, async (test) => {
          assert.ok(Object.fromEntries(updateExitCodes)[code], "help and documents have it");
          const [route = ""] = command.split(" ");
          const story = { begun: checking, looks: [end], entries: entry ? [entry] : [] };
          const sent = [[`POST /api/updates/${route}`, route === "apply" ? { kind: "all" } : {}]] as const;
          const asked = { code, sent };
          const { stdout, stderr } = await ended(test, `update ${command}`, answersOf(route, story), asked);
          const { hold } = end.available.binary ?? {};
          if (hold && code === 1) assert.ok((stdout + stderr).includes(hold.detail), "it says why");
          // Both say the same of the clock.
          if (said !== undefined && (route === "apply" || code === 9)) assert.equal(stdout + stderr, said);
        });
    }

  for (const command of ["check", "apply"])
    it(`is in the help of ${command}`, async () => {
      const { stdout } = await runSteward(["update", command, "--help"]);
      for (const [code, meaning] of updateExitCodes)
        assert.ok(stdout.replaceAll(/\s+/g, " ").includes(`${code} ${meaning}`), code);
    });
});

describe("steward update rollback", { concurrency: true }, () => {
  const entry = {
    ...exampleEntry,
    outcome: "rolled_back",
    from_version: "1.3.0",
    reason: exampleReason("rolled_back", "It was rolled back on request."),
  } as const;
  const line = "update rollback rules --yes";

  const undone = "rules base 1.3.0 was undone on request and is held. It was rolled back on request.";
  for (const [restored_healthy, code, how] of [
    [true, 0, "and healthy"],
    [false, 1, "and has not proved healthy"],
  ] as const)
    it(`ends with ${code} when the previous release is installed again ${how}`, (test) =>
      ends(test, line, answersOf("rollback", { looks: [good], entries: [{ ...entry, restored_healthy }] }), {
        code,
        stdout: `${undone} The previous release is installed again ${how}.\n`,
        sent: [["POST /api/updates/rollback", { kind: "rules" }]],
      }));

  it("ends with 5 below the lowest version allowed", (test) => {
    const refusal = problem({ code: "below_floor", status: 409, detail: "1.2.0 is below 1.3.0." });
    const answers = { ...answersOf("rollback", { looks: [good] }), "POST /api/updates/rollback": refusal };
    return ends(test, line, answers, { code: 5, stderr: "steward: 1.2.0 is below 1.3.0.\n" });
  });

  it("asks first, naming the release that is undone", (test) => {
    const end = { code: 1, screen: /Go back from rules 1\.2\.0 to the previous release\? \[y\/N\]/ };
    const answers = answersOf("rollback", { looks: [good] });
    return endsOnTerminal(test, "update rollback rules", answers, [["[y/N]", "n\n"]], end);
  });

  it("takes one kind, and not all", () => endsAlone("update rollback all --yes", { code: 2 }));
});

describe("steward update postpone", { concurrency: true }, () => {
  for (const [span, rules, stderr] of [
    ["12h", "2026-11-21T02:00Z", /^Not applied automatically: rules before 2026-11-21T02:00Z\./m],
    ["0s", null, /^No longer postponed\./m],
  ] as const)
    it(`says what comes of --for ${span}`, (test) => {
      const body = exampleUpdates({ postponed: { rules, binary: null } });
      const sent = [["POST /api/updates/postpone", { kind: "rules", for: span }]] as const;
      const answers = { "POST /api/updates/postpone": { status: 202, body } };
      return ends(test, `update postpone rules --for ${span}`, answers, { stderr, sent });
    });
});

describe("steward update dismiss", { concurrency: true }, () => {
  const having = (...failed: Updates["failed"]) => ({
    "GET /api/updates": { body: exampleUpdates({ failed }) },
    "POST /api/updates/dismiss": { body: exampleUpdates() },
  });
  const dismissed = (...ids: string[]) =>
    ids.map((release_id) => ["POST /api/updates/dismiss", { release_id }] as const);

  it("ends the newest open failure of each kind that is asked for", async (test) => {
    const binary = { ...exampleFailed, kind: "binary" as const, id: "b".repeat(32), name: "demo" };
    const seen = { ...exampleFailed, id: "a".repeat(32), state: "dismissed" as const };
    const answers = having({ ...exampleFailed, id: "0".repeat(32) }, exampleFailed, seen, binary);
    await ends(test, "update dismiss rules", answers, {
      stderr: /^Dismissed: rules base 1\.3\.0\. It stays on the blocklist/m,
      sent: dismissed(exampleFailed.id),
    });
    await ends(test, "update dismiss", answers, { sent: dismissed(exampleFailed.id, binary.id) });
  });

  it("asks for nothing where no failure is open", (test) =>
    ends(test, "update dismiss", having({ ...exampleFailed, state: "overtaken" }), {
      stderr: /^There is no warning about a failed update\./m,
      sent: [],
    }));
});
