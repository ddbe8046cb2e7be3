import assert from "node:assert/strict";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { enrol } from "../../lab/agents/enrol.ts";
import {
  adminName,
  adminPassword,
  type RunningAgent,
  startAgentProcess,
} from "../../lab/agents/running-agent.ts";
import { codeOf } from "../../lab/basics/authenticator.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { mountPrivately } from "../../lab/state/private-mount.ts";
import type { HostIdentity } from "../../src/host/ports.ts";
import { boxA, boxB, machine, time } from "./boxes.ts";

const [original, copy] = [boxA, boxB];

/** Gives the original an administrator with a second factor, a session and an API token. */
async function provision(agent: RunningAgent) {
  const admin = await agent.signedInAdmin();
  const { secret } = await enrol(agent.call, { ...admin, password: adminPassword }, time.nowSeconds());
  const body = { name: "fleet", scopes: ["system:read"] };
  const made = await agent.call("POST", "/api/tokens", { token: admin.token, body });
  assert.equal(made.status, 201, made.text);
  return { secret, token: made.json.token as string, refresh_token: admin.refreshToken };
}

describe("state that was copied from another machine", () => {
  let stateDirectory: string;
  let agents: RunningAgent[];
  beforeEach(async () => {
    stateDirectory = scratchDirectory();
    agents = [];
  });
  afterEach(async () => {
    for (const agent of agents) await agent.dispose();
    await rm(stateDirectory, { recursive: true, force: true });
  });

  const start = async (identity: HostIdentity, place = stateDirectory): Promise<RunningAgent> => {
    const agent = await startAgentInProcess({ stateDirectory: place, identity, time });
    agents.push(agent);
    return agent;
  };
  const seedAndKey = async () => {
    const { seed } = JSON.parse(await readFile(join(stateDirectory, "updates.json"), "utf8"));
    return { seed, key: await readFile(join(stateDirectory, ".seal.key"), "hex") };
  };
  const signIn = (agent: RunningAgent, code?: string) =>
    agent.call("POST", "/api/auth/login", { body: { username: adminName, password: adminPassword, code } });

  it("gets its own seed and key, and nothing given to the other machine is good for it", async () => {
    const first = await start(original);
    const { secret, token, refresh_token } = await provision(first);
    await first.stop();
    const before = await seedAndKey();
    await writeFile(join(stateDirectory, "history.bin"), "figures of the other machine");

    const second = await start(copy);
    assert.equal((await readdir(stateDirectory)).includes("history.bin"), false);
    assert.equal((await second.call("GET", "/api/status", { token })).status, 401, "the API token");
    const refreshed = await second.call("POST", "/api/auth/refresh", { body: { refresh_token } });
    assert.equal(refreshed.status, 401, "the session");
    const signedIn = await signIn(second, codeOf(secret, time.nowSeconds() + 30));
    assert.equal(signedIn.status, 200, `the account with its second factor stays: ${signedIn.text}`);

    const { items } = await second.read("/api/events?after=0");
    assert.deepEqual([items[0].seq, items[0].type], [1, "host.identity_changed"]);
    assert.deepEqual(items[0].details, {
      ...{ former_device_id: original.deviceId, two_factor_resealed: 1, tokens_ended: 1 },
      sessions_ended: items[0].details.sessions_ended,
    });
    assert.ok(items[0].details.sessions_ended >= 1);
    assert.ok((await readdir(stateDirectory)).includes("events-before"), "the former record is kept");
    await second.stop();
    const after = await seedAndKey();
    assert.match(after.seed, /^[0-9a-f]{32}$/);
    assert.notEqual(after.seed, before.seed);
    assert.notEqual(after.key, before.key);

    const third = await start(copy);
    const again = (await third.read("/api/events?after=0")).items;
    assert.equal(again.filter(({ type }: { type: string }) => type === "host.identity_changed").length, 1);
    assert.deepEqual((await seedAndKey()).key, after.key, "it is done once");
  });

  it("loses nothing where the machine-id cannot be read, nor when it can again", async () => {
    const first = await start(original);
    const { token } = await provision(first);
    await first.stop();
    const before = await seedAndKey();
    const second = await start(machine("c", false));
    assert.equal((await second.call("GET", "/api/status", { token })).status, 200);
    await second.stop();
    const third = await start(original);
    assert.equal((await third.call("GET", "/api/status", { token })).status, 200);
    assert.deepEqual(await seedAndKey(), before);
  });

  it("becomes this machine's without a loss where an earlier release made it", async () => {
    const first = await start(original);
    const { token } = await provision(first);
    await first.stop();
    await rm(join(stateDirectory, ".identity.json"));
    const second = await start(copy);
    assert.equal((await second.call("GET", "/api/status", { token })).status, 200);
  });

  it("is finished after a power cut between the new key and its use", async () => {
    const first = await start(original);
    const { secret } = await provision(first);
    await first.stop();
    const { key } = await seedAndKey();
    const half = await start(copy);
    await half.stop();
    // As it was before the key took its place: the secret is sealed with the next key, which still has its other name.
    const next = (await seedAndKey()).key;
    await writeFile(join(stateDirectory, ".seal.key.next"), Buffer.from(next, "hex"));
    await writeFile(join(stateDirectory, ".seal.key"), Buffer.from(key, "hex"));
    const identity = { device_id: original.deviceId, untold: null };
    await writeFile(join(stateDirectory, ".identity.json"), JSON.stringify(identity));
    const whole = await start(copy);
    const signedIn = await signIn(whole, codeOf(secret, time.nowSeconds() + 30));
    assert.equal(signedIn.status, 200, signedIn.text);
    assert.equal((await seedAndKey()).key, next);
  });

  const isNews = ({ type }: { type: string }) => type === "host.identity_changed";

  it("is taken over in a lower layer of overlayfs, which renames no directory", async (test) => {
    const mount = await mountPrivately(test, 64);
    if (typeof mount === "string") return test.skip(mount);
    const first = await start(original);
    const { token } = await provision(first);
    await first.stop();
    await cp(stateDirectory, join(mount.seen, "lower"), { recursive: true });
    const layers = 'lowerdir="$1/lower",upperdir="$1/upper",workdir="$1/work"';
    mount.run(`cd "$1"; mkdir upper work state; mount -t overlay overlay -o ${layers} "$1/state"`);
    const place = join(mount.seen, "state");
    const second = await start(copy, place);
    assert.equal((await second.call("GET", "/api/status", { token })).status, 401, "the API token");
    const { items } = await second.read("/api/events?after=0");
    assert.ok(items[0].seq === 1 && isNews(items[0]), JSON.stringify(items[0]));
    const kept = (await readdir(join(place, "events-before"))).sort();
    assert.deepEqual(kept, (await readdir(join(mount.seen, "lower/events"))).sort());
    await second.stop();
  });

  it("is taken over once where its events cannot be set aside: they go on", async () => {
    const first = await start(original);
    await provision(first);
    await first.stop();
    await writeFile(join(stateDirectory, ".events-before.part"), "no directory");
    const second = await start(copy);
    assert.match(second.log(), /events of the machine before stay among those of this one/);
    const { items } = await second.read("/api/events?after=0");
    assert.ok(items[0].seq === 1 && !isNews(items[0]) && items.some(isNews), JSON.stringify(items[0]));
    const { id } = items.find(isNews);
    await second.stop();
    const third = await start(copy);
    const again = (await third.read("/api/events?after=0")).items.filter(isNews);
    assert.deepEqual(
      again.map((one: { id: string }) => one.id),
      [id],
    );
  });

  it("keeps no agent from starting where a part of it cannot be removed, and says so", async (test) => {
    const mount = await mountPrivately(test, 64);
    if (typeof mount === "string") return test.skip(mount);
    const place = join(mount.seen, "state");
    await mkdir(place, { mode: 0o700 });
    const first = await start(original, place);
    const { token } = await provision(first);
    await first.stop();
    // A mount point cannot be removed where it is mounted, so that the agent has to be there, too.
    mount.run('mkdir -p "$1/state/tls"; mount -t tmpfs tmpfs "$1/state/tls"');
    mount.run(`echo ${"d".repeat(32)} >"$1/id"; mount --bind "$1/id" /etc/machine-id`);
    const program = { prefix: mount.prefix, stateDirectory: join(mount.directory, "state") };
    const second = await startAgentProcess(program);
    agents.push(second);
    assert.match(second.log(), /the state is not wholly this machine's yet.*EBUSY/);
    assert.equal((await second.call("GET", "/api/status", { token })).status, 401, "the API token");
    await second.stop();
  });
});
