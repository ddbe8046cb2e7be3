import { role } from "../shapes.ts";
import {
  type EventRows,
  flag,
  refusal,
  refused,
  security,
  session,
  signInMethod,
  sometimes,
  tokensAfter,
} from "./row.ts";

const signIn = {
  ...{ method: signInMethod, session },
  is_new_address: sometimes({ ...flag, description: "true: the first in 30 days from this address" }),
  role: sometimes({ ...role, description: "with `is_new_address`" }),
} as const;

/**
 * Reasons for which the agent ends a session. `role_missing`, `user_disabled`: found at a sign-in or a refresh;
 * `former_provider`: the host file does not name the user's provider; `replaced`: by the user's newest of ten.
 */
export const sessionEnds = ["role_missing", "user_disabled", "former_provider", "replaced"] as const;

const endedBecause = sometimes({
  ...{ type: "string", enum: sessionEnds },
  description: "absent: it was signed out or revoked",
});

export const signInEvents = {
  "setup.done": security("always", ["people"], {}),
  "setup.rescued": security("at_once", ["people"], {
    is_new: { ...flag, description: "false: an administrator who was there got another password" },
    tokens_ended: sometimes(tokensAfter.tokens_ended),
  }),
  "sign_in.succeeded": security("of_new_address", ["sessions"], signIn),
  "sign_in.refused": refusal(["people"], refused),
  "step_up.succeeded": security("never", [], {}),
  "session.ended": security("never", ["sessions"], { session, because: endedBecause }),
  "session.reused": security("always", ["sessions"], { session }),
  "session.cookie_refused": refusal([], { session: sometimes(session) }),
} as const satisfies EventRows;
