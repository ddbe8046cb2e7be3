import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Chain } from "../../certificates/answer.ts";
import { ifAbsent, rethrown } from "../../contract/errors.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { fileFailure } from "../../terminal/failure.ts";
import { rootFileFailure, writeRootFile } from "../client/root-file.ts";

/** The key of a request that waits for its answer. The agent looks for certificates, and none has this name. */
const waiting = "request.key";

/** Each pair has a number, so that one rename brings a new one into force: the highest is the one that is shown. */
const pairForm = /^60-request-(\d{4,})\.(?:crt|key)$/;

/** The path of the key that waits, in the directory of installed certificates. */
export function waitingKeyIn(directory: string): string {
  return join(directory, waiting);
}

/** The key that waits, as PEM; null: no request waits. Throws CommandError: 1, 4. */
export async function readWaitingKey(directory: string): Promise<string | null> {
  const path = waitingKeyIn(directory);
  const pem = await readFile(path, "utf8")
    .catch(ifAbsent)
    .catch(rethrown((error) => fileFailure(error, path)));
  if (pem === null) return null;
  try {
    createPrivateKey(pem);
    return pem;
  } catch {
    throw new CommandError(1, `${path} is damaged. Make another key: steward tls request --new-key`);
  }
}

/** Makes the key of a request: EC P-256, readable for root only. Throws as `writeRootFile` does. */
export async function makeWaitingKey(directory: string): Promise<void> {
  const { privateKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  await writeRootFile(waitingKeyIn(directory), { content: privateKey, mode: 0o600 });
}

/** Installs an answer's certificate, the key first; returns its name. Throws as `writeRootFile`, and CommandError(3). */
export async function installPair(
  directory: string,
  stateDirectory: string,
  { key, chain }: { readonly key: string; readonly chain: Chain },
): Promise<string> {
  const { uid } = await stat(waitingKeyIn(directory));
  const { gid } = await stat(stateDirectory).catch(rethrown((error) => fileFailure(error, stateDirectory)));
  const last = (await pairsIn(directory)).at(-1)?.number ?? 0;
  const name = `60-request-${String(last + 1).padStart(4, "0")}`;
  await writeRootFile(join(directory, `${name}.key`), { content: key, mode: 0o640, owner: { uid, gid } });
  const content = chain.map((one) => one.toString()).join("");
  await writeRootFile(join(directory, `${name}.crt`), { content, mode: 0o644 });
  return name;
}

/** Removes the files of a pair that the agent cannot use. */
export async function removePair(directory: string, name: string): Promise<void> {
  for (const end of ["crt", "key"]) await removeFile(join(directory, `${name}.${end}`));
}

/** The request is answered: its waiting key goes, and with `isShown` the pairs of former requests too. */
export async function removeFormer(directory: string, name: string, isShown: boolean): Promise<void> {
  await removeFile(waitingKeyIn(directory));
  if (!isShown) return;
  // Certificates go first: one without its key would be reported.
  const files = (await pairsIn(directory)).map(({ file }) => file).sort();
  for (const end of [".crt", ".key"])
    for (const file of files.filter((one) => one.endsWith(end) && !one.startsWith(`${name}.`)))
      await removeFile(join(directory, file));
}

async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true }).catch(rethrown((error) => rootFileFailure(error, path)));
}

async function pairsIn(directory: string): Promise<{ file: string; number: number }[]> {
  const files = await readdir(directory);
  const found = files.flatMap((file) => {
    const number = pairForm.exec(file)?.[1];
    return number === undefined ? [] : [{ file, number: Number(number) }];
  });
  return found.sort((one, other) => one.number - other.number);
}
