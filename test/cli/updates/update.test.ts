import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import {
  exampleFailed,
  exampleHold,
  examplePassedOver,
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
  writeOffline,
} from "../../../lab/command-line/run-steward.ts";
import { type Answers, problem, startAgent } from "../../../lab/command-line/scripted-agent.ts";
import { typeInto } from "../../../lab/command-line/terminal.ts";
import type { ErrorCode } from "../../../src/contract/error-codes.ts";
import type { Updates } from "../../../src/contract/types.ts";

/** An agent whose status moves on at each look, once a check has begun. */
async function agentOf(test: TestContext, begun: Updates, ...later: Updates[]) {
  let looks = 0;
  let hasBegun = later.length === 0;
  const answers: Answers = {
    "POST /api/updates/check": () => {
      hasBegun = true;
      return { status: 202, body: begun };
    },
    "GET /api/updates": () => ({
      body: hasBegun ? (later[Math.min(looks++, later.length - 1)] ?? begun) : exampleUpdates(),
    }),
  };
  return startAgent(test, answers);
}

const checking = exampleUpdates({
  state: "checking",
  summary: exampleUpdateSummary("checking", "Checking for updates."),
  progress: { phase: "checking", release_id: null, name: null, done_bytes: 0, total_bytes: null },
});
const downloading = exampleUpdates({
  state: "downloading",
  summary: exampleUpdateSummary("downloading", "Downloading base 1.3.0."),
  progress: {
    phase: "downloading",
    release_id: exampleRelease.id,
    name: "base 1.3.0",
    done_bytes: 1_024,
    total_bytes: 4_096,
  },
});
const found = exampleUpdates({
  state: "available",
  summary: exampleUpdateSummary("available", "Rules base 1.3.0 are there."),
  available: { rules: exampleRelease, binary: null },
});

function failed(
  outcome: "failed" | "waiting_for_clock",
  code: ErrorCode | null,
  detail: string | null,
): Updates {
  const last = { at: "2026-11-20T14:00:00.000Z", outcome, code, detail, requests: 1, body_bytes: 0 };
  const state = outcome === "failed" ? "idle" : "waiting_for_clock";
  return exampleUpdates({
    state,
    summary: exampleUpdateSummary("check_failed", "The message."),
    schedule: { last_check: last, failures: 3 },
  });
}

