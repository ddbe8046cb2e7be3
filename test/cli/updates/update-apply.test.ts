import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
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
import {
  notedCalls,
  runSteward,
  stewardCommand,
  temporaryDirectory,
} from "../../../lab/command-line/run-steward.ts";
import {
  type Answers,
  answerFrom,
  pageOf,
  problem,
  runAgainst,
  startAgent,
} from "../../../lab/command-line/scripted-agent.ts";
import { typeInto } from "../../../lab/command-line/terminal.ts";
import type { HistoryEntry, Updates } from "../../../src/contract/types.ts";

const staged = { ...exampleRelease, staged: true };
const waiting = exampleUpdates({ state: "staged", available: { rules: staged, binary: null } });
const confirming = exampleUpdates({
  state: "confirming",
  summary: exampleUpdateSummary("confirming", "Trying base 1.3.0."),
  trial: exampleTrial,
  progress: {
    phase: "confirming",
    release_id: exampleRelease.id,
    name: "base 1.3.0",
    done_bytes: 0,
    total_bytes: null,
  },
});
const good = exampleUpdates({ state: "good", installed: { rules: "1.3.0", binary: null } });
const rolledBack = exampleUpdates({ state: "rolled_back", failed: [exampleFailed] });
const older: HistoryEntry = { ...exampleEntry, sequence: 6, version: "1.2.0", from_version: null };

interface Story {
  begun?: Updates;
  /** The status has one of these at each look after the begin; the last one stays. */
  looks: readonly Updates[];
  /** The history has these entries when all is over. */
  entries: readonly HistoryEntry[];
}

/** An agent that is waiting, and goes through a story once it is asked. */
function answersOf(route: string, { begun = confirming, looks, entries }: Story): Answers {
  let seen = -1;
  return {
    [`POST /api/updates/${route}`]: () => {
      seen = 0;
      return { status: 202, body: begun };
    },
    "GET /api/updates": () => ({ body: seen < 0 ? waiting : looks[Math.min(seen++, looks.length - 1)] }),
    "GET /api/updates/history": () => pageOf(...(seen < looks.length ? [] : entries), older),
  };
}

const told = (test: TestContext, words: readonly string[], story: Story) =>
  runAgainst(test, ["update", ...words, "--yes"], answersOf(words[0] ?? "", story));

