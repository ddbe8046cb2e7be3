import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from "node:fs";
import { link, open, rename, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { StewardError, systemErrorCode } from "../../../contract/errors.ts";
import type { RenewedKey, SealKeyPlaces } from "../../host.ts";
import { openingOf, whyUnreadable } from "./trusted-file.ts";

const keyBytes = 32;

/** Larger than every form of a key, so that a wrong file is not read completely. */
const largestFileBytes = 256;

/** Every right of others, and the right of the group to write. */
const rightsOfOthers = 0o027;

/**
 * The keys that two-factor secrets are sealed with, the preferred first: the credential, the file of root, the agent's
 * own. An earlier one that still exists is returned too, so that secrets sealed with it still open. Without any key, the
 * agent makes its own.
 *
 * Throws `second_factor_unavailable` for a key that cannot be read, is not a key, or could be read by others: it is never
 * replaced by another one. Throws `storage_full` or `storage_unwritable` if one cannot be made.
 */
export async function readSealKeys(places: SealKeyPlaces): Promise<Uint8Array[]> {
  const { credentialsDirectory, path, fallbackPath } = places;
  // systemd protects a credential, and the state directory protects the agent's own key.
  const given =
    credentialsDirectory && readKey(join(credentialsDirectory, "steward.key"), { mayBeBlank: true });
  const ofRoot = readKey(path, {
    opening: openingOf(path, { isSecret: true }),
    check: (facts) => refuseForeign(facts, path, dirname(fallbackPath)),
  });
  const own = readOwnKey(fallbackPath);
  const found = [given, ofRoot, own].filter((key) => key instanceof Uint8Array);
  if (found.length > 0 || places.mayMake === false) return found;
  const made = await makeKey(fallbackPath);
  places.onMade?.();
  return [made];
}

/** Makes a new key of the agent's; `replace` puts it in place when all is sealed. A power cut leaves both. null: none. */
export async function renewOwnSealKey(path: string): Promise<RenewedKey | null> {
  const former = readOwnKey(path);
  if (former === undefined) return null;
  const nextPath = `${path}.next`;
  const next = readOwnKey(nextPath) ?? (await makeKey(nextPath));
  const replace = async (): Promise<void> => {
    await rename(nextPath, path);
    await syncDirectory(dirname(path));
  };
  return { former, next, replace };
}

function readOwnKey(path: string): Uint8Array | undefined {
  // Never behind a link: the agent can make one in the state directory.
  return readKey(path, { flags: constants.O_NOFOLLOW, opening: `chown -h steward: ${path}` });
}

interface KeyReading {
  readonly check?: (facts: Stats) => void;
  readonly flags?: number;
  /** The unit gives a blank credential if there is none. */
  readonly mayBeBlank?: boolean;
  /** The line by which root opens it to the agent. None mends a credential, which systemd has made from something else. */
  readonly opening?: string;
}

/** Undefined only if the file is absent, or as blank as it may be. Keys are read before anything is served. */
function readKey(
  path: string,
  { check, flags = 0, mayBeBlank = false, opening }: KeyReading = {},
): Uint8Array | undefined {
  const setAside = opening && `mv ${path} ${path}.unusable`;
  const noKey = (why = notAKey) => refusal(path, why, { repair: setAside });
  let file: number;
  try {
    // A pipe in its place must not keep the agent from starting, nor the doctor from its end.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | flags);
  } catch (cause) {
    const code = systemErrorCode(cause);
    const why = whyUnreadable(path, cause, { opening: opening ?? "" });
    if (why === null) return undefined;
    if (code === "EACCES" && opening) throw refusal(path, why, { cause });
    // open(2): ELOOP for a link that is not followed or leads round in a ring, ENXIO for a socket.
    const repair = /ELOOP|ENXIO|ENOENT/.test(String(code)) ? setAside : undefined;
    throw refusal(path, `cannot be read (${code}); the user of the agent must be able to`, { cause, repair });
  }
  try {
    const facts = fstatSync(file);
    check?.(facts);
    if (!facts.isFile() || facts.size > largestFileBytes) throw noKey();
    const content = readFileSync(file);
    return mayBeBlank && content.toString("latin1") === "\n" ? undefined : parseKey(content, noKey);
  } finally {
    closeSync(file);
  }
}

/** Checks the open file, so that it cannot be replaced afterwards. The owner of the state is the user of the agent. */
function refuseForeign({ uid, mode }: Stats, path: string, stateDirectory: string): void {
  const agent = statSync(stateDirectory);
  if ((uid === 0 || uid === agent.uid) && (mode & rightsOfOthers) === 0) return;
  throw refusal(
    path,
    "can be read or written by others, who could open every two-factor secret. Replace the key if others have used this device",
    { repair: openingOf(path, { isSecret: true }) },
  );
}

const notAKey = "must hold 32 random bytes, or their 64 hex digits, or their base64, and nothing else";

function parseKey(content: Buffer, noKey: (why?: string) => StewardError): Uint8Array {
  const text = content.toString("latin1").replace(/\r?\n$/, "");
  const key = decodeKey(content, text);
  if (key === undefined) throw noKey();
  // A file that a power cut has emptied, or a copy of /dev/zero.
  if (key.every((byte) => byte === key[0])) throw noKey("holds one byte 32 times, which is not a key");
  return key;
}

function decodeKey(content: Buffer, text: string): Uint8Array | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, "hex");
  if (/^[A-Za-z0-9+/]{43}=$/.test(text)) {
    const key = Buffer.from(text, "base64");
    return key.toString("base64") === text ? key : undefined;
  }
  // 32 printable characters are a passphrase, or 16 bytes in hex: a random key looks like that once in 10^13.
  return content.length === keyBytes && !/^[ -~]+$/.test(text) ? content : undefined;
}

/** Written under another name and then linked, so that two processes that make a key at once read the same one. */
async function makeKey(path: string): Promise<Uint8Array> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    await writeFile(temporary, randomBytes(keyBytes), { flag: "wx", mode: 0o600, flush: true });
    await link(temporary, path).catch((error: unknown) => {
      if (systemErrorCode(error) !== "EEXIST") throw error;
    });
    await unlink(temporary);
    await syncDirectory(dirname(path));
  } catch (cause) {
    await unlink(temporary).catch(() => undefined);
    throw notMade(path, cause);
  }
  const key = readOwnKey(path);
  if (key === undefined) throw refusal(path, "was removed as soon as it was made");
  return key;
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function notMade(path: string, cause: unknown): StewardError {
  const code = systemErrorCode(cause);
  const isFull = code === "ENOSPC" || code === "EDQUOT";
  return new StewardError(
    isFull ? "storage_full" : "storage_unwritable",
    `A key to seal two-factor secrets with cannot be made: ${path} cannot be written (${code ?? String(cause)}). ` +
      (isFull ? "Free some space." : `Check that ${dirname(path)} is writable and not mounted read-only.`),
    { cause },
  );
}

function refusal(
  path: string,
  what: string,
  { cause, repair }: { cause?: unknown; repair?: string | undefined } = {},
): StewardError {
  const typed = repair === undefined ? "" : ` As root: ${repair}.`;
  return new StewardError(
    "second_factor_unavailable",
    `The key for two-factor secrets cannot be used: ${path} ${what}.${typed} Recovery codes and \`steward user rescue NAME\` work without it.`,
    { cause },
  );
}
