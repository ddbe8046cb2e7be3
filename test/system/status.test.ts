import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exampleClock, exampleSummary } from "../../lab/command-line/example-clock.ts";
import {
  exampleFailed,
  exampleHold,
  exampleRelease,
  exampleTrust,
  exampleUpdates,
} from "../../lab/command-line/example-updates.ts";
import { clockWordOf } from "../../src/contract/clock/clock-word.ts";
import { finding, line } from "../../src/contract/finding.ts";
import { settings as settingsSchema } from "../../src/contract/schemas/settings.ts";
import type { Need, PassedOver, Settings, TimeSync, Updates } from "../../src/contract/types.ts";
import { validatorOf } from "../../src/store/documents/document-kind.ts";
import { readHealth, troublesOf } from "../../src/system/health.ts";
import { createStatus, type StatusInput } from "../../src/system/status.ts";
import type { NeedsInput, PeopleFacts } from "../../src/system/status-needs.ts";

const settled: PeopleFacts = {
  figures: {
    ...{ accounts: 2, administrators: 1, disabled: 0, locked: 0 },
    ...{ two_factor_missing: 0, without_two_factor: 0, must_change_password: 0, tokens: 0 },
  },
  ...{ locked: [], withoutFactor: [], unprotectedAdmins: [], refusedTokens: 0, tokenEnds: [] },
};

const defaults = {} as Settings;
validatorOf({ name: "settings", schema: settingsSchema })(defaults);
const ota = { ...defaults.update.ota, enabled: true, server: "https://updates.example/edge" };
const byHand = { ...ota, auto_update_rules: false };

const established = { ...exampleTrust, confirmed: true, proven: true, established: true, detail: null };

type Device = NeedsInput & StatusInput;

const statusOf = createStatus();

/** A device on which all is well, but for what a test says. */
function look(change: Partial<Device> = {}) {
  const device: Omit<Device, "clockWord"> = {
    deviceName: "edge-7",
    device: { name: "edge-7", not_needed: [] },
    receivers: { areNamed: true, troubles: [] },
    reported: [],
    wayBack: () => null,
    version: "1.2.3",
    accent: "blue",
    timeZone: "Europe/Berlin",
    lastBackupAt: null,
    product: null,
    clock: exampleClock({ mode: "discipline", state: "synchronised", trust: "trusted" }),
    updates: exampleUpdates({ trust: established }),
    ota,
    people: settled,
    isSetUp: true,
    support: { support: "supported", support_until: "2031-12-31" },
    mayNameUsers: true,
    host: {
      ...{ hostname: "edge", uptime_seconds: 60, load: [0, 0, 0], cores: 2, disk: null },
      temperature_celsius: null,
      memory: { total_bytes: 1, available_bytes: 1, swap_total_bytes: 0, swap_free_bytes: 0 },
    },
    troubles: [],
    latest: null,
    eventReach: { chain_from: 1, complete_since: null },
    ...change,
  };
  const input = { ...device, clockWord: clockWordOf(device.clock) };
  const status = statusOf(input, input);
  // Needs that were kept from whatever a test looked at before are those of a device just started.
  assert.deepEqual(status, createStatus()(input, input));
  // One character beyond ISO 8859-1 in a sentence makes V8 take two bytes for each one of the whole answer.
  assert.match(JSON.stringify(status.needs), /^[ -~]*$/);
  return status;
}

const codesOf = ({ needs }: { needs: readonly Need[] }) => needs.map(({ code }) => code);
const factsOf = ({ needs }: { needs: readonly Need[] }) => needs.map(({ code, facts }) => [code, facts]);

