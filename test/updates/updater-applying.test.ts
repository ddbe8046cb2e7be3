import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { until } from "../../lab/basics/until.ts";
import { type Device, openDevice, startSeconds } from "../../lab/devices/checking-device.ts";
import { createSimulatedInstaller, type SimulatedInstaller } from "../../lab/devices/simulated-installer.ts";
import { reading } from "../../lab/publisher/refreshing.ts";
import { StewardError } from "../../src/contract/errors.ts";

const hour = 3_600;

interface Appliance extends Device {
  side: SimulatedInstaller;
  /** Adds a release to the lab and tells the installer what it is; gives back its id. */
  release: (options: Parameters<Device["lab"]["addRelease"]>[0]) => string;
  /** Lets all that hangs on what has happened come to its end. */
  rest: () => Promise<void>;
  asked: () => string[];
}

/** `aheadSeconds`: of the host's clock, by which the installer goes, before what the agent knows of the time. */
async function openAppliance(
  ota: Parameters<typeof openDevice>[0] = {},
  { aheadSeconds = 0 } = {},
): Promise<Appliance> {
  const device = await openDevice({ enabled: true, ...ota });
  const side = createSimulatedInstaller(() => (startSeconds + device.time.now() + aheadSeconds) * 1_000);
  device.installer = side;
  return Object.assign(device, {
    side,
    release: (options: Parameters<Device["lab"]["addRelease"]>[0] = {}) => {
      const kind = options.kind ?? "rules";
      const arch = kind === "binary" ? "x64" : "any";
      const { target } = device.lab.addRelease({ arch, ...options });
      device.lab.publish(kind);
      const id = (target.hashes.sha512 ?? "").slice(0, 32);
      side.names.set(id, {
        kind,
        name: kind === "rules" ? "base" : "demo",
        version: options.version ?? "1.0.0",
      });
      return id;
    },
    rest: async () => {
      await device.room.settled();
      for (let turn = 0; turn < 20; turn += 1) await setImmediate();
      await device.room.settled();
    },
    asked: () =>
      side.asked.map((request) => (request.verb === "install" ? request.id : `back ${request.kind}`)),
  });
}

/** Returns the code of a release's hold, and the setting that decides it. */
function holdOf(device: Appliance, kind: "rules" | "binary") {
  const { hold } = device.room.status().available[kind] ?? {};
  return [hold?.code, hold?.setting];
}

/** As after a start of the agent, with a check by hand. */
async function checked(device: Appliance): Promise<void> {
  device.room.start();
  await device.room.check({});
  await device.rest();
}

