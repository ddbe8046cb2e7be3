import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Device, openDevice, startSeconds } from "../../lab/devices/checking-device.ts";
import { createSimulatedInstaller } from "../../lab/devices/simulated-installer.ts";
import type { JournalEntry } from "../../src/releases/release-journal.ts";
import { entry } from "./fixture.ts";

/** A device that has rules 1.2.0, and 1.1.0 from before, of a publisher who has withdrawn 1.2.0. */
async function openRecalled() {
  const device = await openDevice();
  const side = createSimulatedInstaller(() => (startSeconds + device.time.now()) * 1_000);
  device.installer = side;
  const release = (version: string) => {
    const { target } = device.lab.addRelease({ version });
    return { id: (target.hashes.sha512 ?? "").slice(0, 32), name: "base", version };
  };
  const [former, present] = [release("1.1.0"), release("1.2.0")];
  side.good("rules", former, present);
  device.lab.publish("rules");
  await device.restart();
  await device.check();
  assert.deepEqual(recallsOf(device), [], "it was not withdrawn yet");
  await publish((one) => withdraw(one))(device);
  return { device, side, former, present };
}

const recallsOf = ({ room }: Device) =>
  (room.status().passed_over ?? []).filter(({ code, here }) => code === "withdrawn" && here !== null);

/** The publisher does this, and the device looks. */
const publish = (change: (device: Device) => unknown) => async (device: Device) => {
  change(device);
  device.lab.publish("rules", "binary");
  await device.check();
};

function withdraw({ lab }: Device, custom: { withdrawn?: string } = { withdrawn: "it eats data" }): void {
  lab.addRelease({ version: "1.2.0", custom });
}

function unlist({ lab }: Device): void {
  const { targets = {} } = lab.delegated.rules ?? {};
  for (const path of Object.keys(targets)) if (path.includes("1.2.0")) delete targets[path];
}

function withdrawMany({ lab }: Device): void {
  for (let minor = 3; minor < 30; minor += 1)
    lab.addRelease({ version: `1.${minor}.0`, custom: { withdrawn: "all bad" } });
}

function followBeta(device: Device): void {
  device.settings = { ...device.settings, ota: { ...device.settings.ota, channel: "beta" } };
}

async function goOffline(device: Device): Promise<void> {
  device.repositoryOf = () => {
    throw new Error("no network");
  };
  await device.check();
  await device.restart();
}

describe("a release that its publisher withdrew, on a device that has it", () => {
  it("is told with the publisher's words, in the list and in the sentence", async () => {
    const { device } = await openRecalled();
    const told = recallsOf(device).map(({ kind, name, version, here, detail }) => [
      kind,
      name,
      version,
      here,
      detail,
    ]);
    assert.deepEqual(told, [["rules", "base", "1.2.0", "1.2.0", "it eats data"]]);
    const { detail } = device.room.status().summary;
    assert.match(
      detail,
      / rules base 1\.2\.0 is installed, and was withdrawn by its publisher: it eats data\.$/,
    );
    assert.doesNotMatch(detail, /Not taken/);
  });

  for (const [what, act, isKept, isBlocked = false] of [
    ["stays while the device is offline, also over a restart", goOffline, true],
    ["stays when the publisher no longer lists it", publish(unlist), true],
    [
      "stays while its kind cannot be verified",
      publish(({ lab }) => Object.assign(lab.signers, { rules: [] })),
      true,
      true,
    ],
    ["stays when the device follows another channel", publish(followBeta), true],
    ["stays beside more withdrawn releases than the list has room for", publish(withdrawMany), true],
    ["ends when the publisher takes the withdrawal back", publish((device) => withdraw(device, {})), false],
  ] as const)
    it(what, async () => {
      const { device } = await openRecalled();
      await act(device);
      assert.equal(recallsOf(device).length, isKept ? 1 : 0);
      assert.equal(device.room.status().blockers?.rules != null, isBlocked, "the rules are blocked");
    });

  it("ends when another release is installed, and comes back with the release", async () => {
    const { device, side, present } = await openRecalled();
    for (const [good, count] of [
      [[present, { id: "4".repeat(32), name: "base", version: "1.3.0" }], 0],
      [[present], 1],
    ] as const) {
      side.good("rules", ...good);
      await device.restart();
      assert.equal(recallsOf(device).length, count);
    }
  });

  it("cannot be made by metadata that are not signed", async () => {
    const { device } = await openRecalled();
    await publish((one) => withdraw(one, {}))(device);
    device.lab.signers.rules = [];
    await publish((one) => withdraw(one))(device);
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