describe("the status of a device", () => {
  it("is ok where nothing needs a person, and says so with figures", () => {
    const { state, needs, clock, updates, people } = look();
    assert.deepEqual([state, needs, clock.word, people?.accounts], ["ok", [], "in_sync", 2]);
    const [kind] = updates?.kinds ?? [];
    const expected = { kind: "rules", installed: "1.2.0", available: null, staged: false, blocker: null };
    assert.deepEqual(kind, expected);
  });

  it("is failing as soon as one need is, which is told first", () => {
    const remount = line("mount -o remount,rw /var");
    const readOnly = finding("disk_read_only", { path: "/var" }, "It is full.", remount);
    const disk = { name: "disk", trouble: () => readOnly };
    const lost = finding("events_lost", { lost: 3 }, "It is not written.");
    const well = { name: "program", trouble: () => null };
    const { state, needs } = look({
      troubles: troublesOf([{ name: "events", trouble: () => lost }, well, disk]),
    });
    assert.equal(state, "failing");
    const { code, detail } = readOnly;
    const diskFacts = { check: "disk", reason: code, path: "/var" };
    const eventFacts = { check: "events", reason: "events_lost", lost: 3 };
    assert.deepEqual(needs, [
      { code: "disk", level: "failing", facts: diskFacts, detail, remedy: remount },
      { code: "event_log", level: "attention", facts: eventFacts, detail: lost.detail, remedy: null },
    ]);
    assert.deepEqual(readHealth([well, disk], true).checks, [
      { name: "program", status: "ok", code: "ok", detail: "", facts: {} },
      { name: "disk", status: "degraded", code, facts: { path: "/var" }, detail },
    ]);
  });
});

describe("the word for a clock", () => {
  const words: [word: string, change: Partial<TimeSync>][] = [
    ["in_sync", { mode: "discipline", state: "synchronised", trust: "trusted" }],
    ["in_sync", { mode: "discipline", state: "holdover", trust: "accepted" }],
    ["in_sync", { mode: "delegate", state: "delegated", trust: "accepted" }],
    ["in_sync", { mode: "observe", state: "synchronised", trust: "trusted", offset_seconds: -0.1 }],
    ["not_in_sync", { mode: "observe", state: "synchronised", trust: "trusted", offset_seconds: 3 }],
    ["not_in_sync", { mode: "delegate", state: "delegated", trust: "none" }],
    ["not_in_sync", { mode: "discipline", state: "freerun", trust: "none" }],
    ["not_in_sync", { mode: "discipline", state: "faulty", trust: "none" }],
    ["not_in_sync", { state: "unsynchronised", last_sync_at: "2026-01-01T00:00:00.000Z" }],
    ["unknown", { state: "unsynchronised" }],
    ["unknown", { state: "acquiring" }],
    ["set_by_hand", { mode: "manual", state: "manual", trust: "accepted" }],
    ["unknown", { mode: "manual", state: "manual", trust: "none" }],
  ];
  for (const [word, change] of words)
    it(`is ${word} for ${Object.values(change).join(" ")}`, () => {
      assert.equal(clockWordOf(exampleClock(change)), word);
      const isWell = word === "in_sync" || word === "set_by_hand";
      assert.deepEqual(codesOf(look({ clock: exampleClock(change) })), isWell ? [] : ["clock"]);
    });

  it("is said once where the health check tells of the clock too", () => {
    const told = { level: "attention", facts: { check: "time" }, detail: "No.", remedy: null } as const;
    const { needs } = look({ clock: exampleClock(), troubles: [{ code: "clock", ...told }] });
    const facts = { word: "unknown", state: "acquiring", trust: "none", offset_seconds: null, check: "time" };
    assert.deepEqual(needs, [{ code: "clock", ...told, facts }]);
  });
});