describe("applying unasked", () => {
  it("starts the installer for rules when they are here, and follows them until they are good", async () => {
    const device = await openAppliance();
    const id = device.release({ version: "1.0.0" });
    await checked(device);
    assert.deepEqual(device.asked(), [id]);
    assert.equal(device.room.status().state, "confirming");
    assert.equal(device.room.status().progress?.phase, "confirming");
    device.side.commit("rules");
    await device.rest();
    const { state, installed, available, progress } = device.room.status();
    assert.deepEqual([state, installed.rules, available.rules, progress], ["good", "1.0.0", null, null]);
    assert.deepEqual(device.types().slice(-3), ["update.staged", "update.applying", "update.applied"]);
    assert.equal(device.staged.size, 0, "the payload of the installed release still lies here");
    const checks = device.opened.length;
    device.room.clockTrusted();
    await device.room.settled();
    assert.equal(device.opened.length, checks, "an installed release waits for nothing");
  });

  it("keeps the payload of the release in force as long as patches are on offer, and hands them on", async () => {
    const device = await openAppliance();
    device.takesPatches = true;
    const asked: string[][] = [];
    device.fetchPayload = async ({ patches }) => void asked.push(patches.map(({ target }) => target.path));
    const custom = { from: "0".repeat(128), to: "1".repeat(128), from_tar_bytes: 512, to_tar_bytes: 512 };
    const path = "stable/rules/base-1.0.0.from.0.9.0.zst";
    device.lab.addTarget("rules", path, Buffer.from("patch"), { steward_patch: 1, ...custom });
    const kept: string[][] = [];
    for (const version of ["1.0.0", "1.1.0"]) {
      device.release({ version });
      await device.time.runUntil(device.time.now() + 60);
      await checked(device);
      kept.push([...device.staged]);
      device.side.commit("rules");
      await device.rest();
    }
    assert.deepEqual([asked, device.asked().length], [[[path], [path]], 2]);
    assert.deepEqual(kept[1]?.toSorted(), device.asked().toSorted(), "a patch may begin with the former one");
    device.lab.addTarget("rules", path, Buffer.from("no patch any more"), {});
    device.lab.publish("rules");
    await device.time.runUntil(device.time.now() + 60);
    await checked(device);
    assert.deepEqual([...device.staged], []);
  });

  it("waits for a window, and asks when it opens", async () => {
    const device = await openAppliance();
    const opens = new Date((startSeconds + 2 * hour) * 1_000);
    const from = `${String(opens.getHours()).padStart(2, "0")}:00`;
    const to = `${String((opens.getHours() + 1) % 24).padStart(2, "0")}:00`;
    const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;
    device.settings = { ...device.settings, windows: [{ days: [...days], from, to }] };
    device.release({ version: "1.0.0" });
    await checked(device);
    assert.equal(device.room.status().state, "waiting_for_window");
    await device.time.runUntil(2 * hour - 1);
    assert.deepEqual(device.asked(), []);
    await device.time.runUntil(2 * hour + 2);
    await device.rest();
    assert.equal(device.asked().length, 1);
  });

  it("tells its server, and no directory, how a release went, within five minutes of it", async () => {
    const device = await openAppliance({ report: true });
    const id = device.release({ version: "1.1.0" });
    await checked(device);
    device.side.undo("rules", "failed");
    await device.rest();
    const undoneAt = device.time.now();
    await device.runUntil(undoneAt + 300);
    await device.room.check({ repository: "file:///mnt/stick" });
    await device.rest();
    // The place that HMAC-SHA256 gives this seed for this release, by node:crypto itself.
    const digest = createHmac("sha256", Buffer.alloc(16)).update(id).digest("hex").slice(0, 12);
    const percent = (Math.floor((Number.parseInt(digest, 16) / 2 ** 48) * 100_000) / 1_000).toFixed(3);
    assert.deepEqual(device.told, [
      "steward/0.1.0;v=1, product/demo",
      `steward/0.1.0;v=1, product/demo, rules/base/1.1.0;state=failed;wave=${percent};device=d${digest}`,
      null,
    ]);
  });

  it("does not take what failed again, and takes a newer one", async () => {
    const device = await openAppliance();
    const bad = device.release({ version: "1.1.0" });
    await checked(device);
    device.side.undo("rules", "failed");
    await device.rest();
    const { state, summary, failed, available } = device.room.status();
    assert.deepEqual([state, failed[0]?.id, available.rules], ["rolled_back", bad, null]);
    assert.deepEqual([summary.code, summary.reason?.code], ["undone", "not_healthy_in_time"]);
    assert.match(summary.detail, /did not answer.*apply rules --again.*update history/);
    await device.time.runUntil(11);
    await device.room.check({});
    await device.rest();
    assert.deepEqual(device.asked(), [bad]);
    await assert.rejects(device.room.apply({ kind: "rules" }), { code: "update_not_acceptable" });
    const better = device.release({ version: "1.2.0" });
    await device.time.runUntil(22);
    await device.room.check({});
    await device.rest();
    assert.deepEqual(device.asked(), [bad, better]);
  });

  for (const aheadSeconds of [0, 5, -5]) {
    it(`does not ask again for what was refused, by a clock that is ${aheadSeconds} s before the agent's`, async () => {
      const device = await openAppliance({}, { aheadSeconds });
      const id = device.release({ version: "1.1.0" });
      device.side.isSilent = true;
      device.installer = {
        ...device.side,
        read: () => device.side.read(),
        ask: async (request, signal) => {
          await device.side.ask(request, signal);
          // Without this an agent that asks for ever would keep time from going on.
          if (device.side.asked.length > 3)
            await new Promise((_, fail) => signal.addEventListener("abort", fail));
          device.side.refuse("rules", id, "It does not fit this device.");
        },
      };
      device.room.start();
      await device.room.check({});
      await until("the installer is started", () => device.asked().length > 0);
      for (let turn = 0; turn < 200; turn += 1) await setImmediate();
      assert.deepEqual(device.asked(), [id]);
      const { rules } = device.room.status().available;
      assert.deepEqual([rules?.hold?.code, rules?.hold?.reason?.code], ["refused", "update_not_acceptable"]);
      await device.time.runUntil(23 * hour);
      assert.deepEqual(device.asked(), [id]);
      await device.time.runUntil(25 * hour);
      await device.rest();
      assert.deepEqual(device.asked(), [id, id]);
    });
  }

  it("applies a postponed release at once when that is taken back", async () => {
    const device = await openAppliance({ auto_update_rules: false });
    const release = device.release({ version: "1.0.0" });
    await checked(device);
    await device.room.postpone("all", 86_400);
    device.settings = { ...device.settings, ota: { ...device.settings.ota, auto_update_rules: true } };
    await device.time.runUntil(11);
    await device.room.check({});
    await device.rest();
    assert.deepEqual(device.asked(), []);
    assert.equal((await device.room.postpone("rules", 0)).postponed.rules, null);
    await device.rest();
    assert.deepEqual(device.asked(), [release]);
  });

  it("asks once an hour where the installer cannot be started, and tells it once", async () => {
    const device = await openAppliance();
    device.side.failure = new StewardError("forbidden", "there is no root helper.");
    device.release({ version: "1.0.0" });
    await checked(device);
    assert.equal(device.asked().length, 1);
    assert.equal(device.room.problems()[0]?.code, "installer_unavailable");
    assert.match(device.room.problems()[0]?.detail ?? "", /there is no root helper/);
    await device.time.runUntil(hour + 5);
    await device.rest();
    assert.equal(device.asked().length, 2);
    assert.equal(device.types().filter((type) => type === "update.refused").length, 1);
  });
});

