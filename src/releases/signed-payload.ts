import { createHash } from "node:crypto";
import { StewardError } from "../contract/errors.ts";
import type { TargetFile } from "../tuf/metadata.ts";

/** Accepted hash algorithms of TUF, the one first that names the file, and the hex digits of each. */
const strongHashes: readonly (readonly [string, number])[] = [
  ["sha512", 128],
  ["sha256", 64],
];

/** 128 bits name a release. */
export const idDigits = 32;

export interface SignedPayload {
  /** `/^[0-9a-f]{32}$/`: the head of its strongest hash. */
  readonly id: string;
  readonly lengthBytes: number;
  /** Its strongest hash, the prefix of its file's name in a consistent snapshot. */
  readonly nameHash: string;
  /** Every signed hash that is known here, in hex; never empty. */
  readonly hashes: readonly { readonly algorithm: string; readonly hex: string }[];
}

/** Throws `update_metadata_malformed` if no strong hash, or none of the right form, is signed. */
export function readSignedPayload({ length, hashes }: TargetFile): SignedPayload {
  const known = strongHashes.flatMap(([algorithm, digits]) => {
    const hex = Object.hasOwn(hashes, algorithm) ? hashes[algorithm] : undefined;
    if (hex === undefined) return [];
    if (hex.length !== digits || !/^[0-9a-f]+$/i.test(hex))
      throw malformed(`its ${algorithm} is not ${digits} hex digits`);
    return [{ algorithm, hex: hex.toLowerCase() }];
  });
  const [strongest] = known;
  if (strongest === undefined) throw malformed("neither sha512 nor sha256 is signed");
  if (!Number.isSafeInteger(length) || length < 0) throw malformed(`its length is ${length}`);
  return {
    id: strongest.hex.slice(0, idDigits),
    lengthBytes: length,
    nameHash: strongest.hex,
    hashes: known,
  };
}

export type Digest = ReturnType<typeof createDigest>;

export function createDigest({ hashes }: SignedPayload) {
  const running = hashes.map(({ algorithm, hex }) => ({ algorithm, hex, hash: createHash(algorithm) }));
  return {
    update: (piece: Uint8Array): void => {
      for (const { hash } of running) hash.update(piece);
    },
    /** Call it once, at the end: the fault; null: every hash is as signed. */
    difference: (): string | null => {
      const differences = running.flatMap(({ algorithm, hex, hash }) => {
        const found = hash.digest("hex");
        return found === hex ? [] : [`its ${algorithm} is ${found}, and ${hex} is signed`];
      });
      return differences.length === 0 ? null : differences.join("; ");
    },
  };
}

function malformed(what: string): StewardError {
  return new StewardError(
    "update_metadata_malformed",
    `The signed description of the payload cannot be used: ${what}.`,
  );
}
