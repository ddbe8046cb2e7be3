import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { until } from "../../../lab/basics/until.ts";
import { reading } from "../../../lab/publisher/refreshing.ts";
import type { Upload } from "../../../src/contract/types.ts";
import { withRelease } from "../released-device.ts";

const upload: Upload = { lengthBytes: 3, [Symbol.asyncIterator]: async function* () {} };

describe("a check of a repository that is sent as a file", () => {
  it("reads it, stages what automatic updates would leave, and removes it after that", async () => {
    const device = await withRelease({ auto_update_rules: false });
    await device.check();
    assert.equal(device.staged.size, 0);
    await device.room.checkUpload(upload);
    assert.deepEqual(device.removals, []);
    await device.room.settled();
    assert.equal(device.opened.at(-1), "file:///uploaded");
    assert.equal(device.staged.size, 1);
    assert.deepEqual(device.removals, [2]);
  });

  it("needs no server, and begins soon after another check", async () => {
    const device = await withRelease({ server: "" });
    await device.room.checkUpload(upload);
    await device.room.settled();
    await device.room.checkUpload(upload);
    await device.room.settled();
    assert.equal(device.room.status().schedule.last_check?.outcome, "ok");
  });

  it("is refused before its first byte without a root of trust, and where settings forbid it", async () => {
    const device = await withRelease();
    device.unpack = () => assert.fail("it is read");
    device.settings = { ...device.settings, ota: { ...device.settings.ota, verify_signature: false } };
    await assert.rejects(device.room.checkUpload(upload), { code: "signature_verification_required" });
    const untrusting = await withRelease();
    untrusting.installedRoot = async () => null;
    await untrusting.restart();
    untrusting.unpack = () => assert.fail("it is read");
    await assert.rejects(untrusting.room.checkUpload(upload), { code: "update_trust_not_established" });
  });

  it("is one at a time: the second is refused, and may come when the first has ended", async () => {
    const device = await withRelease();
    let letGo = (): void => undefined;
    const arrived = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    device.unpack = () => arrived.then(() => "file:///first");
    const first = device.room.checkUpload(upload);
    const second = device.room.checkUpload(upload);
    const refused = assert.rejects(second, { code: "rate_limited", message: /Another file/ });
    device.time.pass(5);
    await refused;
    letGo();
    await first;
    await device.room.settled();
    device.unpack = async () => "file:///second";
    await device.room.checkUpload(upload);
    await device.room.settled();
    assert.equal(device.opened.at(-1), "file:///second");
  });

  it("is taken right after one that a person stops, which the agent may notice some seconds later", async () => {
    const device = await withRelease();
    let breakOff: (() => void) | undefined;
    device.unpack = () =>
      new Promise((_, reject) => {
        breakOff = () => reject(new RangeError("broken off"));
      });
    const stopped = assert.rejects(device.room.checkUpload(upload), /broken off/);
    await until("it arrives", () => breakOff !== undefined);
    const next = device.room.checkUpload(upload);
    device.time.pass(4);
    device.unpack = async () => "file:///next";
    breakOff?.();
    await stopped;
    await next;
    await device.room.settled();
    assert.equal(device.opened.at(-1), "file:///next");
  });

  it("takes the place of a download from the server, which is not told of as a failure", async () => {
    const device = await withRelease();
    device.fetchPayload = (_payload, { signal }) => device.hold(signal);
    await device.room.check({});
    await until("the download is under way", () => device.room.status().state === "downloading");
    device.fetchPayload = async () => undefined;
    await device.room.checkUpload(upload);
    await device.room.settled();
    assert.deepEqual(device.opened.slice(-1), ["file:///uploaded"]);
    assert.equal(device.staged.size, 1);
    assert.ok(!device.types().includes("update.download_failed"));
  });

  it("that fails changes nothing that is known, and is removed as well", async () => {
    const device = await withRelease();
    await device.check();
    const before = device.room.status().available;
    device.repositoryOf = () => {
      const { repository } = reading(device.lab);
      return { ...repository, readMetadata: async () => null };
    };
    await device.room.checkUpload(upload);
    await device.room.settled();
    const { schedule, available } = device.room.status();
    assert.deepEqual([schedule.last_check?.outcome, available], ["failed", before]);
    assert.equal(schedule.failures, 0);
    assert.equal(device.removals.length, 1);
  });

  it("that cannot be unpacked leaves nothing behind, and the next one is taken", async () => {
    const device = await withRelease();
    device.unpack = async () => {
      throw new RangeError("no tar");
    };
    await assert.rejects(device.room.checkUpload(upload), /no tar/);
    assert.deepEqual(device.removals, [0]);
    device.unpack = async () => "file:///uploaded";
    await device.room.checkUpload(upload);
    await device.room.settled();
    assert.equal(device.room.status().schedule.last_check?.outcome, "ok");
  });

  it("is removed by the start after a power cut", async () => {
    const device = await withRelease();
    device.room.start();
    assert.deepEqual(device.removals, [0]);
    await device.room.stop();
  });
});
