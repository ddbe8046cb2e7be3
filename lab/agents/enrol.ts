import assert from "node:assert/strict";
import { codeOf } from "../basics/authenticator.ts";
import { type RunningAgent, stepUp } from "./running-agent.ts";

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
  const body = { code: codeOf(secret, atSeconds), allow_unsynchronised_clock: true };
  const enabled = await call("POST", `/api/users/${id}/2fa/enable`, { token, body });
  assert.equal(enabled.status, 200, enabled.text);
  return { secret, recoveryCodes: enabled.json.recovery_codes };
}
