import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { idOf, open, plan, type SimulatedInstaller } from "../../lab/installer/simulated-installer.ts";
import { StewardError } from "../../src/contract/errors.ts";
import { pathsOf } from "../../src/installer/files/release-directories.ts";
import { guard } from "../../src/installer/trial/guard.ts";

/** A device on which these releases have proved healthy. */
async function withReleases(...versions: readonly string[]): Promise<SimulatedInstaller> {
  const side = open();
  for (const version of versions) await side.apply(version);
  return side;
}

/** From the first of these operations on nothing is done any more. */
function cut({ host }: SimulatedInstaller, isHere: (operation: string) => boolean): void {
  let isDown = false;
  host.beforeEach = (operation) => {
    isDown ||= isHere(operation);
    if (isDown) throw new Error("power cut");
  };
}

/** The targets of the links, and the end of the trial. */
const state = (side: SimulatedInstaller) => [side.at("current"), side.at("previous"), side.last()?.outcome];

describe("going back by hand", () => {
  it("leads to the release before, and holds the one that was left", async () => {
    const side = await withReleases("1.0.0", "1.1.0");
    await side.rollBack();
    await side.guard();
    assert.deepEqual(state(side), ["1.0.0", null, "rolled_back"]);
    assert.equal(side.slot().setAside[0]?.why, "held");
  });

  it("is refused with nothing before, and below what the publisher still allows, and changes nothing", async () => {
    const side = await withReleases("1.0.0");
    await assert.rejects(side.rollBack(), { code: "nothing_to_roll_back" });
    assert.deepEqual(state(side), ["1.0.0", null, "refused"]);
    await side.apply("1.1.0");
    await assert.rejects(side.rollBack({ floors: { "binary/pump": "1.1.0" } }), { code: "below_floor" });
    assert.equal(side.at("current"), "1.1.0");
  });
});

describe("what cannot be taken on", () => {
  it("was cut short before anything was changed: it is dropped, by the guard or by the next one", async () => {
    for (const [before, goesOn] of [
      ["1.0.0", "guard"],
      ["1.0.0", "install"],
      [null, "guard"],
    ] as const) {
      const side = await withReleases(...(before === null ? [] : [before]));
      cut(side, (operation) => operation === "unpack");
      await assert.rejects(side.install("1.1.0"), /power cut/);
      side.host.beforeEach = () => undefined;
      assert.deepEqual([side.slot().trial?.phase, side.at("current")], ["installing", before]);
      await (goesOn === "guard" ? side.guard() : side.apply("1.2.0"));
      const dropped = side.journal().history[before === null ? 0 : 1];
      const { outcome, cause, from_version, version } = dropped ?? {};
      assert.deepEqual([outcome, cause?.code], ["refused", "interrupted"]);
      assert.deepEqual([from_version, version], [before, "1.1.0"]);
      assert.equal(side.at("current"), goesOn === "guard" ? before : "1.2.0");
      assert.equal(side.slot().trial, null);
    }
  });

  it("does not run where it was cut short at the very end of the installation, and the way back is there", async () => {
    const side = await withReleases("1.0.0");
    const { tree } = pathsOf(side.directories);
    cut(side, (operation) => operation === "write" && side.host.entries.has(tree(idOf("1.1.0"))));
    await assert.rejects(side.install("1.1.0"), /power cut/);
    assert.deepEqual([side.at("current"), side.at("previous")], ["1.0.0", "1.0.0"]);
  });

  it("fails where its program of activation does, and says how", async () => {
    const side = open();
    side.plan = { ...plan, activate: ["/bin/activate"] };
    await side.apply("1.0.0");
    const { activate } = side.host;
    Object.assign(side.host, {
      activate: async (...[asked, release]: Parameters<typeof activate>) => {
        if (release.version === "1.1.0") throw new Error("ended with 1");
        await activate(asked, release);
      },
    });
    await side.apply("1.1.0");
    const { outcome, cause } = side.last() ?? {};
    assert.deepEqual(
      [outcome, cause?.code, cause?.last_answer],
      ["failed", "activation_failed", "ended with 1"],
    );
    assert.equal(side.at("current"), "1.0.0");
  });

  it("is refused under its id where it cannot be verified, and by its name where it is there already", async () => {
    const side = await withReleases("1.0.0");
    await assert.rejects(side.install("1.0.0"), { code: "update_not_acceptable" });
    const { kind, release_id, version, from_version } = side.last() ?? {};
    assert.deepEqual([kind, release_id, version, from_version], ["binary", idOf("1.0.0"), "1.0.0", "1.0.0"]);
    Object.assign(side, { verifyAndCopy: () => Promise.reject(new Error("no")) });
    await assert.rejects(side.install("1.1.0"), /no/);
    const last = side.last();
    assert.deepEqual([last?.kind, last?.release_id, last?.version], [null, idOf("1.1.0"), null]);
    assert.deepEqual([last?.from_version, last?.cause?.code], [null, "internal_error"]);
  });

  it("is deferred where the host file no longer says how to apply it", async () => {
    const side = await withReleases("1.0.0");
    await side.install("1.1.0");
    await guard({ ...(await side.opened()), plans: { rules: null, binary: null } }, { isBoot: false });
    assert.deepEqual(state(side), ["1.0.0", null, "deferred"]);
    assert.equal(side.last()?.cause?.code, "configuration_removed");
  });

  it("is refused while something else is on trial", async () => {
    const side = open();
    await side.install("1.0.0");
    await assert.rejects(side.install("1.1.0"), { code: "update_busy" });
    await assert.rejects(side.rollBack(), { code: "update_busy" });
    await side.guard();
    assert.equal(side.at("current"), "1.0.0");
  });

  it("leaves nothing behind where its self-test fails, and one refusal however often it is tried", async () => {
    const side = await withReleases("1.0.0");
    side.plan = { ...plan, selfTest: ["/bin/check"] };
    const selfTest = () => Promise.reject(new StewardError("update_self_test_failed", "It said no."));
    Object.assign(side.host, { selfTest });
    for (let times = 0; times < 3; times += 1)
      await assert.rejects(side.install("1.1.0"), { code: "update_self_test_failed" });
    assert.equal(side.at("current"), "1.0.0");
    const names = await side.host.files.names(pathsOf(side.directories).trees);
    assert.deepEqual(names, [idOf("1.0.0"), `${idOf("1.0.0")}.json`]);
    assert.match(side.last()?.detail ?? "", /It said no/);
    assert.deepEqual([side.journal().history.length, side.last()?.sequence], [2, 4]);
  });
});

