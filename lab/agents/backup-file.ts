import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { documentNames, lateDocumentNames } from "../../src/contract/document-names.ts";
import { createAge, type SealingKey } from "../../src/device/backup/age.ts";
import {
  backupFormat,
  backupVersion,
  type Manifest,
  manifestPath,
} from "../../src/device/backup/manifest.ts";
import { createStartFilter } from "../../src/host/linux/filters.ts";
import { archiveOf } from "../../src/store/archives/write-tar.ts";
import type { RunningAgent } from "./running-agent.ts";

const script = join(import.meta.dirname, "../../dist/backup.js");

/** age as the agent starts it, of the last build. */
export const age = createAge(process.execPath, script, createStartFilter());

export interface BackupFileOptions {
  readonly stateDirectory: string;
  readonly device: Manifest["device"];
  readonly steward?: string;
  readonly key?: SealingKey;
  /** Files of root's, by their paths in /etc/steward. */
  readonly hostFiles?: Readonly<Record<string, string>>;
  readonly hostFileMode?: number;
  /** Replaces a file of the state, by its path in the archive, without another hash in the list; null: leaves it out. */
  readonly altered?: Readonly<Record<string, string | null>>;
}

export const passphrase = "seven wet horses at the old pier";

/** A backup as the agent makes it, byte for byte. */
export async function backupOf({ socket }: RunningAgent, key: SealingKey = { passphrase }): Promise<Buffer> {
  const request = httpRequest({
    ...{ socketPath: socket, method: "POST", path: "/api/system/backup", agent: false },
    headers: { "content-type": "application/json" },
  });
  request.end(JSON.stringify(key));
  const [response] = (await once(request, "response")) as [IncomingMessage];
  assert.equal(response.statusCode, 200);
  return Buffer.concat(await response.toArray());
}

/** A backup as an agent makes it, put together from the files that it has left: each part can be another. */
export async function backupFile(options: BackupFileOptions): Promise<Buffer> {
  const { stateDirectory, device, steward = "0.0.0-test", key = { passphrase }, hostFileMode } = options;
  const files = new Map<string, Buffer>(stateFiles(stateDirectory));
  for (const [path, text] of Object.entries(options.hostFiles ?? {}))
    files.set(`etc/${path}`, Buffer.from(text));
  const manifest: Manifest = {
    ...{ format: backupFormat, version: backupVersion, made_at: "2026-11-27T10:00:00.000Z", steward },
    ...{ product: "steward", device, releases: [], left_out: [] },
    files: [...files].map(([path, content]) => ({
      path,
      bytes: content.length,
      sha256: createHash("sha256").update(content).digest("hex"),
      ...(path.startsWith("etc/") && hostFileMode !== undefined && { mode: hostFileMode }),
    })),
  };
  for (const [path, text] of Object.entries(options.altered ?? {})) {
    if (text === null) files.delete(path);
    else files.set(path, Buffer.from(text));
  }
  const entries = [[manifestPath, Buffer.from(JSON.stringify(manifest))] as const, ...files];
  const archived = entries.map(([path, content]) => ({ path, bytes: content.length, content: [content] }));
  const pieces: Uint8Array[] = [];
  for await (const piece of age.seal(archiveOf(archived, new Date(0)), key)) pieces.push(piece);
  return Buffer.concat(pieces);
}

function stateFiles(directory: string): [string, Buffer][] {
  const present = (names: readonly string[], below = ""): [string, Buffer][] =>
    names
      .filter((name) => existsSync(join(directory, below, name)))
      .map((name) => [`state/${below}${name}`, readFileSync(join(directory, below, name))]);
  const namesIn = (name: string) =>
    existsSync(join(directory, name)) ? readdirSync(join(directory, name)) : [];
  const documents = [...documentNames, ...lateDocumentNames].map((name) => `${name}.json`);
  const keys = present([".seal.key"]).map(([, key]): [string, Buffer] => [
    ...(["state/seal.keys", Buffer.from(`${key.toString("base64")}\n`)] as const),
  ]);
  return [
    ...present([...documents, ".identity.json", ".register.json", "history.bin"]),
    ...["events", "tls"].flatMap((name) => present(namesIn(name), `${name}/`)),
    ...keys,
  ];
}
