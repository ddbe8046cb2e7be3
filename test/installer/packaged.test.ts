import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { open, type SimulatedInstaller } from "../../lab/installer/simulated-installer.ts";

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
