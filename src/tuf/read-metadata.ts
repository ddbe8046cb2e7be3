import { StewardError } from "../contract/errors.ts";
import { canonicalTexts } from "./canonical-json.ts";
import type { Caps } from "./caps.ts";
import { type Metadata, type RoleType, type SignedTypes, topLevel } from "./metadata.ts";
import { atOnce, eachInSteps, type Steps, writtenInSteps } from "./steps.ts";
import { strictJson } from "./strict-json.ts";

type Members = Readonly<Record<string, unknown>>;
type Limits = Pick<Caps, "jsonDepth" | "jsonValues" | "signatures">;

/**
 * The content of a metadata file, with every member checked that this client uses. Throws `update_metadata_malformed`.
 */
export function readMetadata<T extends RoleType>(type: T, bytes: Uint8Array, limits: Limits): Metadata<T> {
  return atOnce(metadataSteps(type, bytes, limits));
}

/** The same in steps: megabytes that are not verified yet would hold up all other work of an agent. */
export function* metadataSteps<T extends RoleType>(
  type: T,
  bytes: Uint8Array,
  limits: Limits,
): Steps<Metadata<T>> {
  try {
    const file = members(yield* strictJson(bytes, limits), "the file");
    yield;
    const signed = members(file.signed, "signed");
    checkCommon(signed, type);
    yield* checks[type](signed) ?? [];
    const signatures = list(file.signatures, "signatures");
    if (signatures.length > limits.signatures) fail("signatures", `a list of at most ${limits.signatures}`);
    const read = signatures.map((signature) => {
      const { keyid, sig } = members(signature, "a signature");
      return { keyid: text(keyid, "keyid"), sig: text(sig, "sig") };
    });
    const ids = read.map(({ keyid }) => keyid);
    unique(ids, "the key ids of the signatures");
    // Every member that SignedTypes names was checked above; the others are kept because the signatures cover them.
    return {
      signed: signed as unknown as SignedTypes[T],
      signatures: read,
      signedBytes: yield* writtenInSteps(canonicalTexts(signed)),
      bytes,
    };
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    throw new StewardError(error.code, `The ${type} metadata cannot be used. ${error.message}`, {
      cause: error,
    });
  }
}

function checkCommon(signed: Members, type: RoleType): void {
  if (signed._type !== type) fail("_type", `"${type}"`, signed._type);
  // §4.3: another major version is another format.
  if (!/^1\.\d{1,6}(\.\d{1,6})?$/.test(text(signed.spec_version, "spec_version"))) {
    fail("spec_version", "1.x, the version of TUF that this client knows", signed.spec_version);
  }
  natural(signed.version, "version", 1);
  const expires = text(signed.expires, "expires");
  const time = new Date(expires);
  // Date also takes 24:00, 30 February and years of six digits: a time is valid only if it comes back unchanged, in 20
  // characters.
  const isTime = expires.length === 20 && !Number.isNaN(time.getTime());
  if (!isTime || time.toISOString() !== expires.replace("Z", ".000Z")) {
    fail("expires", "a time of the calendar such as 2026-11-20T14:03:00Z", expires);
  }
}

/** Names that no delegated role may have: its file would be another's (update-root.ts). */
const reserved: readonly string[] = [...topLevel, "root/rotation", ""];

const checks: Readonly<Record<RoleType, (signed: Members) => Iterable<undefined> | undefined>> = {
  root: (signed) => {
    checkKeys(signed.keys);
    const roles = members(signed.roles, "roles");
    for (const name of topLevel) checkRole(roles[name], `the role ${name}`);
    if (signed.consistent_snapshot !== undefined) flag(signed.consistent_snapshot, "consistent_snapshot");
  },
  timestamp: ({ meta }) => {
    const { "snapshot.json": snapshot, ...others } = members(meta, "meta");
    checkMetaFile(snapshot, "snapshot.json");
    // §4.6: it must describe only that file.
    if (Object.keys(others).length > 0) fail("meta", "only snapshot.json", Object.keys(others));
  },
  snapshot: ({ meta }) =>
    eachInSteps(Object.entries(members(meta, "meta")), ([name, file]) => checkMetaFile(file, name)),
  targets: ({ targets, delegations }) => {
    if (delegations !== undefined) checkDelegations(members(delegations, "delegations"));
    return eachInSteps(Object.entries(members(targets, "targets")), ([path, file]) => {
      const { length, hashes } = members(file, path);
      natural(length, `the length of ${path}`, 0);
      checkHashes(hashes, path);
    });
  },
};

