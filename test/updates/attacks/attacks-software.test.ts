import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type Ending, temporaryDirectory } from "../../../lab/basics/ending.ts";
import { until } from "../../../lab/basics/until.ts";
import { openDevice, startSeconds } from "../../../lab/devices/checking-device.ts";
import { dripping, instead } from "../../../lab/publisher/behaviours.ts";
import { startHostileServer } from "../../../lab/publisher/hostile-server.ts";
import type { ReleaseOptions } from "../../../lab/publisher/signed-forms.ts";
import { freeSpace } from "../../../src/host/linux/free-space.ts";
import { createTransfers } from "../../../src/host/linux/transfers/transfers.ts";
import { fetchPayload } from "../../../src/releases/download/payload.ts";
import { openRepository } from "../../../src/releases/download/repository-files.ts";
import { caps } from "../../../src/tuf/caps.ts";

type Setting = Awaited<ReturnType<typeof deviceAt>>;

/** The room of updates over a real server and a real disk; a device of product demo, x64, channel stable. */
async function deviceAt(test: Ending) {
  const device = await openDevice();
  const server = await startHostileServer(test, device.lab.files);
  const transfers = createTransfers({ redirects: caps.redirects, allowLocalServers: true });
  const directory = await temporaryDirectory(test);
  device.repositoryOf = (_, signal) => openRepository({ transfers, url: server.origin, caps, signal });
  device.fetchPayload = async ({ target: found }, { repository, signal }) => {
    await fetchPayload({ repository, found, directory, freeSpace, caps, signal, isConsistentSnapshot: true });
  };
  await device.check();
  assert.equal(device.room.status().schedule.last_check?.outcome, "ok");
  /** Payloads that lie on the device. */
  const staged = async (): Promise<string[]> => {
    const names = await readdir(join(directory, "staged")).catch(() => []);
    return Promise.all(names.map((name) => readFile(join(directory, "staged", name), "utf8")));
  };
  return { device, server, staged };
}

/** The next good releases are offered, and the rules, which may come unasked, are staged. */
async function goesOn({ device, staged }: Setting): Promise<void> {
  const payload = Buffer.from("the next good release");
  device.lab.addRelease({ version: "50.0.0", payload });
  device.lab.addRelease({ kind: "binary", version: "50.0.0", arch: "x64" });
  device.lab.publish("rules", "binary");
  await device.check();
  assert.equal(device.room.status().available.rules?.version, "50.0.0");
  assert.equal(device.room.status().available.binary?.version, "50.0.0");
  assert.ok((await staged()).includes(payload.toString()), "it was not staged");
}

describe("wrong software, though it is signed", () => {
  const wrong: [string, ReleaseOptions][] = [
    ["of another channel", { channel: "beta" }],
    ["of another channel, under the path of this one", { custom: { channel: "beta" } }],
    ["of this channel, under the path of another", { channel: "beta", custom: { channel: "stable" } }],
    ["for another product", { product: "other" }],
    ["for another arch", { arch: "arm64" }],
    ["for a newer agent than this one", { custom: { min_agent: "99.0.0" } }],
    ["in a form of tomorrow", { custom: { steward: 2 } }],
    ["in no form at all", { custom: { steward: undefined } }],
    ["taken back by its publisher", { custom: { withdrawn: "it breaks things" } }],
  ];
  for (const kind of ["rules", "binary"] as const) {
    for (const [name, options] of wrong) {
      it(`${name} is neither offered nor fetched, as ${kind}`, async (test) => {
        const setting = await deviceAt(test);
        const { device, server, staged } = setting;
        const arch = kind === "binary" ? "x64" : "any";
        device.lab.addRelease({ kind, version: "9.0.0", arch, ...options });
        device.lab.publish(kind);
        await device.check();
        assert.deepEqual(device.room.status().available, { rules: null, binary: null });
        assert.equal(device.room.status().schedule.last_check?.outcome, "ok");
        assert.deepEqual(await staged(), []);
        assert.ok(!server.requests.some(({ path }) => path.startsWith("targets/")), "it was asked for");
        await goesOn(setting);
      });
    }
  }

  it("older than the installed release is not offered", async (test) => {
    const setting = await deviceAt(test);
    const { device, staged } = setting;
    device.installed = { rules: "3.0.0", binary: null };
    device.lab.addRelease({ version: "2.9.9" });
    device.lab.addRelease({ version: "3.0.0" });
    device.lab.publish("rules");
    await device.check();
    assert.equal(device.room.status().available.rules, null);
    assert.deepEqual(await staged(), []);
    await goesOn(setting);
  });

  it("below a floor that was signed once is not offered, though what carried the floor is gone", async (test) => {
    const setting = await deviceAt(test);
    const { device } = setting;
    const { path } = device.lab.addRelease({ version: "3.0.0", custom: { floor: "3.0.0" } });
    device.lab.publish("rules");
    await device.check();
    assert.equal(device.room.status().available.rules?.version, "3.0.0");
    delete device.lab.delegated.rules?.targets[path];
    device.lab.addRelease({ version: "2.0.0" });
    device.lab.publish("rules");
    await device.restart();
    await device.check();
    assert.equal(device.room.status().available.rules, null);
    await goesOn(setting);
  });

  it("below a floor of another product is offered: its floor is not ours", async (test) => {
    const { device } = await deviceAt(test);
    device.lab.addRelease({ name: "base", version: "9.0.0", product: "other", custom: { floor: "9.0.0" } });
    device.lab.addRelease({ name: "base", version: "2.0.0" });
    device.lab.publish("rules");
    await device.check();
    assert.equal(device.room.status().available.rules?.version, "2.0.0");
  });
});

