import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Device, openDevice, startSeconds } from "../../lab/devices/checking-device.ts";
import { reading } from "../../lab/publisher/refreshing.ts";
import { type Envelope, inDays } from "../../lab/publisher/signed-forms.ts";
import type { SignedRepository } from "../../lab/publisher/signed-repository.ts";
import { createSigningKey } from "../../lab/publisher/signing-key.ts";

const now = new Date(startSeconds * 1_000);

/** A device that has taken 1.0.0 of the rules, with a binary and newer rules published since. */
async function openBlocked(spoil: (lab: SignedRepository) => void): Promise<Device> {
  const device = await openDevice({ auto_update_binary: true });
  device.lab.addRelease({ version: "1.0.0", custom: { floor: "1.0.0" } });
  device.lab.publish("rules", "binary");
  await device.check();
  await device.room.confirmTrust(device.room.trust().fingerprint ?? "", "ada");
  device.events.length = 0;
  device.lab.addRelease({ version: "1.1.0" });
  device.lab.addRelease({ kind: "binary", version: "2.0.0", arch: "x64" });
  spoil(device.lab);
  return device;
}

function expire(lab: SignedRepository, role: "rules" | "binary", days = -1): void {
  const signed = lab.delegated[role];
  assert.ok(signed, `the lab has ${role}`);
  signed.expires = inDays(now, days);
  lab.publish("rules", "binary");
}

/** A thief of the rules key, or the server, may do these to the rules. */
const spoilt: [string, string, (lab: SignedRepository) => void][] = [
  ["have expired", "update_metadata_expired", (lab) => expire(lab, "rules")],
  [
    "are signed by another key",
    "update_signature_invalid",
    (lab) => {
      lab.signers.rules = [createSigningKey()];
      lab.publish("rules", "binary");
    },
  ],
  [
    "carry no signature",
    "update_signature_invalid",
    (lab) => {
      lab.signers.rules = [];
      lab.publish("rules", "binary");
    },
  ],
  [
    "are no metadata",
    "update_metadata_malformed",
    (lab) => {
      lab.tampering.afterSigning = (role: string, envelope: Envelope) => {
        if (role === "rules") envelope.signatures = "none" as unknown as [];
        return envelope;
      };
      lab.publish("rules", "binary");
    },
  ],
  [
    "are not on the server",
    "update_file_missing",
    (lab) => {
      lab.publish("rules", "binary");
      lab.files.delete(`metadata/${lab.delegated.rules?.version}.rules.json`);
    },
  ],
  [
    "are another file than the snapshot names",
    "update_metadata_mismatch",
    (lab) => {
      lab.publish("rules", "binary");
      lab.files.set(`metadata/${lab.delegated.rules?.version}.rules.json`, lab.metadata("1.rules"));
    },
  ],
  [
    "delegate by more patterns than all searches may look at",
    "update_limit_exceeded",
    (lab) => {
      const [key] = lab.keys.rules ?? [];
      const { rules } = lab.delegated;
      assert.ok(key && rules, "the lab has rules");
      const role = { name: "many", keyids: [key.id], threshold: 1, terminating: false };
      const paths = Array.from({ length: 50_000 }, (_, index) => `*/none/${index}`);
      rules.delegations = { keys: { [key.id]: key.object }, roles: [{ ...role, paths }] };
      lab.publish("rules", "binary");
    },
  ],
];

describe("one kind of releases whose metadata cannot be used", () => {
  for (const [what, code, spoil] of spoilt) {
    it(`a stolen rules key blocks no binary: the rules ${what}, and the binary is taken`, async () => {
      const device = await openBlocked(spoil);
      await device.check();
      const { available, blockers, schedule, summary } = device.room.status();
      assert.equal(available.binary?.version, "2.0.0");
      assert.equal(available.binary?.staged, true);
      assert.equal(schedule.last_check?.outcome, "ok");
      assert.deepEqual([blockers?.rules?.code, blockers?.binary], [code, null]);
      assert.match(summary.detail, / for rules, so none of it is accepted\. /);
      assert.equal(device.room.problems()[0]?.code, "not_verifiable");
    });
  }

  it("is a doubt while the clock is not trusted, and is looked at again when it is", async () => {
    const device = await openBlocked((lab) => expire(lab, "rules"));
    device.isClockTrusted = false;
    await device.check();
    const { available, blockers } = device.room.status();
    assert.deepEqual([available.binary?.version, blockers?.rules?.code], ["2.0.0", "clock_not_synchronised"]);
    assert.equal(device.room.problems()[0] ?? null, null);
    expire(device.lab, "rules", 90);
    device.isClockTrusted = true;
    device.room.clockTrusted();
    await device.room.settled();
    assert.equal(device.room.status().available.rules?.version, "1.1.0");
  });
});

describe("a top-level role that cannot be used", () => {
  for (const role of ["targets", "snapshot", "timestamp"] as const) {
    it(`stops every kind: ${role} has expired`, async () => {
      const device = await openBlocked((lab) => {
        lab[role].expires = inDays(now, -1);
        lab.publish("targets", "rules", "binary");
      });
      await device.check();
      const { schedule, available } = device.room.status();
      assert.equal(schedule.last_check?.code, "update_metadata_expired");
      assert.deepEqual([available.rules?.version, available.binary], ["1.0.0", null]);
    });
  }

  it("and a server that fails at the file of one kind, stop every kind: that says nothing of the kind", async () => {
    const device = await openBlocked((lab) => lab.publish("rules", "binary"));
    const { repository } = reading(device.lab);
    device.repositoryOf = () => ({
      ...repository,
      readMetadata: (name, limits) => {
        if (name.endsWith("rules.json")) return Promise.reject(new Error("the line is cut"));
        return repository.readMetadata(name, limits);
      },
    });
    await device.check();
    assert.equal(device.room.status().schedule.last_check?.outcome, "failed");
    assert.equal(device.room.status().available.binary, null);
  });
});
