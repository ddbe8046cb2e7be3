import { nullableTimestamp, password, timestamp } from "../shapes.ts";
import { factorProof, reauth, session } from "./auth.ts";
import { keepTokens, tokensEnded, user } from "./users.ts";

export const twoFactor = {
  type: "object",
  additionalProperties: false,
  required: ["enabled", "enrolled_at", "recovery_codes_remaining", "locked"],
  properties: {
    enabled: { type: "boolean" },
    enrolled_at: nullableTimestamp,
    recovery_codes_remaining: { type: "integer" },
    sealing_key: user.properties.two_factor.properties.sealing_key,
    locked: user.properties.locked,
  },
} as const;

export const enrolment = {
  type: "object",
  additionalProperties: false,
  required: ["secret", "otpauth_uri", "qr_svg", "algorithm", "digits", "period", "expires_at"],
  properties: {
    secret: {
      type: "string",
      description: "base32, for authenticators without a camera; shown only once",
    },
    otpauth_uri: { type: "string" },
    qr_svg: { type: "string", description: "the URI as a QR code, an SVG document" },
    algorithm: { type: "string", const: "SHA1" },
    digits: { type: "integer", const: 6 },
    period: { type: "integer", const: 30, description: "seconds" },
    expires_at: {
      ...timestamp,
      description: "the setup can be finished until then; nothing changes before it is enabled",
    },
  },
} as const;

export const enable = {
  type: "object",
  additionalProperties: false,
  required: ["code"],
  properties: {
    code: factorProof.code,
    allow_unsynchronised_clock: {
      type: "boolean",
      default: false,
      description: "enable although the device's clock, by which codes are checked, is not trusted",
    },
  },
} as const;

const recoveryCodeList = {
  type: "array",
  items: { type: "string" },
  description: "ten codes, each works once; shown only once",
} as const;

export const enabled = {
  type: "object",
  additionalProperties: false,
  required: ["recovery_codes", "two_factor"],
  properties: { recovery_codes: recoveryCodeList, two_factor: twoFactor },
} as const;

export const recoveryCodes = {
  type: "object",
  additionalProperties: false,
  required: ["recovery_codes"],
  properties: { recovery_codes: recoveryCodeList },
} as const;

/** The same proof as for a step-up. */
export const disable = reauth;

/** With a recovery code by users who lost their authenticator, or with a reason by an administrator. */
export const recover = {
  type: "object",
  additionalProperties: false,
  properties: {
    password,
    recovery_code: factorProof.recovery_code,
    reason: {
      type: "string",
      minLength: 1,
      maxLength: 256,
      description: "why an administrator removes the second factor; it is recorded",
    },
    keep_tokens: keepTokens,
  },
  oneOf: [{ required: ["password", "recovery_code"] }, { required: ["reason"] }],
  "x-expected": "given either with password and recovery_code, or by an administrator with reason",
} as const;

export const recovered = {
  anyOf: [
    {
      ...session,
      required: [...session.required, "tokens_ended"],
      properties: { ...session.properties, tokens_ended: tokensEnded },
    },
    {
      ...user,
      required: [...user.required, "tokens_ended"],
      properties: { ...user.properties, tokens_ended: tokensEnded },
    },
  ],
} as const;

/** A user by id or by name; whatever it is, an unknown one is answered like a wrong password. */
export const userReference = { type: "string", minLength: 1, maxLength: 256 } as const;

/** The names of these shapes in the OpenAPI document. */
export const twoFactorShapes = () =>
  ({
    TwoFactor: twoFactor,
    TwoFactorEnrolment: enrolment,
    TwoFactorEnableRequest: enable,
    TwoFactorEnabled: enabled,
    TwoFactorRecoverRequest: recover,
    TwoFactorRecovered: recovered,
    SignedInAfterRecovery: recovered.anyOf[0],
    RecoveredUser: recovered.anyOf[1],
    RecoveryCodes: recoveryCodes,
  }) as const;

/** Examples of them. */
export const twoFactorExamples = {
  TwoFactor: { enabled: false, enrolled_at: null, recovery_codes_remaining: 0, locked: null },
  TwoFactorEnableRequest: { code: "287082", allow_unsynchronised_clock: true },
  TwoFactorEnabled: {
    recovery_codes: ["K7Q2-M9XD-4TVB", "P3RW-8HJN-6YCE"],
    two_factor: {
      enabled: true,
      enrolled_at: "2026-11-20T08:00:00.000Z",
      recovery_codes_remaining: 10,
      locked: null,
    },
  },
  TwoFactorRecoverRequest: { password: "six kettles below a lamp", recovery_code: "K7Q2-M9XD-4TVB" },
  RecoveryCodes: { recovery_codes: ["K7Q2-M9XD-4TVB", "P3RW-8HJN-6YCE"] },
};
