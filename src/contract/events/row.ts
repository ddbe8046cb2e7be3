import type { eventLogs } from "../event-records.ts";
import { updateKinds } from "../update-kinds.ts";

/** The data that the console reads again after an event; console/client/staleness.ts has the operations of each. */
export type Stale =
  | "people"
  | "sessions"
  | "tokens"
  | "clock"
  | "updates"
  | "settings"
  | "device"
  | "version"
  | "health";

/** The cases in which people hear of an event (docs/notifications.md); `levelOf` decides by its details. */
export type Heard =
  | "never"
  | "always"
  | "at_once"
  | "as_need"
  | "unless_need"
  | "of_administrator"
  | "of_new_address"
  | "of_lasting_right"
  | "of_safeguard"
  | "unless_root"
  | "as_marked";

/**
 * One subject's events. `log`: only authenticated callers cause changes; strangers can cause refusals, which are counted
 * together, and the product its reports: neither displaces a change. `audience`: who may read events that do not
 * concern them: security events only administrators, operations operators too. `stale`: what the console reads again,
 * besides the status and the list of events. `details`: the schemas of the members of its `details`. Together with type,
 * code, actor and subject they suffice to describe the event in any language; an event that an earlier release recorded
 * may have other members.
 */
export type EventRows = Readonly<
  Record<
    string,
    {
      readonly log: (typeof eventLogs)[number];
      readonly audience: "security" | "operations";
      readonly heard: Heard;
      readonly stale: readonly Stale[];
      readonly details: Readonly<Record<string, object>>;
    }
  >
>;

type Details = EventRows[string]["details"];

export function security<const D extends Details>(heard: Heard, stale: readonly Stale[], details: D) {
  return { log: "changes", audience: "security", heard, stale, details } as const;
}
export function operations<const D extends Details>(heard: Heard, stale: readonly Stale[], details: D) {
  return { log: "changes", audience: "operations", heard, stale, details } as const;
}
export function unheard<const D extends Details>(stale: readonly Stale[], details: D) {
  return operations("never", stale, details);
}
/** Strangers cause them, so no one hears of one. Their number becomes a need where it matters, as in `users_locked`. */
export function refusal<const D extends Details>(stale: readonly Stale[], details: D) {
  return { log: "refusals", audience: "security", heard: "never", stale, details } as const;
}

export const text = { type: "string" } as const;
export const texts = { type: "array", items: text } as const;
export const nullableText = { type: ["string", "null"] } as const;
export const flag = { type: "boolean" } as const;
export const count = { type: "integer", minimum: 0 } as const;
export const number = { type: "number" } as const;
export const nullableNumber = { type: ["number", "null"] } as const;
export const updateKind = { type: "string", enum: updateKinds } as const;
export const code = { type: "string", pattern: "^[a-z][a-z_0-9]*$", description: "an error code" } as const;
export const detail = { type: "string", description: "the code in English, and what to do" } as const;
export const session = { type: "string", description: "the id of the session" } as const;

/** A member that not every event of the type has. */
export const sometimes = <Schema extends object>(schema: Schema) =>
  ({ ...schema, "x-optional": true }) as const;

export const tokensAfter = {
  tokens_ended: { ...count, description: "API tokens that were deleted" },
  tokens_kept: sometimes({ ...count, description: "API tokens that stayed valid on request" }),
} as const;

export const signInMethod = {
  type: "string",
  enum: ["password", "totp", "recovery_code", "passkey", "provider"],
} as const;

export const refused = {
  operation: sometimes({ type: "string", description: "operationId in OpenAPI; absent: of several" }),
  reason: sometimes({ type: "string", description: "of the codes `invalid_token` and `provider_refused`" }),
} as const;

/** The facts of an event as a sentence has them; empty where it has no such thing. */
export interface EventSentenceFacts {
  readonly who: string;
  /** The code of its refusal; empty: it was not refused. */
  readonly code: string;
  readonly about: string;
  /** `base 1.3.0`. */
  readonly release: string;
  /** A length of time. */
  readonly span: string;
  /** The new value, such as a time source, a host name or a role; of a postponement its length; of a report its sentence. */
  readonly to: string;
}