describe("the time that a person is asked for", () => {
  const silent = { state: "unsynchronised", summary: exampleSummary({ code: "no_time_source" }) } as const;
  const asked = { state: "acquiring", summary: exampleSummary() } as const;
  const daemons = exampleSummary({ code: "daemon_unsynchronised" });
  for (const [isAsked, uptime_seconds, what, change] of [
    [false, 10, "servers that are being asked", asked],
    [false, 119, "silent servers", silent],
    [false, 600, "servers that are being asked", asked],
    [true, 120, "silent servers", silent],
    [false, 600, "silent servers of a trusted clock", { ...silent, trust: "accepted" }],
    [false, 600, "a daemon's clock", { mode: "delegate", state: "delegated", summary: daemons }],
  ] as const)
    it(`${isAsked ? "is" : "is not"} asked for ${uptime_seconds} s after the boot with ${what}`, () => {
      const host = { ...look().host, uptime_seconds };
      const [need] = look({ clock: exampleClock(change), host }).needs;
      const typed = isAsked ? "steward time set --yes TIME" : null;
      assert.deepEqual([need?.code, need?.remedy?.line ?? null], ["clock", typed]);
    });
});

describe("an update that is on offer", () => {
  const available = { rules: exampleRelease, binary: null };
  const offered = (change: Parameters<typeof exampleUpdates>[0] = {}) => ({
    updates: exampleUpdates({ trust: established, available, ...change }),
  });

  it("needs an administrator where it is not automatic, with the line to type", () => {
    const status = look({ ...offered(), ota: byHand });
    const facts = { kind: "rules", name: "base", version: "1.3.0" };
    assert.deepEqual(factsOf(status), [["update_available", facts]]);
    assert.match(status.needs[0]?.detail ?? "", /`steward update apply rules`/);
  });

  const postponed = { rules: "2026-11-22T00:00:00.000Z", binary: null };
  for (const [what, change] of [
    ["it is postponed", offered({ postponed })],
    ["it is held", offered({ held: [{ ...exampleFailed, why: "held" }] })],
    ...(
      ["refused", "installer_unavailable", "not_configured", "not_verifiable", "channel_not_allowed"] as const
    ).map((code) => [`its hold is ${code}`, holding(code)] as const),
  ] as const)
    it(`needs none while ${what}`, () => assert.deepEqual(codesOf(look({ ...change, ota: byHand })), []));

  for (const code of ["not_automatic", "disabled", "wave", "download_failed", "busy"] as const)
    it(`needs one while its hold is ${code}`, () =>
      assert.deepEqual(codesOf(look({ ...holding(code), ota: byHand })), ["update_available"]));

  function holding(code: Parameters<typeof exampleHold>[0]): { updates: Updates } {
    const held = { ...exampleRelease, hold: exampleHold(code, "Why.") };
    return offered({ available: { rules: held, binary: null } });
  }

  it("has the blocker of its kind, with the code that the last check ended with", () => {
    const expired = { code: "update_metadata_expired", detail: "The list of rules has expired." } as const;
    const { updates } = look(offered({ blockers: { rules: expired, binary: null } }));
    assert.deepEqual(
      updates?.kinds.map(({ blocker }) => blocker && [blocker.code, blocker.detail, blocker.reason?.code]),
      [["not_verifiable", expired.detail, expired.code], null],
    );
  });

  it("that failed here is a need, also when it is offered no more, until it is overtaken or dismissed", () => {
    const withState = (...states: (typeof exampleFailed.state)[]) =>
      look({ updates: exampleUpdates({ failed: states.map((state) => ({ ...exampleFailed, state })) }) });
    const { state, needs } = withState("open", "open");
    const [need] = needs.filter(({ code }) => code === "update_failed");
    assert.equal(state, "attention");
    assert.deepEqual(need?.facts, {
      ...{ release_id: exampleFailed.id, kind: "rules", name: "base", version: "1.3.0" },
      ...{ failed_at: exampleFailed.at, reason_code: "not_healthy_in_time" },
    });
    assert.match(need?.detail ?? "", /^base 1\.3\.0 failed .* `steward update dismiss rules`/);
    for (const [count, ...states] of [
      [1, "open", "open"],
      [1, "dismissed", "open"],
      [0, "dismissed", "overtaken"],
      [1, "open", "overtaken"],
    ] as const)
      assert.equal(codesOf(withState(...states)).filter((code) => code === "update_failed").length, count);
  });

  it("waits for the confirmation of the root of trust, where there is a server", () => {
    const trust = exampleTrust;
    // Checks on request need it too.
    const isOff = offered({ trust, schedule: { enabled: false } });
    for (const change of [offered({ trust }), isOff])
      assert.deepEqual(codesOf(look(change)), ["update_trust_unconfirmed"]);
    assert.deepEqual(codesOf(look({ ...isOff, ota: { ...ota, server: "" } })), ["updates_not_set_up"]);
  });
});

