/** Starts the program of a package, as it was packed, by the runtime of its machine; on another machine by qemu. */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { pinnedRuntime } from "../runtimes.ts";
import { emulation, type Machine } from "./machines.ts";
import { work } from "./trees.ts";

/** Emulation takes some twenty times as long. */
const deadlineSeconds = 120;

/** Throws where the agent does not answer, or its native parts do not load. */
export async function startProgram(machine: Machine): Promise<{ version: string; seconds: number }> {
  const home = join(work, `steward-${machine}/usr/lib/steward`);
  const [node = "", ...before] = [...emulation(machine), pinnedRuntime("lts", machine)];
  const directory = mkdtempSync(join(tmpdir(), "steward-package-"));
  const begun = performance.now();
  const places = ["state", "run"].flatMap((name) => [`--${name}`, join(directory, name)]);
  places.push("--host-file", join(directory, "steward.json"), "--listen", "127.0.0.1:0");
  const agent = spawn(node, [...before, join(home, "main.js"), "serve", ...places], { stdio: "ignore" });
  const exited = new Promise((resolve) => agent.once("exit", resolve));
  try {
    const version = await answer(join(directory, "run/steward.sock"), () => agent.exitCode !== null);
    const seconds = (performance.now() - begun) / 1_000;
    loadNativeParts(node, before, home);
    return { version, seconds };
  } finally {
    agent.kill("SIGKILL");
    await exited;
    rmSync(directory, { recursive: true, force: true });
  }
}

async function answer(socketPath: string, isOver: () => boolean): Promise<string> {
  const deadline = Date.now() + deadlineSeconds * 1_000;
  while (Date.now() < deadline && !isOver()) {
    const answered = await get(socketPath);
    if (answered !== "") return (JSON.parse(answered) as { version: string }).version;
    await delay(100);
  }
  throw new Error("the agent did not answer");
}

function get(socketPath: string): Promise<string> {
  return new Promise((resolve) => {
    request({ socketPath, path: "/api/version" }, (incoming) => void text(incoming).then(resolve))
      .once("error", () => resolve(""))
      .end();
  });
}

/** The clock's addon, and argon2, which this Node has itself and an older one has not. */
function loadNativeParts(node: string, before: readonly string[], home: string): void {
  const script = `
    require(${JSON.stringify(join(home, "clock-steering.node"))});
    const { hashSync, verifySync } = require(${JSON.stringify(join(home, "node_modules/@node-rs/argon2"))});
    if (!verifySync(hashSync("password"), "password")) process.exit(1);`;
  execFileSync(node, [...before, "--eval", script], { stdio: ["ignore", "ignore", "inherit"] });
}
