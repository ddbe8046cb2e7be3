import { join } from "node:path";
import { StewardError } from "../contract/errors.ts";
import { caps } from "../tuf/caps.ts";
import type { Metadata } from "../tuf/metadata.ts";
import { readMetadata } from "../tuf/read-metadata.ts";
import { readRootOfTrust } from "../tuf/root-of-trust.ts";
import { namesIn, readIfThere } from "./files.ts";
import { type RoleFiles, type RoleName, type TypeOfRole, typeOfRole } from "./roles.ts";

/** The metadata that clients find in a directory, from its newest root and its timestamp.json. */
export async function readPublished(metadata: string): Promise<RoleFiles> {
  const newest = await newestRoot(metadata);
  const root = newest === 0 ? null : await readRole(metadata, "root", `${newest}.root.json`);
  const timestamp = await readRole(metadata, "timestamp", "timestamp.json");
  const snapshot = timestamp
    ? await readNamed(metadata, "snapshot", timestamp.signed.meta["snapshot.json"].version)
    : null;
  const named = async <R extends "targets" | "rules" | "binary">(role: R) => {
    const file = snapshot?.signed.meta[`${role}.json`];
    return file ? readNamed(metadata, role, file.version) : null;
  };
  const [targets, rules, binary] = [await named("targets"), await named("rules"), await named("binary")];
  return { root, timestamp, snapshot, targets, rules, binary };
}

/** The fingerprint of 1.root.json, as devices show it; null: there is none. */
export async function firstFingerprint(metadata: string): Promise<string | null> {
  const first = await readIfThere(join(metadata, "1.root.json"));
  return first && readRootOfTrust(first).fingerprint;
}

/** The next unused version of a role. Leftovers of an interrupted publish count as used, because a cache may hold them. */
export async function nextVersion(metadata: string, role: RoleName): Promise<number> {
  return Math.max(0, ...(await versionsOf(metadata, role))) + 1;
}

/** The roots from `1.root.json` on, as a client follows them: up to the first gap; 0 for none. */
async function newestRoot(metadata: string): Promise<number> {
  const versions = new Set(await versionsOf(metadata, "root"));
  let newest = 0;
  while (versions.has(newest + 1)) newest += 1;
  return newest;
}

async function versionsOf(metadata: string, role: RoleName): Promise<number[]> {
  return (await namesIn(metadata)).flatMap((name) => {
    const [, version, of] = /^([1-9]\d{0,14})\.([a-z]+)\.json$/.exec(name) ?? [];
    return of === role ? [Number(version)] : [];
  });
}

async function readNamed<R extends RoleName>(metadata: string, role: R, version: number) {
  const name = `${version}.${role}.json`;
  const read = await readRole(metadata, role, name);
  if (read !== null) return read;
  throw new StewardError(
    "repository_conflict",
    `${join(metadata, name)} is missing, although published metadata name it, so devices cannot read this repository. Copy the file back from the server.`,
  );
}

/** null: the file does not exist. Throws `update_metadata_malformed` with its path. */
export async function readRole<R extends RoleName>(
  directory: string,
  role: R,
  name: string,
): Promise<Metadata<TypeOfRole[R]> | null> {
  const path = join(directory, name);
  const bytes = await readIfThere(path);
  if (bytes === null) return null;
  try {
    return readMetadata(typeOfRole[role], bytes, caps);
  } catch (cause) {
    if (!(cause instanceof StewardError)) throw cause;
    throw new StewardError(cause.code, `${path}: ${cause.message} Restore it from a copy, or remove it.`, {
      cause,
    });
  }
}
