import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { server } from "../../../lab/devices/checking-device.ts";
import type { PassedOver, Updates } from "../../../src/contract/types.ts";
import { countsOf } from "../../../src/releases/passed-over.ts";
import { emptyJournal, type SetAside, type Trial } from "../../../src/releases/release-journal.ts";
import { binary, entry, goodCheck, openToldDevice, rules, type Told, type ToldDevice } from "../fixture.ts";

let told: ToldDevice;
before(async () => {
  told = await openToldDevice();
});

const statusOf = async (given: Told = {}): Promise<Updates> => (await told.tell(given)).status();

const none = { rules: null, binary: null };
const bothHere = { available: { rules, binary } };
const now = "2026-11-20T12:00:00.000Z";

/** The journal's slot of rules has these on its blocklist, or this on trial. */
const slotWith = (change: { setAside?: SetAside[]; trial?: Trial }): NonNullable<Told["journal"]> => ({
  slots: { ...emptyJournal.slots, rules: { ...emptyJournal.slots.rules, ...change } },
});

const setAside = (digit: string, version: string, change: Partial<SetAside> = {}): SetAside => ({
  ...{ id: digit.repeat(32), name: "base", version, at: `2026-11-20T10:0${digit}:00.000Z` },
  ...{ why: "failed", reason: "No.", until: null, ...change },
});

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
  const unreadable = passed("unreadable", { kind: null, name: null, version: null });
  const beta = passed("other_channel", { offered: "beta" });
  const notNewer = passed("not_newer", { here: "1.0.0" });
  const found = { ...here("1.0.0"), record: { available: { rules, binary: null } } };
  for (const [what, one, given, isTold] of [
    ["is told while nothing as new is installed", passed("withdrawn"), {}, true],
    ["is told while it is newer than what is installed", passed("needs_newer_agent"), here("0.9.0"), true],
    ["is told no more once that version is installed", passed("needs_newer_agent"), here("1.0.0"), false],
    ["is told while it is for another product, in any case", passed("other_product"), here("1.0.0"), true],
    ["is told where nothing of it can be read", unreadable, here("9.0.0"), true],
    ["is told where its version cannot be", passed("unreadable", { version: null }), here("9.0.0"), true],
    ["is told while its channel is another one", beta, {}, true],
    ["is told no more where its channel is that of now", beta, { ota: { channel: "beta" } }, false],
    ["is told as not newer while the same is installed", notNewer, here("1.0.0"), true],
    ["is not told as not newer once another one is installed", notNewer, here("1.1.0"), false],
    ["is not told as not newer where something newer was found", notNewer, found, false],
  ] as [string, PassedOver, Told, boolean][])
    it(what, async () => {
      const record = { ...given.record, passed_over: [one] };
      assert.deepEqual((await statusOf({ ...given, record })).passed_over, isTold ? [one] : []);
    });

  it("is named in the sentence where it is for others: three of them, and the number of the rest", async () => {
    const others = (count: number) =>
      Array.from({ length: count }, (_, at) =>
        passed("other_channel", { offered: "beta", here: "stable", version: `2.${at}.0` }),
      );
    const words = (minor: number) => `rules base 2.${minor}.0 is of the channel beta, not stable`;
    const three = `Not for this device: ${words(0)}; ${words(1)}; ${words(2)}`;
    const counts = countsOf([...Array(9).fill("other_channel"), "other_arch", "not_newer"]);
    for (const [expected, passed_over, passed_over_counts] of [
      ["", []],
      ["", [passed("withdrawn", { detail: "bad" })]],
      [`Not for this device: ${words(0)}.`, [passed("withdrawn"), ...others(1)]],
      [`${three}.`, others(3)],
      [`${three}; and 2 more.`, others(5)],
      [`${three}; and 7 more, in all 9 of other channels and 1 for other processors.`, others(5), counts],
    ] as const) {
      const record = {
        last_check: goodCheck,
        passed_over,
        ...(passed_over_counts && { passed_over_counts }),
      };
      const { summary, ...status } = await statusOf({ record });
      assert.equal(summary.detail.replace(/^.*nothing newer for this device\. ?/, ""), expected);
      assert.deepEqual(status.passed_over_counts, passed_over_counts);
    }
  });
});

