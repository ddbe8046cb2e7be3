import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, it } from "node:test";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { enrol } from "../../lab/agents/enrol.ts";
import {
  adminName,
  adminPassword,
  type RunningAgent,
  startAgentProcess,
} from "../../lab/agents/running-agent.ts";
import { codeOf } from "../../lab/basics/authenticator.ts";
import { atEnd, type Ending } from "../../lab/basics/ending.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { mountPrivately } from "../../lab/state/private-mount.ts";
import type { AuditEvent } from "../../src/contract/types.ts";
import type { HostIdentity } from "../../src/host/ports.ts";
import { boxA, boxB, machine, time } from "./boxes.ts";

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
  beforeEach(() => {
    stateDirectory = scratchDirectory();
  });

  const start = async (test: Ending, identity: HostIdentity, place = stateDirectory) => {
    const agent = await startAgentInProcess({ stateDirectory: place, identity, time });
    atEnd(test, () => agent.dispose());
    return agent;
  };
  /** The secrets that the original has left, which has stopped. */
  const left = async (test: Ending, place?: string) => {
    const agent = await start(test, boxA, place);
    const given = await provision(agent);
    await agent.stop();
    return given;
  };
  const seedAndKey = async () => {
    const { seed } = JSON.parse(await readFile(join(stateDirectory, "updates.json"), "utf8"));
    return { seed, key: await readFile(join(stateDirectory, ".seal.key"), "hex") };
  };
  const use = async (agent: RunningAgent, token: string) =>
    (await agent.call("GET", "/api/status", { token })).status;
  /** The account with its second factor stays. */
  const assertSignsIn = async (agent: RunningAgent, secret: string) => {
    const code = codeOf(secret, time.nowSeconds() + 30);
    const body = { username: adminName, password: adminPassword, code };
    const { status, text } = await agent.call("POST", "/api/auth/login", { body });
    assert.equal(status, 200, text);
  };
  const eventsOf = async (agent: RunningAgent): Promise<AuditEvent[]> =>
    (await agent.read("/api/events?after=0")).items;
  const isNews = ({ type }: AuditEvent) => type === "host.identity_changed";

  it("gets its own seed and key, and nothing given to the other machine is good for it", async (test) => {
    const { secret, token, refresh_token } = await left(test);
    const before = await seedAndKey();
    await writeFile(join(stateDirectory, "history.bin"), "figures of the other machine");

    const second = await start(test, boxB);
    assert.equal((await readdir(stateDirectory)).includes("history.bin"), false);
    assert.equal(await use(second, token), 401, "the API token");
    const refreshed = await second.call("POST", "/api/auth/refresh", { body: { refresh_token } });
    assert.equal(refreshed.status, 401, "the session");
    await assertSignsIn(second, secret);
    const [first = assert.fail("no event")] = await eventsOf(second);
    assert.deepEqual([first.seq, isNews(first)], [1, true]);
    const { sessions_ended, ...details } = first.details;
    const former_device_id = boxA.deviceId;
    assert.deepEqual(details, { former_device_id, two_factor_resealed: 1, tokens_ended: 1 });
    assert.ok(Number(sessions_ended) >= 1);
    assert.ok((await readdir(stateDirectory)).includes("events-before"), "the former record is kept");
    await second.stop();
    const after = await seedAndKey();
    assert.match(after.seed, /^[0-9a-f]{32}$/);
    assert.deepEqual([after.seed === before.seed, after.key === before.key], [false, false]);

    const third = await start(test, boxB);
    assert.equal((await eventsOf(third)).filter(isNews).length, 1);
    assert.equal((await seedAndKey()).key, after.key, "it is done once");
  });

  it("loses nothing where the machine-id cannot be read, nor when it can again", async (test) => {
    const { token } = await left(test);
    const before = await seedAndKey();
    const second = await start(test, machine("c", false));
    assert.equal(await use(second, token), 200);
    await second.stop();
    assert.equal(await use(await start(test, boxA), token), 200);
    assert.deepEqual(await seedAndKey(), before);
  });

  it("becomes this machine's without a loss where an earlier release made it", async (test) => {
    const { token } = await left(test);
    await rm(join(stateDirectory, ".identity.json"));
    assert.equal(await use(await start(test, boxB), token), 200);
  });

  it("is finished after a power cut between the new key and its use", async (test) => {
    const { secret } = await left(test);
    const { key } = await seedAndKey();
    await (await start(test, boxB)).stop();
    // As it was before the key took its place: the secret is sealed with the next key, which still has its other name.
    const next = (await seedAndKey()).key;
    await writeFile(join(stateDirectory, ".seal.key.next"), Buffer.from(next, "hex"));
    await writeFile(join(stateDirectory, ".seal.key"), Buffer.from(key, "hex"));
    const identity = { device_id: boxA.deviceId, untold: null };
    await writeFile(join(stateDirectory, ".identity.json"), JSON.stringify(identity));
    await assertSignsIn(await start(test, boxB), secret);
    assert.equal((await seedAndKey()).key, next);
  });

  it("is taken over once where its events cannot be set aside: they go on", async (test) => {
    await left(test);
    await writeFile(join(stateDirectory, ".events-before.part"), "no directory");
    const second = await start(test, boxB);
    assert.match(second.log(), /events of the machine before stay among those of this one/);
    const events = await eventsOf(second);
    const news = events.filter(isNews);
    assert.deepEqual([events[0]?.seq, events.indexOf(news[0] as AuditEvent) > 0], [1, true]);
    await second.stop();
    const again = (await eventsOf(await start(test, boxB))).filter(isNews);
    assert.deepEqual(again, news);
  });

  it("keeps no agent from starting where a part of it cannot be removed, and says so", async (test) => {
    const mount = await mountPrivately(test, 64);
    if (typeof mount === "string") return test.skip(mount);
    const place = join(mount.seen, "state");
    await mkdir(place, { mode: 0o700 });
    const { token } = await left(test, place);
    // A mount point cannot be removed where it is mounted, so that the agent has to be there, too.
    mount.run('mkdir -p "$1/state/tls"; mount -t tmpfs tmpfs "$1/state/tls"');
    mount.run(`echo ${"d".repeat(32)} >"$1/id"; mount --bind "$1/id" /etc/machine-id`);
    const stateThere = join(mount.directory, "state");
    const second = await startAgentProcess({ prefix: mount.prefix, stateDirectory: stateThere });
    atEnd(test, () => second.dispose());
    assert.match(second.log(), /the state is not wholly this machine's yet.*EBUSY/);
    assert.equal(await use(second, token), 401, "the API token");
    await second.stop();
  });
});
