import { join } from "node:path";
import { StewardError } from "../contract/errors.ts";
import { isPatch, readPatch } from "../releases/patches/patch.ts";
import { readRelease } from "../releases/release.ts";
import { caps } from "../tuf/caps.ts";
import type { FoundTarget, Refreshed } from "../tuf/client.ts";
import type { MetadataFiles } from "../tuf/metadata-files.ts";
import { refresh } from "../tuf/refresh.ts";
import type { Repository } from "../tuf/repository.ts";
import { ed25519Only } from "../tuf/signatures.ts";
import { readIfThere } from "./files.ts";
import { type ReleaseRole, type RoleFiles, releaseRoles } from "./roles.ts";
import { rfc3339Seconds } from "./state.ts";
import type { Workspace } from "./workspace.ts";

/** Metadata files to be published, by their names under metadata/. */
export type Staged = ReadonlyMap<string, Uint8Array>;

/** The repository as clients read it after the publish. */
export interface Verdict {
  /** Findings that do not prevent the publish. */
  readonly remarks: readonly string[];
  /** When the new root is written, so that a client that reads meanwhile never fails. */
  readonly rootPlace: "first" | "last";
}

interface Verified {
  readonly published: RoleFiles;
  readonly next: RoleFiles;
  readonly drafted: readonly ReleaseRole[];
  /** Begins the error, such as `Nothing was published, because devices would refuse it`. */
  readonly refusal: string;
}

type Place = Pick<Workspace, "directory" | "metadata" | "now">;

/**
 * Reads the repository as devices do, with `staged` over the published files: once as a device that knows only the first
 * root, and once as one that has read everything published so far. Throws what they would throw.
 */
export async function verifyAsClients(place: Place, staged: Staged, given: Verified): Promise<Verdict> {
  try {
    return await verdict(place, staged, given);
  } catch (cause) {
    if (!(cause instanceof StewardError) || !cause.code.startsWith("update_")) throw cause;
    const renewal = ` If the clock of this machine is right (${rfc3339Seconds(place.now().getTime())}), renew the expired metadata with: steward-publisher renew ${place.directory} ROLE. Then publish.`;
    const advice = cause.code === "update_metadata_expired" ? renewal : "";
    throw new StewardError(cause.code, `${given.refusal}: ${cause.message}${advice}`, { cause });
  }
}

async function verdict(
  workspace: Place,
  staged: Staged,
  { published, next, drafted }: Verified,
): Promise<Verdict> {
  const client = createClients(workspace);
  const readAsNew = await client.knowingRoot(staged);
  const remarks = await requireComplete(await readAsNew(staged), next, drafted);
  if (published.timestamp === null) return { remarks, rootPlace: "first" };
  const read = await client.knowingAll();
  if (read === null) {
    return {
      remarks: [
        ...remarks,
        "Devices cannot read the repository as it is published now, so this check covers new devices only.",
      ],
      rootPlace: "first",
    };
  }
  await requireComplete(await read(staged), next, drafted);
  return { remarks, rootPlace: await rootPlace(client, staged) };
}

/** A timestamp that is signed for the old and the new root works for both kinds of clients. */
async function rootPlace(client: Clients, staged: Staged): Promise<"first" | "last"> {
  const roots = new Map([...staged].filter(([name]) => name.endsWith(".root.json")));
  const others = new Map([...staged].filter(([name]) => !roots.has(name)));
  if (roots.size === 0 || (await client.canRead(roots, longAgo))) return "first";
  return (await client.canRead(others)) ? "last" : "first";
}

/** Before every expiry: published metadata may have expired, which a new publish fixes. */
export const longAgo = new Date(0);

/** Reads the repository as one device, which keeps what it has read. */
type Read = (staged: Staged, start?: Date) => Promise<Refreshed>;

type Clients = ReturnType<typeof createClients>;

