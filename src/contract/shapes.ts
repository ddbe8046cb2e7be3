/** Building blocks of the contract: JSON Schema (2020-12) constants that the other files of this room combine. */

/** An object that has all of these members, except for the optional ones, and no other. */
export function strictObject<
  const Members extends Readonly<Record<string, object>>,
  const Optional extends keyof Members = never,
>(properties: Members, optional: readonly Optional[] = []) {
  type Name = keyof Members & string;
  const isRequired = (name: string): name is Exclude<Name, Optional> =>
    !(optional as readonly PropertyKey[]).includes(name);
  return {
    type: "object",
    additionalProperties: false,
    required: Object.keys(properties).filter(isRequired),
    properties,
  } as const;
}

/** An object that may have each of these members, and no other. */
export function partialObject<const Members extends Readonly<Record<string, object>>>(properties: Members) {
  return { type: "object", additionalProperties: false, properties } as const;
}

const aTime = "a time of RFC 3339 such as 2026-11-20T08:00:00.000Z";

export const timestamp = {
  type: "string",
  format: "date-time",
  description: "RFC 3339 in UTC with milliseconds",
  "x-expected": aTime,
} as const;

export const nullableTimestamp = {
  type: ["string", "null"],
  format: "date-time",
  "x-expected": aTime,
} as const;

export const userId = {
  type: "string",
  pattern: "^usr_[0-9a-f]{32}$",
  description: "`usr_` and 128 random bits",
  "x-expected": "the id of a user, which begins with usr_",
} as const;

/** Rules for names by themselves, for the console, which has no room for the rest of their schemas. */
export const nameRules = {
  username: "^[a-z][a-z0-9._-]{1,30}[a-z0-9]$",
  /** Events and logs use these names for actors that are not people, so no user may have one of them. */
  noPerson: ["agent", "anonymous", "local-root", "others", "root"] as readonly string[],
  longestDisplayName: 64,
} as const;

/** The path to which a sign-in provider sends the browser back: a redirect URI is an origin of the device with it. */
export const providerReturnPath = "/oidc";

/** Only ASCII, so that no two names look alike, and lower case, so that no two differ in case only. */
export const username = {
  type: "string",
  pattern: nameRules.username,
  not: { enum: nameRules.noPerson },
  description: "cannot be changed",
  "x-expected": `3 to 32 of a–z, 0–9, dot, underscore and hyphen, with a letter first and a letter or figure last; ${nameRules.noPerson.join(", ")} are reserved: events and logs use them for actors that are not people`,
} as const;

export function isUsername(text: string): boolean {
  return new RegExp(nameRules.username).test(text) && !nameRules.noPerson.includes(text);
}

/** The rules for a new password are judged by the accounts, which can say why; here only its type. */
export const password = { type: "string", minLength: 1, writeOnly: true } as const;

/** An argon2id hash (PHC) within 254 MiB, 99 passes, 9 lanes: one beyond would end the process at a sign-in. */
export const passwordHash = {
  type: "string",
  pattern:
    "^\\$argon2id\\$v=19\\$m=([0-9]{1,5}|1[0-9]{5}|2[0-5][0-9]{4}),t=[1-9][0-9]?,p=[1-9]" +
    "(\\$([A-Za-z0-9+/]{4}){2,16}([A-Za-z0-9+/]{2,3})?){2}$",
  "x-expected": "an argon2id hash in PHC form, as `steward hash-password` prints it",
} as const;

export const roleNames = ["admin", "operator", "readonly"] as const;
export const role = { type: "string", enum: roleNames } as const;

/** A setting that operators may change, as administrators may change all. */
export function byOperator<const S extends object>(title: string, description: string, schema: S) {
  return { ...schema, "x-writer": "operator", title, description } as const;
}

export function byAdmin<const S extends object>(title: string, description: string, schema: S) {
  return { ...schema, "x-writer": "admin", title, description } as const;
}

/** A part of the settings, whole with nothing given. */
export const group = { type: "object", additionalProperties: false, default: {} } as const;

/** A passkey's id, and the ways on which a browser reaches it (WebAuthn §5.8.4), where the browser that made it has said. */
export const knownPasskey = {
  type: "object",
  additionalProperties: false,
  required: ["id"],
  properties: { id: { type: "string" }, transports: { type: "array", items: { type: "string" } } },
} as const;

/** RFC 9457 problem document, the body of every error. */
export const problem = {
  type: "object",
  required: ["type", "title", "status", "detail", "code", "request_id"],
  additionalProperties: false,
  properties: {
    type: { type: "string", description: "urn:steward:problem:<code>" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string", description: "what happened, why, and what to do" },
    code: { type: "string" },
    request_id: { type: "string" },
    reason: { type: "string" },
    errors: {
      type: "array",
      items: {
        type: "object",
        required: ["pointer", "code", "detail"],
        additionalProperties: false,
        properties: { pointer: { type: "string" }, code: { type: "string" }, detail: { type: "string" } },
      },
    },
    clock: {
      type: "object",
      required: ["server_time", "synchronised"],
      additionalProperties: false,
      description: "what the device knows of its own clock",
      properties: {
        server_time: timestamp,
        synchronised: { type: ["boolean", "null"], description: "null: not known" },
        state: {
          type: "string",
          description: "this and the following members are present only if signature or password were right",
        },
        last_sync_at: nullableTimestamp,
        last_step_seconds: { type: ["number", "null"] },
        last_step_at: nullableTimestamp,
        skew_suspected: {
          type: "boolean",
          description: "the code was one of another time: the clocks of device and authenticator differ",
        },
      },
    },
    challenge_token: {
      type: "string",
      description: "with `totp_required`: send it with the code to POST /api/auth/totp within five minutes",
    },
    passkey: {
      type: "object",
      required: ["challenge", "host", "credentials"],
      additionalProperties: false,
      description: "with `totp_required`: `publicKey` for a passkey of the user under this host",
      properties: {
        challenge: { type: "string" },
        host: { type: "string" },
        credentials: { type: "array", items: knownPasskey },
      },
    },
    retry_after: { type: "integer", description: "seconds" },
  },
} as const;
