import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { server } from "../../../lab/devices/checking-device.ts";
import type { PassedOver } from "../../../src/contract/types.ts";
import { countsOf } from "../../../src/releases/passed-over.ts";
import { emptyJournal, type SetAside, type Trial } from "../../../src/releases/release-journal.ts";
import { binary, rules } from "../example-releases.ts";
import { entry, goodCheck, openToldDevice, type Told, type ToldDevice } from "../told-device.ts";

let told: ToldDevice;
before(async () => {
  told = await openToldDevice();
});

async function statusOf(given: Told = {}) {
  return (await told.tell(given)).status();
}

const none = { rules: null, binary: null };
const bothHere = { available: { rules, binary } };

it("the status of a new device says of everything that there is nothing", async () => {
  const { trust, summary, ...rest } = await statusOf();
  assert.equal(summary.code, "not_checked_disabled");
  assert.deepEqual(rest, {
    ...{ state: "idle", channel: "stable", product: "demo", installed: none, available: none },
    ...{ blockers: none, passed_over: [], trial: null, failed: [], held: [], postponed: none },
    progress: null,
    schedule: {
      ...{ enabled: false, server, next_check_at: null, last_check: null, last_success_at: null },
      ...{ failures: 0, window_open: true },
    },
  });
});

describe("a release that the last check passed over", () => {
  const passed = (code: PassedOver["code"], change: Partial<PassedOver> = {}): PassedOver => ({
    ...{ code, kind: "rules", name: "base", version: "1.0.0", path: "p" },
    ...{ offered: null, here: null, detail: null, ...change },
  });

  const here = (version: string): Told => ({ installed: { rules: version, binary: null } });
  const both = { installed: { rules: "9.0.0", binary: "9.0.0" } };
  const unreadable = passed("unreadable", { kind: null, name: null, version: null });
  const beta = passed("other_channel", { offered: "beta" });
  const notNewer = passed("not_newer", { here: "1.0.0" });
  const found = { ...here("1.0.0"), record: { available: { rules, binary: null } } };
  const cases: [name: string, PassedOver, Told, isTold: boolean][] = [
    ["is told while nothing as new is installed", passed("withdrawn"), { installed: none }, true],
    ["is told while it is newer than what is installed", passed("needs_newer_agent"), here("0.9.0"), true],
    ["is told no more once that version is installed", passed("needs_newer_agent"), here("1.0.0"), false],
    ["is told while it is for another product, in any case", passed("other_product"), here("1.0.0"), true],
    ["is told where it cannot be read, so that nothing is known of it", unreadable, both, true],
    [
      "is told where only its version is not read",
      passed("unreadable", { version: null }),
      here("9.0.0"),
      true,
    ],
    ["is told while its channel is another one", beta, {}, true],
    ["is told no more where its channel is that of now", beta, { ota: { channel: "beta" } }, false],
    ["is told with its own channel elsewhere", passed("other_arch", { offered: "stable" }), {}, true],
    ["is told as not newer while the same is installed", notNewer, here("1.0.0"), true],
    ["is not told as not newer once another one is installed", notNewer, here("1.1.0"), false],
    ["is not told as not newer where something newer was found", notNewer, found, false],
  ];
  for (const [name, one, given, isTold] of cases)
    it(name, async () => {
      const record = { ...given.record, passed_over: [one] };
      assert.deepEqual((await statusOf({ ...given, record })).passed_over, isTold ? [one] : []);
    });

  const forOthers = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      passed("other_channel", { offered: "beta", here: "stable", version: `2.${index}.0` }),
    );
  const detailOf = async (record: Told["record"]) => {
    const { summary } = await statusOf({ record: { last_check: goodCheck, ...record } });
    return summary.detail.replace(/^.*nothing newer for this device\. ?/, "");
  };
  const words = (minor: number) => `rules base 2.${minor}.0 is of the channel beta, not stable`;

  it("is named in the sentence where it is for others, and only then", async () => {
    assert.equal(await detailOf({}), "");
    assert.equal(await detailOf({ passed_over: [passed("withdrawn", { detail: "bad" })] }), "");
    const found = await detailOf({ passed_over: [passed("withdrawn"), ...forOthers(1)] });
    assert.equal(found, `Not for this device: ${words(0)}.`);
  });

  it("is one of three that are named; of the others there is the number", async () => {
    const three = `Not for this device: ${words(0)}; ${words(1)}; ${words(2)}`;
    assert.equal(await detailOf({ passed_over: forOthers(3) }), `${three}.`);
    assert.equal(await detailOf({ passed_over: forOthers(5) }), `${three}; and 2 more.`);
    const counts = countsOf([...Array(9).fill("other_channel"), "other_arch", "not_newer"]);
    const given = { passed_over: forOthers(5), passed_over_counts: counts };
    const found = await detailOf(given);
    assert.equal(found, `${three}; and 7 more, in all 9 of other channels and 1 for other processors.`);
    assert.deepEqual((await statusOf({ record: given })).passed_over_counts, counts);
  });
});

