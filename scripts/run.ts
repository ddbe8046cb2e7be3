/** `make run`: the built agent in the foreground with all its state under ./var, and what to do next. */
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { installDemoProduct } from "./demo-product/install.ts";

const root = join(import.meta.dirname, "..");
const state = join(root, "var/state");
const run = join(root, "var/run");
const socket = join(run, "steward.sock");
const address = "127.0.0.1:8470";

/** Observe the clock, ask nobody for the time. */
const initialSettings = join(root, "scripts/run-settings.json");

/** What root decides on a device stands here in a folder of the run's own. */
const hostFile = join(root, "var/etc/steward.json");

/** What root's side of updates installs, and what it keeps for itself. */
const releases = join(root, "var/releases");
const trust = join(root, "var/trust");

writeCommand(join(root, "var/steward"));
installDemoProduct({ product: join(root, "var/product"), hostFile });
const agent = spawn(
  process.execPath,
  [
    join(root, "dist/main.js"),
    ...["serve", "--state", state, "--run", run, "--listen", address, "--host-file", hostFile],
    ...["--releases", releases, "--trust", trust],
  ],
  { stdio: "inherit", env: { ...process.env, STEWARD_INITIAL_SETTINGS: initialSettings } },
);
agent.once("exit", (code) => process.exit(code ?? 1));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => agent.kill(signal));
await answering();
process.stdout.write(await nextSteps());

/** The command line for this agent: the same program, told where its socket and state are. */
function writeCommand(path: string): void {
  mkdirSync(join(root, "var"), { recursive: true });
  const places = {
    STEWARD_SOCKET: socket,
    STEWARD_STATE: state,
    STEWARD_HOST_FILE: hostFile,
    STEWARD_RELEASES: releases,
    STEWARD_TRUST: trust,
    STEWARD_INITIAL_SETTINGS: initialSettings,
  };
  const environment = Object.entries(places).map(([name, value]) => `${name}='${value}'`);
  const program = join(root, "dist/main.js");
  writeFileSync(path, `#!/bin/sh\n${environment.join(" ")} exec node '${program}' "$@"\n`);
  chmodSync(path, 0o755);
}

async function answering(): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if ((await ask("/api/health")) !== undefined) return;
    await delay(50);
  }
  throw new Error("the agent did not answer within 10 s");
}

async function nextSteps(): Promise<string> {
  const setup = JSON.parse((await ask("/api/setup")) ?? "{}") as { setup_required?: boolean };
  const listening = `\nSteward listens on http://${address} and ${socket}. Ctrl-C stops it.\n`;
  if (!setup.setup_required) {
    return `${listening}In another terminal, try:\n\n  ./var/steward user list\n\n`;
  }
  const token = readFileSync(join(run, "setup-token"), "utf8").trim();
  return `${listening}It has no administrator yet. Make the first one in another terminal, either on this machine:

  ./var/steward user add root-admin --role admin

or over HTTP, with the setup token ${token}:

  curl -sS http://${address}/api/setup -H 'Content-Type: application/json' \\
    -d '{"setup_token": "${token}", "username": "root-admin", "password": "CHOOSE FOUR UNRELATED WORDS"}'

`;
}

function ask(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const request = get({ socketPath: socket, path, agent: false }, async (response) => {
      resolve((await response.setEncoding("utf8").toArray()).join(""));
    });
    request.once("error", () => resolve(undefined));
  });
}
