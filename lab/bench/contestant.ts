import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { heldPort } from "../basics/held-ports.ts";
import type { MemoryLimit } from "../basics/memory-limit.ts";

/** A server process that is measured. */
export type Running = Awaited<ReturnType<typeof start>>;

interface Contestant {
  readonly name: string;
  readonly command: (
    port: number,
    directory: string,
  ) => { args: string[]; environment?: Record<string, string> };
}

const root = join(import.meta.dirname, "../..");
const peer = (name: string) => join(import.meta.dirname, "peers", name);

export const bareHttp: Contestant = {
  name: "node:http, bare",
  command: () => ({ args: [peer("bare-http.cjs")] }),
};

/** No time servers: no public one is asked. */
const noServers = join(root, "lab/run/settings.json");

/** The agent of the program in this directory, with root's decisions in a host file where one is given. */
export function agentOf(program: string, hostFile?: string, settings = noServers): Contestant {
  return {
    name: "steward",
    command: (port, directory) => ({
      args: [
        ...[join(program, "main.js"), "serve", "--listen", `127.0.0.1:${port}`],
        ...["--state", join(directory, "state"), "--run", join(directory, "run")],
        ...(hostFile === undefined ? [] : ["--host-file", hostFile]),
      ],
      environment: { STEWARD_INITIAL_SETTINGS: settings },
    }),
  };
}

/** `body`: what it answers to GET /api/system. */
export function fastifyJwt(body: string): Contestant {
  return {
    name: "fastify + @fastify/jwt, cached",
    command: () => ({ args: [peer("fastify-jwt.mjs")], environment: { BODY: body } }),
  };
}

/** The directory in which a contestant keeps its state between its runs. */
export function scratchDirectory(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "steward-bench-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** The environment that steward.service sets for the agent; its peers have it as well. */
function unitEnvironment(): Record<string, string> {
  const unit = readFileSync(join(root, "systemd/steward.service"), "utf8");
  const words = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, line = ""]) => line.split(" "));
  return Object.fromEntries(words.map((word) => word.split("=") as [string, string]));
}

/**
 * Starts a contestant with this Node on the first processor, so that the load has the other, and waits for its first
 * answer. `limit`: its control group.
 */
export async function start(
  contestant: Contestant,
  directory: string,
  node: string,
  limit: MemoryLimit | null = null,
) {
  const port = await heldPort();
  const { args, environment } = contestant.command(port, directory);
  const begun = performance.now();
  const [command = "", ...words] = [...(limit?.prefix ?? []), "taskset", "--cpu-list", "0", node, ...args];
  const child = spawn(command, words, {
    stdio: "ignore",
    env: { ...process.env, ...unitEnvironment(), ...environment, PORT: String(port) },
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const pid = child.pid ?? 0;
  for (let tries = 0; !(await hasAnswered(port)); tries += 1) {
    if (child.exitCode !== null || tries === 5_000) throw new Error(`${contestant.name} did not answer`);
    await delay(1);
  }
  const startProcessorMilliseconds = processorMillisecondsOf(pid);
  return {
    ...{ pid, port, startProcessorMilliseconds },
    /** From the spawn to the first answer; and the processor time of all its threads until then, above. */
    startMilliseconds: performance.now() - begun,
    /** MiB: all of its memory with the parts of Node's own file that are mapped, and what is its own, backed by no file. */
    memory: () => {
      const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
      const mebibytes = (name: string) =>
        Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text)?.[1]) / 1_024;
      return { residentMiB: mebibytes("Rss"), anonymousMiB: mebibytes("Anonymous") };
    },
    processorMilliseconds: () => processorMillisecondsOf(pid),
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** The time of all threads so far. /proc/PID/stat counts in hundredths of a second, which is longer than a read. */
function processorMillisecondsOf(pid: number): number {
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map((task) =>
    Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6;
}

function hasAnswered(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: "127.0.0.1", port, path: "/api/version", agent: false }, (response) => {
      response.resume().once("end", () => resolve(true));
    });
    request.once("error", () => resolve(false));
  });
}

/** Variables that a program may find set without its measurements differing from those on a device. */
const kept = new Set(["PATH", "HOME", "TMPDIR"]);

/**
 * Clears the environment of this process, and so of all that it starts. A development machine often sets variables that
 * no device has: with NODE_EXTRA_CA_CERTS each start of Node reads the system's certificates, which doubles it.
 */
export function clearEnvironment(): void {
  for (const name of Object.keys(process.env)) if (!kept.has(name)) delete process.env[name];
}
