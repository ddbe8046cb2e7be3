import assert from "node:assert/strict";
import { codeOf } from "../basics/authenticator.ts";
import { goodPassword, type SignedIn } from "./checked-agent.ts";
import { type Enrolled, enrol } from "./enrol.ts";
import type { TimedAgent } from "./faked-time.ts";

/** A user who signs in with a code, on an agent whose clock the test moves. */
export type CodedUser = ReturnType<typeof coded>;

/** A time step and a second: the agent always sees it as a step of the clock. */
const stepSeconds = 31;

let addresses = 0;

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
  return coded(agent, { ...user, ...enrolled, username });
}

/** The same person may be one of another agent on the same state. */
export function coded(agent: TimedAgent, person: SignedIn & Enrolled & { username: string }) {
  /** The code that an authenticator shows whose clock is so many seconds ahead of the agent's. */
  const codeAhead = (seconds: number) => codeOf(person.secret, agent.nowSeconds() + seconds);
  /** Password and code, or recovery code, each time from another address, so that no source has to wait. */
  const signIn = (proof: { code?: string; recovery_code?: string }) =>
    agent.call("POST", "/api/auth/login", {
      body: { username: person.username, password: goodPassword, ...proof },
      from: freshAddress(),
    });
  return {
    ...person,
    codeAhead,
    signIn,
    /** Steps the clock to the next time step, a new clock epoch, and gives its code, which is not used yet. */
    nextCode: () => {
      agent.stepClock(stepSeconds);
      return codeAhead(0);
    },
    /** Sends only the password, for the token that a code is to be sent with. */
    challenge: async (): Promise<string> => {
      const { json, text } = await signIn({});
      assert.ok(json.challenge_token, text);
      return json.challenge_token;
    },
  };
}
