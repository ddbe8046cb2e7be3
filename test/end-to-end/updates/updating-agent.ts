import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type InProcessOptions, runSteward } from "../../../lab/agents/agent-in-process.ts";
import { startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import type { endOfSuite } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { until } from "../../../lab/basics/until.ts";
import { canonical } from "../../../lab/publisher/canonical.ts";
import { type HostileServer, startHostileServer } from "../../../lab/publisher/hostile-server.ts";
import { SignedRepository } from "../../../lab/publisher/signed-repository.ts";
import { sha256 } from "../../../lab/publisher/signing-key.ts";
import { restBetweenChecks, untilIdle } from "../../../lab/simulated/rest-between-checks.ts";
import { passingTime } from "../../../lab/simulated/test-time.ts";
import { ordinaryServer } from "../../../lab/simulated/time-network.ts";
import type { Updates } from "../../../src/contract/types.ts";

export interface Publisher {
  repository: SignedRepository;
  server: HostileServer;
  fingerprint: string;
}

/** A publisher's repository on a web server of loopback. Called in a suite's hook; `ending` closes it. */
export async function startPublisher(ending: ReturnType<typeof endOfSuite>): Promise<Publisher> {
  const repository = new SignedRepository();
  const fingerprint = sha256(canonical(repository.root));
  const server = await startHostileServer(ending, repository.files);
  return { repository, server, fingerprint };
}

interface UpdatingAgentOptions
  extends Pick<InProcessOptions, "stateDirectory" | "arguments" | "startFilter"> {
  host?: object;
  settings?: object;
  /** The clock is trusted unless this is false. */
  hasTime?: boolean;
}

/** An agent with a host file of its own, where loopback servers are allowed, and a time server, so that its clock is trusted. */
export type UpdatingAgent = Awaited<ReturnType<typeof startUpdatingAgent>>;

export async function startUpdatingAgent(options: UpdatingAgentOptions = {}) {
  const { hasTime = true, host, settings: initial, arguments: words = [], ...others } = options;
  const etc = scratchDirectory();
  const [hostFile, settings] = [join(etc, "steward.json"), join(etc, "settings.json")];
  const decisions = { product: "demo", update: { allow_local_servers: true }, ...host };
  writeFileSync(hostFile, JSON.stringify(decisions), { mode: 0o600 });
  writeFileSync(settings, JSON.stringify({ time: { mode: "observe", servers: [] }, ...initial }));
  const environment = { STEWARD_INITIAL_SETTINGS: settings };
  const time = passingTime();
  const agent = await startCheckedAgent({
    ...{ ...others, environment, time, openClock: time.servedClock() },
    arguments: ["--host-file", hostFile, ...words],
  });
  const status = (): Promise<Updates> => agent.read("/api/updates");
  const settled = () => untilIdle(status);
  const restFromChecks = () => restBetweenChecks(time, status);
  const places = ["--socket", agent.socket, "--state", agent.stateDirectory];
  const run = (...args: string[]) =>
    runSteward([...args, ...places], { environment: { ...environment, STEWARD_HOST_FILE: hostFile } });
  const steward = async (...args: string[]) => {
    const { code, stderr } = await run(...args);
    assert.equal(code, 0, stderr);
  };
  const set = async (change: object) => {
    const { status: answer, text } = await agent.call("PUT", "/api/system", { local: true, body: change });
    assert.equal(answer, 200, text);
  };
  if (hasTime) {
    // Not at the first start: the state may be of an agent whose server is no more.
    await set({ time: { mode: "observe", servers: [ordinaryServer.address] } });
    await until("the clock is trusted", async () => {
      const { trust } = await agent.read("/api/system/time-sync");
      // A burst waits between its packets.
      time.pass(1);
      return trust !== "none";
    });
  }
  return {
    ...agent,
    nowSeconds: time.nowSeconds,
    pass: time.pass,
    /** The folder of the host file. */
    etc,
    status,
    settled,
    /** Lets the seconds pass that must lie between two checks, and no scheduled one is due soon. */
    restFromChecks,
    run,
    install: async (root: Uint8Array) => {
      const file = join(etc, "given.json");
      writeFileSync(file, root);
      await steward("update", "trust", "install", file, "--replace");
    },
    confirm: (fingerprint: string) => steward("update", "trust", "confirm", fingerprint),
    set: (ota: object) => set({ update: { ota } }),
    /** Begins a check over the API and waits for its end. */
    check: async (body: object = {}) => {
      await restFromChecks();
      const answer = await agent.call("POST", "/api/updates/check", { local: true, body });
      assert.equal(answer.status, 202, answer.text);
      return settled();
    },
  };
}
