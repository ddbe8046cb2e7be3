import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { StewardError } from "../../../src/contract/errors.ts";
import { emptyJournal, type SetAside } from "../../../src/releases/release-journal.ts";
import { rules } from "../example-releases.ts";
import { entry, goodCheck, openToldDevice, type Told, type ToldDevice } from "../told-device.ts";

let told: ToldDevice;
before(async () => {
  told = await openToldDevice();
});

/** Words that say that something happens by itself. */
const promise =
  /tried again|continues|is fetched|fetches it|waits (until|for)|is applied next|comes soon|reaches this|turn of this device/;

const until = "2026-11-21T02:00:00.000Z";
const deferred: SetAside = {
  ...{ id: rules.id, name: rules.name, version: rules.version, at: "2026-11-20T11:00:00.000Z" },
  ...{ why: "deferred", reason: "It restarted.", until },
};
const journalWith = (aside: SetAside) => ({
  ...{
    sequence: 1,
    history: [entry(1, { outcome: "deferred", release_id: rules.id, restored_healthy: true })],
  },
  slots: { ...emptyJournal.slots, rules: { ...emptyJournal.slots.rules, setAside: [aside] } },
});
const offered = { last_check: goodCheck, available: { rules, binary: null } };
const inWaves = { last_check: goodCheck, available: { rules: { ...rules, due_at: until }, binary: null } };
const staged = [rules.id];

/** The states of a device, each with the sentence that may promise something while it is scheduled. */
const states: [name: string, given: Told, scheduled: RegExp, unscheduled: RegExp][] = [
  ["a release in waves", { record: inWaves }, /turn of this device comes/, /on request only/],
  ["the same, downloaded", { record: inWaves, staged }, /turn of this device comes/, /on request only/],
  ["a release that nothing holds", { record: offered }, /A check fetches it/, /on request only/],
  [
    "a deferred release",
    { record: offered, journal: journalWith(deferred) },
    /tried again at 2026-11-21T02/,
    /An administrator can apply it/,
  ],
  [
    "the same, downloaded",
    { record: offered, journal: journalWith(deferred), staged },
    /tried again at 2026-11-21T02/,
    /An administrator can apply it/,
  ],
  [
    "a postponed release",
    { record: { ...offered, postponed: { rules: { release_id: rules.id, until }, binary: null } }, staged },
    /postponed; that ends/,
    /on request only/,
  ],
];

async function sentencesOf(given: Told, ota: Told["ota"]): Promise<string> {
  const room = await told.tell({ ...given, ota: { ...given.ota, ...ota } });
  const { summary, available } = room.status();
  const problems = room.problems().map(({ detail }) => detail);
  return [summary.detail, available.rules?.hold?.detail ?? "", ...problems].join(" ");
}

describe("a sentence about updates promises only what is scheduled", () => {
  for (const [name, given, scheduled, unscheduled] of states) {
    it(`${name}, while updates are scheduled`, async () => {
      assert.match(await sentencesOf(given, { enabled: true, auto_update_rules: true }), scheduled);
    });
    for (const [why, ota] of [
      ["are off", { enabled: false }],
      ["leave the rules out", { enabled: true, auto_update_rules: false }],
    ] as const)
      it(`${name}, while scheduled updates ${why}`, async () => {
        const sentences = await sentencesOf(given, ota);
        assert.match(sentences, why === "are off" ? unscheduled : /on request only|An administrator can/);
        assert.doesNotMatch(sentences, promise);
      });
  }

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
    for (const ota of [{ enabled: true }, { enabled: false }, { enabled: true, auto_update_rules: false }]) {
      const room = await told.tell({ ota: { auto_update_rules: true, ...ota } });
      const { device } = told;
      device.fetchPayload = async () => {
        throw new StewardError("update_payload_mismatch", "Its hash is another one.");
      };
      device.lab.addRelease({ version: "1.9.0" });
      device.lab.publish("rules");
      room.start();
      await room.check({});
      await room.settled();
      if (room.status().available.rules?.hold?.code === "not_automatic") {
        await device.time.runUntil(device.time.now() + 60);
        await room.apply({ kind: "rules" });
        await room.settled();
      }
      const { hold } = room.status().available.rules ?? {};
      assert.equal(hold?.code, "download_failed");
      assert.match(hold?.detail ?? "", /Its hash is another one/);
      const isTried = ota.enabled && ota.auto_update_rules !== false;
      assert.equal(/is tried again at/.test(hold?.detail ?? ""), isTried, hold?.detail);
      device.fetchPayload = async () => undefined;
    }
  });

  it("no next check is named without a server, and none comes", async () => {
    const room = await told.tell({ record: { last_check: goodCheck }, ota: { enabled: true, server: "" } });
    room.start();
    assert.equal(room.status().schedule.next_check_at, null);
  });
});
