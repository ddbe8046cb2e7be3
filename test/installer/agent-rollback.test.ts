import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { open, type SimulatedInstaller } from "../../lab/installer/simulated-installer.ts";
import { StewardError } from "../../src/contract/errors.ts";
import { pathsOf } from "../../src/installer/files/release-directories.ts";
import { requireAgentMayRollBack } from "../../src/releases/agent-rollback.ts";

const hours = (count: number): number => count * 3_600;

/** A device on which 1.0.0, 1.1.0 and 1.2.0 have proved healthy, a week apart. */
async function withThree(): Promise<SimulatedInstaller> {
  const side = open();
  for (const version of ["1.0.0", "1.1.0", "1.2.0"]) {
    await side.host.pause(hours(7 * 24));
    await side.apply(version);
  }
  return side;
}

/** The whole of the attack: the agent is refused, nothing is changed, and root can still do it. */
async function needsRoot(side: SimulatedInstaller, saying: RegExp): Promise<void> {
  const before = side.at("current");
  const error: unknown = await side.rollBack({ by: "agent" }).then(
    () => assert.fail("the agent went back"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof StewardError, String(error));
  assert.equal(error.code, "rollback_needs_root");
  assert.match(error.message, saying);
  assert.match(error.message, /type: steward update rollback binary --as-root/);
  assert.deepEqual([side.at("current"), side.slot().trial], [before, null]);
  assert.equal(side.last()?.outcome, "refused");
  await side.rollBack({ by: "root" });
  await side.guard();
  assert.notEqual(side.at("current"), before);
}

describe("a taken-over agent that undoes updates", () => {
  it("may go back within 72 hours after the release proved healthy, as an administrator has it done", async () => {
    const side = await withThree();
    await side.host.pause(hours(71));
    await side.rollBack({ by: "agent" });
    await side.guard();
    assert.equal(side.at("current"), "1.1.0");
  });

  it("may do it to the end of the 72 hours, counted in a boot that has a name", () => {
    const wait = (seconds: number, bootId = "boot") => {
      const committed = { at: "2026-11-20T12:00:00Z", boot_id: bootId, uptime: 100 };
      const release = { id: "1".repeat(32), name: "pump", version: "1.1.0", committed };
      requireAgentMayRollBack("binary", release, { boot: { bootId, uptime: 100 + seconds } });
    };
    for (const seconds of [0, hours(72)]) assert.doesNotThrow(() => wait(seconds));
    for (const seconds of [-1, hours(72) + 1])
      assert.throws(() => wait(seconds), { code: "rollback_needs_root" });
    assert.throws(() => wait(0, "unknown"), /it is not recorded when it proved healthy/);
  });

  it("is refused later than 72 hours after that", async () => {
    const side = await withThree();
    await side.host.pause(hours(72) + 1);
    await needsRoot(side, /1\.2\.0: it proved healthy more than 72 hours ago/);
  });

  it("is refused when it sets the clock back to the hour of the commit", async () => {
    const side = await withThree();
    const now = side.host.now();
    await side.host.pause(hours(30 * 24));
    Object.assign(side.host, { now: () => now });
    await needsRoot(side, /more than 72 hours ago/);
  });

  it("is refused after a reboot, behind which the clock may say anything", async () => {
    const side = await withThree();
    side.host.reboot();
    await needsRoot(side, /started again since it proved healthy/);
  });

  it("does not get down to the oldest release that is kept, one after the other", async () => {
    const side = await withThree();
    await side.rollBack({ by: "agent" });
    await side.guard();
    await needsRoot(side, /1\.1\.0: it proved healthy more than 72 hours ago/);
  });

  it("goes back from a release once, also where it applies it again", async () => {
    const side = await withThree();
    await side.rollBack({ by: "agent" });
    await side.guard();
    await side.apply("1.2.0");
    await needsRoot(side, /1\.2\.0: the agent has gone back from it once already/);
  });

  it("has had its rollback also where a crash cuts it short", async () => {
    const side = await withThree();
    await side.rollBack({ by: "agent" });
    assert.deepEqual(side.slot().agentRolledBack, [side.slot().trial?.release.id]);
  });

  it("is remembered for the last 32 releases, which is as many as can be stored", async () => {
    const side = await withThree();
    const path = pathsOf(side.directories).journal;
    const journal = JSON.parse(JSON.stringify({ format: 1, ...side.journal() }));
    const many = Array.from({ length: 32 }, (_, index) => `${index}`.padStart(32, "a"));
    journal.slots.binary.agentRolledBack = many;
    side.host.entries.set(path, { text: JSON.stringify(journal) });
    const present = side.slot().good.at(-1)?.id;
    await side.rollBack({ by: "agent" });
    assert.deepEqual(side.slot().agentRolledBack, [...many.slice(1), present]);
  });

  it("is refused where the journal does not say when the release proved healthy", async () => {
    const side = await withThree();
    const path = pathsOf(side.directories).journal;
    const journal = JSON.parse(JSON.stringify({ format: 1, ...side.journal() }));
    for (const release of journal.slots.binary.good) delete release.committed;
    side.host.entries.set(path, { text: JSON.stringify(journal) });
    await needsRoot(side, /not recorded when it proved healthy/);
  });
});