it("a postponement is shown until it ends, while its own release is on offer", async () => {
  for (const [until, id, available, isShown] of [
    ["2026-11-20T12:00:00.001Z", rules.id, bothHere.available, true],
    [now, rules.id, bothHere.available, false],
    ["2026-11-21T12:00:00.000Z", binary.id, bothHere.available, false],
    ["2026-11-21T12:00:00.000Z", rules.id, none, false],
  ] as const) {
    const postponed = { rules: { release_id: id, until }, binary: null };
    const shown = await statusOf({ record: { available, postponed } });
    assert.deepEqual(shown.postponed, { rules: isShown ? until : null, binary: null });
  }
});

describe("what a check has left behind", () => {
  const failed = { ...goodCheck, outcome: "failed", detail: "No." } as const;

  it("is shown with the codes that this release knows, and as an internal error with others", async () => {
    for (const [code, shown] of [
      ["update_too_slow", "update_too_slow"],
      ["of_a_newer_release", "internal_error"],
    ] as const) {
      const blockers = { rules: { code, detail: "No rules." }, binary: null };
      const record = {
        last_check: { ...failed, code },
        failures: 2,
        blockers,
        last_success_at: goodCheck.at,
      };
      const { schedule, ...status } = await statusOf({ record });
      assert.deepEqual(status.blockers, { rules: { code: shown, detail: "No rules." }, binary: null });
      assert.deepEqual(schedule.last_check, { ...failed, code: shown });
      assert.deepEqual([schedule.failures, schedule.last_success_at], [2, goodCheck.at]);
    }
  });

  it("names a kind that could not be verified, unless the check failed as a whole, which says so", async () => {
    const blockers = { rules: null, binary: { code: "update_metadata_expired", detail: "It has expired." } };
    const detailWith = async (last_check: typeof goodCheck) =>
      (await statusOf({ record: { blockers, last_check } })).summary.detail;
    assert.match(await detailWith(goodCheck), / for services, .* accepted\. It has expired\.$/);
    assert.doesNotMatch(await detailWith({ ...failed, code: "update_metadata_expired" }), /for services/);
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
    const of = (why: SetAside["why"]) => ({
      journal: slotWith({ setAside: [setAside("1", "1.2.0", { why })] }),
    });
    for (const [given, isShown] of [
      [{ installed: { rules: "1.1.9", binary: "9.0.0" } }, true],
      [{ installed: { rules: "1.2.0", binary: null } }, false],
      [{ installed: { rules: "1.2.1", binary: null } }, false],
      [{ ota: { channel: "beta" } }, false],
      [of("failed"), false],
      [of("held"), true],
    ] as [Told, boolean][])
      assert.equal((await statusOf({ record: bothHere, ...given })).available.rules !== null, isShown);
  });

  it("is held for a day once it was refused, and not where a clock that was wrong has dated it", async () => {
    for (const [at, change, hold] of [
      [now, {}, "refused"],
      ["2026-11-20T12:00:00.001Z", {}, null],
      ["2026-11-19T12:00:00.001Z", {}, "refused"],
      ["2026-11-19T12:00:00.000Z", {}, null],
      [now, { outcome: "aborted" }, null],
      [now, { release_id: null }, null],
    ] as const) {
      const history = [entry(1, { outcome: "refused", at, ...change })];
      const given = { journal: { sequence: 1, history }, record: bothHere, staged: [rules.id] };
      const { available } = await statusOf({ ...given, ota: { enabled: true } });
      assert.equal(available.rules?.hold?.code ?? null, hold, at);
    }
  });

  it("that was refused is a problem of the last request where another hold hides that", async () => {
    for (const [enabled, release_id, hold, problem] of [
      [true, rules.id, "refused", undefined],
      [false, rules.id, "disabled", "refused"],
      [false, "9".repeat(32), "disabled", "refused"],
    ] as const) {
      const history = [entry(1, { outcome: "refused", detail: "It does not fit.", release_id })];
      const given = { journal: { sequence: 1, history }, record: bothHere, staged: [rules.id] };
      const { available, summary } = await statusOf({ ...given, ota: { enabled } });
      assert.deepEqual([available.rules?.hold?.code, summary.problem?.code], [hold, problem]);
    }
  });
});

