import { unlink } from "node:fs/promises";
import { readRegular } from "../../store/files/regular-file.ts";
import { oneAtATime } from "../../store/one-at-a-time.ts";
import { readToken } from "../second-factor/code-texts.ts";
import { makeInitialPassword } from "../users/passwords.ts";
import { isEqualToken, mostTokenBytes } from "./setup-token.ts";

/** Seconds for which what root has printed counts. */
export const rescueSeconds = 30 * 60;

/** Its file, in the agent's runtime directory. */
export const rescueTokenName = "rescue-token";

/** A one-time token of local root, to make another administrator or set one's password. 100 bits: a person copies it. */
export type RescueToken = ReturnType<typeof createRescueToken>;

/** A new token, and the text of its file. Its end is in seconds since the boot, which no clock moves. */
export function makeRescueToken(uptimeSeconds: number): { token: string; text: string } {
  const token = makeInitialPassword();
  return { token, text: `${token} ${Math.floor(uptimeSeconds) + rescueSeconds}\n` };
}

/** The file decides, and is read at each try, as for the setup token. A reboot removes it. */
export function createRescueToken(path: string, uptime: () => number) {
  const read = async (): Promise<string | null> => {
    const text = (await readRegular(path, mostTokenBytes).catch(() => "")).toString("utf8");
    const [, token, end] = /^([0-9a-z-]{20,64}) (\d{1,12})\n$/.exec(text) ?? [];
    if (token === undefined) return null;
    const left = Number(end) - uptime();
    // No token is ever given a longer time, so a later end is not of this boot; two programs read the uptime
    // separately.
    return left > 0 && left <= rescueSeconds + 1 ? token : null;
  };
  const isRight = async (token: string): Promise<boolean> => {
    const expected = await read();
    return expected !== null && isEqualToken(readToken(token), expected);
  };
  const inTurn = oneAtATime();
  return {
    isOpen: async () => (await read()) !== null,
    isRight,
    /** Does the work that the right token permits, and ends the token; a second use waits for the first. Null: wrong. */
    use: async <R>(token: string, work: () => Promise<R>): Promise<R | null> => {
      // Only holders of the token wait for each other.
      if (!(await isRight(token))) return null;
      return inTurn(async () => {
        if (!(await isRight(token))) return null;
        const result = await work();
        await unlink(path).catch(() => undefined);
        return result;
      });
    },
  };
}
