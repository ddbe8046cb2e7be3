import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { StewardError } from "../../../src/contract/errors.ts";

export const key = createHash("sha256").update("a key").digest();
export const otherKey = createHash("sha256").update("another key").digest();
export const formerKey = createHash("sha256").update("a former key").digest();

export interface Device {
  credentialsDirectory: string;
  path: string;
  fallbackPath: string;
  stateDirectory: string;
}

/** A device without any key: no credential, nothing in its /etc, an empty state directory. */
export function device(): Device {
  const directory = scratchDirectory();
  for (const name of ["credentials", "etc", "state"]) mkdirSync(join(directory, name), { mode: 0o700 });
  return {
    credentialsDirectory: join(directory, "credentials"),
    path: join(directory, "etc/seal.key"),
    fallbackPath: join(directory, "state/.seal.key"),
    stateDirectory: join(directory, "state"),
  };
}

export function put(path: string, content: string | Uint8Array, mode = 0o640): void {
  writeFileSync(path, content);
  chmodSync(path, mode);
}

/** Nor may the message hold the key. */
export async function refused(
  work: Promise<unknown>,
  words: RegExp,
  code = "second_factor_unavailable",
): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.equal(error instanceof StewardError && error.code, code, String(error));
    assert.match(String(error), words);
    for (const secret of [key.toString("hex"), key.toString("base64"), key.toString("latin1")]) {
      assert.ok(!String(error).includes(secret.slice(0, 8)), "the message holds the key");
    }
    return true;
  });
}

export const hex = (keys: readonly Uint8Array[]) => keys.map((one) => Buffer.from(one).toString("hex"));
