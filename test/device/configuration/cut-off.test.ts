import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { sampled } from "../../../lab/basics/counts.ts";
import { temporaryDirectory } from "../../../lab/basics/ending.ts";
import { SignedRepository } from "../../../lab/publisher/signed-repository.ts";
import { temporaryDocument, virtualHost } from "../../../lab/simulated/virtual-host.ts";
import { codeFrom } from "../../../lab/simulated/virtual-sign-in.ts";
import { createHeldDisk, leftovers, startAgent } from "../../../lab/state/state-directory.ts";
import { createSeal } from "../../../src/accounts/second-factor/seal.ts";
import { apiTokensKind } from "../../../src/accounts/tokens/api-token.ts";
import { accountsKind } from "../../../src/accounts/users/account.ts";
import type { Configuration } from "../../../src/contract/types.ts";
import { createConfigurator } from "../../../src/device/configuration/configuration.ts";
import { createTimers } from "../../../src/host/linux/timers.ts";
import { defaultSettings } from "../../../src/programs/agent/documents.ts";
import { settingsKind } from "../../../src/system/settings/settings.ts";

/** `argon2 -id -m 15 -t 2 -p 1 -e` made it of "correct horse battery staple lamp"; no one signs in here. */
const hash = "$argon2id$v=19$m=32768,t=2,p=1$c29tZXNhbHRzb21lc2E$QPXnvMfOTb1PMtLYjXGxDIvRqDHuFEmyQmsG9ZsA2Tk";

const file = {
  version: 1,
  users: [{ name: "fleet", role: "admin", password_hash: hash }],
  tokens: [{ token_hash: "ab".repeat(32), name: "metrics", user: "fleet", scopes: ["system:read"] }],
  settings: { device: { name: "edge-7" } },
};

/** Says for each part of the file if it is on the disk. */
async function partsOnDisk(directory: string): Promise<boolean[]> {
  const read = async (name: string) => JSON.parse(await readFile(join(directory, `${name}.json`), "utf8"));
  const [users, tokens, settings] = [await read("users"), await read("tokens"), await read("settings")];
  return [users.accounts.length === 1, tokens.tokens.length === 1, settings.device.name === "edge-7"];
}

describe("a configuration that is cut off", () => {
  // Each write of a configuration, in its order, and the device that was cut off there.
  for (const [path, isNew] of sampled(
    [
      [".transaction.json", false],
      [".users.json", true],
      [".tokens.json", true],
      [".settings.json", true],
    ] as const,
    { oneIn: 2 },
  ))
    it(`at the write of ${path} leaves a device that is ${isNew ? "new" : "old"}, and nothing in between`, async (test) => {
      const directory = await temporaryDirectory(test);
      const disk = await createHeldDisk(test);
      const agent = await startAgent(test, { stateDirectory: directory, environment: disk.environment });
      disk.hold(path);
      const cutOff = assert.rejects(agent.call("POST", "/api/configuration", { local: true, body: file }));
      await disk.waits(path);
      process.kill(agent.pid, "SIGKILL");
      await cutOff;
      assert.equal(existsSync(join(directory, ".transaction.json")), isNew);
      assert.notDeepEqual(await partsOnDisk(directory), [true, true, true], "the kill came too late");

      const next = await startAgent(test, { stateDirectory: directory });
      assert.deepEqual((await next.call("GET", "/api/setup")).json, { setup_required: !isNew });
      assert.deepEqual(await partsOnDisk(directory), [isNew, isNew, isNew]);
      const left = (await leftovers(directory)).filter((name) => name.includes("transaction"));
      assert.deepEqual(left, []);
      if (isNew) assert.match(next.log(), /a configuration that was interrupted is finished/);
    });

  /** With a root of trust in it: root's file between two requests decides. */
  const roots = [
    { where: "before root has put its root of trust in place", isInstalled: false, isAsked: false },
    { where: "once root has put its root of trust in place", isInstalled: true, isAsked: false },
    { where: "while the agent is asked for the rest", isInstalled: true, isAsked: true },
  ];
  for (const { where, isInstalled, isAsked } of sampled(roots, { oneIn: 2 })) {
    it(`${where} leaves a device that is ${isInstalled ? "new" : "old"}, and nothing in between`, async (test) => {
      const directory = await temporaryDirectory(test);
      const etc = await temporaryDirectory(test);
      const disk = await createHeldDisk(test);
      const common = { stateDirectory: directory, arguments: ["--host-file", join(etc, "steward.json")] };
      const agent = await startAgent(test, { ...common, environment: disk.environment });
      const root = new SignedRepository().metadata("1.root");
      const body = { ...file, update_root: JSON.parse(root.toString()) };
      const { status, json } = await agent.call("POST", "/api/configuration", { local: true, body });
      assert.deepEqual([status, typeof json.awaits_update_root], [200, "string"]);
      assert.deepEqual(await partsOnDisk(directory), [false, false, false]);
      if (isInstalled) await writeFile(join(etc, "update-root.json"), root, { mode: 0o644 });
      disk.hold(".transaction.json");
      const cutOff = isAsked
        ? assert.rejects(agent.call("POST", "/api/configuration", { local: true, body }))
        : undefined;
      if (isAsked) await disk.waits(".transaction.json");
      process.kill(agent.pid, "SIGKILL");
      await cutOff;

      const next = await startAgent(test, common);
      assert.deepEqual((await next.call("GET", "/api/setup")).json, { setup_required: !isInstalled });
      assert.deepEqual(await partsOnDisk(directory), [isInstalled, isInstalled, isInstalled]);
      assert.equal(existsSync(join(directory, ".transaction.json")), false);
    });
  }
});

