import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { until } from "../../lab/basics/until.ts";
import { type Device, openDevice } from "../../lab/devices/checking-device.ts";
import { reading } from "../../lab/publisher/refreshing.ts";
import { SignedRepository } from "../../lab/publisher/signed-repository.ts";
import { StewardError } from "../../src/contract/errors.ts";
import { readRootOfTrust } from "../../src/tuf/root-of-trust.ts";
import { withRelease } from "./fixture.ts";

const unreachable = new StewardError("update_server_unreachable", "No connection.");

describe("a check", () => {
  it("finds the newest release, tells it once, and fetches rules unasked, until it is no longer offered", async () => {
    const device = await withRelease();
    const { path } = device.lab.addRelease({ version: "1.1.0" });
    device.lab.publish("rules");
    for (const _ of [1, 2]) await device.check();
    const { state, available, schedule } = device.room.status();
    const found = [state, available.rules?.version, available.rules?.staged, schedule.last_check?.outcome];
    assert.deepEqual(found, ["staged", "1.1.0", true, "ok"]);
    assert.deepEqual(device.types(), ["update.trust_installed", "update.available", "update.staged"]);
    const { custom } = device.lab.delegated.rules?.targets[path] ?? {};
    assert.ok(custom, "the lab has no such target");
    custom.withdrawn = "it eats data";
    delete device.lab.delegated.rules?.targets["stable/rules/base-1.0.0.tar.gz"];
    device.lab.publish("rules");
    await device.check();
    const after = device.room.status();
    assert.deepEqual([device.staged.size, after.available.rules, after.state], [0, null, "idle"]);
  });

  it("asks for the timestamp with what it came with, of this server alone", async () => {
    const device = await openDevice();
    const asked: unknown[] = [];
    const { repository } = reading(device.lab);
    device.repositoryOf = () => ({
      ...repository,
      readMetadata: (name, limits) => {
        if (name === "timestamp.json") asked.push(limits.known?.etag ?? null);
        return repository.readMetadata(name, limits);
      },
    });
    await device.check();
    const etag = device.record.read().validators?.etag;
    assert.ok(etag, "no validator was kept");
    await device.check();
    await device.check("file:///media/stick");
    const { ota } = device.settings;
    device.settings = { ...device.settings, ota: { ...ota, server: "https://other.example" } };
    await device.check();
    assert.deepEqual(asked, [null, etag, null, null]);
  });

  it("waits for the wave of this device", async () => {
    const waves = { start: "2026-11-20T12:00:00Z", steps: [{ percent: 100, after_seconds: 3_600 }] };
    const device = await withRelease({ enabled: true }, { version: "1.0.0", custom: { waves } });
    await device.check();
    const { due_at, hold } = device.room.status().available.rules ?? {};
    assert.deepEqual([due_at, hold?.code, device.staged.size], ["2026-11-20T13:00:00.000Z", "wave", 0]);
    await device.runUntil(3_600);
    await device.check();
    assert.equal(device.staged.size, 1);
  });

  it("is a failure where what it found cannot be kept, and nothing is fetched", async () => {
    const device = await withRelease();
    device.record.failWith = new StewardError("storage_full", "The disk is full.");
    await device.check();
    const { schedule, available } = device.room.status();
    const found = [schedule.last_check?.code, available.rules, device.staged.size];
    assert.deepEqual(found, ["storage_full", null, 0]);
  });
});

describe("a download that fails", () => {
  async function failingDownload(): Promise<Device> {
    const device = await withRelease({ enabled: true });
    device.fetchPayload = () => Promise.reject(unreachable);
    device.record.delays.length = 0;
    return device;
  }

  it("is on the disk within a minute the first time, and within an hour again, for flash wears", async () => {
    const device = await failingDownload();
    await device.check();
    assert.deepEqual(device.record.delays, [60]);
    assert.deepEqual(device.record.read().retry, { boot_id: "boot-1", uptime: 1_000, left: 300 });
    const other = await failingDownload();
    other.room.start();
    await other.runUntil(900);
    other.record.delays.length = 0;
    await other.runUntil(900 + 300);
    assert.deepEqual([other.record.read().download_failures, other.record.delays], [2, [3_600, 3_600]]);
  });

  it("from a directory counts against no server", async () => {
    const device = await failingDownload();
    await device.check("file:///media/stick");
    const { download_failures, retry } = device.record.read();
    assert.deepEqual([download_failures, retry], [0, null]);
    assert.equal(device.room.status().available.rules?.hold?.code, "download_failed");
  });
});

describe("a download in progress", () => {
  async function downloading(): Promise<Device> {
    const device = await withRelease();
    await device.check();
    device.lab.addRelease({ version: "1.1.0" });
    device.lab.publish("rules");
    device.fetchPayload = (_, { signal }) => device.hold(signal);
    await device.room.check({});
    await until("the download is under way", () => device.room.status().state === "downloading");
    return device;
  }

  it("ends at once when the agent stops, and counts as no failure", async () => {
    const device = await downloading();
    await device.room.stop();
    assert.ok(!device.types().includes("update.download_failed"), "it was told as a failure");
    assert.equal(device.record.read().download_failures, 0);
    await assert.rejects(device.room.check({}), { code: "shutting_down" });
  });

  it("ends when the root is replaced, and what came under the former trust is dropped", async () => {
    const device = await downloading();
    const other = new SignedRepository({ now: new Date(device.options.now()) }).metadata("1.root");
    device.installedRoot = async () => other;
    const { fingerprint } = readRootOfTrust(other);
    await device.room.confirmTrust(fingerprint, "ada");
    const { available, trust } = device.room.status();
    assert.deepEqual([device.staged.size, available.rules, trust.fingerprint], [0, null, fingerprint]);
  });
});
