import {
  knownPasskey,
  nullableTimestamp,
  partialObject,
  password,
  strictObject,
  timestamp,
} from "../shapes.ts";
import { displayName, seen } from "../text/visible-text.ts";
import { base64url, credentialId, factorProof, reauth, session, signedText } from "./auth.ts";
import { keepTokens, tokensEnded, user } from "./users.ts";

const passkeyName = { ...displayName, minLength: 1 } as const;

export const passkeyId = {
  type: "string",
  pattern: "^psk_[0-9a-f]{32}$",
  "x-expected": "the id of a passkey, which begins with psk_",
} as const;

export const passkey = strictObject({
  id: passkeyId,
  name: passkeyName,
  host: { type: "string", description: "the name of the device that it works under: its `rp.id`" },
  created_at: timestamp,
  last_used_at: nullableTimestamp,
});

export const twoFactor = strictObject(
  {
    enabled: { type: "boolean" },
    enrolled_at: nullableTimestamp,
    recovery_codes_remaining: { type: "integer" },
    sealing_key: user.properties.two_factor.properties.sealing_key,
    locked: user.properties.locked,
    passkeys: { type: "array", items: passkey },
  },
  ["sealing_key"],
);

export const enrolment = strictObject({
  secret: { type: "string", description: "base32, for authenticators without a camera; shown only once" },
  otpauth_uri: { type: "string" },
  qr_svg: { type: "string", description: "the URI as a QR code, an SVG document" },
  algorithm: { type: "string", const: "SHA1" },
  digits: { type: "integer", const: 6 },
  period: { type: "integer", const: 30, description: "seconds" },
  expires_at: {
    ...timestamp,
    description: "the setup can be finished until then; nothing changes before it is enabled",
  },
});

export const enable = strictObject(
  {
    code: factorProof.code,
    allow_unsynchronised_clock: {
      type: "boolean",
      default: false,
      description: "enable although the device's clock, by which codes are checked, is not trusted",
    },
  },
  ["allow_unsynchronised_clock"],
);

const recoveryCodeList = {
  type: "array",
  items: { type: "string" },
  description: "ten codes, each works once; shown only once",
} as const;

export const enabled = strictObject({ recovery_codes: recoveryCodeList, two_factor: twoFactor });

export const recoveryCodes = strictObject({ recovery_codes: recoveryCodeList });

/** WebAuthn §5.4; the user's handle is their id in UTF-8. */
export const passkeyCreation = strictObject({
  challenge: base64url,
  host: { type: "string", description: "for `rp.id`" },
  algorithms: { type: "array", items: { type: "integer" }, description: "for `pubKeyCredParams`" },
  known: { type: "array", items: knownPasskey, description: "for `excludeCredentials`" },
  expires_in: { type: "integer", description: "seconds" },
});

export const newPasskey = strictObject(
  {
    name: passkeyName,
    id: credentialId,
    client_data: { ...signedText, description: "`clientDataJSON`" },
    attestation: { ...signedText, description: "`attestationObject`" },
    transports: { type: "array", maxItems: 16, items: { type: "string", maxLength: 32 } },
  },
  ["transports"],
);

/** The same proof as for a step-up. */
export const disable = reauth;

/** With a recovery code by users who lost their authenticator, or with a reason by an administrator. */
export const recover = {
  ...partialObject({
    password,
    recovery_code: factorProof.recovery_code,
    reason: {
      type: "string",
      pattern: seen,
      "x-expected": "a text that can be seen",
      minLength: 1,
      maxLength: 256,
      description: "why an administrator removes the second factor; it is recorded",
    },
    keep_tokens: keepTokens,
  }),
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
    Passkey: passkey,
    PasskeyCreation: passkeyCreation,
    PasskeyAddRequest: newPasskey,
    TwoFactorEnableRequest: enable,
    TwoFactorEnabled: enabled,
    TwoFactorRecoverRequest: recover,
    TwoFactorRecovered: recovered,
    SignedInAfterRecovery: recovered.anyOf[0],
    RecoveredUser: recovered.anyOf[1],
    RecoveryCodes: recoveryCodes,
  }) as const;

export const twoFactorExamples = {
  TwoFactor: { enabled: false, enrolled_at: null, recovery_codes_remaining: 0, locked: null, passkeys: [] },
  PasskeyAddRequest: {
    name: "Phone",
    id: "Zk3vX9qLr0TnWb5yHs2JcA",
    client_data: "eyJ0",
    attestation: "o2Nm",
  },
  TwoFactorEnableRequest: { code: "287082", allow_unsynchronised_clock: true },
  TwoFactorEnabled: {
    recovery_codes: ["K7Q2-M9XD-4TVB-5WHD"],
    two_factor: {
      enabled: true,
      enrolled_at: "2026-11-20T08:00:00.000Z",
      recovery_codes_remaining: 10,
      locked: null,
      passkeys: [],
    },
  },
  TwoFactorRecoverRequest: { password: "six kettles below a lamp", recovery_code: "K7Q2-M9XD-4TVB-5WHD" },
  RecoveryCodes: { recovery_codes: ["K7Q2-M9XD-4TVB-5WHD"] },
};