describe("a configuration that the disk does not take", () => {
  /** The users lie in a directory of their own, which can be taken away. */
  const begin = async (test: Parameters<typeof temporaryDirectory>[0]) => {
    const directory = await temporaryDirectory(test);
    const ofUsers = join(await temporaryDirectory(test), "users");
    await mkdir(ofUsers);
    const { time } = virtualHost();
    const follow = { fails: false };
    const configurator = createConfigurator({
      ...{ directory, time, seal: createSeal([]), timers: createTimers() },
      ...{ settingFaults: () => [], shutOut: () => null },
      users: await temporaryDocument(accountsKind, ofUsers),
      tokens: await temporaryDocument(apiTokensKind),
      settings: await temporaryDocument(settingsKind(defaultSettings({}))),
      settingRefusal: async () => null,
      readInstalledRoot: async () => null,
      follow: async () => assert.ok(!follow.fails),
    });
    const apply = (configuration: unknown) => configurator.apply(configuration as Configuration, false);
    const order = () => readFile(join(directory, ".transaction.json"), "utf8").catch(() => null);
    return { apply, order, follow, ofUsers, directory, configurator };
  };
  const settings = (name: string) => ({ version: 1, settings: { device: { name } } });

  it("is not replaced by the next one before all of it is on the disk", async (test) => {
    const { apply, order, ofUsers } = await begin(test);
    await rename(ofUsers, `${ofUsers}-away`);
    assert.equal((await apply(file)).changes.length, 3);
    const decided = await order();
    assert.match(decided ?? "", /"fleet"/);
    assert.equal(await codeFrom(apply(settings("edge-8"))), "storage_unwritable");
    assert.equal(await order(), decided);
    await rename(`${ofUsers}-away`, ofUsers);
  });

  it("is not carried out at the next start where the next one after that could not read the state", async (test) => {
    const common = { at: "2026-11-23T10:00:00.000Z", isClockTrusted: false, userIds: {}, tokenIds: {} };
    const users = (role: string) => ({ version: 1, users: [{ name: "fleet", password_hash: hash, role }] });
    for (const order of [
      { ...common, configuration: users("auditor"), userIds: { fleet: `usr_${"a".repeat(32)}` } },
      { ...common, configuration: users("admin"), userIds: undefined },
      { ...common, configuration: { version: 1, settings: { device: { name: 5 } } } },
    ]) {
      const { directory, configurator } = await begin(test);
      const text = JSON.stringify({ version: 1, order, endSessions: [], forget: [] });
      await writeFile(join(directory, ".transaction.json"), text);
      assert.equal(await codeFrom(configurator.resume()), "state_damaged");
    }
  });

  it("is over where something that follows from it fails: the next start does not do it again", async (test) => {
    const { apply, order, follow } = await begin(test);
    follow.fails = true;
    await assert.rejects(apply(settings("edge-9")));
    assert.equal(await order(), null);
  });
});
