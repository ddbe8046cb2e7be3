/** A key that a backup is encrypted to, of age (https://age-encryption.org/v1). */
const recipient = {
  type: "string",
  pattern: "^age1[0-9a-z]{20,3000}$",
  "x-expected": "a public key of age, such as age-keygen prints: age1…",
} as const;

/** Either a passphrase or recipients. */
export const backupRequest = {
  type: "object",
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  properties: {
    passphrase: {
      type: "string",
      minLength: 12,
      maxLength: 1_024,
      description: "all that protects the backup; it cannot be recovered",
    },
    recipients: {
      type: "array",
      minItems: 1,
      maxItems: 16,
      uniqueItems: true,
      items: recipient,
      description: "each of them can open it",
    },
  },
} as const;

export const backupType = "application/octet-stream";
export const backupFile = {
  type: "string",
  contentMediaType: backupType,
  description: "an age file with a tar in it",
} as const;

/** The names of these shapes in the OpenAPI document. */
export const backupShapes = () => ({ BackupRequest: backupRequest, Backup: backupFile }) as const;

export const backupExamples = { BackupRequest: { passphrase: "seven wet horses at the old pier" } };