function createClients(workspace: Place) {
  const knowingRoot = async (known: Staged): Promise<Read> => {
    const files = filesInMemory();
    const first = known.get("1.root.json") ?? (await readIfThere(join(workspace.metadata, "1.root.json")));
    if (first === null) throw new StewardError("repository_conflict", firstRootMissing);
    await files.write("root", first);
    return (staged, start = workspace.now()) => {
      const repository = layered(workspace.metadata, staged);
      return refresh({ repository, files, caps, verifiers: ed25519Only, start });
    };
  };
  /** null: the published repository cannot be read. */
  const knowingAll = async (): Promise<Read | null> => {
    const read = await knowingRoot(new Map());
    return (await attempt(read(new Map(), longAgo))) === null ? null : read;
  };
  return {
    knowingRoot,
    knowingAll,
    /** A device that has read everything published so far can continue with this. */
    canRead: async (staged: Staged, start?: Date): Promise<boolean> => {
      const read = await knowingAll();
      return read !== null && (await attempt(read(staged, start))) !== null;
    },
  };
}

const firstRootMissing =
  "public/metadata/1.root.json is missing: devices that were given it could not follow. Bring it back from where the repository was uploaded to.";

/** null: refused. */
async function attempt<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StewardError && error.code.startsWith("update_")) return null;
    throw error;
  }
}

/** The stored metadata of a device, for the time of the verification. */
export function filesInMemory(): MetadataFiles {
  const files = new Map<string, Uint8Array>();
  return {
    read: async (role) => files.get(role) ?? null,
    write: async (role, bytes) => void files.set(role, bytes),
    remove: async (role) => void files.delete(role),
    clear: async () => files.clear(),
  };
}

/** A repository with `staged` over the files of a directory. */
function layered(directory: string, staged: Staged): Repository {
  let requests = 0;
  let bodyBytes = 0;
  return {
    readMetadata: async (name, { maximumBytes }) => {
      const bytes = staged.get(name) ?? (await readIfThere(join(directory, name)));
      requests += 1;
      bodyBytes += bytes?.length ?? 0;
      if (bytes && bytes.length > maximumBytes)
        throw new StewardError(
          "update_too_large",
          `${name} has ${bytes.length} bytes, more than ${maximumBytes}.`,
        );
      return bytes && { bytes, validators: { etag: null, last_modified: null } };
    },
    openTarget: async (path) => {
      throw new StewardError("not_found", `${path} is not read here.`);
    },
    cost: () => ({ requests, bodyBytes }),
  };
}

/** Checks that devices find every release, signed by the role of its kind, and would accept it. */
async function requireComplete(
  refreshed: Refreshed,
  next: RoleFiles,
  drafted: readonly ReleaseRole[],
): Promise<string[]> {
  const remarks: string[] = [];
  for (const role of releaseRoles) {
    const paths = Object.keys(next[role]?.signed.targets ?? {});
    try {
      const refusals = await refusalsOf(refreshed, role, paths);
      if (refusals.length === 0) continue;
      throw new StewardError("update_metadata_mismatch", `In the role ${role}: ${refusals.join("; ")}.`);
    } catch (error) {
      const isOld = error instanceof StewardError && error.code === "update_metadata_expired";
      // Metadata that expired meanwhile must not block the other kind.
      if (!isOld || drafted.includes(role)) throw error;
      remarks.push(
        `The metadata of ${role} have expired: devices install no ${role} until they are renewed. The other kind is not affected.`,
      );
    }
  }
  return remarks;
}

async function refusalsOf(
  refreshed: Refreshed,
  role: ReleaseRole,
  paths: readonly string[],
): Promise<string[]> {
  // With a channel even without releases, so that the metadata of the role are read.
  const channels = new Set(["stable", ...paths.map((path) => path.split("/")[0] ?? "")]);
  const found = new Map<string, FoundTarget>();
  for (const channel of channels)
    for (const target of await refreshed.list(channel, role)) found.set(target.path, target);
  return paths.flatMap((path) => {
    const target = found.get(path);
    if (target?.role !== role) return [`${path} would not be found`];
    if (isPatch(target.file)) return readPatch(target) === null ? [`${path} would not be applied`] : [];
    const release = readRelease(target);
    return "reason" in release ? [`${path} would not be taken: ${release.reason}`] : [];
  });
}
