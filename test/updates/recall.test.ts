import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Device, openDevice, startSeconds } from "../../lab/devices/checking-device.ts";
import { createSimulatedInstaller } from "../../lab/devices/simulated-installer.ts";
import type { JournalEntry } from "../../src/releases/release-journal.ts";
import { entry } from "./told-device.ts";

const reason = "it eats data";

/** A device that has rules 1.2.0, and 1.1.0 from before, of a publisher who has withdrawn 1.2.0. */
async function openRecalled() {
  const device = await openDevice();
  const side = createSimulatedInstaller(() => (startSeconds + device.time.now()) * 1_000);
  device.installer = side;
  const idOf = (version: string): string =>
    (device.lab.addRelease({ version }).target.hashes.sha512 ?? "").slice(0, 32);
  const [former, present] = ["1.1.0", "1.2.0"].map((version) => ({
    id: idOf(version),
    name: "base",
    version,
  }));
  assert.ok(former && present);
  side.good("rules", former, present);
  device.lab.publish("rules");
  await device.room.stop();
  await device.restart();
  await device.check();
  assert.deepEqual(recallsOf(device), [], "it was not withdrawn yet");
  await withdraw(device);
  return { device, side, former, present };
}

async function withdraw({ lab, check }: Device, withdrawn: string | null = reason): Promise<void> {
  lab.addRelease({ version: "1.2.0", custom: { withdrawn: withdrawn ?? undefined } });
  lab.publish("rules");
  await check();
}

const recallsOf = ({ room }: Device) =>
  (room.status().passed_over ?? []).filter(({ code, here }) => code === "withdrawn" && here !== null);

async function offline(device: Device): Promise<void> {
  device.repositoryOf = () => {
    throw new Error("no network");
  };
  await device.check();
  await device.restart();
}

function unlist({ lab }: Device): void {
  const { targets = {} } = lab.delegated.rules ?? {};
  for (const path of Object.keys(targets)) if (path.includes("1.2.0")) delete targets[path];
}

function followBeta(device: Device): void {
  device.settings = { ...device.settings, ota: { ...device.settings.ota, channel: "beta" } };
}

function withdrawMany({ lab }: Device): void {
  for (let minor = 3; minor < 30; minor += 1)
    lab.addRelease({ version: `1.${minor}.0`, custom: { withdrawn: "all bad" } });
}

describe("a release that its publisher withdrew, on a device that has it", () => {
  it("is told with the publisher's words, in the list and in the sentence", async () => {
    const { device } = await openRecalled();
    const [recall, ...others] = recallsOf(device);
    assert.deepEqual(others, []);
    const found = [recall?.kind, recall?.name, recall?.version, recall?.here, recall?.detail];
    assert.deepEqual(found, ["rules", "base", "1.2.0", "1.2.0", reason]);
    const { detail } = device.room.status().summary;
    assert.match(
      detail,
      / rules base 1\.2\.0 is installed, and was withdrawn by its publisher: it eats data\.$/,
    );
    assert.doesNotMatch(detail, /Not taken/);
  });

  /** The publisher does this, and the device looks. */
  const seen = (change: (device: Device) => unknown) => async (device: Device) => {
    change(device);
    device.lab.publish("rules", "binary");
    await device.check();
  };
  const afterwards: [what: string, act: (device: Device) => Promise<void>, isKept: boolean][] = [
    ["stays while the device is offline, also over a restart", offline, true],
    ["stays when the publisher no longer lists it", seen(unlist), true],
    [
      "stays while its kind cannot be verified",
      seen(({ lab }) => Object.assign(lab.signers, { rules: [] })),
      true,
    ],
    ["stays when the device follows another channel", seen(followBeta), true],
    ["stays beside more withdrawn releases than the list has room for", seen(withdrawMany), true],
    ["ends when the publisher takes the withdrawal back", (device) => withdraw(device, null), false],
  ];
  for (const [what, act, isKept] of afterwards)
    it(what, async () => {
      const { device } = await openRecalled();
      await act(device);
      assert.equal(recallsOf(device).length, isKept ? 1 : 0);
      assert.equal(
        device.room.status().blockers?.rules != null,
        what.includes("verified"),
        "the rules are blocked",
      );
    });

  it("ends when another release is installed, and comes back with the release", async () => {
    const { device, side, present } = await openRecalled();
    side.good("rules", present, { id: "4".repeat(32), name: "base", version: "1.3.0" });
    await device.restart();
    assert.deepEqual(recallsOf(device), []);
    side.good("rules", present);
    await device.restart();
    assert.equal(recallsOf(device).length, 1);
  });

  it("cannot be made by metadata that are not signed", async () => {
    const { device } = await openRecalled();
    await withdraw(device, null);
    device.lab.signers.rules = [];
    await withdraw(device);
    assert.deepEqual(recallsOf(device), []);
  });

  it("says which way leads back: for the agent, for root, or none", async () => {
    const { device, side, former, present } = await openRecalled();
    const wayWith = async (history: readonly JournalEntry[], ...good: Parameters<typeof side.good>[1][]) => {
      side.good("rules", ...good);
      side.journal = { ...side.journal, history: [...history], sequence: history.length };
      await device.restart();
      return device.room.wayBack("rules");
    };
    assert.equal(await wayWith([], former, present), "rollback");
    assert.equal(await wayWith([entry(1, { outcome: "rolled_back" })], present), null);
    const longAgo = { at: "2026-11-01T00:00:00.000Z", boot_id: "another", uptime: 1 };
    assert.equal(await wayWith([], former, { ...present, committed: longAgo }), "rollback_as_root");
    device.record.note((record) => ({ ...record, floors: { "rules/base": "1.2.0" } }), 0);
    assert.equal(device.room.wayBack("rules"), null);
  });
});
