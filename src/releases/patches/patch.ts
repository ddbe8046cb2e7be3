import type { FoundTarget } from "../../tuf/client.ts";
import type { TargetFile } from "../../tuf/metadata.ts";
import { idDigits } from "../signed-payload.ts";

/** Bytes of either archive, unpacked: who applies a patch has both in memory and 34 MiB besides, within 96 MiB. */
export const mostUnpackedBytes = 31 * 1024 ** 2;

/** The form of a patch's `custom` that this agent understands. */
export const patchForm = 1;

/** A target by which a device that has one payload makes another one of it. */
export interface Patch {
  /** The strongest hash of the payload that it begins with, in hex. */
  readonly from: string;
  /** That of the payload that it leads to. */
  readonly to: string;
  /** Bytes of the former archive, unpacked. */
  readonly fromBytes: number;
  /** Bytes of the archive that it leads to, unpacked. */
  readonly toBytes: number;
  readonly target: FoundTarget;
}

export interface PatchEntry {
  readonly steward_patch: typeof patchForm;
  readonly from: string;
  readonly to: string;
  readonly from_tar_bytes: number;
  readonly to_tar_bytes: number;
}

/** True for a patch in any form: such a target is no release, and is never installed. */
export function isPatch({ custom }: Pick<TargetFile, "custom">): boolean {
  return typeof custom === "object" && custom !== null && Object.hasOwn(custom, "steward_patch");
}

/** null: it is no patch that this agent could apply. `custom` may hold any JSON. */
export function readPatch(target: FoundTarget): Patch | null {
  if (!isPatch(target.file)) return null;
  const { steward_patch, from, to, from_tar_bytes, to_tar_bytes } = target.file.custom as Partial<PatchEntry>;
  if (steward_patch !== patchForm || !isHash(from) || !isHash(to)) return null;
  if (!isSize(from_tar_bytes) || !isSize(to_tar_bytes)) return null;
  return { from, to, fromBytes: from_tar_bytes, toBytes: to_tar_bytes, target };
}

/** The id of the payload that it begins with. */
export function formerId({ from }: Pick<Patch, "from">): string {
  return from.slice(0, idDigits);
}

function isHash(value: unknown): value is string {
  return typeof value === "string" && /^(?:[0-9a-f]{64}|[0-9a-f]{128})$/.test(value);
}

function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= mostUnpackedBytes;
}
