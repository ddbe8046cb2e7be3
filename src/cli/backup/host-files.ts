import { createHash, X509Certificate } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { ifAbsent, messageOf, rethrown, StewardError } from "../../contract/errors.ts";
import type { OpeningKey } from "../../device/backup/age.ts";
import { copyEnding, hostFilePath } from "../../device/backup/manifest.ts";
import { unusableBackup } from "../../device/backup/read-archive.ts";
import { openBackup } from "../../device/backup/read-backup.ts";
import { mostFolderBytes } from "../../device/backup/read-folder.ts";
import type { RestorePlan } from "../../device/backup/restore.ts";
import type { Owner } from "../../store/files/durable-file.ts";
import { isObject } from "../../store/validation/members.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { safeLine } from "../../terminal/escape.ts";
import { fileFailure } from "../../terminal/failure.ts";
import { caps } from "../../tuf/caps.ts";
import { parseStrictJson } from "../../tuf/strict-json.ts";
import { askAgentUnit } from "../client/agent-unit.ts";
import type { Invocation } from "../client/command.ts";
import type { CommandContext } from "../client/context.ts";
import { writeRootFile } from "../client/root-file.ts";
import { updateRootPath } from "../updates/update-trust-install.ts";

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

/** The files of root's in a backup that are other ones here, the host file last: it names others. */
type HostFilesOfBackup = readonly (RootFileOfBackup & HostFileChange)[];

/** Modes of files of which the backup says none. */
const usualMode = 0o644;

/**
 * As root: reads the files of /etc/steward from the backup itself. An agent has written it, so root's own look decides what
 * differs, and no file becomes a program: a mode is only who may read. Throws CommandError(4), `backup_unusable`, and the
 * errors of the backup.
 */
export async function readHostFiles(
  { context, places }: Invocation,
  source: string,
  key: OpeningKey,
): Promise<HostFilesOfBackup> {
  if (context.program.userId() !== 0)
    throw new CommandError(
      4,
      "Only root can restore the files in /etc/steward, and only while the agent runs: run this as root, or without --with-host-files. Nothing was changed.",
    );
  const age = await context.openAge();
  const { manifest, files } = await openBackup(() => age.open(createReadStream(source), key));
  const modes = new Map(manifest.files.map(({ path, mode }) => [path, mode]));
  const hostFile = resolve(places.hostFile);
  const found: (RootFileOfBackup & HostFileChange)[] = [];
  let left = mostFolderBytes;
  for await (const { path: inBackup, bytes, content } of files) {
    const name = hostFilePath(inBackup);
    if (name === null) continue;
    left -= bytes;
    if (left < 0) throw unusableBackup("has more of root's files than a device backs up");
    const path = join(dirname(hostFile), name);
    const mode = modes.get(inBackup) ?? usualMode;
    const file = { name, path, content: await buffer(content), former: await presentFile(path) };
    if (file.former?.content.equals(file.content)) continue;
    found.push({ ...file, mode: mode & usualMode, wasExecutable: (mode & 0o111) !== 0 });
  }
  return found.sort((one, other) => Number(one.path === hostFile) - Number(other.path === hostFile));
}

/** The difference that each makes, for a person to read before they are brought. Throws `update_root_unusable`. */
export async function hostFileLines(files: HostFilesOfBackup, invocation: Invocation): Promise<string[]> {
  if (files.length === 0) return ["Root's files are the same as in the backup."];
  const hostFile = resolve(invocation.places.hostFile);
  const lines: string[] = [];
  for (const file of files) lines.push(...(await changeLines(file, hostFile, invocation.context)));
  return [
    "Root's files are restored too. They were written by the other device's agent, or by someone who has the backup's key, and they decide what runs as root here: read each change.",
    ...lines,
  ];
}

/**
 * As root: puts the files in their places, and then has the state follow. The former ones stay beside them as
 * `.before-restore`; if the state does not follow, all of that is undone. Throws what `follow` throws, `state_damaged` if
 * the agent does not see the files, `storage_full` and `storage_unwritable`.
 */
export async function bringHostFiles(
  invocation: Invocation,
  files: HostFilesOfBackup,
  follow: () => Promise<RestorePlan>,
): Promise<RestorePlan> {
  const { places } = invocation;
  const { gid: group } = await stat(places.stateDirectory).catch(
    rethrown((error) => fileFailure(error, places.stateDirectory)),
  );
  const all = [...(await copiesOf(files)), ...files];
  let done: RestorePlan;
  try {
    for (const file of all) await put(file.path, file, group);
    done = await follow();
    if (!done.done)
      throw new StewardError(
        "state_damaged",
        "The agent does not see the restored files in /etc/steward: perhaps it was started with another --host-file. Set STEWARD_HOST_FILE to that file, and restore again.",
      );
  } catch (error) {
    await putBack(all, group, error);
    throw error;
  }
  if (files.some(({ path }) => path === resolve(places.hostFile))) await restartUnit(invocation);
  return done;
}

