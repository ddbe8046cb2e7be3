import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { rethrown, StewardError, systemErrorCode } from "../../contract/errors.ts";
import type { Input, Output, Upload } from "../../contract/types.ts";
import type { FreeSpace, Timers } from "../../host/ports.ts";
import { makeDirectory, storageError } from "../../store/files/durable-file.ts";
import { openRegular, readRegular } from "../../store/files/regular-file.ts";
import {
  decideReplacement,
  dropReplacement,
  emptyReplacementPlace,
  makeReplacementPlace,
  replacementPlace,
} from "../../store/files/replacement.ts";
import { reserveNeedsBytes } from "../../store/files/reserve.ts";
import { oneAtATime } from "../../store/one-at-a-time.ts";
import type { Age, OpeningKey } from "./age.ts";
import { hostFilePath, type Manifest } from "./manifest.ts";
import { unusableBackup } from "./read-archive.ts";
import { type OpenedBackup, openBackup } from "./read-backup.ts";
import { mostFolderBytes } from "./read-folder.ts";

export type RestoreRequest = Input<"restoreBackup">["body"];
export type RestorePlan = Output<"restoreBackup">;

/** Makes this device of a backup: all of it or nothing (docs/design/backup.md, rules 8 to 10). */
export type Restorer = ReturnType<typeof createRestorer>;

/** Facts about the state of a backup, once it has become this machine's. */
export interface AdoptedState {
  readonly users: number;
  readonly two_factor: number;
  readonly tokens: number;
  readonly warnings: readonly string[];
}

export interface RestorerOptions {
  /** The state directory. */
  readonly directory: string;
  readonly hostDirectory: string;
  readonly age: Age;
  readonly freeSpace: FreeSpace;
  readonly timers: Timers;
  readonly version: string;
  readonly product: string;
  /** Users of this device, who go. */
  readonly presentUsers: () => number;
  /** Throws `update_busy` while a release is on trial. */
  readonly refuseOnTrial: () => void;
  /** Makes the state in this directory this machine's. Throws `backup_unusable` for one that a start would not take. */
  readonly adopt: (state: string, manifest: Manifest, asReplacement: boolean) => Promise<AdoptedState>;
  /** Gives this machine the names of the other; sentences about those that it could not take. */
  readonly takeNames: (device: Manifest["device"]) => Promise<readonly string[]>;
  readonly startAgain: () => void;
}

export function createRestorer(options: RestorerOptions) {
  /** One at a time: they share a place. */
  const inTurn = oneAtATime();
  let keep = (): void => undefined;
  /** A backup that is not asked for any more does not stay on the disk. */
  const dropLater = (): void => {
    keep();
    const drop = () => inTurn(() => dropReplacement(options.directory)).catch(() => undefined);
    keep = options.timers.after(keepSeconds, () => void drop());
  };
  return {
    /** Keeps an encrypted backup in place of an earlier one. Throws `storage_full`, `storage_unwritable`. */
    receive: (upload: Upload): Promise<{ bytes: number }> =>
      inTurn(() => receive(options, upload)).finally(dropLater),
    /**
     * Opens the backup that was received, and judges all of it. Unless only the plan is wanted, the next start of the agent
     * carries it out, which is asked for; `with_host_files` wants only the plan while one of root's is another. Throws `not_found`, `backup_key_wrong`,
     * `backup_unusable`, `update_busy`, `not_ready`, `storage_full` and `storage_unwritable`: then nothing is changed.
     */
    restore: (request: RestoreRequest): Promise<RestorePlan> =>
      inTurn(async () => {
        const plan = await restore(options, request).finally(dropLater);
        if (plan.done) keep();
        return plan;
      }),
  };
}

/** Seconds that a backup waits for a person to read the plan. */
const keepSeconds = 15 * 60;

function receivedFile(directory: string): string {
  return join(replacementPlace(directory).directory, "backup.age");
}

async function receive(options: RestorerOptions, upload: Upload): Promise<{ bytes: number }> {
  const { directory } = options;
  const path = receivedFile(directory);
  await dropReplacement(directory);
  try {
    await requireSpace(options, upload.lengthBytes ?? 0);
    await makeDirectory(dirname(path));
    await writeAll(path, upload);
    return { bytes: (await stat(path)).size };
  } catch (error) {
    await dropReplacement(directory).catch(() => undefined);
    throw error;
  }
}

/** The agent goes on while it writes, so the space for its own changes stays. Throws `storage_full`. */
async function requireSpace({ directory, freeSpace }: RestorerOptions, bytes: number): Promise<void> {
  const free = await freeSpace(directory);
  if (free - bytes >= reserveNeedsBytes) return;
  const mebibytes = (size: number) => `${Math.ceil(size / 1024 ** 2)} MiB`;
  throw new StewardError(
    "storage_full",
    `The backup needs ${mebibytes(bytes + reserveNeedsBytes)} free in ${directory}, and there are ${mebibytes(free)}. Nothing was changed. Free some space.`,
  );
}

