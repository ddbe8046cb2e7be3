import { createHash } from "node:crypto";
import { capacity, columns, Ring, stepSeconds } from "./ring.ts";

/**
 * The form of the file, all numbers little-endian: a name, the form's version, the seconds of a step, the steps, the
 * figures of a step, the newest step; a SHA-256 of the rest of the file; then 16 bits a figure, the step N at the place N
 * modulo the steps. A release with other figures changes the version.
 */
const name = "steward history\n";
const version = 1;
const hashAt = name.length + 16;
const headBytes = hashAt + 32;

/** Bytes of the file: about 47 KiB, whatever it holds. */
export const fileBytes = headBytes + capacity * columns * 2;

export function encodeRing(ring: Ring): Buffer {
  const bytes = Buffer.alloc(fileBytes);
  headOf(ring.newest()).copy(bytes);
  let at = headBytes;
  for (const bits of ring.values()) at = bytes.writeInt16LE(bits, at);
  hashOf(bytes).copy(bytes, hashAt);
  return bytes;
}

/** The ring in the bytes of a file; null: they are torn, or no history of this form. */
export function decodeRing(bytes: Buffer): Ring | null {
  if (bytes.length !== fileBytes) return null;
  const newest = bytes.readInt32LE(hashAt - 4);
  if (!bytes.subarray(0, hashAt).equals(headOf(newest))) return null;
  if (!bytes.subarray(hashAt, headBytes).equals(hashOf(bytes))) return null;
  const values = new Int16Array(capacity * columns);
  return new Ring(
    newest,
    values.map((_, index) => bytes.readInt16LE(headBytes + index * 2)),
  );
}

function headOf(newest: number): Buffer {
  const head = Buffer.alloc(hashAt);
  let at = head.write(name, "latin1");
  for (const number of [version, stepSeconds, capacity, columns]) at = head.writeUInt16LE(number, at);
  head.writeInt32LE(newest, hashAt - 4);
  return head;
}

function hashOf(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes.subarray(0, hashAt)).update(bytes.subarray(headBytes)).digest();
}