describe("steward update apply", { concurrency: true }, () => {
  const later = exampleUpdates({
    state: "waiting_for_clock",
    summary: exampleUpdateSummary("waiting_for_clock", "The clock comes first."),
  });
  const hold = exampleHold("download_failed", "The last download failed: no space.");
  const unfetched = exampleUpdates({
    state: "available",
    available: { rules: { ...exampleRelease, hold }, binary: null },
  });
  const refused = {
    ...exampleEntry,
    outcome: "refused",
    reason: exampleReason("update_not_acceptable", "It is withdrawn."),
  } as const;
  const failed = "rules base 1.3.0 failed and was undone. It did not become healthy in time.";
  const log = "\nThe last lines of what failed:\n  engine: line 1 of rules.txt is no rule\n";
  const ends: readonly (readonly [
    name: string,
    story: Story,
    code: number,
    stdout: string,
    stderr?: string,
  ])[] = [
    [
      "0 once the release has proved healthy",
      { looks: [confirming, confirming, good], entries: [exampleEntry] },
      0,
      "rules base 1.3.0 is installed, in place of 1.2.0. It proved healthy: pump.service is active.\n",
    ],
    [
      "1 where it was undone, with the reason, the installed version, and the log's last lines",
      { looks: [confirming, rolledBack], entries: [exampleFailure] },
      1,
      `${failed} 1.2.0 is installed again and healthy.\n${log}`,
    ],
    [
      "1 where it was undone, and names no earlier release where there was none",
      { looks: [confirming, rolledBack], entries: [{ ...exampleFailure, from_version: null }] },
      1,
      `${failed} No release of an update was installed before it.\n${log}`,
    ],
    [
      "1 where the installer refused it, with the reason",
      { looks: [waiting], entries: [refused] },
      1,
      "rules base 1.3.0 was refused; nothing was changed. It is withdrawn.\n",
    ],
    [
      "9 where the clock must be put right first",
      { begun: later, looks: [later], entries: [] },
      9,
      "The clock comes first.\n",
    ],
    [
      "5 where there is nothing, which a look has shown",
      { begun: exampleUpdates(), looks: [exampleUpdates()], entries: [] },
      5,
      "",
      "steward: Nothing newer is offered.\n",
    ],
    [
      "1 where the release could not be fetched, and says why",
      { looks: [unfetched], entries: [] },
      1,
      "",
      `steward: rules base 1.3.0 was not applied. ${hold.detail}\n`,
    ],
  ];
  for (const [name, story, code, stdout, stderr = ""] of ends)
    it(`ends with ${name}`, async (test) => {
      const ended = await told(test, ["apply"], story);
      assert.deepEqual([ended.code, ended.stdout, ended.stderr], [code, stdout, stderr]);
      assert.deepEqual(ended.posted, [{ kind: "all" }]);
    });

  it("waits for both kinds, one after the other", async (test) => {
    const binary = { ...staged, kind: "binary", id: "f".repeat(32), name: "demo" } as const;
    const between = exampleUpdates({ state: "good", available: { rules: null, binary } });
    const second = { ...exampleEntry, sequence: 8, kind: "binary", name: "demo" } as const;
    let looks = 0;
    const { code, stdout } = await runAgainst(test, "update apply --yes", {
      ...answersOf("apply", { looks: [confirming], entries: [] }),
      "GET /api/updates": () => ({
        body: [waiting, between, between, confirming, good][Math.min(looks++, 4)],
      }),
      "GET /api/updates/history": () =>
        pageOf(...(looks > 4 ? [second] : []), ...(looks > 1 ? [exampleEntry] : [])),
    });
    assert.equal(code, 0);
    assert.match(stdout, /^rules base .*\n\nbinary demo 1\.3\.0 is installed/);
  });

  it("waits for no second kind once the first has failed", async (test) => {
    const binary = { ...staged, kind: "binary", id: "f".repeat(32), name: "demo" } as const;
    const story = {
      looks: [{ ...rolledBack, available: { rules: null, binary } }],
      entries: [exampleFailure],
    };
    const { code, received } = await told(test, ["apply"], story);
    assert.equal(code, 1);
    assert.ok(received.length < 10, `${received.length} requests`);
  });

  it("gives programs the new entries of the history, in the API's shape", async (test) => {
    const story = { looks: [rolledBack], entries: [exampleFailure] };
    const { code, stdout } = await told(test, ["apply", "-o", "json"], story);
    assert.deepEqual([code, JSON.parse(stdout)], [1, pageOf(exampleFailure).body]);
  });

  it("does not wait with --no-wait", async (test) => {
    const words = ["apply", "rules", "--no-wait"];
    const { code, stderr } = await told(test, words, { looks: [good], entries: [] });
    assert.equal(code, 0);
    assert.match(stderr, /^It has begun; `steward update status` shows the progress\.$/m);
  });

  it("names a directory of this device by its whole address", async (test) => {
    const directory = temporaryDirectory(test);
    const story = { looks: [good], entries: [exampleEntry] };
    const { posted } = await told(test, ["apply", "binary", "--repo", directory], story);
    assert.deepEqual(posted[0], { kind: "binary", repository: `file://${directory}` });
  });

  it("asks before it applies, and changes nothing without a yes", async (test) => {
    const { socketPath, received } = await startAgent(
      test,
      answersOf("apply", { looks: [good], entries: [] }),
    );
    const words = ["update", "apply", "--socket", socketPath];
    const { code, screen } = await typeInto([...stewardCommand, ...words], [["[y/N]", "n\n"]]);
    assert.equal(code, 1, screen);
    assert.match(screen, /Apply rules base 1\.3\.0\? \[y\/N\]/);
    assert.equal(
      received.some(({ method }) => method === "POST"),
      false,
      "nothing was asked of the agent",
    );
    const { code: unasked } = await runSteward(words);
    assert.equal(unasked, 2);
  });

  it("shows on a terminal how many healthy answers there are, of how many, and until when", async (test) => {
    const { socketPath } = await startAgent(
      test,
      answersOf("apply", { looks: [confirming, good], entries: [exampleEntry] }),
    );
    const { screen } = await typeInto(
      [...stewardCommand, "update", "apply", "--yes", "--socket", socketPath],
      [],
    );
    assert.match(screen, /Confirming rules base 1\.3\.0: 2 of 6 healthy, until 2026-11-20T14:05:00\.000Z/);
  });

  it("needs the agent, and says what works without", async (test) => {
    const state = temporaryDirectory(test);
    const { code, stderr } = await runSteward(
      `update apply --yes --state ${state} --socket ${join(state, "none.sock")}`,
    );
    assert.equal(code, 8);
    assert.match(stderr, /`steward update confirm`, `steward update abort` and .* work without the agent/);
    assert.deepEqual(notedCalls(state), [], "the state was not opened");
  });

  it("waits for an agent that is replaced meanwhile", async (test) => {
    const { code, screen } = await whileReplaced(test, "apply", {
      looks: [confirming, good],
      entries: [exampleEntry],
    });
    assert.equal(code, 0, screen);
    assert.match(screen, /rules base 1\.3\.0 is installed/);
  });

  it("has the installer forget the failed release on offer first with --again", async (test) => {
    const state = temporaryDirectory(test);
    const failed = [{ ...exampleFailed, id: "1".repeat(32), version: "1.1.0" }, exampleFailed];
    const answers = answersOf("apply", { looks: [good], entries: [exampleEntry] });
    const { socketPath } = await startAgent(test, {
      ...answers,
      "GET /api/updates": () => ({ body: { ...waiting, failed } }),
    });
    const words = ["update", "apply", "--again", "--yes", "--state", state, "--socket", socketPath];
    const { stderr } = await runSteward(words, {
      environment: { STEWARD_RELEASES: "/r", STEWARD_TRUST: "/t" },
    });
    const [call] = notedCalls(state) as { installer: string[]; releasesDirectory: string }[];
    assert.deepEqual([call?.installer, call?.releasesDirectory], [["forgive", exampleFailed.id], "/r"]);
    assert.match(stderr, /^rules base 1\.3\.0 may be tried again\.$/m);
  });

  it("does not apply what the installer would not forget", async (test) => {
    const state = temporaryDirectory(test);
    const { socketPath, received } = await startAgent(test, {
      "GET /api/updates": { body: { ...waiting, failed: [exampleFailed] } },
    });
    const words = ["update", "apply", "--again", "--yes", "--state", state, "--socket", socketPath];
    const { code } = await runSteward(words, { environment: { INSTALLER_EXIT: "4" } });
    assert.deepEqual([code, received.some(({ method }) => method === "POST")], [4, false]);
  });

  it("with --again says where nothing has failed", async (test) => {
    const { code } = await runAgainst(test, "update apply --again --yes", {
      "GET /api/updates": { body: waiting },
    });
    assert.equal(code, 5);
  });
});

