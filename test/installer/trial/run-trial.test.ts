import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { idOf, open, plan, type SimulatedInstaller } from "../../../lab/installer/simulated-installer.ts";
import { pathsOf } from "../../../src/installer/files/release-directories.ts";
import { forgive, guard, order, withReleases } from "../../../src/installer/trial/guard.ts";

/** The releases of this version are not well. */
const failing = (side: SimulatedInstaller, version: string): void => {
  side.host.isHealthy = (release) => release.version !== version;
};

/** 1.0.0 is at work, and 1.1.0 was put on trial. */
async function onTrial(options = {}): Promise<SimulatedInstaller> {
  const side = open(options);
  await side.apply("1.0.0");
  await side.install("1.1.0");
  return side;
}

/** The guard is ended where it asks for the health of this version. */
async function cutAt(side: SimulatedInstaller, version: string, rest = true): Promise<void> {
  side.host.isHealthy = (release) => {
    if (release.version === version) throw new Error("power cut");
    return rest;
  };
  await assert.rejects(side.guard(), /power cut/);
}

const isUnderWay = ({ host, directories }: SimulatedInstaller) =>
  host.entries.has(pathsOf(directories).underWay);

describe("a release that is well", () => {
  it("becomes current, with the one before it as previous, and is not written or linked again", async () => {
    const side = open();
    await side.apply("1.0.0");
    await side.apply("1.1.0");
    assert.deepEqual([side.at("current"), side.at("previous")], ["1.1.0", "1.0.0"]);
    const { outcome, cause, from_version } = side.last() ?? {};
    assert.deepEqual([outcome, cause?.code, from_version], ["good", "healthy", "1.0.0"]);
    assert.equal(isUnderWay(side), false);
    const steps = ["switch", "activate", "commit"].map((step) => `binary 1.1.0: ${step}`);
    assert.deepEqual(side.said.slice(-4), ["binary pump 1.1.0: verified, and being unpacked", ...steps]);
    side.host.beforeEach = (operation) => assert.ok(!["write", "link"].includes(operation), operation);
    await side.guard();
  });

  it("leaves the disk with the current one, the previous one and one more", async () => {
    const side = open();
    for (const version of ["1.0.0", "1.1.0", "1.2.0", "1.3.0"]) await side.apply(version);
    const kept = ["1.1.0", "1.2.0", "1.3.0"].flatMap((version) => [idOf(version), `${idOf(version)}.json`]);
    assert.deepEqual(await side.host.files.names(pathsOf(side.directories).trees), kept);
  });
});

describe("a release that is not well", () => {
  it("is undone at its deadline, and what was there before is put to work again", async () => {
    for (const isFormerWell of [true, false]) {
      const side = open();
      await side.apply("1.0.0");
      side.host.isHealthy = ({ version }) => isFormerWell && version !== "1.1.0";
      await side.apply("1.1.0");
      assert.equal(side.at("current"), "1.0.0");
      assert.deepEqual(side.host.acts.slice(-2), ["activate 1.1.0", "activate 1.0.0"]);
      const { outcome, detail, restored_healthy, log } = side.last() ?? {};
      assert.deepEqual([outcome, restored_healthy], ["failed", isFormerWell]);
      assert.match(detail ?? "", /1\.1\.0 is not well/);
      assert.match(log?.join("\n") ?? "", /it said something/);
      assert.match(side.said.find((line) => /1\.1\.0: undo/.test(line)) ?? "", /It did not become healthy/);
    }
  });

  for (const [what, options, unit, logged] of [
    ["with the unit's log", {}, "pump.service", ["pump.service: it said something"]],
    ["without a service manager", { hasUnits: false }, "pump.service", []],
    ["without a unit", {}, null, []],
  ] as const)
    it(`says what the checks have found, ${what}, also where the guard was killed`, async () => {
      const side = open(options);
      side.plan = { ...plan, unit, activate: ["/bin/true"] };
      await side.apply("1.0.0");
      failing(side, "1.1.0");
      await side.install("1.1.0");
      const { pause } = side.host;
      Object.assign(side.host, { pause: () => Promise.reject(new Error("killed")) });
      await assert.rejects(side.guard(), /killed/);
      Object.assign(side.host, { pause });
      await side.guard();
      const log = side.last()?.log ?? [];
      assert.deepEqual(log.slice(0, -1), logged);
      assert.match(log.at(-1) ?? "", /^2026-11-20T12:\S+Z 1\.1\.0 is not well$/);
    });

  it("leaves no current where nothing was before it, and goes without the unit's log where that cannot be read", async () => {
    const side = open();
    failing(side, "1.0.0");
    Object.assign(side.host.units ?? {}, { log: () => Promise.reject(new Error("no journal")) });
    await side.apply("1.0.0");
    const { outcome, from_version, log } = side.last() ?? {};
    assert.deepEqual([side.at("current"), outcome, from_version, log?.length], [null, "failed", null, 1]);
  });

  it("is on the list of those that failed until root takes it off", async () => {
    const side = open();
    await side.apply("1.0.0");
    for (const version of ["1.1.0", "1.2.0"]) {
      failing(side, version);
      await side.apply(version);
    }
    const listed = () => side.slot().setAside.map(({ id, why }) => [id, why]);
    assert.deepEqual(listed(), [
      [idOf("1.1.0"), "failed"],
      [idOf("1.2.0"), "failed"],
    ]);
    await forgive(await side.opened(), idOf("1.1.0"));
    assert.deepEqual(listed(), [[idOf("1.2.0"), "failed"]]);
    await assert.rejects(forgive(await side.opened(), idOf("1.1.0")), { code: "not_found" });
  });

  it("is undone at its third unclean exit, long before its deadline; restarts by an operator are none", async () => {
    for (const [counts, outcome] of [
      [[1, 2, 3], "failed"],
      [[1, 2, 0, 0, 0, 0, 0], "good"],
    ] as const) {
      const side = await onTrial();
      const rest: number[] = [...counts];
      side.host.isHealthy = ({ version }) => {
        if (version === "1.1.0") side.host.unit = { ...side.host.unit, uncleanExits: rest.shift() ?? 0 };
        return true;
      };
      const before = side.host.uptime();
      await side.guard();
      assert.equal(side.last()?.outcome, outcome);
      if (outcome === "good") continue;
      assert.match(side.last()?.detail ?? "", /3 times/);
      assert.ok(side.host.uptime() - before < 60, `it took ${side.host.uptime() - before} s`);
    }
  });
});

