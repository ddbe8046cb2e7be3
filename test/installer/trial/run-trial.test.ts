import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  idOf,
  isError,
  open,
  plan,
  type SimulatedInstaller,
} from "../../../lab/installer/simulated-installer.ts";
import { pathsOf } from "../../../src/installer/files/release-directories.ts";
import { forgive, guard, order, withReleases } from "../../../src/installer/trial/guard.ts";

describe("a release that is well", () => {
  it("becomes current, with the one before it as previous", async () => {
    const side = open();
    await side.apply("1.0.0");
    await side.apply("1.1.0");
    assert.deepEqual([side.at("current"), side.at("previous")], ["1.1.0", "1.0.0"]);
    assert.equal(side.last()?.outcome, "good");
    assert.equal(side.last()?.cause?.code, "healthy");
    assert.equal(side.last()?.from_version, "1.0.0");
    assert.equal(side.host.entries.has(pathsOf(side.directories).underWay), false);
    const steps = ["switch", "activate", "commit"].map((step) => `binary 1.1.0: ${step}`);
    assert.deepEqual(side.said.slice(-4), ["binary pump 1.1.0: verified, and being unpacked", ...steps]);
  });

  it("and nothing is written or linked again where all is as it should be", async () => {
    const side = open();
    await side.apply("1.0.0");
    const done: string[] = [];
    side.host.beforeEach = (operation) => void done.push(operation);
    await side.guard();
    assert.deepEqual(
      done.filter((operation) => operation === "write" || operation === "link"),
      [],
    );
  });

  it("leaves the disk with the current one, the previous one and one more", async () => {
    const side = open();
    for (const version of ["1.0.0", "1.1.0", "1.2.0", "1.3.0"]) await side.apply(version);
    const names = await side.host.files.names(pathsOf(side.directories).trees);
    assert.deepEqual(
      names.filter((name) => !name.endsWith(".json")),
      ["1.1.0", "1.2.0", "1.3.0"].map(idOf),
    );
  });
});