/** The agent ends when it has begun, and is started again once the command has noticed. */
async function whileReplaced(test: TestContext, route: string, story: Story) {
  const directory = temporaryDirectory(test);
  const socketPath = join(directory, "steward.sock");
  const answers = answersOf(route, story);
  const listening = () => createServer(answerFrom(answers, [])).listen(socketPath);
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
  const ended = await typeInto([...stewardCommand, ...words], [["The agent is restarting", restart]]);
  return { ...ended, offline: notedCalls(directory) };
}

describe("steward update check, when an update is applied unasked", { concurrency: true }, () => {
  it("follows it, and never takes the lock of an agent that is replaced meanwhile", async (test) => {
    const message = "The rules base 1.3.0 are installed.";
    const { code, screen, offline } = await whileReplaced(test, "check", {
      looks: [confirming, { ...good, summary: exampleUpdateSummary("applied", message) }],
      entries: [exampleEntry],
    });
    assert.equal(code, 0, screen);
    assert.ok(screen.includes(message), screen);
    assert.deepEqual(offline, []);
  });
});

describe("steward update rollback", { concurrency: true }, () => {
  const entry = {
    ...exampleEntry,
    outcome: "rolled_back",
    reason: exampleReason("rolled_back", "It was rolled back on request."),
    restored_healthy: true,
    from_version: "1.3.0",
  } as const;

  it("ends with 0 when the previous release is installed again and healthy", async (test) => {
    const story = { looks: [good], entries: [entry] };
    const { code, stdout, posted } = await told(test, ["rollback", "rules"], story);
    assert.deepEqual([code, posted], [0, [{ kind: "rules" }]]);
    assert.equal(
      stdout,
      "rules base 1.3.0 was undone on request and is held. It was rolled back on request. The previous release is installed again and healthy.\n",
    );
  });

  it("ends with 1 when it is installed again and has not proved healthy", async (test) => {
    const story = { looks: [good], entries: [{ ...entry, restored_healthy: false }] };
    const { code, stdout } = await told(test, ["rollback", "rules"], story);
    assert.equal(code, 1);
    assert.match(stdout, /has not proved healthy\.$/m);
  });

  it("ends with 5 below the lowest version allowed", async (test) => {
    const { code, stderr } = await runAgainst(test, "update rollback rules --yes", {
      ...answersOf("rollback", { looks: [good], entries: [] }),
      "POST /api/updates/rollback": problem({
        code: "below_floor",
        status: 409,
        detail: "1.2.0 is below 1.3.0.",
      }),
    });
    assert.deepEqual([code, stderr], [5, "steward: 1.2.0 is below 1.3.0.\n"]);
  });

  it("asks first, naming the release that is undone", async (test) => {
    const { socketPath } = await startAgent(test, answersOf("rollback", { looks: [good], entries: [] }));
    const { screen } = await typeInto(
      [...stewardCommand, "update", "rollback", "rules", "--socket", socketPath],
      [["[y/N]", "n\n"]],
    );
    assert.match(screen, /Go back from rules 1\.2\.0 to the previous release\? \[y\/N\]/);
  });

  it("takes one kind, and not all", async () => {
    const { code } = await runSteward("update rollback all --yes");
    assert.equal(code, 2);
  });
});

