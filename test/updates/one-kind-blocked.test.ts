import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Device, openDevice, startSeconds } from "../../lab/devices/checking-device.ts";
import { reading } from "../../lab/publisher/refreshing.ts";
import { inDays } from "../../lab/publisher/signed-forms.ts";
import type { SignedRepository } from "../../lab/publisher/signed-repository.ts";
import { createSigningKey, type SigningKey } from "../../lab/publisher/signing-key.ts";

const now = new Date(startSeconds * 1_000);

type Change = (lab: SignedRepository) => unknown;
const none: Change = () => undefined;

/** A device that has taken 1.0.0 of the rules, with a binary and newer rules published since. */
async function openBlocked(spoil: Change, then: Change = none): Promise<Device> {
  const device = await openDevice({ auto_update_binary: true });
  const { lab } = device;
  lab.addRelease({ version: "1.0.0", custom: { floor: "1.0.0" } });
  lab.publish("rules", "binary");
  await device.check();
  await device.room.confirmTrust(device.room.trust().fingerprint ?? "", "ada");
  lab.addRelease({ version: "1.1.0" });
  lab.addRelease({ kind: "binary", version: "2.0.0", arch: "x64" });
  spoil(lab);
  lab.publish("rules", "binary");
  then(lab);
  return device;
}

const rulesOf = ({ delegated }: SignedRepository) => delegated.rules ?? assert.fail("the lab has no rules");
const fileOf = (lab: SignedRepository) => `metadata/${rulesOf(lab).version}.rules.json`;
const expire = (lab: SignedRepository, days = -1) =>
  Object.assign(rulesOf(lab), { expires: inDays(now, days) });
const signWith =
  (...rules: SigningKey[]): Change =>
  (lab) =>
    Object.assign(lab.signers, { rules });

/** The role's envelope is no metadata. */
const spoilEnvelope: Change = ({ tampering }) => {
  tampering.afterSigning = (role, envelope) =>
    role === "rules" ? { ...envelope, signatures: "none" as unknown as [] } : envelope;
};

const delegateMuch: Change = (lab) => {
  const [key] = lab.keys.rules ?? [];
  assert.ok(key, "the lab has rules");
  const role = { name: "many", keyids: [key.id], threshold: 1, terminating: false };
  const paths = Array.from({ length: 50_000 }, (_, index) => `*/none/${index}`);
  rulesOf(lab).delegations = { keys: { [key.id]: key.object }, roles: [{ ...role, paths }] };
};

describe("one kind of releases whose metadata cannot be used", () => {
  /** A thief of the rules key, or the server, may do these to the rules: before they are published, and after it. */
  for (const [what, code, before, after] of [
    ["have expired", "update_metadata_expired", (lab) => expire(lab)],
    ["are signed by another key", "update_signature_invalid", signWith(createSigningKey())],
    ["carry no signature", "update_signature_invalid", signWith()],
    ["are no metadata", "update_metadata_malformed", spoilEnvelope],
    ["are not on the server", "update_file_missing", none, (lab) => lab.files.delete(fileOf(lab))],
    [
      "are another file than the snapshot names",
      ...(["update_metadata_mismatch", none] as const),
      (lab) => lab.files.set(fileOf(lab), lab.metadata("1.rules")),
    ],
    ["delegate by more patterns than all searches may look at", "update_limit_exceeded", delegateMuch],
  ] as [string, string, Change, Change?][])
    it(`a stolen rules key blocks no binary: the rules ${what}, and the binary is taken`, async () => {
      const device = await openBlocked(before, after);
      await device.check();
      const { available, blockers, schedule, summary } = device.room.status();
      const { binary } = available;
      assert.deepEqual(
        [binary?.version, binary?.staged, schedule.last_check?.outcome],
        ["2.0.0", true, "ok"],
      );
      assert.deepEqual([blockers?.rules?.code, blockers?.binary], [code, null]);
      assert.match(summary.detail, / for rules, so none of it is accepted\. /);
      assert.equal(device.room.problems()[0]?.code, "not_verifiable");
    });

  it("is a doubt while the clock is not trusted, and is looked at again when it is", async () => {
    const device = await openBlocked((lab) => expire(lab));
    device.isClockTrusted = false;
    await device.check();
    const { available, blockers } = device.room.status();
    assert.deepEqual([available.binary?.version, blockers?.rules?.code], ["2.0.0", "clock_not_synchronised"]);
    assert.deepEqual(device.room.problems(), []);
    expire(device.lab, 90);
    device.lab.publish("rules", "binary");
    device.isClockTrusted = true;
    device.room.clockTrusted();
    await device.room.settled();
    assert.equal(device.room.status().available.rules?.version, "1.1.0");
  });
});

describe("every kind is stopped", () => {
  for (const role of ["targets", "snapshot", "timestamp"] as const)
    it(`where ${role} has expired`, async () => {
      const device = await openBlocked((lab) => {
        lab[role].expires = inDays(now, -1);
        lab.publish("targets");
      });
      await device.check();
      const { schedule, available } = device.room.status();
      assert.equal(schedule.last_check?.code, "update_metadata_expired");
      assert.deepEqual([available.rules?.version, available.binary], ["1.0.0", null]);
    });

  it("where a server fails at the file of one kind: that says nothing of the kind", async () => {
    const device = await openBlocked(none);
    const { repository } = reading(device.lab);
    device.repositoryOf = () => ({
      ...repository,
      readMetadata: async (name, limits) => {
        if (name.endsWith("rules.json")) throw new Error("the line is cut");
        return repository.readMetadata(name, limits);
      },
    });
    await device.check();
    const { schedule, available } = device.room.status();
    assert.deepEqual([schedule.last_check?.outcome, available.binary], ["failed", null]);
  });
});