describe("a reboot within the watch", () => {
  it("begins the watch anew, and is counted before anything is started; the third without health defers it for a day", async () => {
    for (const isWell of [true, false]) {
      const side = await onTrial();
      await cutAt(side, "1.1.0");
      const acts = side.host.acts.length;
      for (const boots of isWell ? [2] : [2, 3]) {
        side.host.reboot();
        await side.guard({ isBoot: true });
        assert.deepEqual([side.slot().trial?.boots, side.host.acts.length], [boots, acts]);
      }
      if (!isWell) {
        side.host.reboot();
        await side.guard({ isBoot: true });
        assert.equal(side.at("current"), "1.0.0", "the boot has to wait for the way back");
      }
      side.host.isHealthy = () => true;
      await side.guard();
      const { outcome } = side.last() ?? {};
      assert.deepEqual([outcome, side.at("current")], isWell ? ["good", "1.1.0"] : ["deferred", "1.0.0"]);
      const [release] = side.slot().setAside;
      if (isWell) continue;
      assert.equal(release?.why, "deferred");
      assert.equal(Date.parse(release?.until ?? "") - Date.parse(release?.at ?? ""), 86_400_000);
    }
  });

  for (const hasUnits of [true, false]) {
    const what = hasUnits ? "systemd has started it" : "no service manager has";
    it(`switches to it first where the boot came before that, where ${what}`, async () => {
      const side = await onTrial({ hasUnits });
      side.host.reboot();
      await side.guard({ isBoot: true });
      assert.deepEqual([side.at("current"), side.slot().trial?.phase], ["1.1.0", "activating"]);
      assert.ok(isUnderWay(side), "the next boot would not go on");
      await side.guard();
      assert.deepEqual([side.last()?.outcome, side.host.acts.at(-1)], ["good", "activate 1.1.0"]);
    });

    it(`puts it to work again, or the one before, unless ${what}`, async () => {
      for (const [watched, rest] of [
        ["1.1.0", true],
        ["1.0.0", false],
      ] as const) {
        const side = await onTrial({ hasUnits });
        await cutAt(side, watched, rest);
        side.host.reboot();
        side.host.isHealthy = () => true;
        const acts = side.host.acts.length;
        await side.guard();
        assert.deepEqual(side.host.acts.slice(acts), hasUnits ? [] : [`activate ${watched}`]);
        assert.equal(side.at("current"), watched);
        assert.equal(side.last()?.restored_healthy, watched === "1.0.0" ? true : null);
      }
    });
  }
});

describe("root's word", () => {
  it("confirms a trial without a guard", async () => {
    const side = await onTrial();
    await cutAt(side, "1.1.0");
    assert.equal(await order(side.parts, { kind: "binary", order: "confirm" }), "carried out");
    const { outcome, cause } = side.last() ?? {};
    assert.deepEqual([side.at("current"), outcome, cause?.code], ["1.1.0", "good", "confirmed_by_root"]);
    assert.equal(side.host.entries.has(pathsOf(side.directories).order("binary")), false, "it is left");
  });

  it("is heard by the guard that works on it", async () => {
    const side = await onTrial();
    let given: string | undefined;
    failing(side, "1.1.0");
    const looked = side.host.pause;
    Object.assign(side.host, {
      pause: async (seconds: number) => {
        given ??= await order(side.parts, { kind: "binary", order: "abort" });
        await looked(seconds);
      },
    });
    await withReleases(side.parts, 0, (parts) => guard(parts, { isBoot: false }));
    assert.deepEqual([given, side.last()?.outcome], ["given", "aborted"]);
  });

  it("is refused where nothing is under way, and not taken for given where carrying it out fails", async () => {
    const side = open();
    const abort = (kind: "binary" | "rules") => order(side.parts, { kind, order: "abort" });
    await side.apply("1.0.0");
    await assert.rejects(abort("binary"), { code: "not_found" });
    await side.install("1.1.0");
    await assert.rejects(abort("rules"), { code: "not_found" });
    Object.assign(side.host, { pause: () => Promise.reject(new Error("the clock stands")) });
    await assert.rejects(abort("binary"), /the clock stands/);
  });
});