describe("steward update postpone", { concurrency: true }, () => {
  const until = "2026-11-21T02:00:00.000Z";
  for (const [span, rules, said] of [
    ["12h", until, /^Not applied automatically: rules before 2026-11-21T02:00:00\.000Z\./m],
    ["0s", null, /^Not postponed any longer\./m],
  ] as const)
    it(`says what comes of --for ${span}`, async (test) => {
      const { code, stderr, received } = await runAgainst(test, `update postpone rules --for ${span}`, {
        "POST /api/updates/postpone": {
          status: 202,
          body: exampleUpdates({ postponed: { rules, binary: null } }),
        },
      });
      assert.deepEqual([code, received[0]?.body], [0, { kind: "rules", for: span }]);
      assert.match(stderr, said);
    });
});

describe("steward update dismiss", { concurrency: true }, () => {
  it("ends the newest open failure of each kind that is asked for", async (test) => {
    const binary = { ...exampleFailed, kind: "binary" as const, id: "b".repeat(32), name: "demo" };
    const seen = { ...exampleFailed, id: "a".repeat(32), state: "dismissed" as const };
    const failed = [{ ...exampleFailed, id: "0".repeat(32) }, exampleFailed, seen, binary];
    const { socketPath, received } = await startAgent(test, {
      "GET /api/updates": { status: 200, body: exampleUpdates({ failed }) },
      "POST /api/updates/dismiss": { status: 200, body: exampleUpdates() },
    });
    const sent = () => received.filter(({ method }) => method === "POST").map(({ body }) => body);
    const rules = await runSteward(`update dismiss rules --socket ${socketPath}`);
    assert.deepEqual([rules.code, sent()], [0, [{ release_id: exampleFailed.id }]]);
    assert.match(rules.stderr, /^Dismissed: rules base 1\.3\.0\. It stays on the blocklist/m);
    await runSteward(`update dismiss --socket ${socketPath}`);
    assert.deepEqual(sent().slice(1), [{ release_id: exampleFailed.id }, { release_id: binary.id }]);
  });

  it("asks for nothing where no failure is open", async (test) => {
    const failed = [{ ...exampleFailed, state: "overtaken" as const }];
    const { code, stderr, received } = await runAgainst(test, "update dismiss", {
      "GET /api/updates": { status: 200, body: exampleUpdates({ failed }) },
    });
    assert.deepEqual([code, received.length], [0, 1]);
    assert.match(stderr, /^No failed update waits for a person\./m);
  });
});
