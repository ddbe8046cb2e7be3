import { StewardError } from "../../contract/errors.ts";
import type { RootOfTrust } from "../../tuf/root-of-trust.ts";
import type { TrustOptions } from "./trust.ts";
import type { Standing } from "./trust-view.ts";

/** The root that is installed, and what it says. */
export interface InstalledRoot {
  readonly bytes: Uint8Array;
  readonly trust: RootOfTrust;
}

/** Each signature costs 5 ms of the agent's one thread, and the same bytes say the same. */
export function remembering<T>(read: (bytes: Uint8Array) => Promise<T>): (bytes: Uint8Array) => Promise<T> {
  let last: { readonly bytes: Uint8Array; readonly value: T } | null = null;
  return async (bytes) => {
    if (last !== null && Buffer.from(last.bytes).equals(bytes)) return last.value;
    last = { bytes, value: await read(bytes) };
    return last.value;
  };
}

/** A device on which nobody installs a root does without what reads it. */
export async function readRoot(bytes: Uint8Array): Promise<RootOfTrust> {
  const { updateClient } = await import("../update-client.ts");
  return updateClient.readRootOfTrust(bytes);
}

/** Lets the trusted metadata stand on a root: they go on where their own root vouches for it, else they begin anew. */
export function createRootFollowing(options: TrustOptions): (installed: InstalledRoot) => Promise<Standing> {
  const { record, files, notify } = options;
  const readInForce = remembering(readable);
  return async (installed) => {
    const { fingerprint, root: offered } = installed.trust;
    const kept = await files.read("root");
    const inForce = kept === null ? null : await readInForce(kept);
    if (record.read().anchor === fingerprint) {
      if (inForce !== null) return { kind: "usable", fingerprint, inForce: inForce.root };
      // Nothing there yet, or a file that has rotted: what else is kept is held against the chain from here on.
      await files.write("root", installed.bytes);
      return { kind: "usable", fingerprint, inForce: offered };
    }
    const goesOn = kept !== null && inForce !== null && (await succeeds(kept, installed.bytes));
    if (goesOn) await goOn(options, installed, inForce);
    else await beginAnew(options, installed);
    notify("update.trust_installed", { fingerprint, root_version: offered.version, goes_on: goesOn });
    const root = goesOn && inForce.root.version > offered.version ? inForce.root : offered;
    return { kind: "usable", fingerprint, inForce: root };
  };
}

/** The trust is the same one, further on: so are confirmation and proof. */
async function goOn(
  { record, files }: TrustOptions,
  { trust, bytes }: InstalledRoot,
  inForce: RootOfTrust,
): Promise<void> {
  const { fingerprint } = trust;
  if (trust.root.version > inForce.root.version) await files.write("root", bytes);
  await record.update((present) => {
    const { anchor, confirmation, proof } = present;
    return {
      ...present,
      anchor: fingerprint,
      confirmation:
        confirmation && confirmation.fingerprint === anchor ? { ...confirmation, fingerprint } : null,
      proof: proof && proof.fingerprint === anchor ? { ...proof, fingerprint } : null,
    };
  });
}

/**
 * Versions and floors belonged to another trust. The order is what a power cut is borne by: as long as the record
 * names the former root, this begins again; once it names the new one, an absent root is put there.
 */
async function beginAnew(
  { record, files, onReplaced }: TrustOptions,
  { trust, bytes }: InstalledRoot,
): Promise<void> {
  // Without an anchor the record was lost, or nothing was there: files beside the root keep what they know of versions.
  if (record.read().anchor === null) await files.remove("root");
  else await files.clear();
  await onReplaced();
  await record.update((present) => ({
    ...present,
    anchor: trust.fingerprint,
    confirmation: null,
    proof: null,
    validators: null,
    failures: 0,
    download_failures: 0,
    retry: null,
    floors: {},
    available: { rules: null, binary: null },
    blockers: { rules: null, binary: null },
    announced: [],
  }));
  await files.write("root", bytes);
}

async function readable(bytes: Uint8Array): Promise<RootOfTrust | null> {
  try {
    return await readRoot(bytes);
  } catch (error) {
    if (error instanceof StewardError) return null;
    throw error;
  }
}

async function succeeds(inForce: Uint8Array, other: Uint8Array): Promise<boolean> {
  const { updateClient } = await import("../update-client.ts");
  return updateClient.vouchesFor(inForce, other);
}
