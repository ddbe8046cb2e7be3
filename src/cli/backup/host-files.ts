import { spawn } from "node:child_process";
import { createReadStream } from "node:fs";
import { readFile, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import type { OpeningKey } from "../../backup/age.ts";
import type { FileOfBackup } from "../../backup/manifest.ts";
import { type OpenedBackup, openBackup } from "../../backup/read-backup.ts";
import type { RestorePlan } from "../../backup/restore.ts";
import { ifAbsent, messageOf, rethrown, StewardError } from "../../contract/errors.ts";
import type { Owner } from "../../store/files/durable-file.ts";
import { fileFailure } from "../../terminal/failure.ts";
import { askAgentUnit } from "../client/agent-unit.ts";
import type { Invocation } from "../client/command.ts";
import { writeRootFile } from "../client/root-file.ts";

interface HostFilesPlan {
  /** The path of the backup. */
  readonly source: string;
  readonly key: OpeningKey;
  readonly plan: RestorePlan;
}

interface RootFile {
  readonly content: Buffer;
  readonly mode: number;
  readonly owner?: Owner;
}

interface RootFileOfBackup extends RootFile {
  readonly path: string;
  /** null: there was none. */
  readonly former: RootFile | null;
}

/** Modes of files of which the backup says none. */
const usualMode = 0o644;

const copyEnding = ".before-restore";

/**
 * As root: puts the files of /etc/steward in their places from the backup itself, which the agent is not trusted with, and
 * then has the state follow. The former ones stay beside them as `.before-restore`; if the state does not follow, all
 * of that is undone. Throws what `follow` throws, `storage_full`, `storage_unwritable`, and the errors of the backup.
 */
export async function restoreHostFiles(
  invocation: Invocation,
  plan: HostFilesPlan,
  follow: () => Promise<RestorePlan>,
): Promise<RestorePlan> {
  const { places } = invocation;
  const files = await filesOf(invocation, plan);
  const { gid: group } = await stat(places.stateDirectory).catch(
    rethrown((error) => fileFailure(error, places.stateDirectory)),
  );
  let done: RestorePlan;
  try {
    for (const file of files) await put(file.path, file, group);
    done = await follow();
  } catch (error) {
    await putBack(files, group, error);
    throw error;
  }
  if (files.some(({ path }) => path === resolve(places.hostFile))) await restartUnit(invocation);
  return done;
}

/** Copies come last, and stay beside a file that could not be put back. Throws `storage_unwritable` if there is one. */
async function putBack(files: readonly RootFileOfBackup[], group: number, cause: unknown): Promise<void> {
  const changed: string[] = [];
  for (const { path, former } of files.toReversed()) {
    if (changed.length > 0 && path.endsWith(copyEnding)) break;
    const step = former === null ? rm(path, { force: true }) : put(path, former, group);
    await step.catch(() => changed.push(path));
  }
  if (changed.length === 0) return;
  const why = messageOf(cause).replace(" Nothing was changed.", "");
  const text = `The state of this device is as it was, and these files could not be put back: ${changed.join(", ")}. The former one of each is beside it as NAME${copyEnding}. The restore had failed: ${why}`;
  throw new StewardError("storage_unwritable", text, { cause });
}

/** Copies of the former files come first, and the host file last: it names others. */
async function filesOf(
  { context, places }: Invocation,
  { source, key, plan }: HostFilesPlan,
): Promise<RootFileOfBackup[]> {
  const wanted = new Set(plan.host_files.filter(({ differs }) => differs).map(({ path }) => path));
  const age = await context.openAge();
  const backup: OpenedBackup = await openBackup(() => age.open(createReadStream(source), key));
  const modes = new Map(backup.manifest.files.map((file) => [file.path, modeOf(file)]));
  const found: RootFileOfBackup[] = [];
  for await (const { path, content } of backup.files) {
    const name = path.slice("etc/".length);
    if (!path.startsWith("etc/") || !wanted.has(name)) continue;
    const target = join(dirname(resolve(places.hostFile)), name);
    const former = await presentFile(target);
    const mode = modes.get(path) ?? usualMode;
    found.push({ path: target, content: await buffer(content), mode, former });
  }
  const copies = found.map(async ({ path: target, former }): Promise<RootFileOfBackup[]> => {
    const path = `${target}${copyEnding}`;
    return former === null ? [] : [{ ...former, path, former: await presentFile(path) }];
  });
  const isHostFile = ({ path }: RootFileOfBackup) => basename(path) === basename(places.hostFile);
  const ordered = [...found.filter((file) => !isHostFile(file)), ...found.filter(isHostFile)];
  return [...(await Promise.all(copies)).flat(), ...ordered];
}

async function presentFile(path: string): Promise<RootFile | null> {
  const content = await readFile(path).catch(ifAbsent);
  if (content === null) return null;
  const { mode, uid, gid } = await stat(path);
  return { content, mode: mode & 0o777, owner: { uid, gid } };
}

/** Only the bits of rights, none of which lets others write. */
function modeOf({ mode = usualMode }: FileOfBackup & { readonly mode?: number }): number {
  return mode & 0o755 & ~0o022;
}

/** A file that is closed to others is open to the agent by its group. */
function put(path: string, file: RootFile, gid: number): Promise<void> {
  const isClosed = (file.mode & 0o044) === 0o040;
  return writeRootFile(path, { ...file, owner: file.owner ?? (isClosed ? { uid: 0, gid } : undefined) });
}

/** Decisions of the host file about the process itself count from its next start. */
async function restartUnit({ places, output }: Invocation): Promise<void> {
  if ((await askAgentUnit(places)) === null) {
    await output.remark("The host file is another one now: start the agent again.");
    return;
  }
  const child = spawn("systemctl", ["restart", "steward.service"], { stdio: "ignore" });
  const code = await new Promise<number | null>((done) => {
    child.once("error", () => done(null));
    child.once("close", done);
  });
  if (code !== 0)
    await output.remark(
      "The host file is another one now, and the unit did not start again: systemctl status steward.",
    );
}