describe("a postponement", () => {
  const until = (rulesUntil: string, id = rules.id) => ({
    ...{
      available: { rules, binary },
      postponed: { rules: { release_id: id, until: rulesUntil }, binary: null },
    },
  });
  it("is shown until it ends", async () => {
    const shown = await statusOf({ record: until("2026-11-20T12:00:00.001Z") });
    assert.deepEqual(shown.postponed, { rules: "2026-11-20T12:00:00.001Z", binary: null });
    const over = await statusOf({ record: until("2026-11-20T12:00:00.000Z") });
    assert.deepEqual(over.postponed, none);
  });

  it("is of one release alone", async () => {
    const other = await statusOf({ record: until("2026-11-21T12:00:00.000Z", binary.id) });
    assert.deepEqual(other.postponed, none);
    const gone = { ...until("2026-11-21T12:00:00.000Z"), available: none };
    assert.deepEqual((await statusOf({ record: gone })).postponed, none);
  });
});

describe("what a check has left behind", () => {
  it("is shown with the codes that this release knows, and as an internal error with others", async () => {
    const failed = { ...goodCheck, outcome: "failed", detail: "No." } as const;
    for (const [code, shown] of [
      ["update_too_slow", "update_too_slow"],
      ["of_a_newer_release", "internal_error"],
    ] as const) {
      const blockers = { rules: { code, detail: "No rules." }, binary: null };
      const record = { last_check: { ...failed, code }, failures: 2, blockers };
      const status = await statusOf({ record: { ...record, last_success_at: "2026-11-19T12:00:00.000Z" } });
      assert.deepEqual(status.schedule.last_check, { ...failed, code: shown });
      assert.deepEqual(status.blockers, { rules: { code: shown, detail: "No rules." }, binary: null });
      assert.equal(status.schedule.failures, 2);
      assert.equal(status.schedule.last_success_at, "2026-11-19T12:00:00.000Z");
    }
  });

  it("names a kind that could not be verified, unless the check failed as a whole, which says so", async () => {
    const blockers = { rules: null, binary: { code: "update_metadata_expired", detail: "It has expired." } };
    const good = await statusOf({ record: { blockers, last_check: goodCheck } });
    assert.match(good.summary.detail, / for services, .* accepted\. It has expired\.$/);
    const last_check = { ...goodCheck, outcome: "failed", code: "update_metadata_expired" } as const;
    const failed = await statusOf({ record: { blockers, last_check } });
    assert.doesNotMatch(failed.summary.detail, /for services/);
  });
});

describe("an available release", () => {
  it("is shown with all that is stored of it, whether it lies here, and why it is held", async () => {
    const { available } = await statusOf({ record: bothHere, staged: [rules.id] });
    const { hold, ...rest } = available.rules ?? {};
    assert.deepEqual(rest, { ...rules, staged: true });
    assert.deepEqual([hold?.code, hold?.setting, hold?.until], ["disabled", "/update/ota/enabled", null]);
    assert.deepEqual([available.binary?.staged, available.binary?.hold?.code], [false, "not_automatic"]);
  });

  it("is shown until it is installed, has failed here or is of another channel", async () => {
    const aside = (why: SetAside["why"], until: string | null = null): Told => ({
      record: bothHere,
      journal: {
        slots: {
          ...emptyJournal.slots,
          rules: {
            ...emptyJournal.slots.rules,
            setAside: [
              { id: rules.id, name: "base", version: "1.2.0", at: entry(1).at, why, reason: "No.", until },
            ],
          },
        },
      },
    });
    const isShown = async (given: Told) =>
      (await statusOf({ record: bothHere, ...given })).available.rules !== null;
    assert.equal(await isShown({ installed: { rules: "1.1.9", binary: "9.0.0" } }), true);
    assert.equal(await isShown({ installed: { rules: "1.2.0", binary: null } }), false);
    assert.equal(await isShown({ installed: { rules: "1.2.1", binary: null } }), false);
    assert.equal(await isShown({ ota: { channel: "beta" } }), false);
    assert.equal(await isShown(aside("failed")), false);
    assert.equal(await isShown(aside("held")), true);
    const shown = await statusOf(aside("deferred", "2026-11-21T00:00:00.000Z"));
    assert.deepEqual(
      [shown.failed, shown.held.map(({ kind, why, reason, until }) => [kind, why, reason.code, until])],
      [[], [["rules", "deferred", "unrecorded", "2026-11-21T00:00:00.000Z"]]],
    );
    const failed = await statusOf(aside("failed"));
    assert.deepEqual(failed.held, []);
    assert.deepEqual(failed.failed, [
      {
        ...{ id: rules.id, kind: "rules", name: "base", version: "1.2.0", at: entry(1).at, why: "failed" },
        ...{ reason: { code: "unrecorded", detail: "No.", count: null, last_answer: null }, until: null },
        state: "open",
      },
    ]);
  });
});

