import { join } from "node:path";
import { StewardError } from "../contract/errors.ts";
import { jsonIn } from "../contract/text/json-of.ts";
import { makeDirectory, writeDurably } from "../store/files/durable-file.ts";
import { type Lock, takeLock } from "../store/files/lock.ts";
import { publicMode, readIfThere, sweep } from "./files.ts";
import { type RoleName, roleNames, usualPeriods } from "./roles.ts";

/** A publisher's directory. `public` is uploaded, and never holds a secret. */
export interface Workspace extends Surroundings, ReturnType<typeof placesIn> {
  /** The product of releases without --product. */
  readonly product: string;
  /** Seconds from signing to expiry. */
  readonly periods: Readonly<Record<RoleName, number>>;
  /** The holders of keys, by key id: for people, and never signed. */
  readonly owners: Readonly<Record<string, string>>;
  readonly exported: ExportedVersions;
}

/** Versions that devices may know and public/ does not have: of exported archives, or passed over when it was made again. */
type ExportedVersions = Readonly<Partial<Record<RoleName, number>>>;

/** Asks for the passphrase of a key file. */
export type AskPassphrase = (file: string) => Promise<string>;

/** Time, and the terminal to ask for a passphrase on. */
export interface Surroundings {
  readonly now: () => Date;
  readonly askPassphrase: AskPassphrase;
}

/** The product of a repository that was made without one, and has no releases of one. */
export const unsaidProduct = "steward";

export const configName = "repository.json";

/** The content of `repository.json`; the rest is in the metadata. */
type Config = Pick<Workspace, "product" | "periods" | "owners" | "exported">;

/** Opens a directory that `steward-publisher init` made. Throws `not_found`, `validation_failed`. */
export async function openWorkspace(directory: string, surroundings: Surroundings): Promise<Workspace> {
  const path = join(directory, configName);
  const bytes = await readIfThere(path);
  if (bytes === null) {
    throw new StewardError(
      "not_found",
      `${directory} is not a repository: it has no ${configName}. Make one with: steward-publisher init ${directory}. If it was lost, make it again from the uploaded directory and the keys: steward-publisher init ${directory} --from PUBLIC --keys KEYS`,
    );
  }
  return { ...surroundings, ...placesIn(directory), ...readConfig(bytes, path) };
}

/** Writes what `repository.json` says of this workspace. Throws `storage_full`, `storage_unwritable`. */
export async function writeConfig({
  directory,
  product,
  periods,
  owners,
  exported,
}: Config & Pick<Workspace, "directory">): Promise<void> {
  const config = {
    steward_repository: 1,
    product,
    expires_seconds: periods,
    ...(Object.keys(owners).length > 0 && { key_owners: owners }),
    ...(Object.keys(exported).length > 0 && { exported_versions: exported }),
  };
  await writeDurably(join(directory, configName), `${JSON.stringify(config, null, 2)}\n`, publicMode);
}

export function placesIn(directory: string) {
  return {
    directory,
    /** PEM files, meant to be kept elsewhere. */
    keys: join(directory, "keys"),
    /** Metadata of the next version, with their payloads. */
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
    // A checkout of git has no empty directories.
    await makeDirectory(workspace.payloads);
    await sweep([workspace.drafts, workspace.public]);
    return await work(workspace);
  } finally {
    await lock.release();
  }
}

function readConfig(bytes: Uint8Array, path: string): Config {
  const invalid = (why: string): StewardError => new StewardError("validation_failed", `${path}${why}`);
  const config = jsonIn(bytes, (why) => invalid(` ${why}.`));
  const { steward_repository, product, ...members } = (config ?? {}) as Readonly<Record<string, unknown>>;
  const { expires_seconds, key_owners: owners = {}, exported_versions: exported = {} } = members;
  if (steward_repository !== 1 || typeof product !== "string")
    throw invalid(" belongs to a repository of an unknown format.");
  const periods = { ...usualPeriods, ...(expires_seconds as Partial<Config["periods"]>) };
  for (const role of roleNames) {
    if (Number.isSafeInteger(periods[role]) && periods[role] > 0) continue;
    throw invalid(`: expires_seconds.${role} must be a number of seconds.`);
  }
  if (!isOwners(owners)) throw invalid(": key_owners must name people by the ids of their keys.");
  if (!isVersions(exported)) throw invalid(": exported_versions must name versions by role.");
  return { product, periods, owners, exported };
}

function isVersions(value: unknown): value is ExportedVersions {
  return isObject(value) && Object.values(value).every((one) => Number.isSafeInteger(one) && Number(one) > 0);
}

function isOwners(value: unknown): value is Readonly<Record<string, string>> {
  if (!isObject(value)) return false;
  return Object.entries(value).every(([id, owner]) => /^[0-9a-f]{64}$/.test(id) && typeof owner === "string");
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
