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
  const socket = join(directory, "run/steward.sock");
  const run = (...words: readonly string[]): void =>
    void execFileSync(node, [join(home, "warm-run.js"), home, ...words], {
      ...{ env: environment(directory), stdio: ["ignore", "ignore", "pipe"] },
    });
  try {
    await whileAgentRuns(home, node, directory, () => undefined);
    // Another start finds a state, as most starts do, and reads it: what only the first needs would take memory at each.
    removeCodeCaches(home);
    await whileAgentRuns(home, node, directory, (agent) => {
      agent.kill("SIGUSR2");
      run("command-line", "user", "list", "--socket", socket);
    });
    run("installer", "--help");
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

async function whileAgentRuns(
  home: string,
  node: string,
  directory: string,
  work: (agent: ChildProcess) => void,
): Promise<void> {
  const inside = (name: string) => join(directory, name);
  // Nothing of this machine's own agent. The parts that judge a host file need one.
  writeFileSync(inside("steward.json"), "{}");
  const places = ["--state", inside("state"), "--run", inside("run"), "--host-file", inside("steward.json")];
  const words = [join(home, "warm-run.js"), home, "agent", "serve", ...places, "--listen", "127.0.0.1:0"];
  const agent = spawn(node, words, { env: environment(directory), stdio: "ignore" });
  const exited = new Promise<void>((resolve) => {
    agent.once("error", () => resolve());
    agent.once("exit", () => resolve());
  });
  try {
    await answered(agent, inside("run/steward.sock"), exited);
    work(agent);
  } finally {
    agent.kill("SIGTERM");
    await exited;
  }
}

async function answered(agent: ChildProcess, socketPath: string, exited: Promise<void>): Promise<void> {
  let isOver = false;
  void exited.then(() => {
    isOver = true;
  });
  for (const deadline = Date.now() + startMilliseconds; Date.now() < deadline && !isOver; await delay(5)) {
    const status = await new Promise((resolve) => {
      request({ socketPath, path: "/api/version" }, (answer) => resolve(answer.resume().statusCode))
        .once("error", () => resolve(0))
        .end();
    });
    if (status === 200) return;
  }
  throw new Error(`the agent did not answer, with exit code ${agent.exitCode}`);
}
