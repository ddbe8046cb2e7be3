import { role } from "../shapes.ts";
import {
  count,
  type EventRows,
  flag,
  number,
  security,
  session,
  signInMethod,
  sometimes,
  tokensAfter,
} from "./row.ts";

/** The role of the person with that password or second factor; events of earlier releases lack it. */
const ofPerson = { role: sometimes(role) } as const;

/** A passkey by the name that its user gave it. */
const aPasskey = { ...ofPerson, passkey: { type: "string" } } as const;

export const userEvents = {
  "password.changed": security("of_administrator", ["sessions"], ofPerson),
  "user.created": security("of_administrator", ["people"], {
    ...{ role, enabled: flag, has_initial_password: flag },
    origin: sometimes({ type: "string", const: "provider", description: "made by the first sign-in there" }),
  }),
  "user.changed": security("of_administrator", ["people"], {
    ...{ role: sometimes(role), role_before: sometimes(role) },
    ...{ enabled: sometimes(flag), tokens: sometimes(count), display_name_changed: sometimes(flag) },
    must_change_password: sometimes(flag),
  }),
  "user.deleted": security("of_administrator", ["people"], { role }),
  "user.password_reset": security("of_administrator", ["sessions", "tokens"], {
    has_initial_password: flag,
    ...ofPerson,
    ...tokensAfter,
  }),
  "user.unlocked": security("never", ["people"], { was_locked: flag }),
  "user.rescued": security("at_once", ["sessions", "tokens"], {
    ...{ was_enabled: flag, was_locked: flag, had_two_factor: flag, ...tokensAfter },
    held_in_memory: sometimes(flag),
  }),
  "user.sessions_ended": security("never", ["sessions"], { sessions: count, tokens_left: count }),
  "two_factor.set_up": security("never", ["people"], {}),
  "two_factor.enabled": security("of_administrator", ["people"], ofPerson),
  "two_factor.disabled": security("of_administrator", ["people"], ofPerson),
  "two_factor.recovered": security("of_administrator", ["sessions"], {
    ...{ ...ofPerson, method: sometimes(signInMethod), session: sometimes(session) },
    reason: sometimes({ type: "string", description: "what the administrator gave" }),
    ...tokensAfter,
  }),
  "two_factor.recovery_codes_made": security("of_administrator", ["people"], ofPerson),
  "two_factor.passkey_added": security("of_administrator", ["people"], aPasskey),
  "two_factor.passkey_removed": security("of_administrator", ["people"], aPasskey),
  "two_factor.skew_seen": security("never", [], {
    skew_seconds: { ...number, description: "positive: the code was one of later than the device's time" },
    is_clock_trusted: flag,
  }),
  "codes.locked": security("never", ["people"], {
    seconds: { ...count, description: "how long the lock lasts" },
  }),
} as const satisfies EventRows;
