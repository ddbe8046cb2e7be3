import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { open, type SimulatedInstaller } from "../../lab/installer/simulated-installer.ts";
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
  const typed = /type: steward update rollback binary --as-root/;
  await assert.rejects(side.rollBack({ by: "agent" }), (error: Error & { code?: string }) => {
    assert.equal(error.code, "rollback_needs_root");
    for (const words of [saying, typed]) assert.match(error.message, words);
    return true;
  });
  assert.deepEqual([side.at("current"), side.slot().trial, side.last()?.outcome], [before, null, "refused"]);
  await side.rollBack({ by: "root" });
  await side.guard();
  assert.notEqual(side.at("current"), before);
}

async function agentGoesBack(side: SimulatedInstaller): Promise<void> {
  await side.rollBack({ by: "agent" });
  await side.guard();
}

/** Changes the stored slot of the binary. */
// biome-ignore lint/suspicious/noExplicitAny: a journal as another version may have left it
function spoil(side: SimulatedInstaller, change: (slot: any) => void): void {
  const journal = JSON.parse(JSON.stringify({ format: 1, ...side.journal() }));
  change(journal.slots.binary);
  side.host.entries.set(pathsOf(side.directories).journal, { text: JSON.stringify(journal) });
}

describe("a taken-over agent that undoes updates", () => {
  it("may go back within 72 hours after the release proved healthy, as an administrator has it done", async () => {
    const side = await withThree();
    await side.host.pause(hours(71));
    await agentGoesBack(side);
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

  it("is refused later than 72 hours after that, also when it sets the clock back to the hour of the commit", async () => {
    for (const isSetBack of [false, true]) {
      const side = await withThree();
      const now = side.host.now();
      await side.host.pause(hours(72) + 1);
      if (isSetBack) Object.assign(side.host, { now: () => now });
      await needsRoot(side, /1\.2\.0: it proved healthy more than 72 hours ago/);
    }
  });

  it("is refused after a reboot, behind which the clock may say anything", async () => {
    const side = await withThree();
    side.host.reboot();
    await needsRoot(side, /started again since it proved healthy/);
  });

  it("does not get down to the oldest release that is kept, one after the other", async () => {
    const side = await withThree();
    await agentGoesBack(side);
    await needsRoot(side, /1\.1\.0: it proved healthy more than 72 hours ago/);
  });

  it("goes back from a release once, also where it applies it again", async () => {
    const side = await withThree();
    await agentGoesBack(side);
    await side.apply("1.2.0");
    await needsRoot(side, /1\.2\.0: the agent has gone back from it once already/);
  });

  it("is refused where the journal does not say when the release proved healthy", async () => {
    const side = await withThree();
    spoil(side, ({ good }) => {
      for (const release of good) delete release.committed;
    });
    await needsRoot(side, /not recorded when it proved healthy/);
  });

  it("has had its rollback also where a crash cuts it short", async () => {
    const side = await withThree();
    await side.rollBack({ by: "agent" });
    assert.deepEqual(side.slot().agentRolledBack, [side.slot().trial?.release.id]);
  });

  it("is remembered for the last 32 releases, which is as many as can be stored", async () => {
    const side = await withThree();
    const many = Array.from({ length: 32 }, (_, index) => `${index}`.padStart(32, "a"));
    spoil(side, (slot) => {
      slot.agentRolledBack = many;
    });
    const present = side.slot().good.at(-1)?.id;
    await side.rollBack({ by: "agent" });
    assert.deepEqual(side.slot().agentRolledBack, [...many.slice(1), present]);
  });
});
