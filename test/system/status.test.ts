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
import type { Need, PassedOver, Release, ReleaseHold, Settings, TimeSync } from "../../src/contract/types.ts";
import { validatorOf } from "../../src/store/documents/document-kind.ts";
import { readHealth, troublesOf } from "../../src/system/health.ts";
import { createStatus, type StatusInput } from "../../src/system/status.ts";
import type { NeedsInput, PeopleFacts } from "../../src/system/status-needs.ts";

const rightClock = exampleClock({ mode: "discipline", state: "synchronised", trust: "trusted" });

const settled: PeopleFacts = {
  figures: {
    ...{ accounts: 2, administrators: 1, disabled: 0, locked: 0 },
    ...{ two_factor_missing: 0, without_two_factor: 0, must_change_password: 0, tokens: 0 },
  },
  ...{ locked: [], withoutFactor: [], unprotectedAdmins: [], refusedTokens: 0, tokenEnds: [] },
};

const defaultOta = (): Settings["update"]["ota"] => {
  const settings = {} as Settings;
  validatorOf({ name: "settings", schema: settingsSchema })(settings);
  return { ...settings.update.ota, enabled: true, server: "https://updates.example/edge" };
};

const established = { ...exampleTrust, confirmed: true, proven: true, established: true, detail: null };

type Device = NeedsInput & StatusInput;

const statusOf = createStatus();

/** A status whose needs were kept from whatever a test looked at before is that of a device just started. */
const seen = (device: Omit<Device, "clockWord">) => {
  const input = { ...device, clockWord: clockWordOf(device.clock) };
  const status = statusOf(input, input);
  assert.deepEqual(status, createStatus()(input, input));
  // One character beyond ISO 8859-1 in a sentence makes V8 take two bytes for each one of the whole answer.
  assert.match(JSON.stringify(status.needs), /^[ -~]*$/);
  return status;
};

/** A device on which all is well, but for what a test says. */
const look = (change: Partial<Device> = {}) =>
  seen({
    deviceName: "edge-7",
    device: { name: "edge-7", not_needed: [] },
    receivers: { areNamed: true, troubles: [] },
    wayBack: () => null,
    version: "1.2.3",
    accent: "blue",
    lastBackupAt: null,
    clock: rightClock,
    updates: exampleUpdates({ trust: established }),
    ota: defaultOta(),
    people: settled,
    isSetUp: true,
    support: { support: "supported", support_until: "2031-12-31" },
    mayNameUsers: true,
    host: {
      ...{
        hostname: "edge",
        uptime_seconds: 60,
        load: [0, 0, 0],
        cores: 2,
        disk: null,
        temperature_celsius: null,
      },
      memory: { total_bytes: 1, available_bytes: 1, swap_total_bytes: 0, swap_free_bytes: 0 },
    },
    troubles: [],
    latest: null,
    eventReach: { chain_from: 1, complete_since: null },
    ...change,
  });

const codesOf = ({ needs }: { needs: readonly Need[] }) => needs.map(({ code }) => code);

describe("the status of a device", () => {
  it("is ok where nothing needs a person, and says so with figures", () => {
    const { state, needs, clock, updates, people } = look();
    assert.deepEqual([state, needs, clock.word], ["ok", [], "in_sync"]);
    assert.deepEqual(updates?.kinds[0], {
      ...{ kind: "rules", installed: "1.2.0", available: null },
      ...{ staged: false, blocker: null },
    });
    assert.equal(people?.accounts, 2);
  });

  it("is failing as soon as one need is, which is told first", () => {
    const lost = finding("events_lost", { lost: 3 }, "It is not written.");
    const remount = line("mount -o remount,rw /var");
    const readOnly = finding("disk_read_only", { path: "/var" }, "It is full.", remount);
    const events = { name: "events", trouble: () => lost };
    const disk = { name: "disk", trouble: () => readOnly };
    const well = { name: "program", trouble: () => null };
    const { state, needs } = look({ troubles: troublesOf([events, well, disk]) });
    assert.equal(state, "failing");
    const diskFacts = { check: "disk", reason: "disk_read_only", path: "/var" };
    const eventFacts = { check: "events", reason: "events_lost", lost: 3 };
    assert.deepEqual(needs, [
      { code: "disk", level: "failing", facts: diskFacts, detail: readOnly.detail, remedy: remount },
      { code: "event_log", level: "attention", facts: eventFacts, detail: lost.detail, remedy: null },
    ]);
    const { code, detail } = readOnly;
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
    const trouble = {
      code: "clock",
      level: "attention",
      facts: { check: "time" },
      ...{ detail: "No.", remedy: null },
    } as const;
    const [need, ...others] = look({ clock: exampleClock(), troubles: [trouble] }).needs;
    assert.deepEqual([need?.detail, others], ["No.", []]);
    assert.deepEqual(need?.facts, {
      word: "unknown",
      state: "acquiring",
      trust: "none",
      offset_seconds: null,
      check: "time",
    });
  });
});