describe("a payload swapped on the server after its metadata were verified", () => {
  it("is not staged, is told as a failure, and the right one is staged when it is back", async (test) => {
    const setting = await deviceAt(test);
    const { device, server, staged } = setting;
    device.lab.addRelease({ version: "2.0.0", payload: Buffer.from("good") });
    device.lab.publish("rules");
    server.behave(/^targets\//, instead(Buffer.from("evil")));
    await device.check();
    assert.deepEqual(await staged(), []);
    const failed = device.events.find(({ type }) => type === "update.download_failed");
    assert.equal(failed?.details.code, "update_payload_mismatch");
    server.repent();
    await device.check();
    assert.deepEqual(await staged(), ["good"]);
  });
});

describe("a device whose clock is wrong, before a real server", () => {
  for (const [year, expected] of [
    [2020, "ok"],
    [2040, "waiting_for_clock"],
  ] as const) {
    it(`in ${year}, waits for its clock, stages nothing, and goes on when it is trusted`, async (test) => {
      const setting = await deviceAt(test);
      const { device, staged } = setting;
      device.lab.addRelease({ version: "2.0.0", payload: Buffer.from("good") });
      device.lab.publish("rules");
      device.isClockTrusted = false;
      device.expirySeconds = Date.UTC(year, 0) / 1_000;
      await device.check();
      assert.equal(device.room.status().schedule.last_check?.outcome, expected);
      assert.equal(device.room.status().state, "waiting_for_clock");
      assert.deepEqual(await staged(), []);
      device.isClockTrusted = true;
      device.expirySeconds = null;
      await device.check();
      assert.deepEqual(await staged(), ["good"]);
      await goesOn(setting);
    });
  }

  it("in 2020 is not frozen for ever: once the clock is trusted, expired metadata are refused", async (test) => {
    const setting = await deviceAt(test);
    const { device } = setting;
    device.isClockTrusted = false;
    device.expirySeconds = Date.UTC(2020, 0) / 1_000;
    await device.check();
    device.isClockTrusted = true;
    device.expirySeconds = startSeconds + 30 * 86_400;
    await device.check();
    assert.equal(device.room.status().schedule.last_check?.code, "update_metadata_expired");
    assert.equal(device.room.trust().proven, true);
    device.expirySeconds = null;
    await goesOn(setting);
  });
});

describe("a server that is too slow for the whole check", () => {
  it("is left when the check's seconds are over, and the next check is good", async (test) => {
    const setting = await deviceAt(test);
    const { device, server } = setting;
    device.lab.publish("rules");
    server.behave(/snapshot\.json$/, dripping(10, 100));
    const before = server.requests.length;
    await device.room.check({});
    // Only requests of this check count: the one before has asked for another snapshot.
    await until("the snapshot is asked for", () =>
      server.requests.slice(before).some(({ path }) => path.includes("snapshot")),
    );
    await device.time.runUntil(device.time.now() + caps.refreshSeconds + 1);
    await device.room.settled();
    assert.equal(device.room.status().schedule.last_check?.code, "update_too_slow");
    server.repent();
    await goesOn(setting);
  });
});