describe("a release that is not well", () => {
  const failing = (side: SimulatedInstaller, version: string): void => {
    side.host.isHealthy = (release) => release.version !== version;
  };

  it("is undone at its deadline, and what was there before is put to work again", async () => {
    const side = open();
    await side.apply("1.0.0");
    failing(side, "1.1.0");
    await side.apply("1.1.0");
    assert.equal(side.at("current"), "1.0.0");
    assert.deepEqual(side.host.acts.slice(-2), ["activate 1.1.0", "activate 1.0.0"]);
    const { outcome, detail, restored_healthy, log } = side.last() ?? {};
    assert.deepEqual([outcome, restored_healthy], ["failed", true]);
    assert.match(detail ?? "", /1\.1\.0 is not well/);
    assert.match(log?.join("\n") ?? "", /it said something/);
    assert.match(
      side.said.find((line) => /1\.1\.0: undo/.test(line)) ?? "",
      /undo, It did not become healthy/,
    );
  });

  for (const [what, options, unit, logged] of [
    ["with the unit's log", {}, "pump.service", ["pump.service: it said something"]],
    ["without a service manager", { hasUnits: false }, "pump.service", []],
    ["without a unit", {}, null, []],
  ] as const) {
    it(`says what the checks have found, ${what}`, async () => {
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
  }

  it("goes without the unit's log where that cannot be read", async () => {
    const side = open();
    failing(side, "1.0.0");
    Object.assign(side.host.units ?? {}, { log: () => Promise.reject(new Error("no journal")) });
    await side.apply("1.0.0");
    assert.equal(side.last()?.log.length, 1);
  });

  it("is on the list of those that failed until root takes it off", async () => {
    const side = open();
    await side.apply("1.0.0");
    failing(side, "1.1.0");
    await side.apply("1.1.0");
    assert.deepEqual(
      side.slot().setAside.map(({ id, why }) => [id, why]),
      [[idOf("1.1.0"), "failed"]],
    );
    failing(side, "1.2.0");
    await side.apply("1.2.0");
    await forgive(await side.opened(), idOf("1.1.0"));
    assert.deepEqual(
      side.slot().setAside.map(({ id }) => id),
      [idOf("1.2.0")],
    );
    await assert.rejects(forgive(await side.opened(), idOf("1.1.0")), isError("not_found"));
  });

  it("is undone at its third unclean exit, long before its deadline", async () => {
    const side = open();
    await side.apply("1.0.0");
    side.host.isHealthy = (release) => {
      const { uncleanExits } = side.host.unit;
      if (release.version === "1.1.0") side.host.unit = { ...side.host.unit, uncleanExits: uncleanExits + 1 };
      return true;
    };
    await side.install("1.1.0");
    const before = side.host.uptime();
    side.host.unit = { ...side.host.unit, uncleanExits: 0 };
    await side.guard();
    assert.equal(side.last()?.outcome, "failed");
    assert.match(side.last()?.detail ?? "", /3 times/);
    assert.ok(side.host.uptime() - before < 60, `it took ${side.host.uptime() - before} s`);
  });

  it("a clean restart by an operator is no failure: the count begins anew, the trial goes on", async () => {
    const side = open();
    await side.apply("1.0.0");
    const counts = [1, 2, 0, 0, 0, 0, 0];
    side.host.isHealthy = () => {
      side.host.unit = { ...side.host.unit, uncleanExits: counts.shift() ?? 0 };
      return true;
    };
    await side.apply("1.1.0");
    assert.equal(side.last()?.outcome, "good");
  });

  it("without anything before it leaves no current, and says so", async () => {
    const side = open();
    failing(side, "1.0.0");
    await side.apply("1.0.0");
    assert.equal(side.at("current"), null);
    assert.equal(side.last()?.from_version, null);
    assert.equal(side.last()?.outcome, "failed");
  });

  it("says when the former release is not well either", async () => {
    const side = open();
    await side.apply("1.0.0");
    side.host.isHealthy = () => false;
    await side.apply("1.1.0");
    assert.equal(side.at("current"), "1.0.0");
    assert.equal(side.last()?.restored_healthy, false);
  });
});

describe("a reboot within the watch", () => {
  const onTrial = async (options = {}): Promise<SimulatedInstaller> => {
    const side = open(options);
    await side.apply("1.0.0");
    await side.install("1.1.0");
    side.host.isHealthy = ({ version }) => {
      if (version === "1.1.0") throw new Error("power cut");
      return true;
    };
    await assert.rejects(side.guard(), /power cut/);
    return side;
  };

  it("begins the watch anew, and is counted before anything is started", async () => {
    const side = await onTrial();
    side.host.reboot();
    const acts = side.host.acts.length;
    await side.guard({ isBoot: true });
    assert.equal(side.slot().trial?.boots, 2);
    assert.equal(side.host.acts.length, acts, "something was started");
    side.host.isHealthy = () => true;
    await side.guard();
    assert.equal(side.last()?.outcome, "good");
    assert.equal(side.at("current"), "1.1.0");
  });

  it("three times without health defers it for a day", async () => {
    const side = await onTrial();
    for (const boots of [2, 3]) {
      side.host.reboot();
      await side.guard({ isBoot: true });
      assert.equal(side.slot().trial?.boots, boots);
    }
    side.host.reboot();
    await side.guard({ isBoot: true });
    assert.equal(side.at("current"), "1.0.0", "the boot has to wait for the way back");
    await side.guard();
    assert.equal(side.last()?.outcome, "deferred");
    const [release] = side.slot().setAside;
    assert.equal(release?.why, "deferred");
    assert.equal(Date.parse(release?.until ?? "") - Date.parse(release?.at ?? ""), 86_400_000);
  });

  it("switches to it first where the boot came before that", async () => {
    for (const hasUnits of [true, false]) {
      const side = open({ hasUnits });
      await side.apply("1.0.0");
      await side.install("1.1.0");
      side.host.reboot();
      await side.guard({ isBoot: true });
      assert.deepEqual([side.at("current"), side.slot().trial?.phase], ["1.1.0", "activating"]);
      assert.ok(side.host.entries.has(pathsOf(side.directories).underWay), "the next boot would not go on");
      await side.guard();
      assert.deepEqual([side.last()?.outcome, side.host.acts.at(-1)], ["good", "activate 1.1.0"]);
    }
  });

  it("puts the one before to work again, too, where no service manager does", async () => {
    for (const hasUnits of [true, false]) {
      const side = open({ hasUnits });
      await side.apply("1.0.0");
      side.host.isHealthy = ({ version }) => {
        if (version === "1.0.0") throw new Error("power cut");
        return false;
      };
      await assert.rejects(side.apply("1.1.0"), /power cut/);
      side.host.reboot();
      side.host.isHealthy = () => true;
      const acts = side.host.acts.length;
      await side.guard();
      assert.deepEqual(side.host.acts.slice(acts), hasUnits ? [] : ["activate 1.0.0"]);
      assert.deepEqual([side.at("current"), side.last()?.restored_healthy], ["1.0.0", true]);
    }
  });

  it("puts it to work again where no service manager does", async () => {
    const side = await onTrial({ hasUnits: false });
    side.host.reboot();
    side.host.isHealthy = () => true;
    await side.guard();
    assert.deepEqual(side.host.acts.slice(-2), ["activate 1.1.0", "activate 1.1.0"]);
  });
});

describe("root's word", () => {
  it("confirms a trial without a guard", async () => {
    const side = open();
    await side.apply("1.0.0");
    await side.install("1.1.0");
    side.host.isHealthy = () => {
      throw new Error("the guard is dead");
    };
    await assert.rejects(side.guard(), /dead/);
    assert.equal(await order(side.parts, { kind: "binary", order: "confirm" }), "carried out");
    assert.equal(side.at("current"), "1.1.0");
    assert.equal(side.last()?.outcome, "good");
    assert.equal(side.last()?.cause?.code, "confirmed_by_root");
    assert.equal(side.host.entries.has(pathsOf(side.directories).order("binary")), false, "it is left");
  });

  it("is not taken for given where carrying it out fails", async () => {
    const side = open();
    await side.apply("1.0.0");
    await side.install("1.1.0");
    Object.assign(side.host, { pause: () => Promise.reject(new Error("the clock stands")) });
    await assert.rejects(order(side.parts, { kind: "binary", order: "abort" }), /the clock stands/);
  });

  it("is heard by the guard that works on it", async () => {
    const side = open();
    await side.apply("1.0.0");
    await side.install("1.1.0");
    let given: string | undefined;
    side.host.isHealthy = ({ version }) => version !== "1.1.0";
    const looked = side.host.pause;
    Object.assign(side.host, {
      pause: async (seconds: number) => {
        given ??= await order(side.parts, { kind: "binary", order: "abort" });
        await looked(seconds);
      },
    });
    await withReleases(side.parts, 0, (parts) => guard(parts, { isBoot: false }));
    assert.equal(given, "given");
    assert.equal(side.last()?.outcome, "aborted");
  });

  it("is refused where nothing is under way", async () => {
    const side = open();
    await side.apply("1.0.0");
    await assert.rejects(order(side.parts, { kind: "binary", order: "abort" }), isError("not_found"));
    await side.install("1.1.0");
    await assert.rejects(order(side.parts, { kind: "rules", order: "abort" }), isError("not_found"));
  });
});
