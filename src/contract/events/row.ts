import { duration } from "../durations.ts";
import type { EventType } from "../event-types.ts";
import { damageKinds, replacements } from "../findings.ts";
import { needCodes } from "../need-areas.ts";
import { clockTrusts, clockWords } from "../schemas/clock.ts";
import { scopeNames } from "../scopes.ts";
import { role, timestamp, username } from "../shapes.ts";
import { updateKinds } from "../update-kinds.ts";

const text = { type: "string" } as const;
const texts = { type: "array", items: text } as const;
const nullableText = { type: ["string", "null"] } as const;
const flag = { type: "boolean" } as const;
const count = { type: "integer", minimum: 0 } as const;
const number = { type: "number" } as const;
const nullableNumber = { type: ["number", "null"] } as const;
const updateKind = { type: "string", enum: updateKinds } as const;
const nullableKind = { type: ["string", "null"], enum: [null, ...updateKinds] } as const;
const askedKind = { type: "string", enum: [...updateKinds, "all"] } as const;
const code = { type: "string", pattern: "^[a-z][a-z_0-9]*$", description: "an error code" } as const;
const detail = { type: "string", description: "the code in English, and what to do" } as const;
const session = { type: "string", description: "the id of the session" } as const;

/** A member that not every event of the type has. */
const sometimes = <Schema extends object>(schema: Schema) => ({ ...schema, "x-optional": true }) as const;

const release = { release_id: text, kind: updateKind, name: text, version: text } as const;
const requested = {
  ...{ release_id: nullableText, kind: nullableKind, name: nullableText, version: nullableText },
} as const;
/** The reason of an outcome, as in the history of updates. */
const reason = {
  ...{ code, detail },
  count: { type: ["integer", "null"], minimum: 0, description: "how often or how many, by the code" },
  last_answer: { ...nullableText, description: "the last answer of a health check" },
} as const;
const outcome = { from_version: nullableText, ...reason } as const;
const tokensAfter = {
  tokens_ended: { ...count, description: "API tokens that were deleted" },
  tokens_kept: sometimes({ ...count, description: "API tokens that stayed valid on request" }),
} as const;
const signIn = {
  method: { type: "string", enum: ["password", "totp", "recovery_code", "provider"] },
  session,
} as const;
const refusal = {
  operation: sometimes({ type: "string", description: "operationId in OpenAPI; absent: of several" }),
  reason: sometimes({ type: "string", description: "of the codes `invalid_token` and `provider_refused`" }),
} as const;
const need = {
  need: { type: "string", enum: needCodes },
  level: { type: "string", enum: ["attention", "failing"] },
  reason: sometimes({ type: "string", description: "code of the health check that found it" }),
  ...{ kind: sometimes(updateKind), name: sometimes(text), version: sometimes(text) },
  ...{ count: sometimes(count), hostname: sometimes(text), missing: sometimes(text) },
  word: sometimes({ type: "string", enum: clockWords, description: "the clock in a word" }),
  trust: sometimes({ type: "string", enum: clockTrusts, description: "of the clock" }),
  ...{ first_ends_at: sometimes(timestamp), support_until: sometimes(text) },
} as const;
const noDetails = {} as const;

/**
 * The members of an event's `details`, by its type. Together with type, code, actor and subject they suffice to describe
 * the event in any language. An event that an earlier release recorded may have other members.
 */
