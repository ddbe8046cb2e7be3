import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runSteward } from "../../../lab/agents/agent-in-process.ts";
import { type CheckedAgent, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import type { endOfSuite } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { until } from "../../../lab/basics/until.ts";
import { canonical } from "../../../lab/publisher/canonical.ts";
import { type HostileServer, startHostileServer } from "../../../lab/publisher/hostile-server.ts";
import { SignedRepository } from "../../../lab/publisher/signed-repository.ts";
import { sha256 } from "../../../lab/publisher/signing-key.ts";
import { restBetweenChecks, untilIdle } from "../../../lab/simulated/rest-between-checks.ts";
import { passingTime, type TestTime } from "../../../lab/simulated/test-time.ts";
import { ordinaryServer } from "../../../lab/simulated/time-network.ts";
import type { Updates } from "../../../src/contract/types.ts";
import type { StartFilter } from "../../../src/host/ports.ts";

export interface Publisher {
  repository: SignedRepository;
  server: HostileServer;
  /** The fingerprint is that of its first root. */
  fingerprint: string;
}

/** A publisher's repository on a web server of loopback. Called in a suite's hook; `ending` closes it. */
export async function startPublisher(ending: ReturnType<typeof endOfSuite>): Promise<Publisher> {
  const repository = new SignedRepository();
  const fingerprint = sha256(canonical(repository.root));
  const server = await startHostileServer(ending, repository.files);
  return { repository, server, fingerprint };
}

export interface UpdatingAgentOptions {
  /** The host file has these members. */
  host?: object;
  settings?: object;
  /** `serve` gets these besides its own. */
  arguments?: readonly string[];
  /** State of an agent before it; else a new one. */
  stateDirectory?: string;
  /** The clock is trusted unless this is false. */
  hasTime?: boolean;
  /** Starts the agent's short processes. */
  startFilter?: StartFilter;
}

/** An agent with a host file of its own, where loopback servers are allowed, and a time server, so that its clock is trusted. */
export type UpdatingAgent = Awaited<ReturnType<typeof startUpdatingAgent>>;

export async function startUpdatingAgent(options: UpdatingAgentOptions = {}) {
  const { hasTime = true, stateDirectory } = options;
  const etc = scratchDirectory();
  const hostFile = join(etc, "steward.json");
  const host = { product: "demo", update: { allow_local_servers: true }, ...options.host };
  writeFileSync(hostFile, JSON.stringify(host), { mode: 0o600 });
  const settings = join(etc, "settings.json");
  writeFileSync(settings, JSON.stringify({ time: { mode: "observe", servers: [] }, ...options.settings }));
  const environment = { STEWARD_INITIAL_SETTINGS: settings };
  const time = passingTime();
  const agent = await startCheckedAgent({
    arguments: ["--host-file", hostFile, ...(options.arguments ?? [])],
    environment,
    ...{ time, openClock: time.servedClock() },
    ...(stateDirectory !== undefined && { stateDirectory }),
    ...(options.startFilter && { startFilter: options.startFilter }),
  });
  const status = async () => {
    const { status: answer, json, text } = await agent.call("GET", "/api/updates", { local: true });
    assert.equal(answer, 200, text);
    return json as Updates;
  };
  const settled = () => untilIdle(status);
  const restFromChecks = () => restBetweenChecks(time, status);
  const places = ["--socket", agent.socket, "--state", agent.stateDirectory];
  const run = (...args: string[]) =>
    runSteward([...args, ...places], { environment: { ...environment, STEWARD_HOST_FILE: hostFile } });
  const dispose = async () => {
    try {
      await agent.dispose();
    } finally {
      rmSync(etc, { recursive: true, force: true });
    }
  };
  if (hasTime) {
    await trustClockOf(agent, time).catch(async (error: unknown) => {
      await dispose();
      throw error;
    });
  }
  return {
    ...agent,
    nowSeconds: time.nowSeconds,
    pass: time.pass,
    /** The folder of the host file. */
    etc,
    status,
    /** Waits until nothing is under way. */
    settled,
    /** Lets the seconds pass that must lie between two checks, and no scheduled one is due soon. */
    restFromChecks,
    run,
    /** As `steward update trust install` does. */
    install: async (root: Uint8Array) => {
      const file = join(etc, "given.json");
      writeFileSync(file, root);
      const { code, stderr } = await run("update", "trust", "install", file, "--replace");
      assert.equal(code, 0, stderr);
    },
    confirm: async (fingerprint: string) => {
      const { code, stderr } = await run("update", "trust", "confirm", fingerprint);
      assert.equal(code, 0, stderr);
    },
    /** Changes settings as local root. */
    set: async (ota: object) => {
      const body = { update: { ota } };
      const { status: answer, text } = await agent.call("PUT", "/api/system", { local: true, body });
      assert.equal(answer, 200, text);
    },
    /** Begins a check over the API and waits for its end. */
    check: async (body: object = {}) => {
      await restFromChecks();
      const answer = await agent.call("POST", "/api/updates/check", { local: true, body });
      assert.equal(answer.status, 202, answer.text);
      return settled();
    },
    dispose,
  };
}

/** Set here and not at the first start: the state may be of an agent whose server is no more. */
async function trustClockOf(agent: CheckedAgent, time: TestTime): Promise<void> {
  const body = { time: { mode: "observe", servers: [ordinaryServer.address] } };
  const { status, text } = await agent.call("PUT", "/api/system", { local: true, body });
  assert.equal(status, 200, text);
  await until("the clock is trusted", async () => {
    const json = await agent.read("/api/system/time-sync");
    // A burst waits between its packets.
    time.pass(1);
    return json.trust !== "none";
  });
}
