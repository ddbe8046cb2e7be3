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
const onRequest = { auto_update_rules: false };

interface Appliance extends Device {
  side: SimulatedInstaller;
  /** Adds a release to the lab and tells the installer what it is; gives back its id. */
  release: (version: string, kind?: "rules" | "binary") => string;
  /** Lets all that hangs on what has happened come to its end. */
  rest: () => Promise<void>;
  /** Has the agent look at the server, to the end of all that follows; a second look comes later. */
  look: () => Promise<void>;
  /** Asks for the rules, to the end of all that follows. */
  apply: (repository?: string) => Promise<void>;
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
  device.room.start();
  const appliance: Appliance = Object.assign(device, {
    side,
    release: (version: string, kind: "rules" | "binary" = "rules") => {
      const { target } = device.lab.addRelease({ kind, version, arch: kind === "binary" ? "x64" : "any" });
      device.lab.publish(kind);
      const id = (target.hashes.sha512 ?? "").slice(0, 32);
      side.names.set(id, { kind, name: kind === "rules" ? "base" : "demo", version });
      return id;
    },
    rest: async () => {
      await device.room.settled();
      for (let turn = 0; turn < 20; turn += 1) await setImmediate();
      await device.room.settled();
    },
    look: async () => {
      await device.time.runUntil(device.time.now() + 11);
      await device.room.check({});
      await appliance.rest();
    },
    apply: async (repository?: string) => {
      await device.room.apply({ kind: "rules", repository });
      await appliance.rest();
    },
    asked: () =>
      side.asked.map((request) => (request.verb === "install" ? request.id : `back ${request.kind}`)),
  });
  return appliance;
}

/** A device whose rules wait for a request. */
async function waiting() {
  const device = await openAppliance(onRequest);
  const id = device.release("1.0.0");
  await device.look();
  return { device, id };
}

const failing = (device: Device, code: StewardError["code"], message: string) => () => ({
  ...reading(device.lab).repository,
  readMetadata: () => Promise.reject(new StewardError(code, message)),
});

