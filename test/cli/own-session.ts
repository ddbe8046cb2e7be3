import {
  type Answer,
  type Answers,
  exampleUser,
  pageOf,
  problem,
  type Received,
} from "../../lab/command-line/scripted-agent.ts";
import type { Session, User } from "../../src/contract/types.ts";

/** The password of the user of these tests. */
export const password = "quiet otters borrow umbrellas";

export const twoFactorOn: Partial<User> = {
  two_factor: { enabled: true, enrolled_at: "2026-01-02T03:04:05.000Z", recovery_codes_remaining: 10 },
};

export function exampleSession(user: User): Session {
  return {
    access_token: "access-1",
    token_type: "Bearer",
    expires_in: 900,
    refresh_token: "refresh-1",
    session: {
      id: "ses_1",
      expires_at: "2026-01-03T03:04:05.000Z",
      idle_expires_at: "2026-01-02T04:04:05.000Z",
    },
    user,
    warnings: [],
  };
}

/** The answers of an agent to a user who signs in, with a code where the user has a second factor, steps up and leaves. */
export function signInAnswers(user: User = exampleUser()): Answers {
  const session = { body: exampleSession(user) };
  const challenge = problem({ code: "totp_required", status: 401, challenge_token: "stc_challenge" });
  return {
    "GET /api/users": pageOf(user),
    "POST /api/auth/login": user.two_factor.enabled ? challenge : session,
    "POST /api/auth/totp": session,
    "POST /api/auth/reauth": { body: { expires_in: 300 } },
    "POST /api/auth/logout": { status: 204 },
  };
}

/** Refuses once for the want of a step-up; answers then. */
export function untilSteppedUp(answer: Answer): () => Answer {
  let hasRefused = false;
  return () => {
    if (hasRefused) return answer;
    hasRefused = true;
    return problem({ code: "step_up_required", status: 401 });
  };
}

/** The operations that were called, in their order. */
export function stepsOf(received: readonly Received[]): string[] {
  return received.map(({ method, path }) => `${method} ${path.split("?")[0]}`);
}
