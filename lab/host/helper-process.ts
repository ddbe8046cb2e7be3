import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildHelper } from "../../scripts/build-addon.ts";
import { until } from "../basics/until.ts";

/** The root helper as a process of ours, over directories of a test in the place of /etc and the like. */
export type HelperProcess = Awaited<ReturnType<typeof startHelper>>;

/** Times of the helper that a test makes shorter; in milliseconds. */
interface Times {
  /** After which an idle one leaves. */
  readonly idle?: number;
  /** For one more installation. */
  readonly installation?: number;
}

/** Compiled once for a file of tests, over the directory that it returns. */
export function compileHelper({ idle = 600_000, installation = 120_000 }: Times = {}): string {
  const directory = mkdtempSync(join(tmpdir(), "steward-root-helper-"));
  const text = (path: string): string => JSON.stringify(join(directory, path));
  const isBuilt = buildHelper(join(directory, "steward-helper"), {
    SYSTEMCTL: text("systemctl"),
    ETC: text("etc"),
    ZONES: text("zones"),
    KERNEL_HOST_NAME: text("hostname"),
    PROC: text("proc"),
    IDLE_PATIENCE: String(idle),
    INSTALL_INTERVAL: String(installation),
  });
  if (!isBuilt) throw new Error("there is no cc");
  const activate = join(import.meta.dirname, "activate.c");
  execFileSync("cc", ["-O1", "-Wall", "-Werror", "-o", join(directory, "activate"), activate]);
  return directory;
}

/** Ends with the exit code that the file `status` has, or else 0; waits while there is a file `wait`. */
const systemctl = (directory: string): string => `#!/bin/sh
echo "$*" >>${directory}/calls
env | sort >${directory}/environment
while [ -e ${directory}/wait ]; do sleep 0.05; done
read -r status 2>/dev/null <${directory}/status || status=0
exit "$status"
`;

let started = 0;

/** Starts it with a new socket, empty files and full buckets. */
export async function startHelper(directory: string) {
  started += 1;
  const socket = join(directory, `socket-${started}`);
  for (const path of ["etc", "zones", "proc", "calls", "status", "wait", "hostname"])
    rmSync(join(directory, path), { recursive: true, force: true });
  mkdirSync(join(directory, "etc"));
  mkdirSync(join(directory, "zones/Europe"), { recursive: true });
  writeFileSync(join(directory, "hostname"), "");
  writeFileSync(join(directory, "systemctl"), systemctl(directory), { mode: 0o755 });
  const child = spawn(join(directory, "activate"), [socket, join(directory, "steward-helper")], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let isReady = false;
  child.stdout.once("data", () => {
    isReady = true;
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  await until("the socket listens", () => isReady);
  return {
    directory,
    socket,
    /** Sends these bytes and returns the whole answer; empty: it was closed without one. */
    ask: (bytes: string | Uint8Array) => askAt(socket, bytes),
    /** The calls of systemctl. */
    calls: (): string[] =>
      existsSync(join(directory, "calls"))
        ? readFileSync(join(directory, "calls"), "utf8").trim().split("\n")
        : [],
    log: () => log,
    /** Its exit code; null while it runs. */
    ended: () => child.exitCode,
    pid: () => child.pid ?? 0,
    stop: () => void child.kill(),
  };
}

function askAt(socket: string, bytes: string | Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const connection = connect(socket, () => connection.write(bytes));
    connection.setEncoding("utf8").on("data", (text: string) => {
      answer += text;
    });
    connection.once("error", (error: NodeJS.ErrnoException) =>
      // It has answered and left before all was sent.
      error.code === "EPIPE" || error.code === "ECONNRESET" ? resolve(answer) : reject(error),
    );
    connection.once("close", () => resolve(answer));
  });
}
