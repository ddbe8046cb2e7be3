import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  idOf,
  isError,
  open,
  plan,
  type SimulatedInstaller,
} from "../../lab/installer/simulated-installer.ts";
import { StewardError } from "../../src/contract/errors.ts";
import { pathsOf } from "../../src/installer/files/release-directories.ts";
import { guard } from "../../src/installer/trial/guard.ts";

describe("going back by hand", () => {
  it("leads to the release before, and holds the one that was left", async () => {
    const side = open();
    await side.apply("1.0.0");
    await side.apply("1.1.0");
    await side.rollBack();
    await side.guard();
    assert.deepEqual([side.at("current"), side.at("previous")], ["1.0.0", null]);
    assert.equal(side.last()?.outcome, "rolled_back");
    assert.equal(side.slot().setAside[0]?.why, "held");
  });

  it("is refused with nothing before, and changes nothing", async () => {
    const side = open();
    await side.apply("1.0.0");
    await assert.rejects(side.rollBack(), isError("nothing_to_roll_back"));
    assert.equal(side.at("current"), "1.0.0");
    assert.equal(side.last()?.outcome, "refused");
  });

  it("does not lead below what the publisher still allows", async () => {
    const side = open();
    await side.apply("1.0.0");
    await side.apply("1.1.0");
    await assert.rejects(side.rollBack({ floors: { "binary/pump": "1.1.0" } }), isError("below_floor"));
    assert.equal(side.at("current"), "1.1.0");
  });
});

describe("what cannot be taken on", () => {
  it("was cut short before anything was changed: it is dropped, by the guard or by the next one", async () => {
    for (const goesOn of ["guard", "install"] as const) {
      const side = open();
      await side.apply("1.0.0");
      side.host.beforeEach = (operation) => {
        if (operation !== "unpack") return;
        side.host.beforeEach = () => {
          throw new Error("power cut");
        };
        throw new Error("power cut");
      };
      await assert.rejects(side.install("1.1.0"), /power cut/);
      side.host.beforeEach = () => undefined;
      assert.deepEqual([side.slot().trial?.phase, side.at("current")], ["installing", "1.0.0"]);
      await (goesOn === "guard" ? side.guard() : side.apply("1.2.0"));
      const dropped = side.journal().history[1];
      const { outcome, cause, from_version, version } = dropped ?? {};
      assert.deepEqual([outcome, cause?.code], ["refused", "interrupted"]);
      assert.deepEqual([from_version, version], ["1.0.0", "1.1.0"]);
      assert.equal(side.at("current"), goesOn === "guard" ? "1.0.0" : "1.2.0");
      assert.equal(side.slot().trial, null);
    }
  });

  it("does not run where it was cut short at the very end of the installation, and the way back is there", async () => {
    const side = open();
    await side.apply("1.0.0");
    const { tree } = pathsOf(side.directories);
    side.host.beforeEach = (operation) => {
      if (operation === "write" && side.host.entries.has(tree(idOf("1.1.0")))) throw new Error("power cut");
    };
    await assert.rejects(side.install("1.1.0"), /power cut/);
    assert.deepEqual([side.at("current"), side.at("previous")], ["1.0.0", "1.0.0"]);
  });

  it("came from nothing where it was cut short on a device without any", async () => {
    const side = open();
    side.host.beforeEach = (operation) => {
      if (operation === "unpack" || side.host.entries.has("down")) {
        side.host.entries.set("down", { text: "" });
        throw new Error("power cut");
      }
    };
    await assert.rejects(side.install("1.0.0"), /power cut/);
    side.host.beforeEach = () => undefined;
    await side.guard();
    assert.deepEqual([side.last()?.cause?.code, side.last()?.from_version], ["interrupted", null]);
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
    const side = open();
    await side.apply("1.0.0");
    await assert.rejects(side.install("1.0.0"), isError("update_not_acceptable"));
    const { kind, release_id, version, from_version } = side.last() ?? {};
    assert.deepEqual([kind, release_id, version, from_version], ["binary", idOf("1.0.0"), "1.0.0", "1.0.0"]);
    Object.assign(side, { verifyAndCopy: () => Promise.reject(new Error("no")) });
    await assert.rejects(side.install("1.1.0"), /no/);
    const last = side.last();
    assert.deepEqual([last?.kind, last?.release_id, last?.version], [null, idOf("1.1.0"), null]);
    assert.deepEqual([last?.from_version, last?.cause?.code], [null, "internal_error"]);
  });

  it("is deferred where the host file no longer says how to apply it", async () => {
    const side = open();
    await side.apply("1.0.0");
    await side.install("1.1.0");
    await guard({ ...(await side.opened()), plans: { rules: null, binary: null } }, { isBoot: false });
    assert.deepEqual([side.last()?.outcome, side.last()?.cause?.code], ["deferred", "configuration_removed"]);
    assert.equal(side.at("current"), "1.0.0");
  });

  it("is refused while something else is on trial", async () => {
    const side = open();
    await side.install("1.0.0");
    await assert.rejects(side.install("1.1.0"), isError("update_busy"));
    await assert.rejects(side.rollBack(), isError("update_busy"));
    await side.guard();
    assert.equal(side.at("current"), "1.0.0");
  });

  it("a self-test that fails leaves nothing behind", async () => {
    const side = open();
    await side.apply("1.0.0");
    side.plan = { ...plan, selfTest: ["/bin/check"] };
    const selfTest = () => Promise.reject(new StewardError("update_self_test_failed", "It said no."));
    Object.assign(side.host, { selfTest });
    await assert.rejects(side.install("1.1.0"), isError("update_self_test_failed"));
    assert.equal(side.at("current"), "1.0.0");
    assert.deepEqual(await side.host.files.names(pathsOf(side.directories).trees), [
      idOf("1.0.0"),
      `${idOf("1.0.0")}.json`,
    ]);
    assert.match(side.last()?.detail ?? "", /It said no/);
  });

  it("the same refusal again takes the place of the one before", async () => {
    const side = open();
    side.plan = { ...plan, selfTest: ["/bin/check"] };
    Object.assign(side.host, {
      selfTest: () => Promise.reject(new StewardError("update_self_test_failed", "No.")),
    });
    for (let times = 0; times < 3; times += 1) await assert.rejects(side.install("1.1.0"));
    assert.equal(side.journal().history.length, 1);
    assert.equal(side.last()?.sequence, 3);
  });
});

