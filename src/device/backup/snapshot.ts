import { createHash } from "node:crypto";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ifAbsent } from "../../contract/errors.ts";
import type { EventLog } from "../../journal/events/event-log.ts";
import { type ArchivedFile, archiveOf } from "../../store/archives/write-tar.ts";
import type { OpenedDocument } from "../../store/documents/document.ts";
import { blocksOf } from "../../store/documents/document-bytes.ts";
import { mostDocumentBytes } from "../../store/documents/document-kind.ts";
import { readRegular } from "../../store/files/regular-file.ts";
import { backupFormat, backupVersion, type FileOfBackup, type Manifest, manifestPath } from "./manifest.ts";
import { readFolder } from "./read-folder.ts";

/** The parts of an agent that a backup is made of. */
export interface SnapshotRooms {
  readonly stateDirectory: string;
  /** The directory of the host file, /etc/steward. */
  readonly hostDirectory: string;
  readonly documents: () => readonly Pick<OpenedDocument<object>, "name" | "text">[];
  /** Names of documents that may be on the disk without being open. */
  readonly lateDocuments: readonly string[];
  readonly events: Pick<EventLog, "snapshot">;
  /** The bytes of the history's file, and its name. */
  readonly history: () => Promise<Uint8Array>;
  readonly historyFile: string;
  /** The keys that secrets are sealed with, the preferred first. Throws `second_factor_unavailable`. */
  readonly sealKeys: () => Promise<readonly Uint8Array[]>;
  readonly facts: () => Promise<Omit<Manifest, "format" | "version" | "files" | "left_out">>;
}

/** A file whose content is the same at each reading. */
interface SnapshotFile {
  readonly path: string;
  readonly mode?: number;
  readonly content: () => Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

type ListedFile = FileOfBackup & SnapshotFile;

/** The file of every sealing key, in base64, a line each, the preferred first. */
const sealKeysPath = "state/seal.keys";

/** Files of the state besides documents: which machine it belongs to, and which documents there must be. */
const ownFiles = [".identity.json", ".register.json"];

/**
 * Takes a snapshot: the documents' values and the events of one turn (docs/design/backup.md, rule 5). Values are not copied,
 * since they are never changed in place, and events stay in their files. Throws `second_factor_unavailable`,
 * `storage_unwritable` and the system's errors.
 */
export async function takeSnapshot(rooms: SnapshotRooms) {
  const [facts, history, keys, root] = await Promise.all([
    rooms.facts(),
    rooms.history(),
    rooms.sealKeys(),
    readFolder(rooms.hostDirectory),
  ]);
  const events = await rooms.events.snapshot(() =>
    rooms.documents().map((document) => ({ name: document.name, text: document.text() })),
  );
  try {
    const opened = events.also.map(({ name }) => name);
    const files: readonly SnapshotFile[] = [
      ...events.also.map(({ name, text }) => inTurns(`state/${name}.json`, text)),
      ...(await filesOnDisk(rooms, opened)),
      inMemory(
        sealKeysPath,
        Buffer.from(keys.map((key) => `${Buffer.from(key).toString("base64")}\n`).join("")),
      ),
      inMemory(`state/${rooms.historyFile}`, history),
      ...events.files.map(({ name, content }) => ({ path: `state/events/${name}`, content })),
      ...root.files.map(({ path, mode, content }) => ({ ...inMemory(`etc/${path}`, content), mode })),
    ];
    const listed: ListedFile[] = [];
    for (const file of files) listed.push({ ...(await measured(file)), content: file.content });
    const manifest: Manifest = {
      ...{ format: backupFormat, version: backupVersion, ...facts },
      files: listed.map(({ content: _, ...file }) => file),
      left_out: root.leftOut.slice(0, 64),
    };
    return {
      /** The archive; it is read once. */
      archive: () => archiveOf(withManifest(manifest, listed), new Date(manifest.made_at)),
      close: events.close,
    };
  } catch (error) {
    await events.close();
    throw error;
  }
}

/** Documents that are not open are not changed, and the others are replaced by a rename. */
async function filesOnDisk(
  { stateDirectory, lateDocuments }: SnapshotRooms,
  opened: readonly string[],
): Promise<SnapshotFile[]> {
  const late = lateDocuments.filter((name) => !opened.includes(name)).map((name) => `${name}.json`);
  const found: SnapshotFile[] = [];
  for (const name of [...ownFiles, ...late]) {
    const content = await readRegular(join(stateDirectory, name), mostDocumentBytes).catch(ifAbsent);
    if (content !== null) found.push(inMemory(`state/${name}`, content));
  }
  const { files } = await readFolder(join(stateDirectory, "tls"));
  return [...found, ...files.map(({ path, content }) => inMemory(`state/tls/${path}`, content))];
}

function inMemory(path: string, content: Uint8Array): SnapshotFile {
  return { path, content: () => (content.length === 0 ? [] : [content]) };
}

/** A large document takes some turns of the event loop, so that others are answered meanwhile. */
function inTurns(path: string, text: Iterable<string>): SnapshotFile {
  return {
    path,
    content: async function* () {
      for (const block of blocksOf(text)) {
        // The block's own memory is used again.
        yield Buffer.from(block);
        await nextTurn();
      }
    },
  };
}

async function measured({ path, mode, content }: SnapshotFile): Promise<FileOfBackup> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const piece of content()) {
    bytes += piece.length;
    hash.update(piece);
  }
  return { path, bytes, sha256: hash.digest("hex"), ...(mode !== undefined && { mode }) };
}

function* withManifest(manifest: Manifest, listed: readonly ListedFile[]): Generator<ArchivedFile> {
  const text = Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`);
  yield { path: manifestPath, bytes: text.length, content: [text] };
  for (const { path, bytes, content } of listed) yield { path, bytes, content: content() };
}
