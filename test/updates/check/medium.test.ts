import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Device, openDevice, server, startSeconds } from "../../../lab/devices/checking-device.ts";
import { reading } from "../../../lab/publisher/refreshing.ts";
import type { SignedRepository } from "../../../lab/publisher/signed-repository.ts";
import { createSigningKey } from "../../../lab/publisher/signing-key.ts";

const stick = "file:///media/stick";
const [exported, present] = ["1.0.0", "1.1.0"];
const day = 24 * 3_600;

interface Given {
  readonly device: Device;
  readonly medium: SignedRepository;
}

/**
 * A device and a medium that was exported with 1.0.0 on it. Then comes `later`, which the device sees at its server; its
 * payloads are not to be had there.
 */
async function afterExport(later: (lab: SignedRepository) => void): Promise<Given> {
  const device = await openDevice();
  device.lab.addRelease({ version: exported });
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
  return { device, medium };
}

/** A device that has read the medium, as `change` left it; and the metadata that it kept before. */
async function checked(later: (lab: SignedRepository) => void, change: (given: Given) => void) {
  const given = await afterExport(later);
  change(given);
  const { device } = given;
  const kept = { ...device.files.contents };
  await device.check(stick);
  return { device, kept };
}

const anotherTimestamp = (lab: SignedRepository): void => lab.publishTimestamp();
const newerRelease = (lab: SignedRepository): void => {
  lab.addRelease({ version: present });
  lab.publish("rules");
};
const withdrawal = (lab: SignedRepository): void => {
  lab.addRelease({ version: exported, custom: { withdrawn: "It loses data." } });
  lab.publish("rules");
};
const keyChange = (lab: SignedRepository): void => {
  for (const role of ["timestamp", "snapshot"]) lab.keys[role] = [createSigningKey()];
  lab.publishRoot();
  lab.publishSnapshot();
};
const expiry = ({ device, medium }: Given): void => {
  medium.timestamp.version = device.lab.timestamp.version;
  medium.timestamp.expires = "2026-11-20T11:00:00Z";
  medium.publishTimestamp();
};
const forgery = ({ medium }: Given): void => {
  medium.signers.timestamp = [createSigningKey()];
  medium.publishTimestamp();
};
const aWeekLater = ({ device }: Given): void => {
  device.expirySeconds = startSeconds + 8 * day;
};

describe("a medium that is outdated", () => {
  /** The name, what the publisher did after the export, and what became of the medium. */
  const bringing: [string, (lab: SignedRepository) => void, (given: Given) => void][] = [
    ["is older than what the device has seen", anotherTimestamp, () => undefined],
    ["was made before a change of keys", keyChange, () => undefined],
    ["has expired, and is newer than what the device has seen", () => undefined, expiry],
    ["has a timestamp that others have signed", () => undefined, forgery],
  ];
  for (const [name, later, change] of bringing)
    it(`and ${name} brings the payload that the device waits for, and no metadata`, async () => {
      const { device, kept } = await checked(later, change);
      const { schedule, available } = device.room.status();
      assert.deepEqual([schedule.last_check?.outcome, schedule.last_check?.detail], ["ok", null]);
      assert.deepEqual([available.rules?.version, available.rules?.staged], [exported, true]);
      assert.deepEqual(device.files.contents, kept);
    });

  const old = /^This medium is older .*version 2 \(good until 2026-11-27.* knows version 3 \(good until /;
  /** The name, what the publisher did after the export, what became of the medium, and the words. */
  const refused: [string, (lab: SignedRepository) => void, (given: Given) => void, string, RegExp][] = [
    ["has not the release of now", newerRelease, () => undefined, "update_rollback_refused", old],
    ["has a release that was withdrawn since", withdrawal, () => undefined, "update_rollback_refused", old],
    [
      "meets kept metadata that have expired too",
      anotherTimestamp,
      aWeekLater,
      "update_rollback_refused",
      old,
    ],
    [
      "was made before a change of keys, without the release of now",
      (lab) => [keyChange, newerRelease].map((change) => change(lab)),
      () => undefined,
      "update_signature_invalid",
      /^This medium is from before a change of the publisher's keys, or another publisher's\. /,
    ],
    [
      "has expired, as the kept metadata have",
      () => undefined,
      (given) => [expiry, aWeekLater].map((change) => change(given)),
      "update_metadata_expired",
      /^This medium has expired\. The metadata of the role timestamp expired at 2026-11-20T11:00:00Z/,
    ],
  ];
  for (const [name, later, change, code, words] of refused)
    it(`and ${name} is refused in words about the medium`, async () => {
      const { device, kept } = await checked(later, change);
      const { schedule, available } = device.room.status();
      assert.deepEqual([schedule.last_check?.outcome, schedule.last_check?.code], ["failed", code]);
      const detail = schedule.last_check?.detail ?? "";
      assert.match(detail, words);
      assert.match(detail, /Export the repository again/);
      assert.doesNotMatch(detail, /server|attack/);
      assert.notEqual(available.rules?.staged, true);
      assert.deepEqual(device.files.contents, kept);
    });
});