/** The same, and then a package of Steward came. */
async function withPackage(version: string, ...releases: readonly string[]): Promise<SimulatedInstaller> {
  const side = await withReleases(...releases);
  side.packaged = { rules: null, binary: version };
  return side;
}

const versions = (side: SimulatedInstaller) => side.slot().good.map(({ version }) => version);

describe("releases and a package of the same product", () => {
  it("takes a release out of use when the package is as new, also after an older package", async () => {
    const side = await withPackage("1.0.0", "1.0.0");
    await side.guard();
    assert.deepEqual([...state(side), versions(side)], [null, null, "good", []]);
    const paths = [...side.host.entries.keys()];
    assert.ok(!paths.some((path) => path.includes("/content")), "its tree is left");
    side.packaged = { rules: null, binary: "0.9.0" };
    await side.guard();
    assert.deepEqual([side.at("current"), versions(side)], [null, []]);
  });

  it("goes back to a package that is newer than the release before, and not to that release", async () => {
    const side = await withPackage("1.0.5", "1.0.0", "1.1.0");
    await side.rollBack();
    await side.guard();
    assert.deepEqual([...state(side), versions(side)], [null, null, "rolled_back", []]);
  });

  for (const [does, packaged, expected] of [
    ["ends a trial when a package as new comes meanwhile", "1.2.0", [null, null, "aborted", []]],
    ["goes on with a trial when an older one comes", "1.1.5", ["1.2.0", null, "good", ["1.2.0"]]],
  ] as const)
    it(`${does}, without holding it against the release`, async () => {
      const side = await withPackage("1.0.5", "1.1.0");
      await side.install("1.2.0");
      side.packaged = { rules: null, binary: packaged };
      // A package that is as new as the release is what answers.
      side.host.isHealthy = ({ version }) => version === expected[0];
      await side.guard();
      assert.deepEqual([...state(side), versions(side)], expected);
      assert.deepEqual(side.slot().setAside, []);
      if (expected[2] === "good") return;
      const { restored_healthy, detail } = side.last() ?? {};
      assert.equal(restored_healthy, true);
      assert.match(detail ?? "", /A package of the same or a newer version/);
    });

  it("undoes a release that does not work to the package", async () => {
    const side = await withPackage("1.0.5", "1.0.0");
    await side.install("1.1.0");
    assert.equal(side.at("previous"), null);
    side.host.isHealthy = ({ version }) => version !== "1.1.0";
    await side.guard();
    assert.deepEqual(state(side), [null, null, "failed"]);
  });
});
