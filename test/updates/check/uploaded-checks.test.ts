import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { until } from "../../../lab/basics/until.ts";
import type { Device } from "../../../lab/devices/checking-device.ts";
import { reading } from "../../../lab/publisher/refreshing.ts";
import type { Upload } from "../../../src/contract/types.ts";
import { withRelease } from "../fixture.ts";

const upload: Upload = { lengthBytes: 3, [Symbol.asyncIterator]: async function* () {} };

/** The archive arrives, is unpacked to this place, and is checked to the end. */
async function checkUpload(device: Device, place = "file:///uploaded"): Promise<void> {
  device.unpack = async () => place;
  await device.room.checkUpload(upload);
  await device.room.settled();
  assert.equal(device.opened.at(-1), place);
}

/** One whose bytes arrive until the test ends that. */
async function arriving(device: Device) {
  let end: { resolve: (place: string) => void; reject: (error: Error) => void } | undefined;
  device.unpack = () =>
    new Promise((resolve, reject) => {
      end = { resolve, reject };
    });
  const checked = device.room.checkUpload(upload);
  await until("it arrives", () => end !== undefined);
  return { checked, ...(end ?? assert.fail()) };
}

describe("a check of a repository that is sent as a file", () => {
  it("reads it, stages what automatic updates would leave, and removes it after that", async () => {
    const device = await withRelease({ auto_update_rules: false });
    await device.check();
    assert.equal(device.staged.size, 0);
    await device.room.checkUpload(upload);
    assert.deepEqual(device.removals, []);
    await device.room.settled();
    assert.deepEqual(
      [device.opened.at(-1), device.staged.size, device.removals],
      ["file:///uploaded", 1, [2]],
    );
  });

  it("needs no server, and begins soon after another check", async () => {
    const device = await withRelease({ server: "" });
    for (const _ of [1, 2]) await checkUpload(device);
    assert.equal(device.room.status().schedule.last_check?.outcome, "ok");
  });

  it("is refused before its first byte without a root of trust, and where settings forbid it", async () => {
    const device = await withRelease();
    device.unpack = () => assert.fail("it is read");
    const { ota } = device.settings;
    device.settings = { ...device.settings, ota: { ...ota, verify_signature: false } };
    await assert.rejects(device.room.checkUpload(upload), { code: "signature_verification_required" });
    device.settings = { ...device.settings, ota };
    device.installedRoot = async () => null;
    await device.restart();
    await assert.rejects(device.room.checkUpload(upload), { code: "update_trust_not_established" });
  });

  it("is one at a time: the second is refused, and may come when the first has ended", async () => {
    const device = await withRelease();
    const first = await arriving(device);
    const isLimited = { code: "rate_limited", message: /Another file/ };
    const refused = assert.rejects(device.room.checkUpload(upload), isLimited);
    device.time.pass(5);
    await refused;
    first.resolve("file:///first");
    await first.checked;
    await device.room.settled();
    await checkUpload(device, "file:///second");
  });

  it("is taken right after one that a person stops, which the agent may notice some seconds later", async () => {
    const device = await withRelease();
    const { checked, reject } = await arriving(device);
    const stopped = assert.rejects(checked, /broken off/);
    const next = checkUpload(device, "file:///next");
    device.time.pass(4);
    reject(new RangeError("broken off"));
    await stopped;
    await next;
  });

  it("takes the place of a download from the server, which is not told of as a failure", async () => {
    const device = await withRelease();
    device.fetchPayload = (_payload, { signal }) => device.hold(signal);
    await device.room.check({});
    await until("the download is under way", () => device.room.status().state === "downloading");
    device.fetchPayload = async () => undefined;
    await checkUpload(device);
    assert.equal(device.staged.size, 1);
    assert.ok(!device.types().includes("update.download_failed"));
  });

  it("that fails changes nothing that is known, and is removed as well", async () => {
    const device = await withRelease();
    await device.check();
    const before = device.room.status().available;
    device.repositoryOf = () => ({ ...reading(device.lab).repository, readMetadata: async () => null });
    await checkUpload(device);
    const { schedule, available } = device.room.status();
    const { last_check, failures } = schedule;
    assert.deepEqual([last_check?.outcome, failures, device.removals.length], ["failed", 0, 1]);
    assert.deepEqual(available, before);
  });

  it("that cannot be unpacked leaves nothing behind, and the next one is taken", async () => {
    const device = await withRelease();
    device.unpack = () => Promise.reject(new RangeError("no tar"));
    await assert.rejects(device.room.checkUpload(upload), /no tar/);
    assert.deepEqual(device.removals, [0]);
    await checkUpload(device);
  });

  it("is removed by the start after a power cut", async () => {
    const device = await withRelease();
    device.room.start();
    assert.deepEqual(device.removals, [0]);
    await device.room.stop();
  });
});
