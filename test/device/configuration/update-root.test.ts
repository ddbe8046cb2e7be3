import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { runSteward } from "../../../lab/agents/agent-in-process.ts";
import { endOfSuite, temporaryDirectory } from "../../../lab/basics/ending.ts";
import { until } from "../../../lab/basics/until.ts";
import { canonical } from "../../../lab/publisher/canonical.ts";
import { SignedRepository } from "../../../lab/publisher/signed-repository.ts";
import { createSigningKey } from "../../../lab/publisher/signing-key.ts";
import { startDevice } from "./configured-device.ts";

const suite = endOfSuite();
const { agent, environment, hostFile, whole, apply, applied, refused } = await startDevice(suite);
const hasOrder = () => existsSync(join(agent.stateDirectory, ".transaction.json"));

describe("a root of trust in a configuration", () => {
  const publisher = new SignedRepository();
  const root = (version: number) =>
    JSON.parse(publisher.metadata(`${version}.root`).toString()) as { signed: object };
  const installed = join(hostFile, "../update-root.json");
  const named = (name: string, update_root: unknown) => ({
    ...{ version: 1, update_root, settings: { device: { name } } },
  });
  const deviceName = async () => (await agent.call("GET", "/api/system", { local: true })).json.device.name;
  before(async () => {
    await applied(whole);
    for (const _ of ["second", "third"]) {
      publisher.keys.root = [createSigningKey()];
      publisher.publishRoot();
    }
  });

  it("is installed beside the host file with the rest, and is no change the second time", async () => {
    const file = named("edge-1", root(1));
    // By nothing of ours.
    const fingerprint = createHash("sha256")
      .update(canonical(root(1).signed))
      .digest("hex");
    const { stdout } = await apply(file, "--check", "--diff");
    const change = `created update_root\n {2}fingerprint: none → ${fingerprint}\n {2}version: none → 1`;
    assert.match(stdout, new RegExp(`^${change}`));
    assert.equal(existsSync(installed), false);
    assert.equal((await applied(file)).changed, true);
    const { mode, ino } = await stat(installed);
    assert.equal(mode & 0o777, 0o644);
    assert.deepEqual(JSON.parse(await readFile(installed, "utf8")), root(1));
    assert.deepEqual([await deviceName(), hasOrder()], ["edge-1", false]);
    assert.equal((await applied(file)).changed, false);
    assert.equal((await stat(installed)).ino, ino);
    const inForce = async () =>
      (await agent.call("GET", "/api/updates", { local: true })).json.trust.fingerprint;
    await until("the agent goes by it", async () => (await inForce()) === fingerprint);
  });

  it("follows the installed one by a chain, each signed by the one before", async () => {
    await refused(named("edge-3", root(3)), ["/update_root"]);
    const { changes } = await applied(named("edge-3", [root(1), root(2), root(3)]));
    assert.equal(changes.map(({ action }) => action).join(), "changed,changed");
    assert.deepEqual(JSON.parse(await readFile(installed, "utf8")), root(3));
    assert.equal((await applied(named("edge-3", root(3)))).changed, false);
  });

  it("changes nothing else where root cannot put it in its place, or the agent looks elsewhere", async () => {
    publisher.publishRoot();
    const elsewhere = join(await temporaryDirectory(suite), "steward.json");
    // A folder in its place, which no file can replace.
    const blocked = join(elsewhere, "../blocked/update-root.json");
    await mkdir(blocked, { recursive: true });
    for (const STEWARD_HOST_FILE of [elsewhere, join(blocked, "../steward.json")]) {
      const { code, stderr } = await runSteward(["apply", "-"], {
        environment: { ...environment, STEWARD_HOST_FILE },
        input: JSON.stringify(named("edge-4", root(4))),
      });
      assert.notEqual(code, 0, stderr);
      assert.deepEqual([await deviceName(), hasOrder()], ["edge-3", false]);
    }
    await applied(named("edge-7", root(4)));
  });
});
