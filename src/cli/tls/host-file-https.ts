import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { StewardError, systemErrorCode } from "../../contract/errors.ts";
import { makeDirectory, writeDurably } from "../../store/files/durable-file.ts";
import { CommandError } from "../client/context.ts";

/** The member `https` of the host file, as it is written there. */
export interface HttpsMember {
  readonly enabled?: boolean;
  readonly port?: number;
  readonly redirect_port?: number;
}

/** Every user may read the host file; root alone may write it. */
const hostFileMode = 0o644;

/**
 * Changes the member `https` of the host file and nothing else in it. Directly, never through the agent: what it says is
 * root's alone. Returns the member. Throws CommandError: 1, 4.
 */
export async function changeHttps(path: string, change: HttpsMember): Promise<HttpsMember> {
  const { members, mode } = await read(path);
  const former = typeof members.https === "object" && members.https !== null ? members.https : {};
  const https: HttpsMember = { ...former, ...change };
  const isSame = JSON.stringify(members.https) === JSON.stringify(https);
  if (!isSame) await write(path, `${JSON.stringify({ ...members, https }, null, 2)}\n`, mode);
  return https;
}

async function read(path: string): Promise<{ members: Record<string, unknown>; mode: number }> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return { members: {}, mode: hostFileMode };
    throw refused(error, path);
  }
  const members = parsed(text);
  if (members === null)
    throw new CommandError(1, `${path} is not a JSON object. Nothing was changed. Correct it first.`);
  return { members, mode: (await stat(path)).mode & 0o777 };
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

async function write(path: string, text: string, mode: number): Promise<void> {
  try {
    await makeDirectory(dirname(path));
    await writeDurably(path, text, mode);
  } catch (error) {
    throw refused(error instanceof StewardError ? error.cause : error, path);
  }
}

function refused(error: unknown, path: string): unknown {
  const code = systemErrorCode(error);
  if (code !== "EACCES" && code !== "EPERM") return error;
  return new CommandError(4, `${path} is root's; run the command as root on the device.`);
}