describe("an installed release that its publisher withdrew", () => {
  const recall: PassedOver = {
    ...{ code: "withdrawn", kind: "rules", name: "base", version: "1.2.0", path: "p" },
    ...{ offered: null, here: "1.2.0", detail: "it eats data" },
  };
  const facts = { kind: "rules", name: "base", version: "1.2.0", detail: "it eats data" };
  const refused = { ...exampleRelease, hold: exampleHold("refused", "No.") };
  for (const [way, rules, wayBack, typed, end] of [
    ["newer", exampleRelease, null, "steward update apply rules", /apply rules` does that now\.$/],
    ["the release before", refused, "rollback", "steward update rollback rules", /rollback rules` does that/],
    [
      "the release before, as root",
      ...([
        null,
        "rollback_as_root",
        "steward update rollback rules --as-root",
        /--as-root` does th/,
      ] as const),
    ],
    ["waiting", null, null, null, /Now neither is possible: wait for a newer one\.$/],
  ] as const)
    it(`needs an administrator, with the publisher's words and the way out: ${way}`, () => {
      const available = { rules, binary: null };
      const updates = exampleUpdates({ trust: established, passed_over: [recall], available });
      const status = look({ updates, wayBack: () => wayBack });
      assert.deepEqual(factsOf(status), [["update_withdrawn", facts]]);
      const { detail = "", remedy } = status.needs[0] ?? {};
      assert.equal(remedy?.line ?? null, typed);
      const beginning =
        /^base 1\.2\.0 was withdrawn by its publisher\. It is installed\. "it eats data" .*now/i;
      assert.match(detail, beginning);
      assert.match(detail, end);
    });

  it("is none of another one that was passed over", () => {
    const passed_over = [{ ...recall, version: "1.4.0", here: null }];
    assert.deepEqual(codesOf(look({ updates: exampleUpdates({ trust: established, passed_over }) })), []);
  });
});

describe("people who need something, and what the first run has left for later", () => {
  const names = ["ann", "ben", "cem", "dee", "eva", "fox", "gus"];
  const tokenEnds = ["2026-11-23T00:00:00.000Z", "2026-11-24T00:00:00.000Z"];
  const others = { ...settled, locked: ["ann"], withoutFactor: names, refusedTokens: 3 };
  const until = { support_until: "2026-12-31" };
  const supported = (support: "supported" | "unknown" | "ending" | "ended") => ({
    support: { support, ...until },
  });
  const bare = {
    people: { ...settled, unprotectedAdmins: ["ana"] },
    device: { name: "", not_needed: [] },
    ota: { ...ota, server: "" },
  };
  const notNeeded = ["second_factor_advised", "updates_not_set_up"] as const;
  const advised = ["second_factor_advised", { count: 1, users: ["ana"] }] as const;
  const later = [
    ["device_unnamed", { hostname: "edge" }],
    ["updates_not_set_up", { missing: "server" }],
  ] as const;
  const untrusted = exampleUpdates({ trust: { ...exampleTrust, installed: false } });
  const told = { code: "updates", level: "attention", facts: {}, detail: "No root.", remedy: null } as const;

  for (const [what, change, expected, words = /^/] of [
    [
      "locked ones, five of them named",
      { people: { ...settled, locked: names } },
      [["users_locked", { count: 7, users: names }]],
      /: ann, ben, cem, dee, eva, 2 more\. /,
    ],
    [
      "counted to others",
      { people: others, mayNameUsers: false },
      [
        ["users_locked", { count: 1 }],
        ["two_factor_missing", { count: 7, tokens: 3 }],
      ],
      /: 7\. .* 3 of their API tokens are refused\.$/,
    ],
    [
      "tokens in use that end soon",
      { people: { ...settled, tokenEnds } },
      [["tokens_ending", { count: 2, first_ends_at: tokenEnds[0] }]],
    ],
    ["supported", supported("supported"), []],
    ["of no known support", supported("unknown"), []],
    ["before the end of the support", supported("ending"), [["support_ending", until]]],
    ["behind all else", { ...bare, ...supported("ended") }, [["support_ended", until], advised, ...later]],
    [
      "counted to those who may not see users",
      { ...bare, mayNameUsers: false },
      [["second_factor_advised", { count: 1 }], ...later],
    ],
    ["none where settings say so", { ...bare, device: { name: "edge-7", not_needed: [...notNeeded] } }, []],
    ["of the root of trust", { updates: untrusted }, [["updates_not_set_up", { missing: "root" }]]],
    ["once where the health check tells of it", { updates: untrusted, troubles: [told] }, [["updates", {}]]],
    ["not before there is an administrator", { ...bare, isSetUp: false }, [["setup_required", {}]]],
  ] as [string, Partial<Device>, [string, object][], RegExp?][])
    it(`are ${what}`, () => {
      const status = look(change);
      assert.deepEqual(factsOf(status), expected);
      assert.match(status.needs.at(-1)?.detail ?? "", words);
      if (change.mayNameUsers === false)
        assert.doesNotMatch(JSON.stringify(status.needs), /\b(ann|ben|ana)\b/);
    });
});

it("the needs that the product reports are among those of the device, the gravest of all first", () => {
  const reported = (["attention", "failing"] as const).map((level) => ({
    ...{ code: "product" as const, level, facts: { name: level }, detail: "Low.", remedy: null },
  }));
  const receivers = { areNamed: false, troubles: [] };
  const { state, needs } = look({ reported, receivers });
  const [grave, slight] = [reported[1], reported[0]];
  assert.deepEqual([state, needs[0], needs[2]], ["failing", grave, slight]);
  assert.equal(needs[1]?.code, "no_receiver");
});

describe("the needs about receivers of messages", () => {
  const none = { areNamed: false, troubles: [] };
  for (const [what, receivers, change, expected] of [
    ["a receiver once there is an administrator", none, {}, ["no_receiver"]],
    ["none before", none, { isSetUp: false }, ["setup_required"]],
    ["none where none is wanted", none, { device: { name: "edge-7", not_needed: ["no_receiver"] } }, []],
    ["none where one is named", { ...none, areNamed: true }, {}, []],
  ] as [string, Device["receivers"], Partial<Device>, string[]][])
    it(`ask for ${what}`, () => assert.deepEqual(codesOf(look({ receivers, ...change })), expected));

  it("name each receiver that messages do not reach, with the way and the line that tries it", () => {
    const troubles = [
      { name: "alerts", detail: "nothing listens there" },
      { name: "duty", detail: "No such user", kind: "refused" as const },
    ];
    const { state, needs } = look({ receivers: { areNamed: true, troubles } });
    assert.deepEqual(
      [state, ...needs.map(({ code, facts, remedy }) => [code, facts, remedy?.line])],
      ["attention", ...troubles.map((one) => ["receiver_failing", one, `steward notify test ${one.name}`])],
    );
    assert.match(needs[0]?.detail ?? "", /^Messages do not reach alerts\. They wait .*nothing listens there/);
    assert.match(needs[1]?.detail ?? "", /^duty has refused messages\. No such user/);
  });
});
