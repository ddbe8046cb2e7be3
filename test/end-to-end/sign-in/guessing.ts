import assert from "node:assert/strict";
import type { CheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { type Answer, adminName } from "../../../lab/agents/running-agent.ts";

export const wrongPassword = "wrong but of a likely length";

/** Each answer to a sealed source takes so long, but that to a right secret. */
export const sealedSeconds = 2;

/** Each test tries from an address of its own: a source that failed at one account is counted at all. */
export { freshAddress as newAddress } from "../../../lab/agents/coded-user.ts";

export const login = (agent: CheckedAgent, from: string, username: string, password: string) =>
  agent.call("POST", "/api/auth/login", { from, body: { username, password } });

/** Reduces an answer to what it says, without what differs between any two. */
export const told = ({ status, json, headers }: Answer) => ({
  status,
  body: { ...json, request_id: "" },
  headers: { ...headers, "x-request-id": "", date: "", "content-length": "" },
});

/** So many wrong passwords one after another; gives the statuses. */
export async function fail(agent: CheckedAgent, from: string, times: number, username = adminName) {
  const statuses: number[] = [];
  for (let count = 0; count < times; count += 1)
    statuses.push((await login(agent, from, username, wrongPassword)).status);
  return statuses;
}

/** Throws unless it is refused for nearly so long; to the second where the agent's time does not move. */
export const assertThrottled = ({ status, json, headers }: Answer, mostSeconds = 30): void => {
  assert.deepEqual([status, json.code], [429, "too_many_attempts"]);
  const seconds = Number(headers["retry-after"]);
  assert.ok(seconds <= mostSeconds && seconds > mostSeconds - 10, `Retry-After: ${seconds}`);
};