/** A device on which these releases of Steward have proved healthy, and then a package came. */
async function withPackage(version: string, releases: readonly string[]): Promise<SimulatedInstaller> {
  const side = open();
  for (const release of releases) await side.apply(release);
  side.packaged = { rules: null, binary: version };
  return side;
}

const versions = (side: SimulatedInstaller) => side.slot().good.map(({ version }) => version);

describe("releases and a package of the same product", () => {
  it("takes a release out of use when the package is as new, also after an older package", async () => {
    const side = await withPackage("1.0.0", ["1.0.0"]);
    await side.guard();
    assert.deepEqual([side.at("current"), side.at("previous"), versions(side)], [null, null, []]);
    assert.equal(
      [...side.host.entries.keys()].some((path) => path.includes("/content")),
      false,
    );
    side.packaged = { rules: null, binary: "0.9.0" };
    await side.guard();
    assert.deepEqual([side.at("current"), versions(side)], [null, []]);
  });

  it("goes back to a package that is newer than the release before, and not to that release", async () => {
    const side = await withPackage("1.0.5", ["1.0.0", "1.1.0"]);
    await side.rollBack();
    await side.guard();
    assert.deepEqual([side.at("current"), side.at("previous"), versions(side)], [null, null, []]);
    assert.equal(side.last()?.outcome, "rolled_back");
  });

  it("ends a trial when a package as new comes meanwhile, without holding it against the release", async () => {
    const side = await withPackage("1.0.5", ["1.1.0"]);
    await side.install("1.2.0");
    side.packaged = { rules: null, binary: "1.2.0" };
    // The package is what answers.
    side.host.isHealthy = ({ version }) => version === null;
    await side.guard();
    assert.deepEqual([side.at("current"), side.at("previous"), versions(side)], [null, null, []]);
    const { outcome, restored_healthy, detail } = side.last() ?? {};
    assert.deepEqual([outcome, restored_healthy], ["aborted", true]);
    assert.match(detail ?? "", /A package of the same or a newer version/);
    assert.deepEqual(side.slot().setAside, []);
  });

  it("goes on with a trial when an older package comes meanwhile", async () => {
    const side = await withPackage("1.0.5", ["1.1.0"]);
    await side.install("1.2.0");
    side.packaged = { rules: null, binary: "1.1.5" };
    await side.guard();
    assert.deepEqual(
      [side.at("current"), side.last()?.outcome, versions(side)],
      ["1.2.0", "good", ["1.2.0"]],
    );
  });

  it("undoes a release that does not work to the package", async () => {
    const side = await withPackage("1.0.5", ["1.0.0"]);
    await side.install("1.1.0");
    assert.equal(side.at("previous"), null);
    side.host.isHealthy = ({ version }) => version !== "1.1.0";
    await side.guard();
    assert.deepEqual([side.at("current"), side.last()?.outcome], [null, "failed"]);
  });
});