describe("applying by hand", () => {
  it("is refused where there is nothing, and while something is under way", async () => {
    const device = await openAppliance();
    device.room.start();
    await assert.rejects(device.room.apply({ kind: "all" }), { code: "no_update_available" });
    await assert.rejects(device.room.postpone("all", 600), { code: "no_update_available" });
    device.release({ version: "1.0.0" });
    await device.room.check({});
    await device.rest();
    await assert.rejects(device.room.apply({ kind: "rules" }), { code: "update_busy" });
    assert.equal(device.asked().length, 1);
  });

  describe("with neither kind installed, where rules are asked for their health at the binary", () => {
    const bothStaged = async () => {
      const device = await openAppliance({ enabled: false });
      device.side.isOnePlace = true;
      const ids = { rules: device.release({ version: "1.0.0" }), binary: device.release({ kind: "binary" }) };
      await checked(device);
      await device.room.apply({ kind: "all" });
      await until("the installer is started", () => device.asked().length > 0);
      return { device, ids };
    };

    it("does not try the rules where the binary has failed, and says why", async () => {
      const { device, ids } = await bothStaged();
      device.side.undo("binary", "failed");
      await device.rest();
      assert.deepEqual(device.asked(), [ids.binary]);
      const { available, summary } = device.room.status();
      assert.equal(available.rules?.staged, true);
      assert.match(summary.problem?.detail ?? "", /base 1\.0\.0 was not tried: .* no binary is installed\./);
    });
  });

  it("goes on with the staged release where the server cannot be reached", async () => {
    const device = await openAppliance({ auto_update_rules: false });
    const id = device.release({ version: "1.0.0" });
    await checked(device);
    await device.room.apply({ kind: "rules" });
    await device.rest();
    device.side.undo("rules", "aborted");
    await device.rest();
    const unreachable = new StewardError("update_server_unreachable", "No connection.");
    const readMetadata = () => Promise.reject(unreachable);
    device.repositoryOf = () => ({ ...reading(device.lab).repository, readMetadata });
    assert.deepEqual(holdOf(device, "rules"), ["held", null]);
    await device.room.apply({ kind: "rules" });
    await device.rest();
    assert.deepEqual(device.asked(), [id, id]);
  });

  it("of a directory that cannot be read says why", async () => {
    const device = await openAppliance({ auto_update_rules: false });
    const damaged = new StewardError("update_metadata_malformed", "It is no JSON.");
    const readMetadata = () => Promise.reject(damaged);
    device.repositoryOf = () => ({ ...reading(device.lab).repository, readMetadata });
    await device.room.apply({ kind: "rules", repository: "file:///media/stick" });
    await device.rest();
    const { code, detail } = device.events.at(-1)?.details ?? {};
    assert.deepEqual([code, detail], ["no_update_available", "There was nothing to apply. It is no JSON."]);
    const { problem } = device.room.status().summary;
    assert.deepEqual([problem?.code, problem?.reason?.code], ["request_failed", "no_update_available"]);
    assert.deepEqual(device.asked(), []);
  });

  it("takes no refusal of before for an answer to this request", async () => {
    const device = await openAppliance({ auto_update_rules: false });
    const id = device.release({ version: "1.0.0" });
    await checked(device);
    device.side.refuse("rules", id, "It does not fit.");
    device.side.isSilent = true;
    await device.rest();
    await device.room.apply({ kind: "rules" });
    await device.rest();
    assert.equal(device.room.status().summary.problem?.code, "installer_unavailable");
  });

  it("tells of an installer again where it fails for another reason, and no more of one that has begun", async () => {
    const device = await openAppliance({ auto_update_rules: false });
    device.release({ version: "1.0.0" });
    await checked(device);
    const told = () =>
      device.events.flatMap(({ type, details }) => (type === "update.refused" ? [details.code] : []));
    for (const code of ["forbidden", "forbidden", "not_found"] as const) {
      device.side.failure = new StewardError(code, "It cannot be started.");
      await device.room.apply({ kind: "rules" });
      await device.rest();
    }
    assert.deepEqual(told(), ["forbidden", "not_found"]);
    // These rules are applied on request only: a time at which it is tried again would be no truth.
    const { code, release, until: again, reason } = device.room.problems()[0] ?? {};
    const found = [code, release?.version, again, reason?.code];
    assert.deepEqual(found, ["installer_unavailable", "1.0.0", null, "not_found"]);
    device.side.failure = null;
    await device.room.apply({ kind: "rules" });
    await device.rest();
    assert.equal(device.room.problems()[0] ?? null, null);
    assert.equal(device.room.status().state, "confirming");
  });

  it("of what fails before the installer is reached is told with what is known, whatever was thrown", async () => {
    for (const [thrown, code, words] of [
      [new StewardError("storage_full", "The disk is full."), "storage_full", /^The disk is full\.$/],
      [new TypeError("x is not a function"), "internal_error", /^Applying failed unexpectedly: x is not/],
      ["a word", "internal_error", /^Applying failed unexpectedly: a word\.$/],
    ] as const) {
      const device = await openAppliance({ auto_update_rules: false });
      device.release({ version: "1.0.0" });
      await checked(device);
      await device.room.apply({ kind: "rules" });
      await device.rest();
      device.side.undo("rules", "aborted");
      await device.rest();
      const { side } = device;
      device.installer = {
        ...side,
        read: () => side.read(),
        isSetUp: () => true,
        ask: () => Promise.reject(thrown),
      };
      await device.room.apply({ kind: "rules" });
      await device.rest();
      const { details } = device.events.at(-1) ?? {};
      assert.equal(details?.code, code);
      assert.match(String(details?.detail), words);
      assert.equal(device.room.status().summary.problem?.reason?.code, code);
    }
  });

  it("lets no check write what the installer is reading, and stops while it runs", async () => {
    const device = await openAppliance();
    device.side.gate = new Promise(() => undefined);
    device.release({ version: "1.0.0" });
    device.room.start();
    await device.room.check({});
    for (let turn = 0; turn < 2_000 && device.asked().length === 0; turn += 1) await setImmediate();
    assert.equal(device.room.status().state, "verifying");
    await device.time.runUntil(20);
    await assert.rejects(device.room.check({}), { code: "rate_limited" });
    await device.room.stop();
    assert.ok(!device.types().includes("update.refused"), "a deliberate abort was reported as a failure");
  });
});

describe("going back", () => {
  it("starts the installer, and is shown as such", async () => {
    const device = await openAppliance();
    device.side.good(
      "rules",
      { id: "1".repeat(32), name: "base", version: "1.0.0" },
      { id: "2".repeat(32), name: "base", version: "1.1.0" },
    );
    await device.restart();
    device.room.start();
    await device.room.rollBack("rules");
    await device.rest();
    assert.deepEqual(device.asked(), ["back rules"]);
    assert.equal(device.room.status().state, "rolling_back");
    assert.ok(!device.types().includes("update.applying"), "a rollback was told as an attempt");
  });
});

describe("another agent", () => {
  it("starts the installer for a trial in progress, and follows it", async () => {
    const device = await openAppliance();
    device.release({ version: "1.0.0" });
    await checked(device);
    await device.restart();
    assert.equal(device.side.goneOn(), 0);
    device.room.start();
    assert.equal(device.side.goneOn(), 1);
    device.side.phase("rules", { deadline_uptime: 1_000 + 60 });
    await device.rest();
    assert.equal(device.room.status().trial?.deadline_at, "2026-11-20T12:01:00.000Z");
    assert.equal(device.room.status().trial?.next.answers_left, 3);
  });
});
