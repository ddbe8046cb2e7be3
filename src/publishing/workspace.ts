import { join } from "node:path";
import { StewardError } from "../contract/errors.ts";
import { type Lock, takeLock } from "../store/files/lock.ts";
import { readIfThere, sweep } from "./files.ts";
import { type RoleName, roleNames, usualPeriods } from "./roles.ts";

/** A publisher's directory. `public` is uploaded, and never holds a secret. */
export interface Workspace {
  readonly directory: string;
  /** PEM files, meant to be kept elsewhere. */
  readonly keys: string;
  /** Metadata of the next version, with their payloads. */
  readonly drafts: string;
  readonly payloads: string;
  readonly public: string;
  readonly metadata: string;
  readonly targets: string;
  /** The product of releases without --product. */
  readonly product: string;
  /** Seconds from signing to expiry. */
  readonly periods: Readonly<Record<RoleName, number>>;
  /** The holders of keys, by key id: for people, and never signed. */
  readonly owners: Readonly<Record<string, string>>;
  readonly now: () => Date;
  readonly askPassphrase: AskPassphrase;
}

/** Asks for the passphrase of a key file. */
export type AskPassphrase = (file: string) => Promise<string>;

/** Time, and the terminal to ask for a passphrase on. */
export interface Surroundings {
  readonly now: () => Date;
  readonly askPassphrase: AskPassphrase;
}

export const configName = "repository.json";

/** The content of `repository.json`; the rest is in the metadata. */
export interface Config {
  readonly steward_repository: 1;
  readonly product: string;
  readonly expires_seconds: Readonly<Record<RoleName, number>>;
  /** Absent: nothing was said. */
  readonly key_owners?: Readonly<Record<string, string>>;
}

/** Opens a directory that `steward-publisher init` made. Throws `not_found`, `validation_failed`. */
export async function openWorkspace(directory: string, surroundings: Surroundings): Promise<Workspace> {
  const path = join(directory, configName);
  const bytes = await readIfThere(path);
  if (bytes === null) {
    throw new StewardError(
      "not_found",
      `${directory} is not a repository: it has no ${configName}. Make one with: steward-publisher init ${directory}`,
    );
  }
  const { product, expires_seconds: periods, key_owners: owners = {} } = readConfig(bytes, path);
  return { ...surroundings, ...placesIn(directory), product, periods, owners };
}

export function placesIn(directory: string) {
  return {
    directory,
    keys: join(directory, "keys"),
    drafts: join(directory, "draft"),
    payloads: join(directory, "draft", "payloads"),
    public: join(directory, "public"),
    metadata: join(directory, "public", "metadata"),
    targets: join(directory, "public", "targets"),
  };
}

/** A renewal by cron waits for a publish by hand instead of failing. */
const lockWaitSeconds = 5;

/** Does `work` while no other command changes the directory. Throws `state_locked`. */
export async function withWorkspace<T>(
  directory: string,
  surroundings: Surroundings,
  work: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  const workspace = await openWorkspace(directory, surroundings);
  let lock: Lock;
  try {
    lock = await takeLock(directory, { waitSeconds: lockWaitSeconds });
  } catch (cause) {
    if (!(cause instanceof StewardError) || cause.code !== "state_locked") throw cause;
    throw new StewardError(
      "state_locked",
      `Another steward-publisher command is using ${directory}. Try again when it has ended.`,
      { cause },
    );
  }
  try {
    await sweep([workspace.drafts, workspace.public]);
    return await work(workspace);
  } finally {
    await lock.release();
  }
}

function readConfig(bytes: Uint8Array, path: string): Config {
  let config: unknown;
  try {
    config = JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch (cause) {
    throw new StewardError("validation_failed", `${path} is not JSON.`, { cause });
  }
  const { steward_repository, product, expires_seconds, key_owners = {} } = (config ?? {}) as Partial<Config>;
  if (steward_repository !== 1 || typeof product !== "string") {
    throw new StewardError("validation_failed", `${path} belongs to a repository of an unknown format.`);
  }
  const periods = { ...usualPeriods, ...expires_seconds };
  for (const role of roleNames) {
    if (Number.isSafeInteger(periods[role]) && periods[role] > 0) continue;
    throw new StewardError(
      "validation_failed",
      `${path}: expires_seconds.${role} must be a number of seconds.`,
    );
  }
  if (!isOwners(key_owners))
    throw new StewardError(
      "validation_failed",
      `${path}: key_owners must name people by the ids of their keys.`,
    );
  return { steward_repository, product, expires_seconds: periods, key_owners };
}

function isOwners(value: unknown): value is Readonly<Record<string, string>> {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.entries(value).every(([id, owner]) => /^[0-9a-f]{64}$/.test(id) && typeof owner === "string")
  );
}