it("what is on trial is shown as progress, with its name, and what was asked for in its place", async () => {
  const release = { id: rules.id, name: "base", version: "1.2.0" };
  const trial: Trial = {
    ...{ release, phase: "confirming", boots: 1, crashes: 0, undo: null },
    ...{ begun_at: "2026-11-20T11:59:00.000Z", begun_uptime: 940, boot_id: "boot-1", deadline_uptime: 1_240 },
    health: { successes: 2, needed: 6, last: null, at: null },
  };
  const size = { done_bytes: 0, total_bytes: null };
  const room = await told.tell({ journal: slotWith({ trial }) });
  room.start();
  const { progress, trial: shown } = room.status();
  assert.deepEqual(progress, { phase: "confirming", release_id: rules.id, name: "base", ...size });
  assert.equal(shown?.deadline_at, "2026-11-20T12:04:00.000Z");
  const other = await told.tell({ record: bothHere, staged: [rules.id], ota: { server: "" } });
  other.start();
  told.side.gate = new Promise(() => undefined);
  await other.apply({ kind: "rules" });
  await new Promise((resolve) => setImmediate(resolve));
  const requested = other.status();
  assert.deepEqual(requested.progress, { phase: "verifying", release_id: rules.id, name: null, ...size });
  assert.equal(requested.state, "verifying");
  assert.deepEqual(requested.summary.releases, [{ kind: "rules", name: "base", version: "1.2.0" }]);
  await other.stop();
  told.side.gate = null;
});

describe("a release that failed here", () => {
  const failing = (list: SetAside[], change: Told = {}): Told => ({
    ...change,
    journal: slotWith({ setAside: list }),
  });
  const statesOf = ({ failed }: Pick<Updates, "failed">) =>
    failed.map(({ version, state }) => `${version} ${state}`);
  const one = setAside("1", "1.1.0");
  const two = setAside("2", "1.2.0");
  const over = (version: string): Told => ({ installed: { rules: version, binary: "9.0.0" } });

  it("is shown with why, and one that is held or deferred apart from it", async () => {
    const until = "2026-11-21T00:00:00.000Z";
    const { failed, held } = await statusOf(
      failing([one, setAside("2", "1.2.0", { why: "deferred", until })]),
    );
    const reason = { code: "unrecorded", detail: "No.", count: null, last_answer: null };
    const { reason: _, ...rest } = one;
    assert.deepEqual(failed, [{ ...rest, kind: "rules", reason, state: "open" }]);
    const found = held.map((release) => [release.kind, release.why, release.until]);
    assert.deepEqual(found, [["rules", "deferred", until]]);
  });

  for (const [what, given, expected] of [
    ["is open, also beside an older one that works", failing([one], over("1.0.0")), ["1.1.0 open"]],
    ["is open while it works itself", failing([one], over("1.1.0")), ["1.1.0 open"]],
    [
      "is overtaken by a newer one of its kind",
      failing([one, two], over("1.1.1")),
      ["1.1.0 overtaken", "1.2.0 open"],
    ],
  ] as [string, Told, string[]][])
    it(what, async () => assert.deepEqual(statesOf(await statusOf(given)), expected));

  it("is dismissed once, with those that failed before it, and stays so after a restart", async () => {
    const room = await told.tell(failing([one, two, setAside("3", "1.3.0")]));
    const seen = (await room.dismiss(two.id)).map(({ version }) => version);
    assert.deepEqual(seen, ["1.1.0", "1.2.0"]);
    assert.deepEqual(await room.dismiss(two.id), []);
    const expected = ["1.1.0 dismissed", "1.2.0 dismissed", "1.3.0 open"];
    assert.deepEqual(statesOf(room.status()), expected);
    await told.device.restart();
    assert.deepEqual(statesOf(told.device.room.status()), expected);
  });

  it("is open anew when it is allowed again and fails again, and leaves the record with the blocklist", async () => {
    const gone = { release_id: "9".repeat(32), failed_at: "2026-11-20T09:00:00.000Z" };
    const room = await told.tell(failing([one], { record: { dismissed: [gone] } }));
    await room.dismiss(one.id);
    const { dismissed = [] } = told.device.record.read();
    assert.deepEqual(dismissed, [{ release_id: one.id, failed_at: one.at }]);
    const later = setAside("1", "1.1.0", { at: "2026-11-20T11:30:00.000Z" });
    assert.deepEqual(statesOf(await statusOf(failing([later], { record: { dismissed } }))), ["1.1.0 open"]);
  });

  it("cannot be dismissed where it never failed", async () => {
    const room = await told.tell(failing([one, setAside("2", "1.2.0", { why: "held" })]));
    for (const id of ["2", "3"])
      await assert.rejects(room.dismiss(id.repeat(32)), { code: "not_found", message: /has failed/ });
    assert.deepEqual(statesOf(room.status()), ["1.1.0 open"]);
  });
});
