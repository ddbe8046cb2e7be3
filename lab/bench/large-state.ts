/** The memory and the writes of an agent with thousands of users and API tokens, against those with hardly any. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { limitMemory, unitMemoryMiB } from "../basics/memory-limit.ts";
import { median } from "../basics/quantile.ts";
import { scratchDirectory } from "../basics/scratch.ts";
import { makeLargeState, nameOf, password } from "../state/large-state.ts";
import { agentOf, type Running, start } from "./contestant.ts";
import type { Surroundings } from "./footprint.ts";
import { callJson } from "./requests.ts";
import { type Row, valueRow } from "./row.ts";

const counts = { large: { users: 2_000, tokens: 5_000 }, small: { users: 20, tokens: 20 } } as const;
type Size = keyof typeof counts;

/** MiB of resident memory, and MB written for one user added. */
const most = { memory: 120, userAdded: 1.2 } as const;
type Figure = keyof typeof most;

/** Readings of what one change writes, each after all that it brings about: copies follow within two seconds. */
const readings = 5;
const settleMilliseconds = 4_000;

/** Passes over all pages of users and tokens, with what dashboards and collectors read meanwhile. */
const passes = 3;
const readsByTokens = 100;
const lists = ["/api/users?limit=200", "/api/users?limit=200&sort=-last_login_at", "/api/tokens?limit=200"];

export async function largeStateRows(at: Surroundings): Promise<Row[]> {
  const [large, small] = [await measure(at, "large"), await measure(at, "small")];
  const who = `${counts.large.users} users and ${counts.large.tokens} API tokens / ${counts.small.users} of each`;
  const row = (what: string, of: Figure, unit: string) =>
    valueRow(`${what}, ${who}`, unit, [large[of], small[of]], most[of]);
  return [
    row(`memory at most under MemoryMax=${unitMemoryMiB}M`, "memory", "MiB"),
    row("written for one user added", "userAdded", "MB"),
  ];
}

async function measure(at: Surroundings, size: Size): Promise<Record<Figure, number>> {
  const directory = mkdtempSync(join(at.directory, "state-of-"));
  made[size] ??= makeState(size);
  const { path, tokens } = await made[size];
  cpSync(path, join(directory, "state"), { recursive: true, preserveTimestamps: true });
  const limit = limitMemory(unitMemoryMiB);
  if (limit === null)
    process.stderr.write("No control group can be made here: memory is without the unit's limit.\n");
  const agent = await start(agentOf(at.program), directory, at.node, limit);
  try {
    await readAll(agent, tokens);
    const userAdded = await writtenByUser(agent, join(directory, "run/steward.sock"));
    return { memory: ofProcess(agent, "status", /^VmHWM:\s+(\d+) kB$/m) / 1_024, userAdded };
  } finally {
    await agent.stop();
    limit?.remove();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Made once for all runtimes. */
const made: Partial<Record<Size, ReturnType<typeof makeState>>> = {};

async function makeState(size: Size) {
  const path = scratchDirectory();
  return { path, tokens: (await makeLargeState(path, counts[size])).tokens };
}

/** An administrator who pages through users and tokens, and programs that read status and metrics. */
async function readAll(agent: Running, tokens: readonly string[]): Promise<void> {
  const body = { username: nameOf(0), password };
  const session = await callJson(agent, "POST", "/api/auth/login", { body });
  const token = String(session.access_token ?? JSON.stringify(session));
  for (let pass = 0; pass < passes; pass += 1) {
    for (const list of lists)
      for (let cursor: unknown = ""; cursor !== null; ) {
        const path = `${list}${cursor === "" ? "" : `&cursor=${cursor}`}`;
        const page = await callJson(agent, "GET", path, { token });
        if (!Array.isArray(page.items)) throw new Error(`no page of ${list}: ${JSON.stringify(page)}`);
        cursor = page.next_cursor;
      }
    for (let read = 0; read < readsByTokens; read += 1) {
      const path = read % 2 === 0 ? "/api/status" : "/api/metrics";
      const used = tokens[(pass * readsByTokens + read) % tokens.length] ?? "";
      const headers = { authorization: `Bearer ${used}` };
      const answer = await fetch(`http://127.0.0.1:${agent.port}${path}`, { headers });
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`${path}: ${text}`);
    }
  }
}

/** MB that the agent hands to the disk for one user, until nothing more follows from it. */
async function writtenByUser(agent: Running, socketPath: string): Promise<number> {
  const results: number[] = [];
  // The first turn brings files up to date that the start left behind, and does not count.
  for (let turn = 0; turn <= readings; turn += 1) {
    const before = ofProcess(agent, "io", /^write_bytes: (\d+)$/m);
    // On no disk nothing is counted.
    if (before === 0) throw new Error("the kernel counts no bytes written: TMPDIR must be on a disk");
    const body = { username: `added-${turn}`, password, role: "operator" };
    const user = await callJson({ socketPath }, "POST", "/api/users", { body });
    if (user.id === undefined) throw new Error(`no user: ${JSON.stringify(user)}`);
    await delay(settleMilliseconds);
    if (turn > 0) results.push((ofProcess(agent, "io", /^write_bytes: (\d+)$/m) - before) / 1e6);
  }
  return median(results);
}

function ofProcess({ pid }: Running, file: string, line: RegExp): number {
  return Number(line.exec(readFileSync(`/proc/${pid}/${file}`, "utf8"))?.[1]);
}