describe("applying unasked", () => {
  it("starts the installer for rules when they are here, and follows them until they are good", async () => {
    const device = await openAppliance();
    const id = device.release("1.0.0");
    await device.look();
    assert.deepEqual(device.asked(), [id]);
    const { state, progress } = device.room.status();
    assert.deepEqual([state, progress?.phase], ["confirming", "confirming"]);
    device.side.commit("rules");
    await device.rest();
    const after = device.room.status();
    const found = [after.state, after.installed.rules, after.available.rules, after.progress];
    assert.deepEqual(found, ["good", "1.0.0", null, null]);
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
    const handed: string[][] = [];
    device.fetchPayload = async ({ patches }) => void handed.push(patches.map(({ target }) => target.path));
    const custom = { from: "0".repeat(128), to: "1".repeat(128), from_tar_bytes: 512, to_tar_bytes: 512 };
    const path = "stable/rules/base-1.0.0.from.0.9.0.zst";
    device.lab.addTarget("rules", path, Buffer.from("patch"), { steward_patch: 1, ...custom });
    for (const version of ["1.0.0", "1.1.0"]) {
      device.release(version);
      await device.look();
      // A patch may begin with the former one.
      assert.deepEqual([...device.staged].toSorted(), device.asked().toSorted());
      device.side.commit("rules");
      await device.rest();
    }
    assert.deepEqual([handed, device.asked().length], [[[path], [path]], 2]);
    device.lab.addTarget("rules", path, Buffer.from("no patch any more"), {});
    device.lab.publish("rules");
    await device.look();
    assert.deepEqual([...device.staged], []);
  });

  it("waits for a window, and asks when it opens", async () => {
    const device = await openAppliance();
    const opens = new Date((startSeconds + 2 * hour) * 1_000).getHours();
    const [from, to] = [opens, (opens + 1) % 24].map((at) => `${String(at).padStart(2, "0")}:00`);
    assert.ok(from && to);
    const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;
    device.settings = { ...device.settings, windows: [{ days: [...days], from, to }] };
    device.release("1.0.0");
    await device.look();
    assert.equal(device.room.status().state, "waiting_for_window");
    await device.time.runUntil(2 * hour - 1);
    assert.deepEqual(device.asked(), []);
    await device.time.runUntil(2 * hour + 2);
    await device.rest();
    assert.equal(device.asked().length, 1);
  });

  it("tells its server, and no directory, how a release went, within five minutes of it", async () => {
    const device = await openAppliance({ report: true });
    const id = device.release("1.1.0");
    await device.look();
    device.side.undo("rules", "failed");
    await device.rest();
    await device.runUntil(device.time.now() + 300);
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
    const bad = device.release("1.1.0");
    await device.look();
    device.side.undo("rules", "failed");
    await device.rest();
    const { state, summary, failed, available } = device.room.status();
    assert.deepEqual([state, failed[0]?.id, available.rules], ["rolled_back", bad, null]);
    assert.deepEqual([summary.code, summary.reason?.code], ["undone", "not_healthy_in_time"]);
    assert.match(summary.detail, /did not answer.*apply rules --again.*update history/);
    await device.look();
    await assert.rejects(device.room.apply({ kind: "rules" }), { code: "update_not_acceptable" });
    const better = device.release("1.2.0");
    await device.look();
    assert.deepEqual(device.asked(), [bad, better]);
  });

  for (const aheadSeconds of [0, 5, -5])
    it(`does not ask again for what was refused, by a clock that is ${aheadSeconds} s before the agent's`, async () => {
      const device = await openAppliance({}, { aheadSeconds });
      const { side } = device;
      const id = device.release("1.1.0");
      side.isSilent = true;
      device.installer = {
        ...side,
        read: () => side.read(),
        ask: async (request, signal) => {
          await side.ask(request, signal);
          // Without this an agent that asks for ever would keep time from going on.
          if (side.asked.length > 3) await new Promise((_, fail) => signal.addEventListener("abort", fail));
          side.refuse("rules", id, "It does not fit this device.");
        },
      };
      await device.room.check({});
      await until("the installer is started", () => device.asked().length > 0);
      for (let turn = 0; turn < 200; turn += 1) await setImmediate();
      const { hold } = device.room.status().available.rules ?? {};
      assert.deepEqual([hold?.code, hold?.reason?.code], ["refused", "update_not_acceptable"]);
      await device.time.runUntil(23 * hour);
      assert.deepEqual(device.asked(), [id]);
      await device.time.runUntil(25 * hour);
      await device.rest();
      assert.deepEqual(device.asked(), [id, id]);
    });

  it("applies a postponed release at once when that is taken back", async () => {
    const { device, id } = await waiting();
    await device.room.postpone("all", 86_400);
    device.settings = { ...device.settings, ota: { ...device.settings.ota, auto_update_rules: true } };
    await device.look();
    assert.deepEqual(device.asked(), []);
    assert.equal((await device.room.postpone("rules", 0)).postponed.rules, null);
    await device.rest();
    assert.deepEqual(device.asked(), [id]);
  });

  it("asks once an hour where the installer cannot be started, and tells it once", async () => {
    const device = await openAppliance();
    device.side.failure = new StewardError("forbidden", "there is no root helper.");
    device.release("1.0.0");
    await device.look();
    assert.equal(device.asked().length, 1);
    const [problem] = device.room.problems();
    assert.equal(problem?.code, "installer_unavailable");
    assert.match(problem?.detail ?? "", /there is no root helper/);
    await device.time.runUntil(hour + 15);
    await device.rest();
    assert.equal(device.asked().length, 2);
    assert.equal(device.types().filter((type) => type === "update.refused").length, 1);
  });
});