describe("the last request", () => {
  const refused = entry(1, { outcome: "refused", detail: "It does not fit." });
  const journal = { sequence: 1, history: [refused] };

  it("is none where its release says so itself, and is one where another hold hides that", async () => {
    const [record, staged] = [bothHere, [rules.id]];
    const shown = await statusOf({ journal, record, staged, ota: { enabled: true } });
    assert.equal(shown.available.rules?.hold?.code, "refused");
    assert.equal(shown.available.rules?.hold?.until, "2026-11-21T11:00:00.000Z");
    assert.equal(shown.summary.problem, null);
    const hidden = await statusOf({ journal, record, staged });
    assert.equal(hidden.available.rules?.hold?.code, "disabled");
    assert.equal(hidden.summary.problem?.code, "refused");
    const other = entry(1, { ...refused, release_id: "9".repeat(32) });
    const unlike = await statusOf({ journal: { sequence: 1, history: [other] }, record, staged });
    assert.equal(unlike.summary.problem?.code, "refused");
  });
});

it("a refusal holds a release for a day, and not where a clock that was wrong has dated it", async () => {
  const heldAt = async (at: string, change: Partial<ReturnType<typeof entry>> = {}) => {
    const journal = { sequence: 1, history: [entry(1, { outcome: "refused", at, ...change })] };
    const given = { journal, record: bothHere, staged: [rules.id], ota: { enabled: true } };
    return (await statusOf(given)).available.rules?.hold?.code ?? null;
  };
  assert.equal(await heldAt("2026-11-20T12:00:00.000Z"), "refused");
  assert.equal(await heldAt("2026-11-20T12:00:00.001Z"), null);
  assert.equal(await heldAt("2026-11-19T12:00:00.001Z"), "refused");
  assert.equal(await heldAt("2026-11-19T12:00:00.000Z"), null);
  assert.equal(await heldAt("2026-11-20T12:00:00.000Z", { outcome: "aborted" }), null);
  assert.equal(await heldAt("2026-11-20T12:00:00.000Z", { release_id: null }), null);
});

it("what is on trial is shown as progress, with its name, and what was asked for in its place", async () => {
  const trial: Trial = {
    ...{
      release: { id: rules.id, name: "base", version: "1.2.0" },
      phase: "confirming",
      boots: 1,
      crashes: 0,
    },
    ...{ begun_at: "2026-11-20T11:59:00.000Z", begun_uptime: 940, boot_id: "boot-1", deadline_uptime: 1_240 },
    ...{ undo: null, health: { successes: 2, needed: 6, last: null, at: null } },
  };
  const slots = { ...emptyJournal.slots, rules: { ...emptyJournal.slots.rules, trial } };
  const room = await told.tell({ journal: { slots } });
  room.start();
  const size = { done_bytes: 0, total_bytes: null };
  assert.deepEqual(room.status().progress, {
    ...{ phase: "confirming", release_id: rules.id, name: "base", ...size },
  });
  assert.equal(room.status().trial?.deadline_at, "2026-11-20T12:04:00.000Z");
  const other = await told.tell({ record: bothHere, staged: [rules.id], ota: { server: "" } });
  other.start();
  told.side.gate = new Promise(() => undefined);
  await other.apply({ kind: "rules" });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(other.status().progress, {
    ...{ phase: "verifying", release_id: rules.id, name: null, ...size },
  });
  const found = [other.status().state, other.status().summary.releases];
  assert.deepEqual(found, ["verifying", [{ kind: "rules", name: "base", version: "1.2.0" }]]);
  await other.stop();
  told.side.gate = null;
});