function checkKeys(keys: unknown): void {
  for (const [id, key] of Object.entries(members(keys, "keys"))) {
    const { keytype, scheme, keyval } = members(key, `the key ${id}`);
    text(keytype, "keytype");
    text(scheme, "scheme");
    text(members(keyval, "keyval").public, "keyval.public");
  }
}

function checkRole(role: unknown, where: string): Members {
  const { keyids, threshold } = members(role, where);
  natural(threshold, `the threshold of ${where}`, 1);
  unique(texts(keyids, `the keyids of ${where}`), `the keyids of ${where}`);
  return members(role, where);
}

function checkMetaFile(file: unknown, name: string): void {
  const { version, length, hashes } = members(file, name);
  natural(version, `the version of ${name}`, 1);
  if (length !== undefined) natural(length, `the length of ${name}`, 0);
  if (hashes !== undefined) checkHashes(hashes, name);
}

function checkHashes(hashes: unknown, name: string): void {
  const given = Object.values(members(hashes, `the hashes of ${name}`));
  if (given.length === 0 || !given.every((hash) => typeof hash === "string" && /^[0-9a-f]+$/.test(hash))) {
    fail(`the hashes of ${name}`, "at least one, in lower-case hex");
  }
}

function checkDelegations({ keys, roles }: Members): void {
  checkKeys(keys);
  const names = list(roles, "the delegated roles").map((role) => {
    const { name, terminating, paths, path_hash_prefixes } = checkRole(role, "a delegated role");
    flag(terminating, "terminating");
    if ((paths === undefined) === (path_hash_prefixes === undefined)) {
      fail("a delegated role", "either paths or path_hash_prefixes");
    }
    texts(paths ?? path_hash_prefixes, "the paths of a delegated role");
    return text(name, "the name of a delegated role");
  });
  unique(names, "the names of the delegated roles");
  // Files are named after roles: 80 bytes still make a file name when each of them is quoted.
  if (names.some((name) => reserved.includes(name) || Buffer.byteLength(name) > 80)) {
    fail("the name of a delegated role", "1 to 80 bytes, and none of the top-level roles");
  }
}

function members(value: unknown, where: string): Members {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Members) : fail(where, "an object", value);
}

function list(value: unknown, where: string): readonly unknown[] {
  return Array.isArray(value) ? value : fail(where, "a list", value);
}

function text(value: unknown, where: string): string {
  return typeof value === "string" ? value : fail(where, "a string", value);
}

function texts(value: unknown, where: string): string[] {
  return list(value, where).map((item) => text(item, where));
}

function flag(value: unknown, where: string): void {
  if (typeof value !== "boolean") fail(where, "true or false", value);
}

/** The strict reader has refused numbers that are not integers. */
function natural(value: unknown, where: string, least: number): void {
  if (typeof value !== "number" || value < least) fail(where, `a number from ${least} on`, value);
}

function unique(values: readonly string[], where: string): void {
  if (new Set(values).size !== values.length) fail(where, "each one once");
}

function fail(where: string, expected: string, found?: unknown): never {
  const shown = found === undefined ? "" : `, not ${JSON.stringify(found).slice(0, 60)}`;
  throw new StewardError(
    "update_metadata_malformed",
    `Expected of ${where.slice(0, 120)}: ${expected}${shown}.`,
  );
}
