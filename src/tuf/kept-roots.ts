import { caps } from "./caps.ts";
import type { MetadataFiles } from "./metadata-files.ts";

export function keptRootName(version: number): string {
  return `${version}.root`;
}

/** Roots that are kept: as many as one refresh follows. */
const keptRoots = caps.rootRotations;

/**
 * Trusted metadata that also keep all their roots in `roots`: the installer has its own root, which may be older, and
 * follows the chain from there without a server. `roots` is another directory, because a delegated role may have any
 * name.
 */
export function keepingRoots(files: MetadataFiles, roots: MetadataFiles): MetadataFiles {
  return {
    ...files,
    write: async (role, bytes) => {
      if (role !== "root") return files.write(role, bytes);
      const version = versionOf(bytes);
      // Written before it is trusted: a crash leaves one root too many, never one too few.
      await roots.write(keptRootName(version), bytes);
      await files.write(role, bytes);
      if (version > keptRoots) await roots.remove(keptRootName(version - keptRoots));
    },
    remove: async (role) => {
      // Another trust begins, whose roots have the same numbers.
      if (role === "root") await roots.clear();
      await files.remove(role);
    },
    clear: async () => {
      await roots.clear();
      await files.clear();
    },
  };
}

function versionOf(bytes: Uint8Array): number {
  const { signed }: { signed: { version: number } } = JSON.parse(Buffer.from(bytes).toString("utf8"));
  return signed.version;
}
