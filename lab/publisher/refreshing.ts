import { StewardError } from "../../src/contract/errors.ts";
import { type Caps, caps } from "../../src/tuf/caps.ts";
import type { Refreshed } from "../../src/tuf/client.ts";
import type { MetadataFiles } from "../../src/tuf/metadata-files.ts";
import { refresh } from "../../src/tuf/refresh.ts";
import type { Repository, Validators } from "../../src/tuf/repository.ts";
import { ed25519Only } from "../../src/tuf/signatures.ts";
import type { SignedRepository } from "./signed-repository.ts";
import { sha256 } from "./signing-key.ts";

/** A repository out of memory, and the names of metadata in the order in which they were asked for. */
export function reading({ files }: SignedRepository): { repository: Repository; asked: string[] } {
  const asked: string[] = [];
  const repository: Repository = {
    readMetadata: async (name, { known }) => {
      asked.push(name);
      const bytes = files.get(`metadata/${name}`);
      if (!bytes) return null;
      const validators = { etag: `"${sha256(bytes)}"`, last_modified: null };
      return known?.etag === validators.etag ? "unchanged" : { bytes, validators };
    },
    openTarget: async (path) => {
      const bytes = files.get(`targets/${path}`);
      if (!bytes) throw new StewardError("update_file_missing", `The target ${path} is not there.`);
      const body = (async function* () {
        yield bytes;
      })();
      return { status: 200, headers: {}, where: "memory", body, close: () => undefined };
    },
    cost: () => ({ requests: asked.length, bodyBytes: 0 }),
  };
  return { repository, asked };
}

/** Metadata files in memory, which fail once when the given write or removal comes. */
export function filesInMemory(
  contents: Record<string, Uint8Array> = {},
  failAt?: (change: string) => boolean,
): MetadataFiles & { contents: Record<string, Uint8Array> } {
  const change = (what: string): void => {
    if (failAt?.(what)) throw new Error(`killed at ${what}`);
  };
  return {
    contents,
    read: async (role) => contents[role] ?? null,
    write: async (role, bytes) => {
      change(`write ${role}`);
      contents[role] = bytes;
    },
    remove: async (role) => {
      change(`remove ${role}`);
      delete contents[role];
    },
    clear: async () => {
      for (const role of Object.keys(contents)) delete contents[role];
    },
  };
}

/** One refresh by the rules of the agent. */
export function refreshing(
  lab: SignedRepository,
  files: MetadataFiles,
  more: { start?: Date; known?: Validators | undefined; caps?: Caps } = {},
): Promise<Refreshed> {
  return refresh({
    repository: reading(lab).repository,
    files,
    caps,
    verifiers: ed25519Only,
    start: new Date(),
    ...more,
  });
}