describe("the time that a person is asked for", () => {
  const lineOf = (uptime_seconds: number, change: Partial<TimeSync>) => {
    const host = { ...look().host, uptime_seconds };
    const [need] = look({ clock: exampleClock(change), host }).needs;
    return need?.code === "clock" ? (need.remedy?.line ?? null) : undefined;
  };
  const silent = { state: "unsynchronised", summary: exampleSummary({ code: "no_time_source" }) } as const;
  const asked = { state: "acquiring", summary: exampleSummary() } as const;

  it("is not asked for on a healthy device ten seconds after its boot", () => {
    assert.equal(lineOf(10, asked), null);
    assert.equal(lineOf(10, silent), null);
    assert.equal(lineOf(600, asked), null);
  });

  it("is asked for where nothing confirms it later, and not where it is trusted or a daemon's", () => {
    assert.equal(lineOf(600, silent), "steward time set --yes TIME");
    assert.equal(lineOf(600, { ...silent, trust: "accepted" }), null);
    const delegated = { mode: "delegate", state: "delegated" } as const;
    const unsynchronised = exampleSummary({ code: "daemon_unsynchronised" });
    assert.equal(lineOf(600, { ...delegated, summary: unsynchronised }), null);
  });
});

describe("an update that is on offer", () => {
  const offered = (change: Parameters<typeof exampleUpdates>[0] = {}) => ({
    updates: exampleUpdates({
      trust: established,
      available: { rules: exampleRelease, binary: null },
      ...change,
    }),
  });
  const byHand = { ...defaultOta(), auto_update_rules: false };
  it("needs an administrator where it is not, with the line to type", () => {
    const [need] = look({ ...offered(), ota: byHand }).needs;
    const found = [need?.code, need?.facts];
    assert.deepEqual(found, ["update_available", { kind: "rules", name: "base", version: "1.3.0" }]);
    assert.match(need?.detail ?? "", /`steward update apply rules`/);
  });
  it("needs none while it is postponed or held", () => {
    const until = { rules: "2026-11-22T00:00:00.000Z", binary: null };
    assert.deepEqual(codesOf(look({ ...offered({ postponed: until }), ota: byHand })), []);
    const held = [{ ...exampleFailed, why: "held" as const }];
    assert.deepEqual(codesOf(look({ ...offered({ held }), ota: byHand })), []);
  });
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
    const countIn = ({ needs: all }: typeof status) =>
      all.filter(({ code }) => code === "update_failed").length;
    const status = withState("dismissed", "open");
    assert.equal(countIn(status), 1, "one for each kind");
    assert.equal(countIn(withState("dismissed", "overtaken")), 0);
    assert.equal(countIn(withState("open", "overtaken")), 1);
  });
  it("is none of an administrator's while the installer or the host file would refuse it", () => {
    const withHold = (code: ReleaseHold["code"]) => ({ ...exampleRelease, hold: exampleHold(code, "Why.") });
    for (const [code, isNeed] of [
      ...(["not_automatic", "disabled", "wave", "download_failed", "busy"] as const).map(
        (one) => [one, true] as const,
      ),
      ...(
        [
          "refused",
          "installer_unavailable",
          "not_configured",
          "not_verifiable",
          "channel_not_allowed",
        ] as const
      ).map((one) => [one, false] as const),
    ]) {
      const available = { rules: withHold(code), binary: null };
      assert.deepEqual(
        codesOf(look({ ...offered({ available }), ota: byHand })),
        isNeed ? ["update_available"] : [],
        code,
      );
    }
  });
  it("waits for the confirmation of the root of trust, where there is a server", () => {
    const trust = exampleTrust;
    assert.deepEqual(codesOf(look(offered({ trust }))), ["update_trust_unconfirmed"]);
    const isOff = offered({ trust, schedule: { enabled: false } });
    assert.deepEqual(codesOf(look(isOff)), ["update_trust_unconfirmed"], "checks on request need it too");
    const ota = { ...defaultOta(), server: "" };
    assert.deepEqual(codesOf(look({ ...isOff, ota })), ["updates_not_set_up"]);
  });
});