describe("steward update status", { concurrency: true }, () => {
  const shown = async (test: TestContext, status: Updates) => {
    const { socketPath } = await agentOf(test, status);
    return runSteward(["update", "status", "--socket", socketPath]);
  };

  it("begins with the sentence, and names the installed versions, the schedule, the last check and the trust", async (test) => {
    const { code, stdout } = await shown(test, exampleUpdates());
    assert.equal(code, 0);
    assert.match(stdout, /^Nothing newer is offered\.\n\n/);
    assert.match(stdout, /^product +demo, channel stable$/m);
    assert.match(stdout, /^rules +1\.2\.0$/m);
    assert.match(stdout, /^binary +not installed$/m);
    assert.match(stdout, /^server +https:\/\/updates\.example\.net\/demo$/m);
    assert.match(stdout, /^next check +2026-11-20T20:00:00\.000Z$/m);
    assert.match(stdout, /^last check +2026-11-20T14:00:00\.000Z, succeeded \(2 requests, 312 B\)$/m);
    assert.match(stdout, /^trust +An administrator has yet to confirm the fingerprint/m);
  });

  it("names the available release, when it is due, what holds it and its publisher's words", async (test) => {
    const rules = { ...exampleRelease, hold: exampleHold("disabled", "update.ota.enabled is off.") };
    const { stdout } = await shown(test, exampleUpdates({ available: { rules, binary: null } }));
    assert.match(
      stdout,
      /^new rules +base 1\.3\.0, 4\.0 KiB, its wave comes at 2026-11-21T00:00:00\.000Z\n +update\.ota\.enabled is off\.\n +"Fewer false alarms"$/m,
    );
  });

  it("says why automatic checks are off, and how often a check has failed", async (test) => {
    const status = failed("failed", "update_too_slow", "It took too long.");
    const { stdout } = await shown(test, {
      ...status,
      schedule: { ...status.schedule, enabled: false, server: "" },
    });
    assert.match(stdout, /^next check +none by schedule \(update\.ota\.enabled is off\)$/m);
    assert.match(stdout, /^server +none is set \(update\.ota\.server\)$/m);
    assert.match(stdout, /failed: It took too long\. \(1 request, 0 B\)$/m);
    assert.match(stdout, /^failures +3 in a row$/m);
  });

  it("names no next check without a server, and of a release without a wave no time", async (test) => {
    const rules = { ...exampleRelease, due_at: null };
    const { stdout } = await shown(
      test,
      exampleUpdates({ available: { rules, binary: null }, schedule: { server: "" } }),
    );
    assert.match(stdout, /^next check +none \(no server is set\)$/m);
    assert.match(stdout, /^new rules +base 1\.3\.0, 4\.0 KiB$/m);
  });

  it("names the release on trial: its phase, its deadline, its last healthy answer and what comes next", async (test) => {
    const { stdout } = await shown(test, exampleUpdates({ state: "confirming", trial: exampleTrial }));
    assert.match(stdout, /^on trial +rules base 1\.3\.0, confirming since 2026-11-20T14:00:00\.000Z$/m);
    assert.match(stdout, /^healthy by +2026-11-20T14:05:00\.000Z$/m);
    assert.match(
      stdout,
      /^health +2 of 6 healthy in a row; last: pump\.service is active \(2026-11-20T14:00:10\.000Z\)$/m,
    );
    assert.match(stdout, /^next step +Four more healthy answers make it good\.$/m);
    assert.doesNotMatch(stdout, /^troubles/m);
  });

  it("counts boots and unclean exits once there were any", async (test) => {
    const trial = { ...exampleTrial, boots: 2, crashes: 1 };
    const { stdout } = await shown(test, exampleUpdates({ state: "confirming", trial }));
    assert.match(stdout, /^troubles +1 unclean exit, boot 2$/m);
  });

  it("names the failed, held, deferred and postponed releases", async (test) => {
    const deferred = {
      ...{ ...exampleFailed, version: "1.4.0", why: "deferred" as const },
      ...{ reason: exampleReason("restarts", "The device restarted."), until: "2026-11-21T14:05:00.000Z" },
    };
    const postponed = { rules: null, binary: "2026-11-21T00:00:00.000Z" };
    const { stdout } = await shown(
      test,
      exampleUpdates({
        failed: [exampleFailed, { ...exampleFailed, version: "1.3.1", state: "dismissed" }],
        ...{ held: [deferred], postponed },
      }),
    );
    assert.match(stdout, /^postponed +binary, until 2026-11-21T00:00:00\.000Z$/m);
    assert.match(
      stdout,
      /^failed +rules base 1\.3\.0, since 2026-11-20T14:05:00\.000Z\n +It did not become healthy in time\.$/m,
    );
    assert.match(stdout, /^failed +rules base 1\.3\.1, since .*; dismissed$/m);
    assert.match(stdout, /^deferred +rules base 1\.4\.0, since .*, until 2026-11-21T14:05:00\.000Z$/m);
  });

  it("says what the last check passed over, and why; nothing of an agent that does not tell", async (test) => {
    const { stdout } = await shown(test, exampleUpdates({ passed_over: examplePassedOver }));
    assert.match(
      stdout,
      /^passed over +rules base 1\.4\.0 is of the channel beta, not stable\n {2,}binary demo 2\.0\.0 was withdrawn by its publisher: it eats\\x1b data$/m,
    );
    assert.doesNotMatch((await shown(test, exampleUpdates())).stdout, /passed over/);
  });

  it("counts what was passed over where it is more than the list names", async (test) => {
    const none = { withdrawn: 1, below_floor: 0, needs_newer_agent: 0, failed: 0, held: 0, unreadable: 0 };
    const passed_over_counts = { ...none, other_channel: 3, other_arch: 0, other_product: 4, not_newer: 9 };
    const status = exampleUpdates({ passed_over: examplePassedOver, passed_over_counts });
    assert.match(
      (await shown(test, status)).stdout,
      /it eats\\x1b data\n +in all 4 for other products and 3 of other channels$/m,
    );
  });

  it("shows control characters of a publisher harmlessly", async (test) => {
    const rules = { ...exampleRelease, notes: "good\u001b[2J\nnext check  now" };
    const { stdout } = await shown(test, exampleUpdates({ available: { rules, binary: null } }));
    assert.match(stdout, /"good\\x1b\[2J\\x0anext check {2}now"$/m);
  });

  it("works in process when the agent is down", async (test) => {
    const state = temporaryDirectory(test);
    writeOffline(state, { getUpdates: exampleUpdates() });
    const { code, stdout } = await runSteward([
      ...["update", "status", "--state", state],
      ...["--socket", join(state, "none.sock")],
    ]);
    assert.deepEqual([code, stdout.split("\n")[0]], [0, "Nothing newer is offered."]);
  });
});

