import { createHash } from "node:crypto";
import { StewardError } from "../contract/errors.ts";
import type { Caps } from "./caps.ts";
import type { Metadata, MetaFile, RoleType, Root, Snapshot, Timestamp } from "./metadata.ts";
import type { MetadataFiles } from "./metadata-files.ts";
import { metadataSteps } from "./read-metadata.ts";
import type { Repository, Validators } from "./repository.ts";
import { type Signers, type Verifiers, verifySignatures } from "./signatures.ts";
import { inTurns } from "./steps.ts";

export interface Session {
  readonly repository: Repository;
  readonly files: MetadataFiles;
  readonly caps: Caps;
  readonly verifiers: Verifiers;
  /** TUF §5.1: one moment for the whole refresh, however long it takes. */
  readonly start: Date;
  /** The validators of the trusted timestamp.json from this repository; absent: it is fetched in any case. */
  readonly known?: Validators | undefined;
}

/** The kept file of a role, if it is signed by the present keys: after a change of keys it may no longer be. */
export async function loadTrusted<T extends "timestamp" | "snapshot" | "targets">(
  { files, caps, verifiers }: Session,
  type: T,
  signers: Signers,
): Promise<Metadata<T> | null> {
  const bytes = await files.read(signers.name);
  if (bytes === null) return null;
  try {
    const metadata = await inTurns(metadataSteps(type, bytes, caps));
    verifySignatures(metadata, signers, verifiers);
    return metadata;
  } catch (error) {
    if (error instanceof StewardError) return null;
    throw error;
  }
}

/** True if the kept file is the one that is named, so that it need not be fetched. */
export function isNamed({ signed, bytes }: Metadata<RoleType>, named: MetaFile): boolean {
  return signed.version === named.version && difference(bytes, named) === null;
}

/** Reads a file that snapshot or timestamp names, and checks length and hashes, signatures, version, in this order. */
export async function readNamed<T extends "snapshot" | "targets">(
  session: Session,
  type: T,
  { signers, named, root }: { signers: Signers; named: MetaFile; root: Root },
): Promise<Metadata<T>> {
  const { caps, repository, verifiers } = session;
  const file = `${root.consistent_snapshot ? `${named.version}.` : ""}${signers.name}.json`;
  const maximumBytes = Math.min(
    named.length ?? Infinity,
    type === "snapshot" ? caps.snapshotBytes : caps.targetsBytes,
  );
  const read = await repository.readMetadata(file, { maximumBytes });
  if (read === null || read === "unchanged") throw missing(file);
  const wrong = difference(read.bytes, named);
  if (wrong !== null) throw mismatch(file, wrong);
  const metadata = await inTurns(metadataSteps(type, read.bytes, caps));
  verifySignatures(metadata, signers, verifiers);
  const { version } = metadata.signed;
  if (version !== named.version) throw mismatch(file, `version ${version} instead of ${named.version}`);
  return metadata;
}

/** Freeze attack: a server keeps serving old metadata although its publisher has newer ones. */
export function requireUnexpired({ start }: Session, role: string, { expires }: { expires: string }): void {
  if (Date.parse(expires) > start.getTime()) return;
  throw new StewardError(
    "update_metadata_expired",
    `The metadata of the role ${role} expired at ${expires}, and it is ${start.toISOString()}: the publisher has not renewed them, or these are not the newest. The installed releases stay as they are.`,
  );
}

/** Rollback attack. */
export function requireNotBelow(role: string, next: Aged, trusted: Aged): void {
  if (next.version >= trusted.version) return;
  throw new StewardError(
    "update_rollback_refused",
    `The repository has ${ageOf(next)} of the role ${role}, and this device knows ${ageOf(trusted)}: the repository is out of date, or was put back to an earlier state.`,
  );
}

type Aged = Pick<Timestamp, "version"> & Partial<Timestamp>;

function ageOf({ version, expires }: Aged): string {
  return `version ${version}${expires === undefined ? "" : ` (good until ${expires})`}`;
}

/** §5.5.5: no role disappears, and none goes back. */
export function requireNoRollback(next: Snapshot, trusted: Snapshot): void {
  for (const [file, known] of Object.entries(trusted.meta))
    requireNotBelow(file.replace(/\.json$/, ""), next.meta[file] ?? { version: 0 }, known);
}

export function missing(file: string): StewardError {
  return new StewardError(
    "update_file_missing",
    `The repository has no metadata/${file}. Does its address name the folder above metadata?`,
  );
}

/** The difference of a file from its description. §5.5.2: if hashes are named, a known one must be among them. */
function difference(bytes: Uint8Array, { length, hashes }: MetaFile): string | null {
  if (length !== undefined && bytes.length !== length) return `${bytes.length} bytes instead of ${length}`;
  const named = Object.entries(hashes ?? {}).filter(([name]) => name === "sha256" || name === "sha512");
  if (hashes && named.length === 0) return "neither a sha256 nor a sha512 that it could be compared by";
  for (const [algorithm, wanted] of named) {
    const hash = createHash(algorithm).update(bytes).digest("hex");
    if (hash !== wanted) return `the ${algorithm} ${hash.slice(0, 16)}… instead of ${wanted.slice(0, 16)}…`;
  }
  return null;
}

function mismatch(file: string, wrong: string): StewardError {
  return new StewardError(
    "update_metadata_mismatch",
    `metadata/${file} is not the file that was signed for: it has ${wrong}. The repository mixes files of different times. If its publisher is uploading now, try again later.`,
  );
}
