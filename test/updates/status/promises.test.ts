import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { StewardError } from "../../../src/contract/errors.ts";
import { emptyJournal, type SetAside } from "../../../src/releases/release-journal.ts";
import { entry, goodCheck, openToldDevice, rules, type Told, type ToldDevice } from "../fixture.ts";

let told: ToldDevice;
before(async () => {
  told = await openToldDevice();
});

/** Words that say that something happens without a person. */
const promise =
  /tried again|continues|is fetched|fetches it|waits (until|for)|is applied next|comes soon|reaches this|turn of this device/;

const until = "2026-11-21T02:00:00.000Z";
const aside: SetAside = {
  ...{ id: rules.id, name: rules.name, version: rules.version, at: "2026-11-20T11:00:00.000Z" },
  ...{ why: "deferred", reason: "It restarted.", until },
};
const journal: NonNullable<Told["journal"]> = {
  ...{
    sequence: 1,
    history: [entry(1, { outcome: "deferred", release_id: rules.id, restored_healthy: true })],
  },
  slots: { ...emptyJournal.slots, rules: { ...emptyJournal.slots.rules, setAside: [aside] } },
};
const offered = { last_check: goodCheck, available: { rules, binary: null } };
const inWaves = { ...offered, available: { rules: { ...rules, due_at: until }, binary: null } };
const postponed = { ...offered, postponed: { rules: { release_id: rules.id, until }, binary: null } };
const staged = [rules.id];

const byPerson = /An administrator can apply it/;

describe("a sentence about updates promises only what is scheduled:", () => {
  /** The states of a device, each with the sentence that may promise something while it is scheduled. */
  for (const [what, given, scheduled, unscheduled = /on request only/] of [
    ["a release in waves", { record: inWaves }, /turn of this device comes/],
    ["the same, downloaded", { record: inWaves, staged }, /turn of this device comes/],
    ["a release that nothing holds", { record: offered }, /A check fetches it/],
    ["a deferred release", { record: offered, journal }, /tried again at 2026-11-21T02/, byPerson],
    ["the same, downloaded", { record: offered, journal, staged }, /tried again at 2026-11-21T02/, byPerson],
    ["a postponed release", { record: postponed, staged }, /postponed; that ends/],
  ] as [string, Told, RegExp, RegExp?][])
    for (const [why, ota, expected] of [
      ["are on", { enabled: true }, scheduled],
      ["are off", { enabled: false }, unscheduled],
      [
        "leave the rules out",
        { enabled: true, auto_update_rules: false },
        /on request only|An administrator can/,
      ],
    ] as const)
      it(`${what}, while scheduled updates ${why}`, async () => {
        const room = await told.tell({ ...given, ota: { auto_update_rules: true, ...ota } });
        const { summary, available } = room.status();
        const details = [summary, available.rules?.hold, ...room.problems()].map((one) => one?.detail ?? "");
        assert.match(details.join(" "), expected);
        if (why !== "are on") assert.doesNotMatch(details.join(" "), promise);
      });

  it("an installer that could not be started is tried again only by schedule", async () => {
    for (const enabled of [true, false]) {
      const room = await told.tell({ record: offered, staged, ota: { enabled, server: "" } });
      told.side.failure = new StewardError("forbidden", "The helper does not run.");
      await room.apply({ kind: "rules" });
      await room.settled();
      told.side.failure = null;
      const [problem] = room.problems();
      assert.equal(problem?.code, "installer_unavailable");
      assert.equal(/tried again at/.test(problem?.detail ?? ""), enabled, problem?.detail);
    }
  });

  it("a download that failed names the next try, where a check is scheduled, and its cause in any case", async () => {
    for (const [enabled, auto_update_rules] of [
      [true, true],
      [false, true],
      [true, false],
    ] as const) {
      const room = await told.tell({ ota: { enabled, auto_update_rules } });
      const { device } = told;
      device.fetchPayload = () =>
        Promise.reject(new StewardError("update_payload_mismatch", "Another hash."));
      device.lab.addRelease({ version: "1.9.0" });
      device.lab.publish("rules");
      room.start();
      await room.check({});
      await room.settled();
      if (!auto_update_rules) {
        await device.time.runUntil(device.time.now() + 60);
        await room.apply({ kind: "rules" });
        await room.settled();
      }
      const { hold } = room.status().available.rules ?? {};
      assert.equal(hold?.code, "download_failed");
      assert.match(hold?.detail ?? "", /Another hash/);
      assert.equal(/is tried again at/.test(hold?.detail ?? ""), enabled && auto_update_rules, hold?.detail);
      device.fetchPayload = async () => undefined;
    }
  });

  it("no next check is named without a server, and none comes", async () => {
    const room = await told.tell({ record: { last_check: goodCheck }, ota: { enabled: true, server: "" } });
    room.start();
    assert.equal(room.status().schedule.next_check_at, null);
  });
});