async function copiesOf(files: HostFilesOfBackup): Promise<RootFileOfBackup[]> {
  const copies = files.map(async ({ path: target, former }): Promise<RootFileOfBackup[]> => {
    const path = `${target}${copyEnding}`;
    return former === null ? [] : [{ ...former, path, former: await presentFile(path) }];
  });
  return (await Promise.all(copies)).flat();
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
  const text = `The state of this device is as it was, but these files could not be put back: ${changed.join(", ")}. The former version of each is beside it as NAME${copyEnding}. The restore failed because: ${why}`;
  throw new StewardError("storage_unwritable", text, { cause });
}

async function presentFile(path: string): Promise<RootFile | null> {
  const content = await readFile(path).catch(ifAbsent);
  if (content === null) return null;
  const { mode, uid, gid } = await stat(path);
  return { content, mode: mode & 0o777, owner: { uid, gid } };
}

/** A file that is closed to others is open to the agent by its group. */
function put(path: string, file: RootFile, gid: number): Promise<void> {
  const isClosed = (file.mode & 0o044) === 0o040;
  return writeRootFile(path, { ...file, owner: file.owner ?? (isClosed ? { uid: 0, gid } : undefined) });
}

/** Decisions of the host file about the process itself count from its next start. */
async function restartUnit({ places, context, output }: Invocation): Promise<void> {
  const text = "The host file has changed";
  if ((await askAgentUnit(places)) === null) return output.remark(`${text}: start the agent again.`);
  const { run } = await context.openHost();
  const limits = { timeoutMilliseconds: restartMilliseconds };
  const done = await run("systemctl", ["restart", "steward.service"], limits).catch(() => null);
  if (done?.status !== 0)
    await output.remark(`${text}, but the unit did not start again: systemctl status steward.`);
}

/** Longer than systemd waits for the start of a unit, 90 s. */
const restartMilliseconds = 120_000;

/** A file of root's as a backup would have it, and as it is; null: there is none. */
interface HostFileChange {
  /** In the directory of the host file. */
  readonly name: string;
  readonly path: string;
  readonly content: Buffer;
  readonly former: { readonly content: Buffer } | null;
  readonly wasExecutable: boolean;
}

/**
 * Lines that show what root would adopt: members of the host file, the fingerprint of the root of trust, certificates and
 * public keys, and otherwise hashes, since a file may be a secret. Throws `update_root_unusable` for a root of trust
 * that could not be used.
 */
async function changeLines(
  change: HostFileChange,
  hostFile: string,
  { readRootOfTrust }: Pick<CommandContext, "readRootOfTrust">,
): Promise<string[]> {
  const { name, path, content, former, wasExecutable } = change;
  const head = `${name}, ${former === null ? "new" : "replaced"}`;
  if (path === hostFile) return [`${head}:`, ...memberLines(former?.content, content)];
  if (path === updateRootPath(hostFile)) {
    const { fingerprint } = await readRootOfTrust(content);
    const before = former && (await readRootOfTrust(former.content).catch(() => null))?.fingerprint;
    return [`${head}: the root of trust of updates, ${arrow(before, fingerprint)}`];
  }
  const bits = wasExecutable ? ", and not executable here" : "";
  const hashes = arrow(former && sha256(former.content), sha256(content));
  const [parts, next] = [publicParts(former?.content), publicParts(content)];
  return [
    `${head}${bits}: SHA-256 ${hashes}`,
    ...parts.filter((part) => !next.includes(part)).map((part) => `  - ${part}`),
    ...next.filter((part) => !parts.includes(part)).map((part) => `  + ${part}`),
  ];
}

function arrow(before: string | null | undefined, after: string | undefined): string {
  return `${before ?? "none"} → ${after ?? "none"}`;
}

function sha256(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function memberLines(before: Buffer | undefined, after: Buffer): string[] {
  const [former, next] = [before ?? Buffer.from("{}"), after].map((file) => new Map(membersOf(parsed(file))));
  return [...new Map([...(former ?? []), ...(next ?? [])]).keys()]
    .filter((pointer) => former?.get(pointer) !== next?.get(pointer))
    .map((pointer) => `  ${pointer || "the whole file"}: ${arrow(former?.get(pointer), next?.get(pointer))}`);
}

/** Values by their JSON pointers; a list is one value. */
function membersOf(value: unknown, pointer = ""): [string, string][] {
  if (!isObject(value) || (pointer !== "" && Object.keys(value).length === 0))
    return [[pointer, safeLine(value)]];
  return Object.entries(value).flatMap(([name, member]) => membersOf(member, `${pointer}/${name}`));
}

/** A text that is no JSON, or has a member twice, of which a person would see one, is shown as it is. */
function parsed(bytes: Buffer): unknown {
  try {
    return parseStrictJson(bytes, caps);
  } catch {
    return bytes.toString("utf8");
  }
}

const certificates = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates in a file, and the keys that backups are encrypted to. */
function publicParts(content: Buffer | undefined): string[] {
  const text = content?.toString("latin1") ?? "";
  return [
    ...(text.match(certificates) ?? []).map(certificateFacts),
    ...(text.match(/\bage1[0-9a-z]{20,}/g) ?? []).map((key) => `opens backups: ${key}`),
  ];
}

function certificateFacts(pem: string): string {
  try {
    const { subject, fingerprint256 } = new X509Certificate(pem);
    return `certificate of ${subject.replaceAll("\n", ", ")}, SHA-256 ${fingerprint256}`;
  } catch {
    return "a certificate that cannot be read";
  }
}
