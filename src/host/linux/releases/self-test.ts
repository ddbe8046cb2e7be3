import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { stripVTControlCharacters } from "node:util";
import { StewardError, systemErrorCode } from "../../../contract/errors.ts";
import type { RunCommand } from "../../ports.ts";
import type { ReleaseHost } from "../../release-ports.ts";
import { environmentOf, forRelease } from "./release-programs.ts";

const usualSeconds = 30;

/** Milliseconds to read the rest of its output after it has ended, if a child of it still holds the pipe. */
const drainMilliseconds = 1_000;

/** Milliseconds for the shell that kills the remaining processes. */
const killMilliseconds = 5_000;

/**
 * Tests a release before it is activated: as an unused user, without capabilities and network, unable to see or signal
 * other processes, in the release's directory, for at most 30 s. All its processes end with it. The returned function
 * throws `update_self_test_failed` with the last output.
 */
export function createSelfTest(
  run: RunCommand,
  /** True if this process is root: else the self-test runs as its user, for development. */
  isRoot: boolean,
  seconds: number = usualSeconds,
): ReleaseHost["selfTest"] {
  return async (command, release) => {
    const words = forRelease(command, release);
    const [program = "", ...args] = isRoot ? apart(await freeUserId(run), words) : words;
    const env = { ...environmentOf(release), HOME: "/nonexistent" };
    const ended = await ending(
      program,
      args,
      { cwd: release.directory, env, stdio: ["ignore", "pipe", "pipe"] },
      seconds,
      (child) => (isRoot ? void child.kill("SIGKILL") : killGroup(run, child)),
    );
    if (ended.why === null) return;
    const said = ended.said === "" ? "It printed nothing." : `It printed: ${ended.said}`;
    throw new StewardError(
      "update_self_test_failed",
      `The release failed its self-test: ${ended.why}. ${said}`,
    );
  };
}

/**
 * Each layer has its reason. The first setpriv kills unshare when this process ends. unshare then kills the first process
 * of its namespace, and the kernel kills the others. That first process is a shell and stays root, because a process that
 * changes its user no longer dies with its parent; it also reaps the program. The second setpriv changes the user.
 */
function apart(userId: number, command: readonly string[]): string[] {
  const id = String(userId);
  return [
    ...["setpriv", "--pdeathsig", "KILL", "--"],
    ...["unshare", "--net", "--pid", "--ipc", "--fork", "--kill-child", "--"],
    ...["sh", "-c", '"$@"; exit "$?"', "sh"],
    ...["setpriv", "--reuid", id, "--regid", id, "--clear-groups"],
    ...["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", "--"],
    ...command,
  ];
}

/** Kills the process group of the child. A process that has left the group survives. */
async function killGroup(run: RunCommand, { pid }: ChildProcess): Promise<void> {
  if (pid === undefined) return;
  // In the form that dash understands too.
  const script = 'kill -s KILL -- "-$1" 2>/dev/null';
  await run("sh", ["-c", script, "sh", String(pid)], { timeoutMilliseconds: killMilliseconds });
}

/** `why`: null if it ended with 0. */
async function ending(
  program: string,
  args: readonly string[],
  options: SpawnOptions,
  seconds: number,
  /** Ends it and its children; called at the timeout, and again when it has ended. */
  end: (child: ChildProcess) => void | Promise<void>,
) {
  const words = createOutputTail();
  const child = spawn(program, [...args], { ...options, detached: true });
  for (const output of [child.stdout, child.stderr]) output?.on("data", (piece: Buffer) => words.add(piece));
  let isLate = false;
  const deadline = setTimeout(() => {
    isLate = true;
    void Promise.resolve(end(child)).catch(() => undefined);
  }, seconds * 1_000);
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const status = await new Promise<string | number | null>((resolve) => {
    child.once("error", (error) => resolve(`it cannot be started (${error.message})`));
    child.once("exit", (code, signal) => resolve(signal === null ? code : `it was ended by ${signal}`));
  });
  clearTimeout(deadline);
  await Promise.resolve(end(child)).catch(() => undefined);
  await within(drainMilliseconds, closed);
  for (const output of [child.stdout, child.stderr]) output?.destroy();
  if (isLate) return { why: `it took longer than ${seconds} s`, said: words.text() };
  if (status === 0) return { why: null, said: "" };
  return { why: typeof status === "string" ? status : `it ended with ${status}`, said: words.text() };
}

async function within(milliseconds: number, closed: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([closed, late]);
  clearTimeout(timer);
}

/** Bytes kept of the output, lines shown of them, and characters shown of a line. */
const bounds = { bytes: 8_192, lines: 8, lineCharacters: 100 } as const;

/** Characters that could control a terminal or reorder text. */
const unprintable = /[\p{Cc}\p{Cf}\p{Surrogate}\u2028\u2029]/gu;

/** The end of the output of a program, however long it is. */
function createOutputTail() {
  let kept = Buffer.alloc(0);
  return {
    add: (piece: Uint8Array): void => {
      kept = Buffer.concat([kept, piece.subarray(-bounds.bytes)]).subarray(-bounds.bytes);
    },
    /** Its last lines, printable, on one line; at most 830 characters. */
    text: (): string => {
      const lines = stripVTControlCharacters(kept.toString("utf8")).split("\n").map(printable);
      return lines
        .filter((line) => line !== "")
        .slice(-bounds.lines)
        .join(" | ");
    },
  };
}

function printable(line: string): string {
  const text = line.replace(unprintable, " ").trim();
  return text.length > bounds.lineCharacters ? `${text.slice(0, bounds.lineCharacters)}…` : text;
}

/** The range of systemd's dynamic users (UIDs, GIDs: 61184–65519 in systemd's documentation). */
const range = { first: 61_184, end: 65_520 } as const;

const tries = 100;
const getentMilliseconds = 5_000;

/** An unused id of a user and a group: without an entry and without a process. Throws `internal_error` if none is found. */
async function freeUserId(run: RunCommand): Promise<number> {
  const taken = await usersOfProcesses();
  for (let turn = 0; turn < tries; turn += 1) {
    const id = randomInt(range.first, range.end);
    if (taken.has(id)) continue;
    if (!(await isKnown(run, "passwd", id)) && !(await isKnown(run, "group", id))) return id;
  }
  throw new StewardError("internal_error", "No unused user id was found for the self-test of the release.");
}

/** By the name services, including that of systemd; without getent by the file. */
async function isKnown(run: RunCommand, database: "passwd" | "group", id: number): Promise<boolean> {
  try {
    // 2: "one or more supplied key could not be found" (getent(1)).
    const limits = { timeoutMilliseconds: getentMilliseconds };
    return (await run("getent", [database, String(id)], limits)).status !== 2;
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
    const text = await readFile(`/etc/${database}`, "utf8");
    return text.split("\n").some((line) => line.split(":")[2] === String(id));
  }
}

async function usersOfProcesses(): Promise<ReadonlySet<number>> {
  const ids = new Set<number>();
  for (const name of await readdir("/proc")) {
    if (!/^[0-9]+$/.test(name)) continue;
    // The process may have ended meanwhile.
    const status = await readFile(`/proc/${name}/status`, "utf8").catch(() => "");
    for (const id of /^Uid:(.*)$/m.exec(status)?.[1]?.trim().split(/\s+/) ?? []) ids.add(Number(id));
  }
  return ids;
}