export const eventDetails = {
  "setup.done": noDetails,
  "setup.rescued": {
    is_new: { ...flag, description: "false: an administrator who was there got another password" },
    tokens_ended: sometimes(tokensAfter.tokens_ended),
  },
  "sign_in.succeeded": signIn,
  "sign_in.refused": refusal,
  "step_up.succeeded": noDetails,
  "session.ended": { session },
  "session.reused": { session },
  "session.cookie_refused": { session },
  "password.changed": noDetails,
  "user.created": {
    ...{ role, enabled: flag, has_initial_password: flag },
    origin: sometimes({ type: "string", const: "provider", description: "made by the first sign-in there" }),
  },
  "user.changed": {
    ...{ role: sometimes(role), role_before: sometimes(role) },
    ...{ enabled: sometimes(flag), tokens: sometimes(count), display_name_changed: sometimes(flag) },
    must_change_password: sometimes(flag),
  },
  "user.deleted": { role },
  "user.password_reset": { has_initial_password: flag, ...tokensAfter },
  "user.unlocked": { was_locked: flag },
  "user.rescued": {
    ...{ was_enabled: flag, was_locked: flag, had_two_factor: flag, ...tokensAfter },
    held_in_memory: sometimes(flag),
  },
  "user.sessions_ended": { sessions: count, tokens_left: count },
  "two_factor.set_up": noDetails,
  "two_factor.enabled": noDetails,
  "two_factor.disabled": noDetails,
  "two_factor.recovered": {
    ...{ method: sometimes(signIn.method), session: sometimes(session) },
    reason: sometimes({ type: "string", description: "what the administrator gave" }),
    ...tokensAfter,
  },
  "two_factor.recovery_codes_made": noDetails,
  "two_factor.skew_seen": {
    skew_seconds: { ...number, description: "positive: the code was one of later than the device's time" },
    is_clock_trusted: flag,
  },
  "codes.locked": { seconds: { ...count, description: "how long the lock lasts" } },
  "token.created": {
    scopes: { type: "array", items: { type: "string", enum: scopeNames } },
    owner: username,
    is_fleet: sometimes(flag),
    sources: sometimes({ ...texts, description: "ranges that the token counts from" }),
  },
  "token.rotated": { owner: username, overlap: duration },
  "token.deleted": noDetails,
  "token.tolerated": { operation: text },
  "clock.epoch_raised": { step_seconds: number },
  "clock.stepped": { seconds: number },
  "clock.set_by_hand": { before: timestamp, after: timestamp },
  "clock.source_changed": { from: nullableText, to: nullableText },
  "clock.contradicted": { source: text, offset_seconds: nullableNumber },
  "clock.panicked": { offset_seconds: number },
  "clock.contested": { conflict: nullableText },
  "clock.sync_requested": { force: flag },
  "clock.reselect_requested": noDetails,
  "clock.floor_reset": { before: timestamp, after: timestamp },
  "update.trust_installed": { fingerprint: text, root_version: count, goes_on: flag },
  "update.trust_confirmed": { fingerprint: text },
  "update.root_rotated": { from_version: count, version: count },
  "update.check_requested": { repository: nullableText },
  "update.check_failed": { code, detail, kind: sometimes(updateKind) },
  "update.check_recovered": { failures: count, kind: sometimes(updateKind) },
  "update.available": release,
  "update.staged": release,
  "update.download_failed": { ...release, code, detail },
  "update.apply_requested": { kind: askedKind, repository: nullableText },
  "update.rollback_requested": { kind: updateKind },
  "update.postponed": { kind: askedKind, for: duration },
  "update.failure_dismissed": release,
  "update.applying": release,
  "update.applied": { ...release, ...outcome },
  "update.undone": { ...release, ...outcome, outcome: text, restored_healthy: { type: ["boolean", "null"] } },
  "update.refused": {
    ...requested,
    ...{ from_version: sometimes(nullableText), code: sometimes(code), detail },
    ...{ count: sometimes(reason.count), last_answer: sometimes(reason.last_answer) },
  },
  "settings.changed": { changed: { ...texts, description: "keys of the settings" } },
  "configuration.applied": {
    changes: {
      ...count,
      description: "users, API tokens and settings that were changed; each has its own event",
    },
    is_resumed: sometimes({
      ...flag,
      description: "true: it was interrupted, and the agent finished it at its next start",
    }),
  },
  "host_file.read": {
    changed: { ...texts, description: "members whose new values are in use" },
    needs_restart: { ...texts, description: "members whose new values wait for a restart" },
  },
  "host_file.refused": { detail: { ...text, description: "why, and what to do" } },
  "https.certificate_changed": {
    installed: {
      ...nullableText,
      description: "its name in the directory of certificates; null: the device's own",
    },
    fingerprint: { ...text, description: "SHA-256, as browsers show it" },
    ends_at: timestamp,
  },
  "https.certificate_refused": {
    name: { ...text, description: "in the directory of certificates" },
    detail: { ...text, description: "why, and what to do" },
  },
  "host.changed": {
    ...{ host_name: sometimes(text), host_name_before: sometimes(text) },
    ...{ time_zone: sometimes(text), time_zone_before: sometimes(text) },
  },
  "host.reboot_requested": { force: flag },
  "host.power_off_requested": { force: flag },
  "host.reset_requested": noDetails,
  "host.reset": noDetails,
  "host.identity_changed": {
    former_device_id: text,
    sessions_ended: count,
    tokens_ended: count,
    two_factor_resealed: { ...count, description: "authenticator secrets that were sealed with a new key" },
  },
  "state.damage_found": {
    document: text,
    damage: { type: "string", enum: damageKinds },
    replacement: { type: "string", enum: replacements },
    is_loss: { type: "boolean", description: "something that was there is missing, or may be" },
    detail,
  },
  "state.damage_accepted": { document: text, damages: texts, findings: texts },
  "need.began": need,
  "need.ended": need,
  "request.refused": refusal,
} as const satisfies Record<EventType, Readonly<Record<string, object>>>;

/** A member of the details of any event. */
export type EventFact = {
  [Type in EventType]: keyof (typeof eventDetails)[Type];
}[EventType];
