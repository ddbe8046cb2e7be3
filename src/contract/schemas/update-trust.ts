import { nullableTimestamp } from "../shapes.ts";

const nullableText = { type: ["string", "null"] } as const;

/** A SHA-256 as people compare it. */
const fingerprint = {
  type: "string",
  pattern: "^[0-9a-f]{64}$",
  "x-expected": "the whole fingerprint: 64 hexadecimal digits in lower case",
} as const;

/** What this device holds the signatures of updates against. */
export const updateTrust = {
  type: "object",
  additionalProperties: false,
  required: [
    "installed",
    "fingerprint",
    "root_version",
    "root_expires_at",
    "keys",
    "confirmed",
    "confirmed_at",
    "confirmed_by",
    "proven",
    "established",
    "detail",
  ],
  properties: {
    installed: { type: "boolean", description: "a usable root of trust stands on this device" },
    fingerprint: {
      oneOf: [{ type: "null" }, fingerprint],
      description: "SHA-256 of the installed root's signed part",
    },
    root_version: { type: ["integer", "null"], description: "of the root in force, after rotations" },
    root_expires_at: nullableTimestamp,
    keys: {
      type: "array",
      description: "whose signatures count, by role",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["role", "threshold", "key_ids"],
        properties: {
          role: { type: "string" },
          threshold: { type: "integer" },
          key_ids: { type: "array", items: { type: "string" } },
        },
      },
    },
    confirmed: { type: "boolean", description: "an administrator has compared this fingerprint" },
    confirmed_at: nullableTimestamp,
    confirmed_by: nullableText,
    proven: { type: "boolean", description: "the server has delivered one complete valid refresh under it" },
    established: {
      type: "boolean",
      description: "installed, confirmed and proven: what automatic binaries need",
    },
    detail: { ...nullableText, description: "what is missing or wrong, and what to do; null: nothing" },
  },
} as const;

export const trustRequest = {
  type: "object",
  additionalProperties: false,
  required: ["fingerprint"],
  properties: { fingerprint: { ...fingerprint, description: "in full, of the root that is installed" } },
} as const;
