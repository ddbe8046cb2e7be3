import { constants } from "node:fs";
import { type FileHandle, open, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { systemErrorCode } from "../../contract/errors.ts";
import type { Status } from "../../contract/types.ts";
import type { CommandContext, ExaminedHost } from "../client/context.ts";
import type { Places } from "../client/places.ts";
import type { Entry } from "./finding.ts";

/** The surroundings of the doctor. It needs no agent, no network and no writable disk. */
export interface DoctorContext {
  readonly places: Places;
  readonly program: CommandContext["program"];
  readonly host: ExaminedHost;
  /** The prefix of the system's paths: empty, except in a test. */
  readonly root: string;
  readonly openState: CommandContext["openState"];
  readonly now: () => Date;
}

/** The agent's own view of the device, or why it gave none. */
export type Answer = Status | Error;

/** One area of the device. It may throw: then the area counts as unseen. */
export type Look = (context: DoctorContext, answer: Answer) => Promise<readonly Entry[]>;

/** Milliseconds for a program of the system. */
const patienceMilliseconds = 10_000;

/** The output of a program; null: it is absent, or failed. */
export async function outputOf(
  { host }: Pick<DoctorContext, "host">,
  program: string,
  args: readonly string[],
): Promise<string | null> {
  try {
    const { status, stdout } = await host.run(program, args, { timeoutMilliseconds: patienceMilliseconds });
    return status === 0 ? stdout : null;
  } catch {
    return null;
  }
}

/** More than any file that the doctor reads in is useful for. */
const mostBytes = 2 * 1024 * 1024;

/** A text; null: absent, or not this user's to read. Waits for no pipe, and root follows no link of the agent's user. */
export async function textOf(path: string): Promise<string | null> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile()) return null;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(mostBytes), 0, mostBytes, 0);
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}

/** The same for root's own files: a link leads to what it names. */
export async function textBehind(path: string): Promise<string | null> {
  return textOf(await realpath(path).catch(() => path));
}

/** True if a file or directory exists, or may exist, that this user must not read. */
export async function isClosed(path: string): Promise<boolean> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((cause: unknown) => cause);
  if (file instanceof Error) return systemErrorCode(file) === "EACCES";
  await (file as FileHandle).close();
  return false;
}

/** The paths of the files and links in a directory; none where it cannot be read. */
export async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => join(directory, name));
}

/** `systemctl show` of a unit as its properties; null: there is no systemd to ask. */
export async function unitOf(
  context: DoctorContext,
  unit: string,
): Promise<Readonly<Record<string, string | undefined>> | null> {
  const properties = "LoadState,ActiveState,SubState,Result,UnitFileState,NRestarts";
  const text = await outputOf(context, "systemctl", ["show", `--property=${properties}`, unit]);
  if (text === null) return null;
  return Object.fromEntries(text.split("\n").map((line) => line.split(/=(.*)/s).slice(0, 2)));
}
