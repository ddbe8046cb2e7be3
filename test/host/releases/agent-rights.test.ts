import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { chown, mkdir, open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../../lab/basics/ending.ts";
import { agentUser, isRoot } from "../../../lab/devices/verifying-device.ts";
import { ownCredentials } from "../../../lab/host/credentials.ts";
import type { Credentials } from "../../../src/host/linux/credentials.ts";
import { createOwnersRights } from "../../../src/host/linux/releases/agent-rights.ts";

async function directoryOfAgent(test: TestContext): Promise<string> {
  const directory = await temporaryDirectory(test);
  await chown(directory, agentUser, agentUser);
  return directory;
}

/** Reads the rights of the calling thread, since the kernel keeps them for each thread: ids, groups, capabilities. */
function rightsOfThreads(): string[] {
  const status = readFileSync("/proc/thread-self/status", "utf8");
  return [/^Uid:.*/m, /^Gid:.*/m, /^Groups:.*/m, /^CapEff:.*/m].map((line) => line.exec(status)?.[0] ?? "");
}

describe("work with the rights of a directory's owner", { skip: !isRoot && "needs root" }, () => {
  it("has its user, its group, no other group and no capability", async (test) => {
    const asOwner = await createOwnersRights(await directoryOfAgent(test), ownCredentials());
    const [uid, gid, groups, capabilities] = await asOwner(rightsOfThreads);
    assert.match(uid ?? "", new RegExp(`^Uid:\\t0\\t${agentUser}\\t0\\t${agentUser}$`));
    assert.match(gid ?? "", new RegExp(`^Gid:\\t0\\t${agentUser}\\t0\\t${agentUser}$`));
    assert.match(groups ?? "", new RegExp(`^Groups:\\t${agentUser}\\s*$`));
    assert.match(capabilities ?? "", /^CapEff:\t0{16}$/);
  });

  it("gives all of them back, also when the work fails", async (test) => {
    const before = rightsOfThreads();
    const asOwner = await createOwnersRights(await directoryOfAgent(test), ownCredentials());
    await asOwner(() => undefined);
    assert.deepEqual(rightsOfThreads(), before);
    const failing = asOwner(() => {
      throw new Error("of the work");
    });
    await assert.rejects(failing, /of the work/);
    assert.deepEqual(rightsOfThreads(), before);
  });

  it("can make what the owner can, and open nothing that is root's", async (test) => {
    const directory = await directoryOfAgent(test);
    await mkdir(join(directory, "roots"), { mode: 0o700 });
    const asOwner = await createOwnersRights(directory, ownCredentials());
    await asOwner(() => writeFileSync(join(directory, "made"), "x"));
    assert.equal(statSync(join(directory, "made")).uid, agentUser);
    const refused = asOwner(() => writeFileSync(join(directory, "roots/made"), "x"));
    await assert.rejects(refused, { code: "EACCES" });
  });

  it("waits until nothing is under way that would be done with these rights", async (test) => {
    const directory = await directoryOfAgent(test);
    const own = join(await temporaryDirectory(test), "of-root");
    await writeFile(own, "of root");
    const asOwner = await createOwnersRights(directory, ownCredentials());
    let opened = 0;
    const opening = Array.from({ length: 200 }, async () => {
      const file = await open(own, "r");
      opened += 1;
      await file.close();
    });
    const seen = await asOwner(() => opened);
    await Promise.all(opening);
    assert.equal(seen, 200);
    assert.equal(await readFile(own, "utf8"), "of root");
  });

  it("changes nothing where the owner is root already, or who runs it is not", async (test) => {
    const refusing: Credentials = {
      ...ownCredentials(),
      seteuid: () => assert.fail("rights were changed"),
      setgroups: () => assert.fail("groups were changed"),
    };
    const ofRoot = await createOwnersRights(await temporaryDirectory(test), refusing);
    assert.equal(await ofRoot(() => "done"), "done");
    const notRoot = await createOwnersRights(await directoryOfAgent(test), { ...refusing, geteuid: () => 5 });
    assert.equal(await notRoot(() => "done"), "done");
  });
});
