import { rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { formerId, type Patch } from "../patches/patch.ts";
import { readSignedPayload, type SignedPayload } from "../signed-payload.ts";
import { stagedPath } from "../staged-payload.ts";
import { complete, type FetchOptions } from "./complete-part.ts";
import { openPart, partPathOf } from "./payload-part.ts";

/** The files of a patch, and the bytes that its archives have unpacked. */
export interface PatchOrder {
  readonly former: string;
  readonly patch: string;
  /** The payload to write; there is none yet. */
  readonly out: string;
  readonly fromBytes: number;
  readonly toBytes: number;
}

/** Makes a payload in a process of its own. Throws where the files are not those of the order, and the signal's reason. */
export type UnpackPatch = (order: PatchOrder, signal: AbortSignal) => Promise<void>;

export interface FetchPayloadOptions extends FetchOptions {
  /** Absent: the whole is fetched. */
  readonly patching?: Patching;
}

export interface Patching {
  /** Patches on offer, of this payload and of others. */
  readonly patches: readonly Patch[];
  readonly unpackPatch: UnpackPatch;
}

/**
 * Makes the part of a payload by a patch, where one leads to it from a payload that is here. The part is no more than
 * that: its hash decides whether it is the payload. Whatever goes wrong, there is no part and the whole is fetched, so a
 * patch costs a request, or two where its coding is unclear. Throws only the signal's reason.
 */
export async function makePartByPatch(options: FetchPayloadOptions, payload: SignedPayload): Promise<void> {
  const { directory, signal } = options;
  const downloads = join(directory, "downloads");
  const part = partPathOf(downloads, payload);
  // The rest of a whole that has begun to arrive is mostly less than a patch.
  if ((await sizeOf(part)) !== null) return;
  const { patches = [], unpackPatch } = options.patching ?? {};
  const patch = await smallestOf(patches, { directory, payload });
  if (patch === null || unpackPatch === undefined) return;
  const signed = readSignedPayload(patch.target.file);
  const fetched = partPathOf(downloads, signed);
  const out = join(downloads, `${signed.id}.made`);
  try {
    await fetchPatch(options, patch, signed);
    const former = stagedPath(directory, formerId(patch));
    await rm(out, { force: true });
    await unpackPatch({ ...patch, former, patch: fetched, out }, signal);
    // A file of another length cannot be the payload, and would be taken for a part of it.
    if ((await sizeOf(out)) === payload.lengthBytes) await rename(out, part);
  } catch {
    signal.throwIfAborted();
  } finally {
    for (const file of [fetched, out]) await rm(file, { force: true }).catch(() => undefined);
  }
}

/** null: none leads here from a payload that is here, with fewer bytes than the whole has. */
async function smallestOf(
  patches: readonly Patch[],
  { directory, payload: { nameHash, lengthBytes } }: { directory: string; payload: SignedPayload },
): Promise<Patch | null> {
  const fitting = patches
    .filter(({ to, target }) => to === nameHash && target.file.length < lengthBytes)
    .toSorted((one, other) => one.target.file.length - other.target.file.length);
  for (const patch of fitting)
    if ((await sizeOf(stagedPath(directory, formerId(patch)))) !== null) return patch;
  return null;
}

async function fetchPatch(
  options: FetchPayloadOptions,
  { target }: Patch,
  signed: SignedPayload,
): Promise<void> {
  const { onProgress: _, ...silent } = options;
  const downloads = join(options.directory, "downloads");
  const part = await openPart(downloads, signed);
  try {
    await complete(part, signed, { ...silent, found: target });
  } finally {
    await part.close();
  }
}

/** null: there is no such file. */
async function sizeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ size }) => size,
    () => null,
  );
}