describe("steward update check", { concurrency: true }, () => {
  it("waits until nothing is under way, and says what was found", async (test) => {
    const { socketPath, received } = await agentOf(test, checking, checking, downloading, found);
    const { code, stdout, stderr } = await runSteward(["update", "check", "--socket", socketPath]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^Rules base 1\.3\.0 are there\.\n\nnew rules +base 1\.3\.0, 4\.0 KiB/);
    assert.deepEqual(
      received.map(({ method }) => method),
      ["GET", "POST", "GET", "GET", "GET"],
    );
  });

  it("checks again after one that was under way: that may have read the server before", async (test) => {
    const underWay = (check_id: string): Updates => ({
      ...checking,
      schedule: { ...checking.schedule, check_id },
    });
    const idle = exampleUpdates();
    let checks = 0;
    const looks = [underWay("chk_1"), idle, found];
    const { socketPath, received } = await startAgent(test, {
      "POST /api/updates/check": () => ({ status: 202, body: underWay(`chk_${++checks}`) }),
      "GET /api/updates": () => ({ body: looks.shift() ?? found }),
    });
    const { code, stdout } = await runSteward(["update", "check", "--socket", socketPath]);
    assert.equal(code, 0);
    assert.match(stdout, /^Rules base 1\.3\.0 are there\./);
    assert.deepEqual(
      received.map(({ method }) => method),
      ["GET", "POST", "GET", "POST", "GET"],
    );
  });

  it("says what was passed over", async (test) => {
    const { socketPath } = await agentOf(test, checking, exampleUpdates({ passed_over: examplePassedOver }));
    const { code, stdout } = await runSteward(["update", "check", "--socket", socketPath]);
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^Nothing newer is offered\.\n\npassed over +rules base 1\.4\.0 is of the channel beta/,
    );
  });

  it("ends with 1 when what it applied was undone, and not for what was undone before", async (test) => {
    const earlier = { ...exampleFailed, id: "a".repeat(32), version: "1.1.0" };
    const before = exampleUpdates({ ...checking, failed: [earlier] });
    const undone = exampleUpdates({ state: "idle", failed: [earlier, exampleFailed] });
    const end = await agentOf(test, before, undone);
    const { code, stderr } = await runSteward(["update", "check", "--socket", end.socketPath]);
    assert.equal(code, 1);
    assert.equal(stderr, "rules base 1.3.0 was applied and undone. It did not become healthy in time.\n");
    const said = {
      ...undone,
      state: "rolled_back" as const,
      summary: exampleUpdateSummary("undone", "Rules base 1.3.0: undone."),
    };
    const once = await agentOf(test, before, said);
    const again = await runSteward(["update", "check", "--socket", once.socketPath]);
    assert.deepEqual([again.code, again.stderr], [1, ""]);
    const old = await agentOf(test, before, exampleUpdates({ state: "rolled_back", failed: [earlier] }));
    assert.equal((await runSteward(["update", "check", "--socket", old.socketPath])).code, 0);
  });

  it("offers the rules that are there when the binary has expired, and ends with 1; with 9 while the clock is in doubt", async (test) => {
    const detail = "The metadata of the role binary expired at 2026-11-19T12:00:00Z.";
    for (const [code, exit] of [
      ["update_metadata_expired", 1],
      ["clock_not_synchronised", 9],
    ] as const) {
      const blockers = { rules: null, binary: { code, detail } };
      const { socketPath } = await agentOf(test, checking, { ...found, blockers });
      const ended = await runSteward(["update", "check", "--socket", socketPath]);
      assert.deepEqual([ended.code, ended.stderr], [exit, ""]);
      assert.match(ended.stdout, /^Rules base 1\.3\.0 are there\.\n\nnew rules +base 1\.3\.0, 4\.0 KiB/);
      const { code: shownCode, stdout } = await runSteward(["update", "status", "--socket", socketPath]);
      assert.equal(shownCode, 0);
      assert.match(stdout, new RegExp(`^blocked +binary: ${code}$`, "m"));
      assert.match(stdout, /succeeded, but one kind could not be verified/);
    }
  });

  it("prints the API's own shape with -o json", async (test) => {
    const { socketPath } = await agentOf(test, checking, found);
    const { stdout } = await runSteward(["-o", "json", "update", "check", "--socket", socketPath]);
    assert.deepEqual(JSON.parse(stdout), found);
  });

  it("does not wait with --no-wait", async (test) => {
    const { socketPath, received } = await agentOf(test, checking);
    const { code, stderr } = await runSteward(["update", "check", "--no-wait", "--socket", socketPath]);
    assert.deepEqual([code, received.length], [0, 1]);
    assert.match(stderr, /has begun; `steward update status` shows the result/);
  });

  it("ends with 1 and the problem's sentence when the check has failed", async (test) => {
    const end = failed("failed", "update_signature_invalid", "The timestamp has 0 of 1 signatures.");
    const { socketPath } = await agentOf(test, checking, end);
    const { code, stdout, stderr } = await runSteward(["update", "check", "--socket", socketPath]);
    assert.deepEqual([code, stdout, stderr], [1, "", "steward: The timestamp has 0 of 1 signatures.\n"]);
  });

  it("gives programs the code of the failure", async (test) => {
    const end = failed("failed", "update_signature_invalid", "The timestamp has 0 of 1 signatures.");
    const { socketPath } = await agentOf(test, checking, end);
    const { code, stderr } = await runSteward(["-o", "json", "update", "check", "--socket", socketPath]);
    assert.deepEqual([code, JSON.parse(stderr).code], [1, "update_signature_invalid"]);
  });

  it("ends with 9 while the clock must be put right first, and says so", async (test) => {
    const { socketPath } = await agentOf(test, checking, failed("waiting_for_clock", null, null));
    const { code, stdout, stderr } = await runSteward(["update", "check", "--socket", socketPath]);
    assert.deepEqual([code, stdout, stderr], [9, "The message.\n", ""]);
  });

  it("ends with 5 where no server is set", async (test) => {
    const answer = problem({ code: "update_not_configured", status: 409, detail: "Set update.ota.server." });
    const { socketPath } = await startAgent(test, {
      "GET /api/updates": { body: exampleUpdates() },
      "POST /api/updates/check": answer,
    });
    const { code, stderr } = await runSteward(["update", "check", "--socket", socketPath]);
    assert.deepEqual([code, stderr], [5, "steward: Set update.ota.server.\n"]);
  });

  it("waits where the last check was a moment ago", async (test) => {
    const soon = problem({ code: "rate_limited", status: 429, retry_after: 1 });
    let tries = 0;
    const { socketPath } = await startAgent(test, {
      "GET /api/updates": { body: exampleUpdates() },
      "POST /api/updates/check": () => (tries++ === 0 ? soon : { status: 202, body: found }),
    });
    const { code, stderr } = await runSteward(["update", "check", "--socket", socketPath]);
    assert.deepEqual([code, tries], [0, 2]);
    assert.match(stderr, /^The last check was a moment ago; the next one begins in 1 s\.$/m);
  });

  it("does not wait for longer than that: 7", async (test) => {
    const answers: Answers = {
      "GET /api/updates": { body: exampleUpdates() },
      "POST /api/updates/check": problem({ code: "rate_limited", status: 429, retry_after: 60 }),
    };
    const { socketPath } = await startAgent(test, answers);
    const { code, stderr } = await runSteward(["update", "check", "--socket", socketPath]);
    assert.equal(code, 7);
    assert.match(stderr, /Try again in 60 seconds/);
  });

  it("names a directory of this device by its whole address", async (test) => {
    const directory = join(temporaryDirectory(test), "a stick #1");
    const { socketPath, received } = await agentOf(test, found);
    await runSteward(["update", "check", "--repo", directory, "--socket", socketPath]);
    const { repository } = (received.find(({ method }) => method === "POST")?.body ?? {}) as {
      repository: string;
    };
    assert.match(repository, /^file:\/\/\/.*\/a%20stick%20%231$/);
    assert.equal(decodeURIComponent(new URL(repository).pathname), directory);
  });

  it("refuses a directory together with --url: it would be another device's", async () => {
    const { code, stderr } = await runSteward([
      ...["update", "check", "--repo", "/mnt", "--url", "http://127.0.0.1:1"],
    ]);
    assert.equal(code, 2);
    assert.match(stderr, /run it on the device, without --url/);
  });

  it("shows on a terminal how far it is, on one line that is gone at the end", async (test) => {
    const { socketPath } = await agentOf(test, checking, downloading, found);
    const { code, screen } = await typeInto(
      [...stewardCommand, "update", "check", "--socket", socketPath],
      [],
    );
    assert.equal(code, 0, screen);
    const erase = "\r\u001b[K";
    const first = `${erase}Checking for updates …${erase}Downloading base 1.3.0: 1.0 KiB of 4.0 KiB (25 %)`;
    assert.ok(screen.includes(first), screen);
    assert.ok(screen.includes(`${erase}Rules base 1.3.0 are there.`), screen);
  });

  it("works in process when the agent is down", async (test) => {
    const state = temporaryDirectory(test);
    writeOffline(state, { checkForUpdates: checking, getUpdates: found });
    const { code } = await runSteward([
      ...["update", "check", "--state", state, "--repo", state],
      ...["--socket", join(state, "none.sock")],
    ]);
    assert.equal(code, 0);
    const [first] = notedCalls(state) as { body: object }[];
    assert.deepEqual(first?.body, { repository: `file://${state}` });
  });
});
