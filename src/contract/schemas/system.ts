import { type HealthCode, healthCodes, healthFacts } from "../health-codes.ts";
import { nullableTimestamp } from "../shapes.ts";

export const version = {
  type: "object",
  additionalProperties: false,
  required: ["name", "version", "api_version"],
  properties: {
    name: { type: "string", const: "steward" },
    version: { type: "string", description: "semantic version" },
    api_version: { type: "string" },
    commit: { type: ["string", "null"] },
    build_date: nullableTimestamp,
    node: { type: "string" },
    os: { type: "string" },
    kernel: { type: "string" },
    arch: { type: "string" },
    device_id: { type: "string", description: "128 bits; the same for as long as the system is installed" },
    boot_id: { type: "string" },
    uptime_seconds: { type: "number" },
    rules_version: { type: ["string", "null"], description: "null: no rules installed" },
  },
} as const;

export const healthStates = ["ok", "degraded", "rescue"] as const;

export const health = {
  type: "object",
  additionalProperties: false,
  required: ["status"],
  properties: {
    status: { type: "string", enum: healthStates },
    checks: {
      type: "array",
      description: "only with a token",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["name", "status", "code", "detail", "facts"],
        properties: {
          name: { type: "string" },
          status: { type: "string", enum: healthStates },
          code: { type: "string", enum: Object.keys(healthCodes) as HealthCode[] },
          detail: {
            type: "string",
            description: "the code in English, and what to do; empty when all is well",
          },
          facts: {
            type: "object",
            additionalProperties: false,
            properties: healthFacts,
            description: "depend on the code",
          },
        },
      },
    },
  },
} as const;

export const documentName = {
  type: "string",
  pattern: "^[a-z][a-z-]{0,31}$",
  "x-expected": "the name of a document, such as settings",
  description: "a state document, by the name that health gives it",
} as const;

export const acceptedDamage = {
  type: "object",
  additionalProperties: false,
  required: ["accepted"],
  properties: {
    accepted: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["document", "at", "detail"],
        properties: { document: { type: "string" }, at: { type: "string" }, detail: { type: "string" } },
      },
    },
  },
} as const;

const nullableNumber = { type: ["number", "null"] } as const;
const nullableText = { type: ["string", "null"] } as const;

export const facts = {
  type: "object",
  additionalProperties: false,
  required: [
    "hostname",
    "manufacturer",
    "model",
    "cpu",
    "memory",
    "disks",
    "load",
    "temperatures",
    "uptime_seconds",
  ],
  description: "Hardware and present state of the host; a figure that cannot be read is null",
  properties: {
    hostname: { type: "string" },
    manufacturer: nullableText,
    model: nullableText,
    cpu: {
      type: "object",
      additionalProperties: false,
      required: ["model", "cores"],
      properties: { model: nullableText, cores: { type: "integer" } },
    },
    memory: {
      type: "object",
      additionalProperties: false,
      required: ["total_bytes", "available_bytes", "swap_total_bytes", "swap_free_bytes"],
      properties: {
        total_bytes: { type: "number" },
        available_bytes: { type: "number" },
        swap_total_bytes: { type: "number" },
        swap_free_bytes: { type: "number" },
      },
    },
    disks: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["mount", "type", "size_bytes", "available_bytes"],
        properties: {
          mount: { type: "string" },
          type: { type: "string" },
          size_bytes: { type: "number" },
          available_bytes: { type: "number" },
        },
      },
    },
    load: {
      type: "array",
      items: { type: "number" },
      minItems: 3,
      maxItems: 3,
      description: "processes, averaged over 1, 5 and 15 minutes",
    },
    temperatures: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["sensor", "celsius"],
        properties: { sensor: { type: "string" }, celsius: nullableNumber },
      },
    },
    uptime_seconds: { type: "number" },
  },
} as const;

export const anyObject = { type: "object" } as const;
