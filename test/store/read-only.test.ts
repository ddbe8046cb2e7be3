import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { login } from "./damaged-state.ts";
import { mountPrivately, type PrivateMount } from "./private-mount.ts";
import { becomes, fingerprints, startAgent } from "./state-directory.ts";

/** Puts a read-only view over the directory, as when the kernel remounts a failing disk. Files held open stay so. */
const makeReadOnly = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"';

describe("a state directory that becomes read-only", () => {
  it("refuses a change with storage_unwritable, in words that say where to look, and changes nothing", async (test) => {
    const mount = await smallDisk(test);
    if (!mount) return;
    const agent = await startAgent(test, { stateDirectory: mount.directory, prefix: mount.prefix });
    const { token } = await agent.signedInAdmin();
    const before = (await agent.call("GET", "/api/system", { token })).text;
    mount.run(makeReadOnly);
    const files = await fingerprints(mount.seen);
    const body = { device: { name: "never" } };
    const { status, json } = await agent.call("PUT", "/api/system", { token, body });
    assert.deepEqual([status, json.code], [507, "storage_unwritable"]);
    assert.match(json.detail, /settings\.json cannot be written \(EROFS\) and was not changed/);
    assert.match(json.detail, /read-only/);
    assert.equal(json.detail.includes(mount.directory), true);
    assert.equal((await agent.call("GET", "/api/system", { token })).text, before);
    assert.deepEqual(await fingerprints(mount.seen), files);
    assert.deepEqual((await agent.call("GET", "/api/health")).json, { status: "degraded" });
  });

  it("keeps nobody from signing in, and heals when it can be written again", async (test) => {
    const mount = await smallDisk(test);
    if (!mount) return;
    const agent = await startAgent(test, { stateDirectory: mount.directory, prefix: mount.prefix });
    const { token } = await agent.signedInAdmin();
    mount.run(makeReadOnly);
    const body = { device: { name: "pump 8" } };
    assert.equal((await agent.call("PUT", "/api/system", { token, body })).status, 507);
    assert.equal((await agent.call("POST", "/api/auth/login", login)).status, 200);
    mount.run('umount "$1"');
    assert.equal((await agent.call("PUT", "/api/system", { token, body })).status, 200);
    const isWell = async () => (await agent.call("GET", "/api/health")).json.status === "ok";
    assert.equal(await becomes(isWell, 8), true);
  });

  it("is refused at start, in words that name it", async (test) => {
    const mount = await smallDisk(test);
    if (!mount) return;
    mount.run(makeReadOnly);
    const start = startAgent(test, { stateDirectory: mount.directory, prefix: mount.prefix });
    const words = `exit 1\\): steward: The state directory ${mount.directory} cannot be used \\(EROFS\\)`;
    await assert.rejects(start, { message: new RegExp(words) });
  });

  it("is refused at start too where it has state already", async (test) => {
    const mount = await smallDisk(test);
    if (!mount) return;
    const agent = await startAgent(test, { stateDirectory: mount.directory, prefix: mount.prefix });
    await agent.signedInAdmin();
    await agent.stop();
    mount.run(makeReadOnly);
    const start = startAgent(test, { stateDirectory: mount.directory, prefix: mount.prefix });
    await assert.rejects(start, { message: new RegExp(`exit 1\\): steward: .*${mount.directory}.*EROFS`) });
  });
});

/** Undefined where mounting is not permitted: then the test is skipped, saying why. */
async function smallDisk(test: TestContext): Promise<PrivateMount | undefined> {
  const mount = await mountPrivately(test, 4);
  if (typeof mount !== "string") return mount;
  test.skip(mount);
  return undefined;
}
