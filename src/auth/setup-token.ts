import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { readFile, unlink } from "node:fs/promises";
import { StewardError } from "../errors.ts";
import { writeDurably } from "../store/durable-file.ts";

/** Wrong tries after which the token is replaced. */
const triesAllowed = 5;

/** The one-time token that lets whoever can read the run directory make the first administrator over the network. */
export interface SetupToken {
  /** Writes a new token. */
  renew(): Promise<void>;
  /** Throws `setup_token_invalid`; the fifth wrong try replaces the token. */
  check(token: string): Promise<void>;
  /** Setup is done: the token goes. */
  remove(): Promise<void>;
}

/** The file is the truth, read at each try, so that `steward setup-token --new` needs no way into the agent. */
export function createSetupToken(path: string): SetupToken {
  let wrongTries = 0;
  const renew = async (): Promise<void> => {
    wrongTries = 0;
    await writeDurably(path, `${randomBytes(16).toString("base64url")}\n`);
  };
  return {
    renew,
    check: async (token) => {
      const expected = await readFile(path, "utf8").catch(() => "");
      if (expected.trim() !== "" && isEqual(token, expected.trim())) return;
      wrongTries += 1;
      if (wrongTries >= triesAllowed) await renew();
      throw new StewardError(
        "setup_token_invalid",
        "This is not the setup token. `steward setup-token` on the device prints it; it is replaced at each start and after five wrong tries.",
      );
    },
    remove: async () => {
      await unlink(path).catch(() => undefined);
    },
  };
}

/** Compared by digest: equal length whatever comes, and in constant time. */
function isEqual(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