describe("applying by hand", () => {
  it("is refused where there is nothing, and while something is under way", async () => {
    const device = await openAppliance();
    await assert.rejects(device.room.apply({ kind: "all" }), { code: "no_update_available" });
    await assert.rejects(device.room.postpone("all", 600), { code: "no_update_available" });
    device.release("1.0.0");
    await device.look();
    await assert.rejects(device.room.apply({ kind: "rules" }), { code: "update_busy" });
    assert.equal(device.asked().length, 1);
  });

  it("does not try rules that are asked for their health at a binary that has failed, and says why", async () => {
    const device = await openAppliance({ enabled: false });
    device.side.isOnePlace = true;
    device.release("1.0.0");
    const binary = device.release("1.0.0", "binary");
    await device.look();
    await device.room.apply({ kind: "all" });
    await until("the installer is started", () => device.asked().length > 0);
    device.side.undo("binary", "failed");
    await device.rest();
    assert.deepEqual(device.asked(), [binary]);
    const { available, summary } = device.room.status();
    assert.equal(available.rules?.staged, true);
    assert.match(summary.problem?.detail ?? "", /base 1\.0\.0 was not tried: .* no binary is installed\./);
  });

  it("goes on with the staged release where the server cannot be reached", async () => {
    const { device, id } = await waiting();
    await device.apply();
    device.side.undo("rules", "aborted");
    await device.rest();
    device.repositoryOf = failing(device, "update_server_unreachable", "No connection.");
    const { hold } = device.room.status().available.rules ?? {};
    assert.deepEqual([hold?.code, hold?.setting], ["held", null]);
    await device.apply();
    assert.deepEqual(device.asked(), [id, id]);
  });

  it("of a directory that cannot be read says why", async () => {
    const device = await openAppliance(onRequest);
    device.repositoryOf = failing(device, "update_metadata_malformed", "It is no JSON.");
    await device.apply("file:///media/stick");
    const { code, detail } = device.events.at(-1)?.details ?? {};
    assert.deepEqual([code, detail], ["no_update_available", "There was nothing to apply. It is no JSON."]);
    const { problem } = device.room.status().summary;
    assert.deepEqual([problem?.code, problem?.reason?.code], ["request_failed", "no_update_available"]);
    assert.deepEqual(device.asked(), []);
  });

  it("takes no refusal of before for an answer to this request", async () => {
    const { device, id } = await waiting();
    device.side.refuse("rules", id, "It does not fit.");
    device.side.isSilent = true;
    await device.rest();
    await device.apply();
    assert.equal(device.room.status().summary.problem?.code, "installer_unavailable");
  });

  it("tells of an installer again where it fails for another reason, and no more of one that has begun", async () => {
    const { device } = await waiting();
    for (const code of ["forbidden", "forbidden", "not_found"] as const) {
      device.side.failure = new StewardError(code, "It cannot be started.");
      await device.apply();
    }
    const told = device.events.filter(({ type }) => type === "update.refused");
    const seen = told.map(({ details }) => details.code);
    assert.deepEqual(seen, ["forbidden", "not_found"]);
    // These rules are applied on request only: a time at which it is tried again would be no truth.
    const { code, release, until: again, reason } = device.room.problems()[0] ?? {};
    const found = [code, release?.version, again, reason?.code];
    assert.deepEqual(found, ["installer_unavailable", "1.0.0", null, "not_found"]);
    device.side.failure = null;
    await device.apply();
    assert.deepEqual([device.room.problems(), device.room.status().state], [[], "confirming"]);
  });

  for (const [thrown, code, words] of [
    [new StewardError("storage_full", "The disk is full."), "storage_full", /^The disk is full\.$/],
    [new TypeError("a fault"), "internal_error", /^Applying failed unexpectedly: a fault/],
    ["a word", "internal_error", /^Applying failed unexpectedly: a word\.$/],
  ] as const)
    it(`tells what is known of what fails before the installer is reached: ${words.source}`, async () => {
      const { device } = await waiting();
      await device.apply();
      device.side.undo("rules", "aborted");
      await device.rest();
      const { side } = device;
      device.installer = { ...side, read: () => side.read(), ask: () => Promise.reject(thrown) };
      await device.apply();
      const { details } = device.events.at(-1) ?? {};
      assert.equal(details?.code, code);
      assert.match(String(details?.detail), words);
      assert.equal(device.room.status().summary.problem?.reason?.code, code);
    });

  it("lets no check write what the installer is reading, and stops while it runs", async () => {
    const device = await openAppliance();
    device.side.gate = new Promise(() => undefined);
    device.release("1.0.0");
    await device.room.check({});
    await until("the installer is started", () => device.asked().length > 0);
    assert.equal(device.room.status().state, "verifying");
    await device.time.runUntil(20);
    await assert.rejects(device.room.check({}), { code: "rate_limited" });
    await device.room.stop();
    assert.ok(!device.types().includes("update.refused"), "a deliberate abort was reported as a failure");
  });
});

it("going back starts the installer, and is shown as such", async () => {
  const device = await openAppliance();
  const [former, present] = ["1.0.0", "1.1.0"].map((version, at) => {
    return { id: `${at}`.repeat(32), name: "base", version };
  });
  assert.ok(former && present);
  device.side.good("rules", former, present);
  await device.restart();
  device.room.start();
  await device.room.rollBack("rules");
  await device.rest();
  assert.deepEqual([device.asked(), device.room.status().state], [["back rules"], "rolling_back"]);
  assert.ok(!device.types().includes("update.applying"), "a rollback was told as an attempt");
});

it("another agent starts the installer for a trial in progress, and follows it", async () => {
  const device = await openAppliance();
  device.release("1.0.0");
  await device.look();
  await device.restart();
  assert.equal(device.side.goneOn(), 0);
  device.room.start();
  assert.equal(device.side.goneOn(), 1);
  device.side.phase("rules", { deadline_uptime: 1_000 + 60 });
  await device.rest();
  const { trial } = device.room.status();
  assert.deepEqual([trial?.deadline_at, trial?.next.answers_left], ["2026-11-20T12:01:00.000Z", 3]);
});
