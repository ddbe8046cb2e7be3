/** `make fuzz`: the built agent, in a process that cannot set the clock, under requests and bytes of everyone. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { operationIds } from "../../src/contract/operations.ts";
import { type AgentProcess, testProxy } from "../agents/running-agent.ts";
import { startWithoutClockRight } from "../agents/without-clock-right.ts";
import { createChance } from "../basics/chance.ts";
import { atEnd, type Ending } from "../basics/ending.ts";
import { unitMemoryMiB } from "../basics/memory-limit.ts";
import { writeHostFile } from "../host/host-file-of-root.ts";
import type { Bench } from "./api/bench.ts";
import { createClient } from "./api/client.ts";
import { fuzzAgent, takeSnapshot } from "./api/fuzz-api.ts";
import type { World } from "./api/world.ts";
import { fuzzPort } from "./socket.ts";

const requests = Number(process.env.STEWARD_CASES ?? 20_000);
/** From these on every kind of caller and most operations must have had successes: else it has tried little. */
const manyRequests = 5_000;
const connections = Number(process.env.STEWARD_CASES ?? 3_000);

async function startFuzzed(test: Ending, stateDirectory?: string): Promise<AgentProcess> {
  const hostFile = process.getuid?.() === 0 ? writeHostFile({ trusted_proxies: [testProxy] }) : null;
  const agent = await startWithoutClockRight({
    ...(stateDirectory !== undefined && { stateDirectory }),
    ...(hostFile && { arguments: ["--host-file", hostFile.path] }),
  });
  atEnd(test, async () => {
    await agent.dispose();
    hostFile?.remove();
  });
  return agent;
}

/** It runs, has logged no error and has stayed within its memory. */
function judgeProcess({ process: child, pid, log }: AgentProcess): void {
  assert.deepEqual([child.exitCode, child.signalCode], [null, null], log().slice(-500));
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const peakMiB = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1_024;
  assert.ok(peakMiB <= unitMemoryMiB, `it took ${peakMiB.toFixed(0)} MiB, and may take ${unitMemoryMiB}`);
  assert.doesNotMatch(log(), /^.*"severity":"error".*$/m);
}

/** The files of the state directory, and the log, that have a password, token or code. */
function leaks(world: World, { stateDirectory, log }: AgentProcess): string[] {
  const ended = world.dead.flatMap(({ bearer, refresh }) => [bearer, refresh]);
  const secrets = [...world.secrets(), ...ended].filter((secret) => secret !== "");
  const files = readdirSync(stateDirectory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== ".reserve")
    .map(({ parentPath, name }) => join(parentPath, name));
  const texts = [...files.map((path) => [path, readFileSync(path, "latin1")]), ["the log", log()]];
  const isLeak = ([, text = ""]: string[]) => secrets.some((secret) => text.includes(secret));
  return texts.filter(isLeak).map(([where = ""]) => where);
}

/** A run whose requests are all refused at the door shows nothing. */
function judgeReach({ succeeded, callers }: Bench): void {
  assert.ok(succeeded.size >= operationIds.length / 2, `${succeeded.size} operations have succeeded`);
  for (const caller of ["root", "admin", "operator", "readonly", "API token", "anonymous"])
    assert.ok((callers.get(caller) ?? 0) >= requests / 1_000, `${caller} has hardly had a success`);
}

describe("the built agent", () => {
  it("keeps every rule under requests in sequences by every role, and begins again with what it had", async (test) => {
    const agent = await startFuzzed(test);
    const seed = Number(process.env.STEWARD_SEED);
    const { bench, snapshot } = await fuzzAgent(createChance(seed), requests, createClient(agent));
    assert.deepEqual(bench.findings, []);
    if (requests >= manyRequests) judgeReach(bench);
    assert.deepEqual(leaks(bench.world, agent), []);
    judgeProcess(agent);
    assert.equal(await agent.stop(), 0);
    const again = await startFuzzed(test, agent.stateDirectory);
    assert.equal((await takeSnapshot(createClient(again))).text, snapshot.text);
  });

  it("serves on after bytes that are no request, or almost one", async (test) => {
    const agent = await startFuzzed(test);
    // Without an administrator all is 503.
    await agent.signedInAdmin();
    await fuzzPort(connections, agent.port);
    assert.equal((await agent.call("GET", "/api/health")).status, 200);
    judgeProcess(agent);
  });
});
