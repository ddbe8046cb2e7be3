import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
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
import type { ErrorCode } from "../../../src/contract/error-codes.ts";
import type { Release, Updates } from "../../../src/contract/types.ts";
import { idle } from "../../../src/updates/facts/progress.ts";
import {
  type Answers,
  ended,
  endedOnTerminal,
  ends,
  endsAlone,
  notedCalls,
  offline,
  problem,
  temporaryDirectory,
} from "../fixture.ts";

/** The answers of an agent whose status moves on at each look, once a check has begun. */
function answersOf(begun: Updates, ...later: Updates[]): Answers {
  let looks = 0;
  let hasBegun = later.length === 0;
  return {
    "POST /api/updates/check": () => {
      hasBegun = true;
      return { status: 202, body: begun };
    },
    "GET /api/updates": () => ({
      body: hasBegun ? (later[Math.min(looks++, later.length - 1)] ?? begun) : exampleUpdates(),
    }),
  };
}

const checking = exampleUpdates({ state: "checking", progress: { ...idle, phase: "checking" } });
const transfer = { name: "base 1.3.0", done_bytes: 1_024, total_bytes: 4_096 };
const downloading = exampleUpdates({
  state: "downloading",
  progress: { ...idle, ...transfer, phase: "downloading", release_id: exampleRelease.id },
});
const found = exampleUpdates({
  state: "available",
  summary: exampleUpdateSummary("available", "Rules base 1.3.0 are there."),
  available: { rules: exampleRelease, binary: null },
});

function failed(code: ErrorCode, detail: string): Updates {
  const last = { at: "2026-11-20T14:00:00.000Z", outcome: "failed", code, detail } as const;
  return exampleUpdates({
    summary: exampleUpdateSummary("check_failed", "The message."),
    schedule: { last_check: { ...last, requests: 1, body_bytes: 0 }, failures: 3 },
  });
}

const sentAside = {
  ...{ ...exampleFailed, version: "1.4.0", why: "deferred" as const },
  ...{ reason: exampleReason("restarts", "The device restarted."), until: "2026-11-21T14:05:00.000Z" },
};
const tooSlow = failed("update_too_slow", "It took too long.");
const none = { withdrawn: 1, below_floor: 0, needs_newer_agent: 0, failed: 0, held: 0, unreadable: 0 };
const passed_over_counts = { ...none, other_channel: 3, other_arch: 0, other_product: 4, not_newer: 9 };
const offering = (change: Partial<Release>, schedule = {}): Updates =>
  exampleUpdates({ available: { rules: { ...exampleRelease, ...change }, binary: null }, schedule });

/** The lines that a status is shown with. */
const shown: readonly (readonly [name: string, status: Updates, ...lines: RegExp[]])[] = [
  [
    "the sentence first, installed versions, schedule, last check and trust",
    exampleUpdates(),
    /^Nothing newer is offered\.\n\n/,
    /^product +demo, channel stable$/m,
    /^rules +1\.2\.0$/m,
    /^binary +not installed$/m,
    /^server +https:\/\/updates\.example\.net\/demo$/m,
    /^next check +2026-11-20T20:00:00\.000Z$/m,
    /^last check +2026-11-20T14:00:00\.000Z, succeeded \(2 requests, 312 B\)$/m,
    /^trust +An administrator has yet to confirm the fingerprint/m,
    /^(?![\s\S]*passed over)/,
  ],
  [
    "the available release: when it is due, what holds it, its publisher's words",
    offering({ hold: exampleHold("disabled", "update.ota.enabled is off.") }),
    /^new rules +base 1\.3\.0, 4\.0 KiB, its wave comes at 2026-11-21T00:00:00\.000Z\n +update\.ota\.enabled is off\.\n +"Fewer false alarms"$/m,
  ],
  [
    "why automatic checks are off, and how often a check has failed",
    { ...tooSlow, schedule: { ...tooSlow.schedule, enabled: false, server: "" } },
    /^next check +none by schedule \(update\.ota\.enabled is off\)$/m,
    /^server +none is set \(update\.ota\.server\)$/m,
    /failed: It took too long\. \(1 request, 0 B\)$/m,
    /^failures +3 in a row$/m,
  ],
  [
    "no next check without a server, and no time of a release without a wave",
    offering({ due_at: null }, { server: "" }),
    /^next check +none \(no server is set\)$/m,
    /^new rules +base 1\.3\.0, 4\.0 KiB$/m,
  ],
  [
    "the release on trial: phase, deadline, last healthy answer, what comes next",
    exampleUpdates({ state: "confirming", trial: exampleTrial }),
    /^on trial +rules base 1\.3\.0, confirming since 2026-11-20T14:00:00\.000Z$/m,
    /^healthy by +2026-11-20T14:05:00\.000Z$/m,
    /^health +2 of 6 healthy in a row; last: pump\.service is active \(2026-11-20T14:00:10\.000Z\)$/m,
    /^next step +Four more healthy answers make it good\.$/m,
    /^(?![\s\S]*\ntroubles)/,
  ],
  [
    "boots and unclean exits once there were any",
    exampleUpdates({ state: "confirming", trial: { ...exampleTrial, boots: 2, crashes: 1 } }),
    /^troubles +1 unclean exit, boot 2$/m,
  ],
  [
    "the failed, held, deferred and postponed releases",
    exampleUpdates({
      failed: [exampleFailed, { ...exampleFailed, version: "1.3.1", state: "dismissed" }],
      held: [sentAside],
      postponed: { rules: null, binary: "2026-11-21T00:00:00.000Z" },
    }),
    /^postponed +binary, until 2026-11-21T00:00:00\.000Z$/m,
    /^failed +rules base 1\.3\.0, since 2026-11-20T14:05:00\.000Z\n +It did not become healthy in time\.$/m,
    /^failed +rules base 1\.3\.1, since .*; dismissed$/m,
    /^deferred +rules base 1\.4\.0, since .*, until 2026-11-21T14:05:00\.000Z$/m,
  ],
  [
    "what the last check passed over, and why",
    exampleUpdates({ passed_over: examplePassedOver }),
    /^passed over +rules base 1\.4\.0 is of the channel beta, not stable\n {2,}binary demo 2\.0\.0 was withdrawn by its publisher: it eats\\x1b data$/m,
  ],
  [
    "how many were passed over where it is more than the list names",
    exampleUpdates({ passed_over: examplePassedOver, passed_over_counts }),
    /it eats\\x1b data\n +in all 4 for other products and 3 of other channels$/m,
  ],
  [
    "control characters of a publisher harmlessly",
    offering({ notes: "good\u001b[2J\nnext check  now" }),
    /"good\\x1b\[2J\\x0anext check {2}now"$/m,
  ],
];

