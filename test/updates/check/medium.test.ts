import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Device, openDevice, server, startSeconds } from "../../../lab/devices/checking-device.ts";
import { reading } from "../../../lab/publisher/refreshing.ts";
import type { SignedRepository } from "../../../lab/publisher/signed-repository.ts";
import { createSigningKey } from "../../../lab/publisher/signing-key.ts";

interface Given {
  readonly device: Device;
  readonly medium: SignedRepository;
}
type Later = (lab: SignedRepository) => unknown;
type Change = (given: Given) => unknown;

/**
 * A device that has read a medium, and the metadata that it kept before. The medium was exported with 1.0.0 on it. Then
 * came `later`, which the device saw at its server; the payloads are not to be had there. `change` is done to the medium.
 */
async function checked(later: Later, change: Change) {
  const device = await openDevice();
  device.lab.addRelease({ version: "1.0.0" });
  device.lab.publish("rules");
  const medium = device.lab.fork();
  later(device.lab);
  const served = device.lab.fork();
  for (const path of served.files.keys()) if (path.startsWith("targets/")) served.files.delete(path);
  device.repositoryOf = (url) => reading(url === server ? served : medium).repository;
  device.fetchPayload = async ({ target }, { repository }) => {
    const { path, file } = target;
    const name = path.replace(/[^/]*$/, (base) => `${file.hashes.sha512}.${base}`);
    (await repository.openTarget(name, {}, AbortSignal.timeout(60_000))).close();
  };
  await device.check();
  assert.equal(device.room.status().schedule.last_check?.outcome, "ok");
  change({ device, medium });
  const kept = { ...device.files.contents };
  await device.check("file:///media/stick");
  assert.deepEqual(device.files.contents, kept, "metadata were taken from it");
  const { schedule, available } = device.room.status();
  return { ...schedule.last_check, release: available.rules };
}

const nothing = (): void => undefined;
const both =
  <T>(...changes: ((to: T) => unknown)[]) =>
  (to: T): unknown =>
    changes.map((change) => change(to));
const anotherTimestamp: Later = (lab) => lab.publishTimestamp();
const newerRelease: Later = (lab) => {
  lab.addRelease({ version: "1.1.0" });
  lab.publish("rules");
};
const withdrawal: Later = (lab) => {
  lab.addRelease({ version: "1.0.0", custom: { withdrawn: "It loses data." } });
  lab.publish("rules");
};
const keyChange: Later = (lab) => {
  for (const role of ["timestamp", "snapshot"]) lab.keys[role] = [createSigningKey()];
  lab.publishRoot();
  lab.publishSnapshot();
};
const expiry: Change = ({ device, medium }) => {
  medium.timestamp.version = device.lab.timestamp.version;
  medium.timestamp.expires = "2026-11-20T11:00:00Z";
  medium.publishTimestamp();
};
const forgery: Change = ({ medium }) => {
  medium.signers.timestamp = [createSigningKey()];
  medium.publishTimestamp();
};
const aWeekLater: Change = ({ device }) => {
  device.expirySeconds = startSeconds + 8 * 24 * 3_600;
};

describe("a medium that is outdated", () => {
  /** The publisher did this after the export, and that became of the medium. */
  for (const [what, later, change] of [
    ["is older than what the device has seen", anotherTimestamp, nothing],
    ["was made before a change of keys", keyChange, nothing],
    ["has expired, and is newer than what the device has seen", nothing, expiry],
    ["has a timestamp that others have signed", nothing, forgery],
  ] as [string, Later, Change][])
    it(`and ${what} brings the payload that the device waits for, and no metadata`, async () => {
      const { outcome, detail, release } = await checked(later, change);
      assert.deepEqual([outcome, detail, release?.version, release?.staged], ["ok", null, "1.0.0", true]);
    });

  const [otherKeysToo, expiredToo] = [both(keyChange, newerRelease), both(expiry, aWeekLater)];
  const rollback = "update_rollback_refused";
  const old = /^This medium is older .*version 2 \(good until 2026-11-27.* knows version 3 \(good until /;
  const before = /^This medium is from before a change of the publisher's keys, or another publisher's\. /;
  const over =
    /^This medium has expired\. The metadata of the role timestamp expired at 2026-11-20T11:00:00Z/;
  for (const [what, later, change, code, words] of [
    ["has not the release of now", newerRelease, nothing, rollback, old],
    ["has a release that was withdrawn since", withdrawal, nothing, rollback, old],
    ["meets kept metadata that have expired too", anotherTimestamp, aWeekLater, rollback, old],
    ["is from before other keys and that", otherKeysToo, nothing, "update_signature_invalid", before],
    ["has expired, as the kept metadata have", nothing, expiredToo, "update_metadata_expired", over],
  ] as [string, Later, Change, string, RegExp][])
    it(`and ${what} is refused in words about the medium`, async () => {
      const { outcome, code: found, detail = "", release } = await checked(later, change);
      assert.deepEqual([outcome, found], ["failed", code]);
      assert.match(detail ?? "", words);
      assert.match(detail ?? "", /Export the repository again/);
      assert.doesNotMatch(detail ?? "", /server|attack/);
      assert.notEqual(release?.staged, true);
    });
});
