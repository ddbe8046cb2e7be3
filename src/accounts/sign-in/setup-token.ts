import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { unlink } from "node:fs/promises";
import { writeInMemory } from "../../store/files/durable-file.ts";
import { readRegular } from "../../store/files/regular-file.ts";
import { readToken } from "../second-factor/code-texts.ts";

/** Bytes of a token: 128 bits, which cannot be guessed, so a wrong try need not end it. */
const tokenBytes = 16;

/** Bytes of a token's file. A token has some 25; a rescue token's file also has its end. */
export const mostTokenBytes = 256;

/** A one-time token: a user who can read the run directory creates the first administrator over the network with it. */
export type SetupToken = ReturnType<typeof createSetupToken>;

/**
 * The file decides, and is read at each try, so that `steward setup-token --new` needs no way into the agent.
 * `withholding`: the reason why no token is right; null: one may be.
 */
export function createSetupToken(path: string, withholding: () => string | null = () => null) {
  return {
    withholding,
    /** Writes a new token. Throws `storage_full` and `storage_unwritable`. */
    renew: () => writeInMemory(path, `${randomBytes(tokenBytes).toString("base64url")}\n`),
    isRight: async (token: string): Promise<boolean> => {
      if (withholding() !== null) return false;
      const expected = (await readRegular(path, mostTokenBytes).catch(() => "")).toString("utf8").trim();
      return expected !== "" && isEqualToken(readToken(token), expected);
    },
    remove: async (): Promise<void> => {
      await unlink(path).catch(() => undefined);
    },
  };
}

/** Compares digests: they have equal length whatever the input, and the comparison takes constant time. */
export function isEqualToken(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