function sizeOf({ files }: Manifest): number {
  return files.reduce((sum, { path, bytes }) => sum + (path.startsWith("state/") ? bytes : 0), 0);
}

/** Throws `storage_full`, `storage_unwritable`, and what the source throws. */
async function writeAll(path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const file = createWriteStream(path, { flags: "wx", mode: 0o600 });
  await pipeline(pieces, file).catch(
    rethrown((error) => (error instanceof StewardError ? error : storageError(path, error))),
  );
}

async function restore(options: RestorerOptions, request: RestoreRequest): Promise<RestorePlan> {
  const { directory } = options;
  options.refuseOnTrial();
  const key = keyOf(request);
  await makeReplacementPlace(directory);
  try {
    const manifest = await unpack(options, key);
    requireSameMajor(manifest, options.version);
    const asReplacement = request.as_replacement ?? false;
    const { state } = replacementPlace(directory);
    const { warnings, ...adopted } = await options.adopt(state, manifest, asReplacement);
    const hostFiles = await hostFilesOf(options, manifest);
    const { made_at, steward, device, releases, left_out } = manifest;
    const plan = {
      ...{ made_at, steward, device, lost_users: options.presentUsers(), left_out: [...left_out] },
      releases: releases.map((one) => `${one.kind} ${one.version}`),
      ...{ as_replacement: asReplacement, host_files: hostFiles, ...adopted },
      warnings: [...productWarnings(options, manifest), ...warnings],
    };
    // Files of root's come first, by root's hand, and this agent has to see them.
    const lacksFiles = request.with_host_files === true && hostFiles.some(({ differs }) => differs);
    if (request.check !== true && !lacksFiles) return await decide(options, plan);
    await emptyReplacementPlace(directory);
    return { ...plan, done: false };
  } catch (error) {
    // The file that was received stays: another passphrase may open it.
    await emptyReplacementPlace(directory).catch(() => undefined);
    throw error;
  }
}

function keyOf({ passphrase, identity }: RestoreRequest): OpeningKey {
  if (passphrase !== undefined && identity === undefined) return { passphrase };
  if (identity !== undefined && passphrase === undefined) return { identity };
  throw new StewardError("validation_failed", "Give either passphrase or identity. Nothing was changed.");
}

/** Writes the files of the state to its place, and no file of root's. The manifest. */
async function unpack(options: RestorerOptions, key: OpeningKey): Promise<Manifest> {
  const { directory, age } = options;
  const { directory: place } = replacementPlace(directory);
  const { file: sealed } = await openRegular(receivedFile(directory)).catch((error: unknown) => {
    if (systemErrorCode(error) !== "ENOENT") throw storageError(directory, error);
    throw new StewardError("not_found", "No backup has been sent to this device. Nothing was changed.");
  });
  let backup: OpenedBackup | undefined;
  try {
    backup = await openBackup(() => age.open(sealed.createReadStream({ autoClose: false, start: 0 }), key));
    await requireSpace(options, sizeOf(backup.manifest));
    for await (const { path, content } of backup.files) {
      if (!path.startsWith("state/")) continue;
      await mkdir(dirname(join(place, path)), { recursive: true, mode: 0o700 });
      await writeAll(join(place, path), content);
    }
    return backup.manifest;
  } finally {
    await backup?.files.return(undefined);
    await sealed.close();
  }
}

/** Documents of another major version could mean something else, or be refused by the next start. */
function requireSameMajor({ steward }: Manifest, version: string): void {
  const majors = [steward, version].map((one) => Number(one.split(".")[0]));
  if (majors[0] === majors[1]) return;
  const isNewer = (majors[0] ?? 0) > (majors[1] ?? 0);
  const advice = isNewer
    ? "Update this device first"
    : "Restore it with a release of that time, and update then";
  throw unusableBackup(`is of Steward ${steward}, and this device has ${version}. ${advice}`);
}

function productWarnings({ product }: RestorerOptions, manifest: Manifest): string[] {
  if (manifest.product === product) return [];
  return [`The backup is of the product "${manifest.product}", and this device is "${product}".`];
}

/** The files of root's, which only root writes: each, and if this device has another content. */
async function hostFilesOf(
  { hostDirectory }: RestorerOptions,
  { files }: Manifest,
): Promise<RestorePlan["host_files"]> {
  const own = files.map(async ({ path: inBackup, sha256 }) => {
    const path = hostFilePath(inBackup);
    if (path === null) return [];
    const present = await readRegular(join(hostDirectory, path), mostFolderBytes).catch(() => null);
    const hash = present && createHash("sha256").update(present).digest("hex");
    return [{ path, sha256, differs: hash !== sha256 }];
  });
  return (await Promise.all(own)).flat();
}

async function decide(
  { directory, takeNames, startAgain }: RestorerOptions,
  plan: Omit<RestorePlan, "done">,
): Promise<RestorePlan> {
  await decideReplacement(directory);
  const named = plan.as_replacement ? await takeNames(plan.device) : [];
  startAgain();
  return { ...plan, warnings: [...plan.warnings, ...named], done: true };
}