const of = (digit: string, version: string, change: Partial<SetAside> = {}): SetAside => ({
  ...{ id: digit.repeat(32), name: "base", version, at: `2026-11-20T10:0${digit}:00.000Z` },
  ...{ why: "failed", reason: "It did not become healthy.", until: null, ...change },
});

const failing = (setAside: readonly SetAside[], change: Told = {}): Told => ({
  ...change,
  journal: { slots: { ...emptyJournal.slots, rules: { good: [], trial: null, setAside } } },
});

const states = async (given: Told) => statesOf((await told.tell(given)).status().failed);
const statesOf = (failed: readonly { version: string; state: string }[]) =>
  failed.map(({ version, state }) => `${version} ${state}`);

describe("a release that failed here", () => {
  it("is open, also beside an older one that works", async () => {
    assert.deepEqual(await states(failing([of("1", "1.1.0")])), ["1.1.0 open"]);
    const installed = { rules: "1.0.0", binary: null };
    assert.deepEqual(await states(failing([of("1", "1.1.0")], { installed })), ["1.1.0 open"]);
  });

  it("is overtaken by a newer one that works, and not by one of the other kind", async () => {
    const both = [of("1", "1.1.0"), of("2", "1.2.0")];
    const installed = { rules: "1.1.1", binary: "9.0.0" };
    assert.deepEqual(await states(failing(both, { installed })), ["1.1.0 overtaken", "1.2.0 open"]);
  });

  it("is none where a person took it back or it is tried again later", async () => {
    const held = [of("1", "1.1.0", { why: "held" }), of("2", "1.2.0", { why: "deferred" })];
    assert.deepEqual(await states(failing(held)), []);
  });

  it("is dismissed with those that failed before it, and stays so after a restart", async () => {
    const three = [of("1", "1.1.0"), of("2", "1.2.0"), of("3", "1.3.0")];
    const room = await told.tell(failing(three));
    const ended = await room.dismiss("2".repeat(32));
    const versions = ended.map(({ version }) => version);
    assert.deepEqual(versions, ["1.1.0", "1.2.0"]);
    const expected = ["1.1.0 dismissed", "1.2.0 dismissed", "1.3.0 open"];
    assert.deepEqual(statesOf(room.status().failed), expected);
    await told.device.restart();
    assert.deepEqual(statesOf(told.device.room.status().failed), expected);
  });

  it("is dismissed once: the second time changes nothing", async () => {
    const room = await told.tell(failing([of("1", "1.1.0")]));
    assert.equal((await room.dismiss("1".repeat(32))).length, 1);
    assert.deepEqual(await room.dismiss("1".repeat(32)), []);
    assert.deepEqual(statesOf(room.status().failed), ["1.1.0 dismissed"]);
  });

  it("is open anew when it is allowed again and fails again", async () => {
    const room = await told.tell(failing([of("1", "1.1.0")]));
    await room.dismiss("1".repeat(32));
    const { dismissed = [] } = told.device.record.read();
    const later = of("1", "1.1.0", { at: "2026-11-20T11:30:00.000Z" });
    assert.deepEqual(await states(failing([later], { record: { dismissed } })), ["1.1.0 open"]);
  });

  it("leaves the record when it leaves the blocklist", async () => {
    const dismissed = [{ release_id: "9".repeat(32), failed_at: "2026-11-20T09:00:00.000Z" }];
    const room = await told.tell(failing([of("1", "1.1.0")], { record: { dismissed } }));
    await room.dismiss("1".repeat(32));
    assert.deepEqual(told.device.record.read().dismissed, [
      { release_id: "1".repeat(32), failed_at: "2026-11-20T10:01:00.000Z" },
    ]);
  });

  it("cannot be dismissed where it never failed", async () => {
    const room = await told.tell(failing([of("1", "1.1.0"), of("2", "1.2.0", { why: "held" })]));
    for (const id of ["2", "3"])
      await assert.rejects(room.dismiss(id.repeat(32)), { code: "not_found", message: /has failed/ });
    assert.deepEqual(statesOf(room.status().failed), ["1.1.0 open"]);
  });
});
