import { spawn } from "node:child_process";
import { createReadStream } from "node:fs";
import { readFile, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { OpeningKey } from "../../backup/age.ts";
import type { FileOfBackup } from "../../backup/manifest.ts";
import { type OpenedBackup, openBackup } from "../../backup/read-backup.ts";
import type { RestorePlan } from "../../backup/restore.ts";
import { systemErrorCode } from "../../contract/errors.ts";
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

interface RootFileOfBackup {
  readonly path: string;
  readonly content: Buffer;
  readonly mode: number;
  /** null: there was none. */
  readonly former: Buffer | null;
}

/** Modes of files of which the backup says none. */
const usualMode = 0o644;

/**
 * As root: puts the files of /etc/steward in their places from the backup itself, which the agent is not trusted with, and
 * then has the state follow. The former ones stay beside them as `.before-restore`; if the state does not follow, they
 * are put back. Throws what `follow` throws, `storage_full`, `storage_unwritable`, and the errors of the backup.
 */
export async function restoreHostFiles(
  invocation: Invocation,
  { source, key, plan }: HostFilesPlan,
  follow: () => Promise<RestorePlan>,
): Promise<RestorePlan> {
  const { places } = invocation;
  const directory = dirname(resolve(places.hostFile));
  const differing = plan.host_files.filter(({ differs }) => differs).map(({ path }) => path);
  const files = await filesOf(invocation, { source, key, directory, wanted: new Set(differing) });
  const { gid: group } = await stat(places.stateDirectory).catch((error: unknown) => {
    throw fileFailure(error, places.stateDirectory);
  });
  for (const { path, former, mode } of files)
    if (former !== null) await put(`${path}.before-restore`, { content: former, mode, group });
  try {
    for (const { path, content, mode } of files) await put(path, { content, mode, group });
    const done = await follow();
    if (files.some(({ path }) => path === resolve(places.hostFile))) await restartUnit(invocation);
    return done;
  } catch (error) {
    for (const { path, former, mode } of files)
      await (former === null ? rm(path, { force: true }) : put(path, { content: former, mode, group }));
    throw error;
  }
}

/** The host file comes last: it names others. */
async function filesOf(
  { context, places }: Invocation,
  {
    source,
    key,
    directory,
    wanted,
  }: Pick<HostFilesPlan, "source" | "key"> & {
    readonly directory: string;
    readonly wanted: ReadonlySet<string>;
  },
): Promise<RootFileOfBackup[]> {
  const age = await context.openAge();
  const backup: OpenedBackup = await openBackup(() => age.open(createReadStream(source), key));
  const modes = new Map(backup.manifest.files.map((file) => [file.path, modeOf(file)]));
  const found: RootFileOfBackup[] = [];
  for await (const { path, content } of backup.files) {
    const name = path.slice("etc/".length);
    if (!path.startsWith("etc/") || !wanted.has(name)) continue;
    const pieces: Uint8Array[] = [];
    for await (const piece of content) pieces.push(piece);
    const target = join(directory, name);
    const former = await readFile(target).catch(ifAbsent);
    found.push({ path: target, content: Buffer.concat(pieces), mode: modes.get(path) ?? usualMode, former });
  }
  const isHostFile = ({ path }: RootFileOfBackup) => basename(path) === basename(places.hostFile);
  return [...found.filter((file) => !isHostFile(file)), ...found.filter(isHostFile)];
}

/** Only the bits of rights, none of which lets others write. */
function modeOf({ mode = usualMode }: FileOfBackup & { readonly mode?: number }): number {
  return mode & 0o755 & ~0o022;
}

function ifAbsent(error: unknown): null {
  if (systemErrorCode(error) === "ENOENT") return null;
  throw error;
}

/** A file that is closed to others is open to the agent by its group. */
function put(
  path: string,
  { content, mode, group }: { content: Buffer; mode: number; group: number },
): Promise<void> {
  const isClosed = (mode & 0o044) === 0o040;
  const owner: Owner | undefined = isClosed ? { uid: 0, gid: group } : undefined;
  return writeRootFile(path, { content, mode, owner });
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