describe("steward update status", { concurrency: true }, () => {
  for (const [name, status, ...stdout] of shown)
    it(`shows ${name}`, (test) => ends(test, "update status", answersOf(status), { stdout }));
});

describe("steward update check", { concurrency: true }, () => {
  const check = "update check";
  const steps = (...methods: string[]) =>
    methods.map((method) => (method === "POST" ? "POST /api/updates/check" : "GET /api/updates"));

  it("waits until nothing is under way, and says what was found", (test) =>
    ends(test, check, answersOf(checking, checking, downloading, found), {
      stdout: /^Rules base 1\.3\.0 are there\.\n\nnew rules +base 1\.3\.0, 4\.0 KiB/,
      stderr: "",
      asked: steps("GET", "POST", "GET", "GET", "GET"),
    }));

  it("checks again after one that was under way: that may have read the server before", (test) => {
    const underWay = (check_id: string) => ({ ...checking, schedule: { ...checking.schedule, check_id } });
    let checks = 0;
    const looks = [underWay("chk_1"), exampleUpdates(), found];
    const answers = {
      "POST /api/updates/check": () => ({ status: 202, body: underWay(`chk_${++checks}`) }),
      "GET /api/updates": () => ({ body: looks.shift() ?? found }),
    };
    const asked = steps("GET", "POST", "GET", "POST", "GET");
    return ends(test, check, answers, { stdout: /^Rules base 1\.3\.0 are there\./, asked });
  });

  it("says what was passed over", (test) => {
    const end = exampleUpdates({ passed_over: examplePassedOver });
    const stdout = /^Nothing newer is offered\.\n\npassed over +rules base 1\.4\.0 is of the channel beta/;
    return ends(test, check, answersOf(checking, end), { stdout });
  });

  const earlier = { ...exampleFailed, id: "a".repeat(32), version: "1.1.0" };
  const before = exampleUpdates({ ...checking, failed: [earlier] });
  const undone = exampleUpdates({ state: "idle", failed: [earlier, exampleFailed] });
  const summary = exampleUpdateSummary("undone", "Rules base 1.3.0: undone.");
  const sentence = "rules base 1.3.0 was applied and undone. It did not become healthy in time.\n";
  for (const [name, end, code, stderr] of [
    ["what it applied was undone", undone, 1, sentence],
    ["that is said already", { ...undone, state: "rolled_back" as const, summary }, 1, ""],
    ["only an earlier one was undone", exampleUpdates({ state: "rolled_back", failed: [earlier] }), 0, ""],
  ] as const)
    it(`ends with ${code} where ${name}`, (test) =>
      ends(test, check, answersOf(before, end), { code, stderr }));

  for (const [code, exit] of [
    ["update_metadata_expired", 1],
    ["clock_not_synchronised", 9],
  ] as const)
    it(`offers the rules that are there beside a binary with ${code}, and ends with ${exit}`, async (test) => {
      const blockers = { rules: null, binary: { code, detail: "The metadata of the role binary expired." } };
      const answers = answersOf(checking, { ...found, blockers });
      const stdout = /^Rules base 1\.3\.0 are there\.\n\nnew rules +base 1\.3\.0, 4\.0 KiB/;
      await ends(test, check, answers, { code: exit, stdout, stderr: "" });
      const lines = [
        new RegExp(`^blocked +binary: ${code}$`, "m"),
        /succeeded, but one kind could not be verified/,
      ];
      await ends(test, "update status", answers, { stdout: lines });
    });

  it("does not wait with --no-wait", (test) =>
    ends(test, "update check --no-wait", answersOf(checking), {
      stderr: /has begun; `steward update status` shows the result/,
      asked: steps("POST"),
    }));

  const refused = failed("update_signature_invalid", "The timestamp has 0 of 1 signatures.");
  it("ends with 1 and the problem's sentence when the check has failed, and gives programs its code", async (test) => {
    const stderr = "steward: The timestamp has 0 of 1 signatures.\n";
    await ends(test, check, answersOf(checking, refused), { code: 1, stdout: "", stderr });
    const asJson = await ended(test, `${check} -o json`, answersOf(checking, refused), { code: 1 });
    assert.equal(JSON.parse(asJson.stderr).code, "update_signature_invalid");
  });

  it("ends with 0, in the API's own shape, with -o json", async (test) => {
    const { stdout } = await ended(test, `-o json ${check}`, answersOf(checking, found), { stderr: "" });
    assert.deepEqual(JSON.parse(stdout), found);
  });

  const refusing = (code: string, status: number, more: object = {}): Answers => ({
    "GET /api/updates": { body: exampleUpdates() },
    "POST /api/updates/check": problem({ code, status, ...more }),
  });
  const unset = refusing("update_not_configured", 409, { detail: "Set update.ota.server." });
  const tooSoon = refusing("rate_limited", 429, { retry_after: 60 });
  for (const [what, code, answers, stderr] of [
    ["no server is set", 5, unset, "steward: Set update.ota.server.\n"],
    // It does not wait for longer than ten seconds.
    ["the last check was a moment ago, and the next one is late", 7, tooSoon, /Try again in 60 seconds/],
  ] as const)
    it(`ends with ${code} where ${what}`, (test) => ends(test, check, answers, { code, stderr }));

  it("waits where the last check was a moment ago", async (test) => {
    const answers = [problem({ code: "rate_limited", status: 429, retry_after: 1 })];
    const soon = { "POST /api/updates/check": () => answers.shift() ?? { status: 202, body: found } };
    await ends(
      test,
      check,
      { ...refusing("x", 500), ...soon },
      { stderr: /^The last check has just ended; the next one begins in 1 s\.$/m },
    );
    assert.equal(answers.length, 0);
  });

  it("names a directory of this device by its whole address", async (test) => {
    const directory = join(temporaryDirectory(test), "a stick #1");
    const { received } = await ended(test, ["update", "check", "--repo", directory], answersOf(found));
    const [{ repository } = assert.fail()] = received.flatMap(({ body }) =>
      body ? [body as { repository: string }] : [],
    );
    assert.match(repository, /^file:\/\/\/.*\/a%20stick%20%231$/);
    assert.equal(decodeURIComponent(new URL(repository).pathname), directory);
  });

  it("refuses a directory together with --url: it would be another device's", () =>
    endsAlone("update check --repo /mnt --url http://127.0.0.1:1", {
      code: 2,
      stderr: /run it on the device, without --url/,
    }));

  it("shows on a terminal how far it is, on one line that is gone at the end", async (test) => {
    const { screen } = await endedOnTerminal(test, check, answersOf(checking, downloading, found), []);
    const erase = "\r\u001b[K";
    const first = `${erase}Checking for updates …${erase}Downloading base 1.3.0: 1.0 KiB of 4.0 KiB (25 %)`;
    assert.ok(screen.includes(first), screen);
    assert.ok(screen.includes(`${erase}Rules base 1.3.0 are there.`), screen);
  });

  it("works in process when the agent is down", async (test) => {
    const { directory, places } = offline(test, { checkForUpdates: checking, getUpdates: found });
    await endsAlone(["update", "check", "--repo", directory, ...places]);
    const [first] = notedCalls(directory) as { body: object }[];
    assert.deepEqual(first?.body, { repository: `file://${directory}` });
  });
});
