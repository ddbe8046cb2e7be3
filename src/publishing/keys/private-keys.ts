import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { open } from "node:fs/promises";
import { basename, join } from "node:path";
import { rethrown, StewardError } from "../../contract/errors.ts";
import { textOf } from "../../contract/text/text-of.ts";
import { makeDirectory, writeDurably } from "../../store/files/durable-file.ts";
import { namesIn, noText, privateMode, unreadable } from "../files.ts";
import type { RoleName } from "../roles.ts";
import type { AskPassphrase } from "../workspace.ts";
import { type NamedKey, namedKeyOf } from "./public-keys.ts";

/** A key that can sign, here or elsewhere, for the duration of one command. */
export interface SigningKey extends NamedKey {
  /** The place of the key, for people. */
  readonly file: string;
  /** Each signature may cost a person a touch: it is asked for only where one is missing. */
  readonly isExternal?: true;
  /** 64 bytes; null: it does not sign this. */
  sign(message: Uint8Array, role: RoleName): Uint8Array | null;
}

/** One that is in a file. */
export interface PrivateKey extends SigningKey {
  /** 64 bytes. */
  sign(message: Uint8Array): Uint8Array;
}

/** A new key pair; `pem` is PKCS #8. */
export function makePrivateKey(): NamedKey & { readonly pem: string } {
  // As PEM: a KeyObject shares a lock with the job that made it, and Node 20 hangs where that job is collected during
  // an export of the key.
  const { privateKey: pem } = generateKeyPairSync("ed25519", {
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  return { ...namedKeyOf(createPrivateKey(pem), "a new key"), pem };
}

/**
 * Reads a PEM file. Throws `not_found`, `forbidden` for a file that others can read, `validation_failed` if it is
 * not an Ed25519 key.
 */
export async function readPrivateKey(file: string, askPassphrase: AskPassphrase): Promise<PrivateKey> {
  const pem = await readSecret(file);
  const isSealed = isEncrypted(pem);
  const passphrase = isSealed ? await askPassphrase(file) : undefined;
  let key: KeyObject;
  try {
    key = createPrivateKey({ key: pem, format: "pem", ...(passphrase !== undefined && { passphrase }) });
  } catch (cause) {
    const why = isSealed ? "cannot be opened with this passphrase" : "is not a private key in PEM";
    throw new StewardError("validation_failed", `${file} ${why}.`, { cause });
  }
  return { ...namedKeyOf(key, file), file, sign: (message) => sign(null, message, key) };
}

/** The keys in a directory; `sealed` have a passphrase and were not opened. */
export async function readKeysAtHand(
  directory: string,
): Promise<{ keys: readonly PrivateKey[]; sealed: readonly string[] }> {
  const keys: PrivateKey[] = [];
  const sealed: string[] = [];
  // The directory may be absent: offline keys are kept elsewhere.
  for (const name of (await namesIn(directory)).filter((one) => /^[^.].*\.pem$/.test(one)).sort()) {
    const file = join(directory, name);
    const pem = await readSecret(file);
    if (isEncrypted(pem)) sealed.push(file);
    // Public keys may be stored beside the private ones.
    else if (pem.includes("PRIVATE KEY")) keys.push(await readPrivateKey(file, unasked));
  }
  return { keys, sealed };
}

async function unasked(file: string): Promise<string> {
  throw new StewardError(
    "validation_failed",
    `${file} has a passphrase. Name it with --key to be asked for it.`,
  );
}

async function readSecret(file: string): Promise<string> {
  const handle = await open(file, "r").catch(rethrown((error) => unreadable(file, error)));
  try {
    const text = textOf(await handle.readFile(), { refuse: (why) => noText(file, why) });
    const { mode } = await handle.stat();
    if (text.includes("PRIVATE KEY") && (mode & 0o077) !== 0) {
      throw new StewardError(
        "forbidden",
        `${file} can be read by other users of this machine (mode ${(mode & 0o777).toString(8)}), so it may have been copied. If you are sure that it was not: chmod 600 ${file}. Otherwise replace the key.`,
      );
    }
    return text;
  } catch (error) {
    if (error instanceof StewardError) throw error;
    throw unreadable(file, error);
  } finally {
    await handle.close();
  }
}

function isEncrypted(pem: string): boolean {
  return pem.includes("BEGIN ENCRYPTED PRIVATE KEY") || pem.includes("Proc-Type: 4,ENCRYPTED");
}

/** The file name of a new key. */
export function keyFileName(role: string, index: number, count: number): string {
  return basename(count === 1 ? `${role}.pem` : `${role}-${index + 1}.pem`);
}

/** Writes a key for a role into a directory, on the disk before any metadata name it. */
export async function addPrivateKey(
  directory: string,
  role: string,
  { id, pem } = makePrivateKey(),
): Promise<PrivateKey> {
  const file = join(directory, `${role}-${id.slice(0, 8)}.pem`);
  await makeDirectory(directory);
  await writeDurably(file, pem, privateMode);
  return readPrivateKey(file, unasked);
}
