/** `make bench`: what the agent costs, as ratios against peers run in the same call, one after the other in turns. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { applyRows } from "./apply.ts";
import { clockRows } from "./clock.ts";
import {
  agent,
  bareHttp,
  type Contestant,
  fastifyJwt,
  type Running,
  scratchDirectory,
  start,
} from "./contestant.ts";
import { payloadRows } from "./payload.ts";
import { callJson, requestsPerSecond } from "./requests.ts";
import { median, type Row } from "./row.ts";

const startRounds = 11;
/** Of these, how many wait until they are idle: memory varies little from one start to the next. */
const memoryRounds = 2;
const loadRounds = 15;
const quickRounds = 31;

/** Milliseconds after the first answer until a server is idle. */
const idleMilliseconds = 2_000;

const scratch = scratchDirectory();
try {
  const rows = [
    ...(await startAndMemory()),
    quickAnswers(),
    await authenticatedRequests(),
    ...(await payloadRows()),
    ...(await applyRows()),
    ...(await clockRows()),
  ];
  print(rows);
  const directory = join(import.meta.dirname, "../../var");
  mkdirSync(directory, { recursive: true });
  writeFileSync(
    join(directory, "bench.json"),
    `${JSON.stringify({ node: process.version, rows }, undefined, 2)}\n`,
  );
} finally {
  scratch.remove();
}

async function startAndMemory(): Promise<Row[]> {
  const contestants = [bareHttp, agent];
  const starts: number[][] = [[], []];
  const residents: number[][] = [[], []];
  for (let round = 0; round < startRounds; round += 1) {
    for (const [index, contestant] of contestants.entries()) {
      const running = await start(contestant, scratch.path);
      starts[index]?.push(running.startMilliseconds);
      if (round < memoryRounds) {
        await new Promise((resolve) => setTimeout(resolve, idleMilliseconds));
        residents[index]?.push(running.residentMiB());
      }
      await running.stop();
    }
  }
  const [bareStart = [], agentStart = []] = starts;
  const [bareResident = [], agentResident = []] = residents;
  return [
    row("idle resident memory / bare node:http", "MiB", agentResident, bareResident, 1.3, "most"),
    row("start to first answer / bare node:http", "ms", agentStart, bareStart, 2.5, "most"),
  ];
}

/** What a shell asks for at each of its starts: how much longer than Node alone takes. */
function quickAnswers(): Row {
  const program = join(import.meta.dirname, "../../dist/main.js");
  const times: [number[], number[]] = [[], []];
  const lines = [
    [program, "completion", "bash"],
    ["-e", "0"],
  ];
  for (let round = 0; round < quickRounds; round += 1) {
    for (const [index, words] of lines.entries()) {
      const began = performance.now();
      // Where it is set, each start reads the system's certificates, which no device has it do.
      execFileSync(process.execPath, words, { env: { PATH: process.env.PATH } });
      times[index]?.push(performance.now() - began);
    }
  }
  return row("steward completion bash / node -e 0", "ms", ...times, 1.3, "most");
}

async function authenticatedRequests(): Promise<Row> {
  const own = await start(agent, scratch.path);
  const session = await signIn(own);
  const settings = await callJson({ port: own.port }, "GET", "/api/system", { token: session });
  const peer = await start(fastifyJwt(JSON.stringify(settings)) satisfies Contestant, scratch.path);
  const { access_token: peerToken } = await callJson({ port: peer.port }, "GET", "/token");
  const results: [number[], number[]] = [[], []];
  try {
    // The first turn of each warms it up and does not count.
    for (let round = 0; round <= loadRounds; round += 1) {
      const ownRate = await requestsPerSecond(own.port, session);
      const peerRate = await requestsPerSecond(peer.port, String(peerToken));
      if (round > 0) {
        results[0].push(ownRate);
        results[1].push(peerRate);
      }
    }
  } finally {
    await Promise.all([own.stop(), peer.stop()]);
  }
  return row("authenticated GET /api/system / fastify + @fastify/jwt", "req/s", ...results, 0.9, "least");
}

async function signIn(running: Running): Promise<string> {
  const credentials = { username: "bench-admin", password: "four unrelated words here" };
  const socketPath = join(scratch.path, "run/steward.sock");
  await callJson({ socketPath }, "POST", "/api/users", { body: { ...credentials, role: "admin" } });
  const { access_token: token } = await callJson({ port: running.port }, "POST", "/api/auth/login", {
    body: credentials,
  });
  return String(token);
}

function row(
  what: string,
  unit: string,
  own: number[],
  peer: number[],
  bound: number,
  side: "most" | "least",
): Row {
  const value = median(own);
  const peerValue = median(peer);
  const ratio = median(own.map((one, turn) => one / (peer[turn] ?? Number.NaN)));
  const isWithin = side === "most" ? ratio <= bound : ratio >= bound;
  return {
    what,
    unit,
    value,
    peer: peerValue,
    ratio,
    bound: `${side === "most" ? "≤" : "≥"} ${bound.toFixed(2)}`,
    isWithin,
  };
}

function print(rows: Row[]): void {
  process.stdout.write("| what | steward | peer | ratio | bound |\n|---|---|---|---|---|\n");
  for (const { what, unit, value, peer, ratio, bound, isWithin } of rows) {
    const digits = unit === "req/s" ? 0 : 1;
    const verdict = isWithin ? "" : " (missed)";
    process.stdout.write(
      `| ${what} | ${value.toFixed(digits)} ${unit} | ${peer.toFixed(digits)} ${unit} | ${ratio.toFixed(2)} | ${bound}${verdict} |\n`,
    );
  }
}
