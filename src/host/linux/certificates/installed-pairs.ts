import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { StewardError, systemErrorCode } from "../../../contract/errors.ts";
import type { InstalledPair } from "../../certificate-ports.ts";
import type { TrustedOwners } from "../../host.ts";
import { readTrustedFile } from "../host-file/trusted-file.ts";

/** A chain of certificates has a few kilobytes. */
const maximumBytes = 256 * 1024;

/** Pairs that are read; more are left over from something that went wrong. */
const mostPairs = 64;

/**
 * The pairs `NAME.crt` and `NAME.key` of a directory. Only root, or another trusted user, may be able to write them;
 * only these and the agent may read the key.
 */
export async function readInstalledPairs(directory: string, owners: TrustedOwners): Promise<InstalledPair[]> {
  const entries = await readdir(directory).catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw error;
  });
  const names = entries
    .filter((name) => /^[A-Za-z0-9][\w.-]*\.crt$/.test(name))
    .map((name) => name.slice(0, -4));
  // The highest names count.
  const highest = names.sort().slice(-mostPairs);
  return Promise.all(highest.map((name) => readPair(directory, name, owners)));
}

async function readPair(directory: string, name: string, owners: TrustedOwners): Promise<InstalledPair> {
  const read = async (path: string): Promise<string> => {
    const bytes = await readTrustedFile(path, { ...owners, maximumBytes }, refusal);
    if (bytes === null) throw refusal(path, "does not exist");
    return Buffer.from(bytes).toString("latin1");
  };
  const key = join(directory, `${name}.key`);
  try {
    const certificate = await read(join(directory, `${name}.crt`));
    const pem = await read(key);
    if (((await stat(key)).mode & 0o007) !== 0)
      throw refusal(key, `is open to every user of the device. As root: chmod o= ${key}`);
    return { name, certificate, key: pem };
  } catch (error) {
    return { name, refused: reasonOf(error, key) };
  }
}

function reasonOf(error: unknown, key: string): string {
  if (error instanceof StewardError) return error.message;
  const code = systemErrorCode(error);
  if (code === "EACCES")
    return `The agent may not read ${key} or its certificate. As root: chgrp steward ${key}; chmod 640 ${key}.`;
  return `${key} or its certificate cannot be read (${code ?? String(error)}).`;
}

function refusal(path: string, what: string): StewardError {
  return new StewardError("validation_failed", `${path} ${what}.`);
}
