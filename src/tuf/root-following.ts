import { StewardError } from "../contract/errors.ts";
import type { Root } from "./metadata.ts";
import type { MetadataFiles } from "./metadata-files.ts";
import { isSignedBySuccession, type RootOfTrust, readRootOfTrust } from "./root-of-trust.ts";

/** The basis of the trusted metadata after they have followed the installed root. */
export interface FollowedRoot {
  readonly fingerprint: string;
  /** Version of the installed root. */
  readonly version: number;
  /** The root after all rotations that were followed. */
  readonly inForce: Root;
  /** `continued`: the installed root is a later one of the same trust; `replaced`: another trust has begun. */
  readonly change: "none" | "continued" | "replaced";
}

export interface RootFollowingOptions {
  /** The trusted metadata. */
  readonly files: MetadataFiles;
  /** Fingerprint of the installed root that they are based on; null: none. */
  readonly anchor: () => string | null;
  /** Makes a later root of the same trust the anchor. */
  readonly onContinued: (fingerprint: string) => Promise<void>;
  /** Makes a root of another trust the anchor: nothing known under the former one counts. */
  readonly onReplaced: (fingerprint: string) => Promise<void>;
}

/** Makes the trusted metadata follow the installed root. The same bytes are verified once: a signature costs 5 ms. */
export class RootFollower {
  readonly #options: RootFollowingOptions;
  readonly #read = remembering(readRootOfTrust);
  readonly #readInForce = remembering(readable);

  constructor(options: RootFollowingOptions) {
    this.#options = options;
  }

  /** The content of the installed root. Throws `update_root_unusable`. */
  read(installed: Uint8Array): RootOfTrust {
    return this.#read(installed);
  }

  /** Metadata continue if their root signs the installed one, else start over. Throws `update_root_unusable`. */
  async follow(installed: Uint8Array): Promise<FollowedRoot> {
    const { files, anchor, onContinued } = this.#options;
    const { fingerprint, root: offered } = this.#read(installed);
    const { version } = offered;
    const kept = await files.read("root");
    const inForce = kept === null ? null : this.#readInForce(kept);
    if (anchor() === fingerprint) {
      if (inForce !== null) return { fingerprint, version, inForce: inForce.root, change: "none" };
      // There is nothing yet, or a damaged file: other kept metadata are verified against this chain from here on.
      await files.write("root", installed);
      return { fingerprint, version, inForce: offered, change: "none" };
    }
    if (inForce === null || !isSignedBySuccession(inForce.bytes, installed)) {
      await beginAnew(this.#options, installed, fingerprint);
      return { fingerprint, version, inForce: offered, change: "replaced" };
    }
    await files.write("root", installed);
    await onContinued(fingerprint);
    return { fingerprint, version, inForce: offered, change: "continued" };
  }
}

function remembering<T>(read: (bytes: Uint8Array) => T): (bytes: Uint8Array) => T {
  let last: { readonly bytes: Uint8Array; readonly value: T } | null = null;
  return (bytes) => {
    if (last !== null && Buffer.from(last.bytes).equals(bytes)) return last.value;
    last = { bytes, value: read(bytes) };
    return last.value;
  };
}

/**
 * Versions and floors belonged to another trust. The order survives a power cut: as long as the former root is the
 * anchor, this starts again; once the new one is, an absent root is written.
 */
async function beginAnew(
  { files, anchor, onReplaced }: RootFollowingOptions,
  installed: Uint8Array,
  fingerprint: string,
): Promise<void> {
  // Without an anchor the record was lost, or there was nothing: the other files keep their versions.
  if (anchor() === null) await files.remove("root");
  else await files.clear();
  await onReplaced(fingerprint);
  await files.write("root", installed);
}

function readable(bytes: Uint8Array): { bytes: Uint8Array; root: Root } | null {
  try {
    return { bytes, root: readRootOfTrust(bytes).root };
  } catch (error) {
    if (error instanceof StewardError) return null;
    throw error;
  }
}