describe("an installed release that its publisher withdrew", () => {
  const recall: PassedOver = {
    ...{ code: "withdrawn", kind: "rules", name: "base", version: "1.2.0", path: "p" },
    ...{ offered: null, here: "1.2.0", detail: "it eats data" },
  };
  const facts = { kind: "rules", name: "base", version: "1.2.0", detail: "it eats data" };
  const recalled = (change: Partial<Device> = {}, rules: Release | null = null) =>
    look({
      updates: exampleUpdates({
        ...{ trust: established, passed_over: [recall], available: { rules, binary: null } },
      }),
      ...change,
    }).needs;
  const refused = { ...exampleRelease, hold: exampleHold("refused", "No.") };
  const ways: [string, Need[], line: string | null, RegExp][] = [
    ["newer", recalled({}, exampleRelease), "steward update apply rules", /apply rules` does that now\.$/],
    [
      "the release before",
      recalled({ wayBack: () => "rollback" }, refused),
      "steward update rollback rules",
      /`steward update rollback rules` does that now\.$/,
    ],
    [
      "the release before, as root",
      recalled({ wayBack: () => "rollback_as_root" }),
      "steward update rollback rules --as-root",
      /--as-root` does that now\.$/,
    ],
    ["waiting", recalled(), null, /Now neither is possible: wait for a newer one\.$/],
  ];
  for (const [way, needs, typed, end] of ways)
    it(`needs an administrator, with the publisher's words and the way out: ${way}`, () => {
      const [need, ...others] = needs;
      const found = [need?.code, need?.facts, need?.remedy?.line ?? null, others];
      assert.deepEqual(found, ["update_withdrawn", facts, typed, []]);
      const text = need?.detail ?? "";
      assert.match(text, /^base 1\.2\.0 was withdrawn by its publisher\. It is installed\. "it eats data" /);
      assert.match(need?.detail ?? "", end);
    });

  it("is none of another one that was passed over", () => {
    const passed_over = [{ ...recall, version: "1.4.0", here: null }];
    assert.deepEqual(recalled({ updates: exampleUpdates({ trust: established, passed_over }) }), []);
  });
});

describe("people who need something, and what the first run has left for later", () => {
  const names = ["ann", "ben", "cem", "dee", "eva", "fox", "gus"];
  const tokenEnds = ["2026-11-23T00:00:00.000Z", "2026-11-24T00:00:00.000Z"];
  const others = { ...settled, locked: ["ann"], withoutFactor: names, refusedTokens: 3 };
  const support = (is: "supported" | "unknown" | "ending" | "ended") => ({
    support: { support: is, support_until: "2026-12-31" },
  });
  const until = { support_until: "2026-12-31" };
  const bare = {
    people: { ...settled, unprotectedAdmins: ["ana"] },
    device: { name: "", not_needed: [] },
    ota: { ...defaultOta(), server: "" },
  };
  const advised = ["second_factor_advised", { count: 1, users: ["ana"] }] as const;
  const later = [
    ["device_unnamed", { hostname: "edge" }],
    ["updates_not_set_up", { missing: "server" }],
  ] as const;
  const not_needed = ["second_factor_advised", "updates_not_set_up"] as const;
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
    ["supported", support("supported"), []],
    ["of no known support", support("unknown"), []],
    ["before the end of the support", support("ending"), [["support_ending", until]]],
    ["behind the end of the support", support("ended"), [["support_ended", until]]],
    ["one by one", bare, [advised, ...later]],
    ["behind all else", { ...bare, ...support("ended") }, [["support_ended", until], advised, ...later]],
    [
      "counted to those who may not see users",
      { ...bare, mayNameUsers: false },
      [["second_factor_advised", { count: 1 }], ...later],
    ],
    ["none where settings say so", { ...bare, device: { name: "edge-7", not_needed: [...not_needed] } }, []],
    ["of the root of trust", { updates: untrusted }, [["updates_not_set_up", { missing: "root" }]]],
    ["once where the health check tells of it", { updates: untrusted, troubles: [told] }, [["updates", {}]]],
    ["not before there is an administrator", { ...bare, isSetUp: false }, [["setup_required", {}]]],
  ] as [string, Partial<Device>, [string, object][], RegExp?][])
    it(`are ${what}`, () => {
      const { needs } = look(change);
      assert.deepEqual(
        needs.map(({ code, facts }) => [code, facts]),
        expected,
      );
      assert.match(needs.at(-1)?.detail ?? "", words);
      if (change.mayNameUsers === false) assert.doesNotMatch(JSON.stringify(needs), /\b(ann|ben|ana)\b/);
    });
});

describe("the needs about receivers of messages", () => {
  const receivers = { areNamed: false, troubles: [] };

  it("ask for a receiver once there is an administrator, unless one is named or none is wanted", () => {
    assert.deepEqual(codesOf(look({ receivers })), ["no_receiver"]);
    assert.ok(!codesOf(look({ receivers, isSetUp: false })).includes("no_receiver"));
    const device = { name: "edge-7", not_needed: ["no_receiver" as const] };
    assert.deepEqual(codesOf(look({ receivers, device })), []);
    assert.deepEqual(codesOf(look({ receivers: { ...receivers, areNamed: true } })), []);
  });

  it("name each receiver that messages do not reach, with the way and the line that tries it", () => {
    const troubles = [
      { name: "alerts", detail: "nothing listens there" },
      { name: "duty", detail: "No such user", kind: "refused" as const },
    ];
    const { state, needs } = look({ receivers: { areNamed: true, troubles } });
    assert.equal(state, "attention");
    assert.deepEqual(
      needs.map(({ code, facts, remedy }) => [code, facts, remedy?.line]),
      troubles.map((one) => ["receiver_failing", one, `steward notify test ${one.name}`]),
    );
    assert.match(needs[0]?.detail ?? "", /^Messages do not reach alerts\. They wait .*nothing listens there/);
    assert.match(needs[1]?.detail ?? "", /^duty has refused messages\. No such user/);
  });
});
