import type { Transform } from "node:stream";
import { constants } from "node:zlib";

/** The part of node:zlib that makes and applies patches. The types of the oldest Node that runs this do not have it. */
export interface Zstandard {
  createZstdDecompress(options: ZstandardOptions): Transform;
  zstdCompress(
    content: Uint8Array,
    options: ZstandardOptions,
    callback: (error: Error | null, packed: Buffer) => void,
  ): void;
  zstdDecompressSync?(content: Uint8Array, options: ZstandardOptions): Buffer;
  readonly constants: Readonly<Record<ZstandardParameter, number>>;
}

type ZstandardParameter =
  | "ZSTD_c_compressionLevel"
  | "ZSTD_c_windowLog"
  | "ZSTD_c_enableLongDistanceMatching"
  | "ZSTD_d_windowLogMax";

interface ZstandardOptions {
  /** The former content. It is copied. */
  readonly dictionary: Uint8Array;
  readonly params?: Readonly<Record<number, number>>;
  readonly pledgedSrcSize?: number;
  readonly chunkSize?: number;
}

/**
 * Zstandard with a dictionary (RFC 8878), in Node since 22.19 and 24.6; null: this Node has none. Versions since 22.15
 * have Zstandard and ignore the dictionary, so a frame is tried that needs it.
 */
export async function zstandard(): Promise<Zstandard | null> {
  if (!hasZstandard()) return null;
  // By name, Node 20 would not find what it does not have.
  const found = (await import("node:zlib")) as unknown as Zstandard;
  try {
    const unpacked = found.zstdDecompressSync?.(frame, { dictionary });
    return unpacked?.equals(dictionary) ? found : null;
  } catch {
    return null;
  }
}

/** A quick look: false where there is none at all. */
export function hasZstandard(): boolean {
  return "ZSTD_c_compressionLevel" in constants;
}

const dictionary = Buffer.from("Steward unpacks a patch with the former payload as its dictionary.");

/** The dictionary itself, packed with it by Zstandard 1.5.7. */
const frame = Buffer.from("28b52ffd20423d00000001002fa40004", "hex");

/** Gives the memory back at once; the array is empty afterwards. Without this it would wait for a collection. */
export function freeMemoryOf(array: Uint8Array): void {
  // In Node since 21.
  (array.buffer as { transfer?(bytes: number): ArrayBuffer }).transfer?.(0);
}
