import assert from "node:assert/strict";
import { codeOf } from "../basics/authenticator.ts";
import { goodPassword, type SignedIn } from "./checked-agent.ts";
import { enrol } from "./enrol.ts";
import type { TimedAgent } from "./faked-time.ts";
import type { Answer } from "./running-agent.ts";

/** A user who signs in with a code, on an agent whose clock the test moves. */
export interface CodedUser extends SignedIn {
  username: string;
  secret: string;
  recoveryCodes: string[];
  /** Steps the clock to the next time step, a new clock epoch, and gives its code, which is not used yet. */
  nextCode: () => string;
  /** The code that an authenticator shows whose clock is so many seconds ahead of the agent's. */
  codeAhead: (seconds: number) => string;
  /** Password and code, or recovery code, each time from another address, so that no source has to wait. */
  signIn: (proof: { code?: string; recovery_code?: string }) => Promise<Answer>;
  /** The same person at another agent on the same state. */
  at: (other: TimedAgent) => CodedUser;
  /** Sends only the password, for the token that a code is to be sent with. */
  challenge: () => Promise<string>;
}

/** A time step and a second: the agent always sees it as a step of the clock. */
export const stepSeconds = 31;

let addresses = 0;

/** An address that no try came from yet. */
export function freshAddress(): string {
  addresses += 1;
  return `198.19.${1 + Math.floor(addresses / 250)}.${1 + (addresses % 250)}`;
}

export async function codedUser(
  agent: TimedAgent,
  username: string,
  role: "admin" | "operator" | "readonly" = "operator",
): Promise<CodedUser> {
  const user = await agent.signedIn(username, role);
  const enrolled = await enrol(agent.call, { ...user, password: goodPassword }, agent.nowSeconds());
  return userAt(agent, { ...user, ...enrolled, username });
}

function userAt(
  agent: TimedAgent,
  person: SignedIn & { username: string; secret: string; recoveryCodes: string[] },
): CodedUser {
  const codeAhead = (seconds: number) => codeOf(person.secret, agent.nowSeconds() + seconds);
  const login = (proof: object) =>
    agent.call("POST", "/api/auth/login", {
      body: { username: person.username, password: goodPassword, ...proof },
      from: freshAddress(),
    });
  return {
    ...person,
    codeAhead,
    at: (other) => userAt(other, person),
    nextCode: () => {
      agent.stepClock(stepSeconds);
      return codeAhead(0);
    },
    signIn: login,
    challenge: async () => {
      const { json, text } = await login({});
      assert.ok(json.challenge_token, text);
      return json.challenge_token;
    },
  };
}
