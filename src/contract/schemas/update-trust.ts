import { nullableTimestamp, strictObject } from "../shapes.ts";
import { trustStatus } from "./update-reasons.ts";

const nullableText = { type: ["string", "null"] } as const;

/** A SHA-256 as people compare it. */
const fingerprint = {
  type: "string",
  pattern: "^[0-9a-f]{64}$",
  "x-expected": "the whole fingerprint: 64 hexadecimal digits in lower case",
} as const;

export const updateTrust = strictObject({
  installed: { type: "boolean", description: "a usable root of trust is installed on this device" },
  fingerprint: {
    oneOf: [{ type: "null" }, fingerprint],
    description: "SHA-256 of the installed root's signed part",
  },
  root_version: { type: ["integer", "null"], description: "of the root in force, after rotations" },
  root_expires_at: nullableTimestamp,
  keys: {
    type: "array",
    description: "trusted keys, by role",
    items: strictObject({
      role: { type: "string" },
      threshold: { type: "integer" },
      key_ids: { type: "array", items: { type: "string" } },
    }),
  },
  confirmed: { type: "boolean", description: "an administrator has compared this fingerprint" },
  confirmed_at: nullableTimestamp,
  confirmed_by: nullableText,
  proven: {
    type: "boolean",
    description: "the update server has delivered one complete, valid refresh under this root",
  },
  established: {
    type: "boolean",
    description: "installed, confirmed and proven: what automatic binaries need",
  },
  status: trustStatus,
});

export const trustRequest = strictObject({
  fingerprint: { ...fingerprint, description: "the whole fingerprint of the installed root" },
});
