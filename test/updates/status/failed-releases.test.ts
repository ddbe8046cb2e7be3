import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { emptyJournal, type SetAside } from "../../../src/releases/release-journal.ts";
import { openToldDevice, type Told, type ToldDevice } from "../told-device.ts";

let told: ToldDevice;
before(async () => {
  told = await openToldDevice();
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
