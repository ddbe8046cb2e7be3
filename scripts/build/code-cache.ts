import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** A start takes a tenth of it on a desktop. */
const startMilliseconds = 20_000;

/**
 * Has V8 of this Node write the code caches of the program in `home`, by short runs of the agent and of a command.
 * Those of another V8 are of no use, and go. Throws where the program does not run: such as a Node for another machine.
 */
export async function makeCodeCaches(home: string, node: string): Promise<void> {
  removeCodeCaches(home);
  const directory = mkdtempSync(join(tmpdir(), "steward-build-"));
  try {
    const warmRun = join(home, "warm-run.js");
    const begin = (): ChildProcess => startAgent(node, [warmRun, home, "agent", "serve"], directory);
    const first = begin();
    try {
      await answered(first, join(directory, "run/steward.sock"));
    } finally {
      await ended(first);
    }
    // Another start finds a state, as most starts do, and reads it: what only the first needs would take memory at each.
    removeCodeCaches(home);
    const agent = begin();
    try {
      await answered(agent, join(directory, "run/steward.sock"));
      agent.kill("SIGUSR2");
      const words = ["user", "list", "--socket", join(directory, "run/steward.sock")];
      run(node, [warmRun, home, "command-line", ...words], directory);
    } finally {
      await ended(agent);
    }
    run(node, [warmRun, home, "installer", "--help"], directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

export function removeCodeCaches(home: string): void {
  for (const name of readdirSync(join(home, "parts"), { recursive: true, encoding: "utf8" }))
    if (name.endsWith(".cache")) rmSync(join(home, "parts", name));
}

/** V8 takes a cache only where it runs with the flags that the cache was made with: so without NODE_OPTIONS. */
function environment(directory: string): NodeJS.ProcessEnv {
  const settings = join(directory, "settings.json");
  writeFileSync(settings, JSON.stringify({ time: { mode: "manual", servers: [] } }));
  return { PATH: process.env.PATH, STEWARD_INITIAL_SETTINGS: settings };
}

function startAgent(node: string, args: readonly string[], directory: string): ChildProcess {
  const places = ["--state", join(directory, "state"), "--run", join(directory, "run")];
  // Nothing of this machine's own agent. The parts that judge a host file need one.
  const hostFile = join(directory, "steward.json");
  writeFileSync(hostFile, "{}");
  places.push("--host-file", hostFile);
  return spawn(node, [...args, ...places, "--listen", "127.0.0.1:0"], {
    env: environment(directory),
    stdio: ["ignore", "ignore", "ignore"],
  });
}

async function answered(agent: ChildProcess, socketPath: string): Promise<void> {
  let hasFailed = false;
  agent.once("error", () => {
    hasFailed = true;
  });
  const deadline = Date.now() + startMilliseconds;
  while (Date.now() < deadline && agent.exitCode === null && !hasFailed) {
    const status = await new Promise((resolve) => {
      request({ socketPath, path: "/api/version" }, (answer) => resolve(answer.resume().statusCode))
        .once("error", () => resolve(0))
        .end();
    });
    if (status === 200) return;
    await delay(5);
  }
  throw new Error("the agent did not answer");
}

function run(node: string, args: readonly string[], directory: string): void {
  execFileSync(node, args, { env: environment(directory), stdio: ["ignore", "ignore", "pipe"] });
}

async function ended(agent: ChildProcess): Promise<void> {
  if (agent.pid === undefined || agent.exitCode !== null || agent.signalCode !== null) return;
  const exited = new Promise((resolve) => agent.once("exit", resolve));
  agent.kill("SIGTERM");
  await exited;
}
