import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { type RunningAgent, stepUp } from "./running-agent.ts";

/** The code that an authenticator shows, by oathtool; `atSeconds` since 1970, now when absent. */
export function codeOf(secret: string, atSeconds = Date.now() / 1_000): string {
  const now = new Date(atSeconds * 1_000).toISOString().replace("T", " ").replace(/\..*/, " UTC");
  return execFileSync("oathtool", ["--totp", "--base32", `--now=${now}`, secret], {
    encoding: "utf8",
  }).trim();
}

/** Seconds that a code is shown, RFC 6238's default. */
const stepSeconds = 30;

/** The code of so many steps from now; not at the end of a step, where it would be another one when it arrives. */
export async function codeNear(secret: string, steps: number): Promise<string> {
  const left = stepSeconds - ((Date.now() / 1_000) % stepSeconds);
  if (left < 4) await delay((left + 0.1) * 1_000);
  return codeOf(secret, Date.now() / 1_000 + steps * stepSeconds);
}

/** A code that is right at no time within ten minutes of now, nor in the ten after them. */
export function wrongCodeOf(secret: string): string {
  const begin = `--now=${new Date(Date.now() - 600_000).toISOString().replace("T", " ").replace(/\..*/, " UTC")}`;
  const codes = execFileSync("oathtool", ["--totp", "--base32", "--window=60", begin, secret], {
    encoding: "utf8",
  }).split("\n");
  const wrong = ["271828", "314159", "161803", "141421"].find((code) => !codes.includes(code));
  if (wrong === undefined) throw new Error("four codes in a row that are right");
  return wrong;
}

export interface Enrolled {
  secret: string;
  recoveryCodes: string[];
}

/** Steps up, sets up and enables two-factor sign-in, as the console does. */
export async function enrol(
  call: RunningAgent["call"],
  user: { id: string; token: string; password: string },
  atSeconds?: number,
): Promise<Enrolled> {
  const { id, token, password } = user;
  await stepUp(call, token, password);
  const setUp = await call("POST", `/api/users/${id}/2fa/setup`, { token });
  assert.equal(setUp.status, 200, setUp.text);
  const { secret } = setUp.json;
  const enabled = await call("POST", `/api/users/${id}/2fa/enable`, {
    token,
    body: { code: codeOf(secret, atSeconds), allow_unsynchronised_clock: true },
  });
  assert.equal(enabled.status, 200, enabled.text);
  return { secret, recoveryCodes: enabled.json.recovery_codes };
}
