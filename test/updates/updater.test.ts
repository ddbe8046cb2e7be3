import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Device, openDevice } from "../../lab/devices/checking-device.ts";
import { reading } from "../../lab/publisher/refreshing.ts";
import { SignedRepository } from "../../lab/publisher/signed-repository.ts";
import { StewardError } from "../../src/contract/errors.ts";
import { readRootOfTrust } from "../../src/tuf/root-of-trust.ts";
import { withRelease } from "./released-device.ts";

const unreachable = new StewardError("update_server_unreachable", "No connection.");

describe("a check", () => {
  it("finds the newest release, tells it once, and fetches rules unasked", async () => {
    const device = await openDevice();
    device.lab.addRelease({ version: "1.0.0" });
    device.lab.addRelease({ version: "1.1.0" });
    device.lab.publish("rules");
    await device.check();
    const { state, available, schedule } = device.room.status();
    assert.equal(state, "staged");
    assert.equal(available.rules?.version, "1.1.0");
    assert.equal(available.rules?.staged, true);
    assert.equal(schedule.last_check?.outcome, "ok");
    assert.equal(schedule.last_success_at, "2026-11-20T12:00:00.000Z");
    assert.deepEqual(device.types(), ["update.trust_installed", "update.available", "update.staged"]);
    await device.check();
    assert.equal(device.types().length, 3, "the second check told something");
  });

  it("asks for the timestamp with what it came with, of this server alone", async () => {
    const device = await openDevice();
    const asked: unknown[] = [];
    device.repositoryOf = () => {
      const { repository } = reading(device.lab);
      return {
        ...repository,
        readMetadata: (name, limits) => {
          if (name === "timestamp.json") asked.push(limits.known?.etag ?? null);
          return repository.readMetadata(name, limits);
        },
      };
    };
    await device.check();
    const etag = device.record.read().validators?.etag;
    await device.check();
    await device.check("file:///media/stick");
    device.settings = {
      ...device.settings,
      ota: { ...device.settings.ota, server: "https://other.example" },
    };
    await device.check();
    assert.ok(etag, "no validator was kept");
    assert.deepEqual(asked, [null, etag, null, null]);
  });

  it("removes a staged release that is no longer offered", async () => {
    const device = await openDevice();
    const { path } = device.lab.addRelease({ version: "1.0.0" });
    device.lab.publish("rules");
    await device.check();
    assert.equal(device.staged.size, 1);
    const target = device.lab.delegated.rules?.targets[path];
    assert.ok(target?.custom, "the lab has no such target");
    target.custom.withdrawn = "it eats data";
    device.lab.publish("rules");
    await device.check();
    assert.equal(device.staged.size, 0);
    assert.equal(device.room.status().available.rules, null);
    assert.equal(device.room.status().state, "idle");
  });

  it("waits for the wave of this device", async () => {
    const device = await openDevice({ enabled: true });
    const waves = { start: "2026-11-20T12:00:00Z", steps: [{ percent: 100, after_seconds: 3_600 }] };
    device.lab.addRelease({ version: "1.0.0", custom: { waves } });
    device.lab.publish("rules");
    await device.check();
    const before = device.room.status();
    assert.equal(before.available.rules?.due_at, "2026-11-20T13:00:00.000Z");
    assert.equal(before.available.rules?.hold?.code, "wave");
    assert.equal(device.staged.size, 0);
    await device.runUntil(3_600);
    await device.check();
    assert.equal(device.staged.size, 1);
  });

  it("is a failure where what it found cannot be kept, and nothing is fetched", async () => {
    const device = await withRelease();
    device.record.failWith = new StewardError("storage_full", "The disk is full.");
    await device.check();
    const { schedule, available } = device.room.status();
    assert.equal(schedule.last_check?.code, "storage_full");
    assert.equal(available.rules, null);
    assert.equal(device.staged.size, 0);
  });
});

describe("a download that fails", () => {
  async function failingDownload(error: Error): Promise<Device> {
    const device = await withRelease({ enabled: true });
    device.fetchPayload = () => Promise.reject(error);
    return device;
  }

  it("is on the disk within a minute the first time, and within an hour again, for flash wears", async () => {
    const device = await failingDownload(unreachable);
    device.room.start();
    await device.runUntil(900);
    device.record.delays.length = 0;
    assert.equal(device.record.read().download_failures, 1);
    await device.runUntil(900 + 300);
    assert.deepEqual([device.record.read().download_failures, device.record.delays], [2, [3_600, 3_600]]);
    const fresh = await failingDownload(unreachable);
    fresh.record.delays.length = 0;
    await fresh.check();
    assert.deepEqual(fresh.record.delays, [60]);
    const { retry } = fresh.record.read();
    assert.deepEqual(retry, { boot_id: "boot-1", uptime: 1_000, left: 300 });
  });

  it("from a directory counts against no server", async () => {
    const device = await failingDownload(unreachable);
    await device.check("file:///media/stick");
    const { download_failures, retry } = device.record.read();
    assert.deepEqual([download_failures, retry], [0, null]);
    assert.equal(device.room.status().available.rules?.hold?.code, "download_failed");
  });
});

describe("stopping", () => {
  it("ends a download at once and counts it as no failure", async () => {
    const device = await withRelease();
    device.fetchPayload = (_, { signal }) => device.hold(signal);
    await device.room.check({});
    await device.runUntil(1);
    assert.equal(device.room.status().state, "downloading");
    await device.room.stop();
    assert.ok(!device.types().includes("update.download_failed"), "it was told as a failure");
    assert.equal(device.record.read().download_failures, 0);
    await assert.rejects(device.room.check({}), { code: "shutting_down" });
  });
});

describe("a root that was replaced while a payload is fetched", () => {
  it("ends the download, and drops what came under the former trust", async () => {
    const device = await withRelease();
    await device.check();
    device.lab.addRelease({ version: "1.1.0" });
    device.lab.publish("rules");
    let isAborted = false;
    device.fetchPayload = (_, { signal }) => {
      signal.addEventListener("abort", () => {
        isAborted = true;
      });
      return device.hold(signal);
    };
    await device.room.check({});
    await device.runUntil(device.time.now() + 1);
    const other = new SignedRepository({ now: new Date(device.options.now()) }).metadata("1.root");
    device.installedRoot = async () => other;
    const { fingerprint } = readRootOfTrust(other);
    await device.room.confirmTrust(fingerprint, "ada");
    assert.equal(isAborted, true);
    assert.equal(device.staged.size, 0);
    assert.equal(device.room.status().available.rules, null);
    assert.equal(device.room.trust().fingerprint, fingerprint);
  });
});
