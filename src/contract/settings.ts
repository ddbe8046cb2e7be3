import { timeModes } from "./clock.ts";
import { displayName, duration } from "./shapes.ts";

/**
 * The settings, their defaults, their units and, as `x-writer`, the least role that may change each of them
 * (an administrator may change all). `x-redacted` members are hidden from `readonly`.
 */
const byOperator = { "x-writer": "operator" } as const;
const byAdmin = { "x-writer": "admin" } as const;
const group = { type: "object", additionalProperties: false, default: {} } as const;

/** One time server: `host`, `host:port` or `[v6]:port`. */
const timeServer = {
  type: "string",
  maxLength: 261,
  pattern:
    "^(\\[[0-9a-fA-F:.]{2,45}\\]|(?!-)[A-Za-z0-9-]{1,63}(\\.(?!-)[A-Za-z0-9-]{1,63})*)(:[1-9][0-9]{0,4})?$",
} as const;

const clockTime = { type: "string", pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$" } as const;

const window = {
  type: "object",
  additionalProperties: false,
  required: ["days", "from", "to"],
  properties: {
    days: {
      type: "array",
      items: { type: "string", enum: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] },
      minItems: 1,
      maxItems: 7,
      uniqueItems: true,
    },
    from: clockTime,
    to: { ...clockTime, description: "earlier than `from`: on the next day" },
  },
} as const;

const device = {
  ...group,
  required: ["name", "location", "contact"],
  properties: {
    name: { ...displayName, ...byOperator, default: "", description: "what people call this device" },
    location: { ...displayName, ...byOperator, default: "", description: "where it stands" },
    contact: {
      ...displayName,
      ...byOperator,
      default: "",
      description: "whom to ask about it",
      "x-redacted": true,
    },
  },
} as const;

const time = {
  ...group,
  required: ["mode", "servers", "min_agreeing", "panic_threshold"],
  properties: {
    mode: {
      type: "string",
      enum: timeModes,
      default: "auto",
      ...byAdmin,
      description: "who sets the clock",
    },
    servers: {
      type: "array",
      items: timeServer,
      maxItems: 8,
      uniqueItems: true,
      default: [
        "0.debian.pool.ntp.org",
        "1.debian.pool.ntp.org",
        "2.debian.pool.ntp.org",
        "3.debian.pool.ntp.org",
      ],
      ...byAdmin,
      description: "NTP servers: host, host:port or [v6]:port",
    },
    min_agreeing: {
      type: ["integer", "null"],
      minimum: 1,
      maximum: 8,
      default: null,
      ...byAdmin,
      description: "sources that must agree; null: 1 with one server, else 2",
    },
    panic_threshold: {
      ...duration,
      default: "1000s",
      ...byAdmin,
      description: "a larger correction in service is refused unless forced",
    },
  },
} as const;

const ota = {
  ...group,
  required: [
    "enabled",
    "server",
    "channel",
    "check_interval",
    "auto_update_rules",
    "auto_update_binary",
    "verify_signature",
  ],
  properties: {
    enabled: { type: "boolean", default: false, ...byAdmin, description: "check by schedule" },
    server: {
      type: "string",
      maxLength: 512,
      pattern: "^$|^(https?://[^\\s/@?#]+|file://)(/[^\\s?#]*)?$",
      default: "",
      ...byAdmin,
      description: "address of the update repository, without user name or password",
      "x-redacted": true,
    },
    channel: {
      type: "string",
      pattern: "^[a-z0-9][a-z0-9._-]{0,31}$",
      default: "stable",
      ...byAdmin,
      description: "release channel",
    },
    check_interval: {
      ...duration,
      default: "6h",
      ...byOperator,
      description: "5m to 30d; each check comes up to 10 % earlier or later",
    },
    auto_update_rules: { type: "boolean", default: true, ...byAdmin, description: "apply new rules unasked" },
    auto_update_binary: {
      type: "boolean",
      default: false,
      ...byAdmin,
      description: "apply new releases unasked; needs an installed and confirmed root of trust",
    },
    verify_signature: {
      type: "boolean",
      default: true,
      ...byAdmin,
      description: "must stay true: nothing runs that is not signed",
    },
  },
} as const;

const security = {
  ...group,
  required: ["require_2fa", "session_idle", "session_absolute", "password_min_length"],
  properties: {
    require_2fa: {
      type: "string",
      enum: ["none", "admins", "all"],
      default: "none",
      ...byAdmin,
      description: "who must use two-factor sign-in",
    },
    session_idle: {
      ...duration,
      default: "60m",
      ...byAdmin,
      description: "5m to 24h: a session unused for so long ends",
    },
    session_absolute: {
      ...duration,
      default: "24h",
      ...byAdmin,
      description: "15m to 30d: a session ends after so long in any case",
    },
    password_min_length: {
      type: "integer",
      minimum: 15,
      maximum: 128,
      default: 15,
      ...byAdmin,
      description: "characters",
    },
  },
} as const;

const consoleSettings = {
  ...group,
  required: ["language", "banner"],
  properties: {
    language: { type: "string", pattern: "^[a-z]{2}(-[A-Z]{2})?$", default: "en", ...byOperator },
    banner: {
      ...displayName,
      maxLength: 512,
      default: "",
      ...byOperator,
      description: "shown on the sign-in page",
    },
  },
} as const;

export const settings = {
  type: "object",
  additionalProperties: false,
  required: ["device", "time", "update", "security", "console"],
  properties: {
    device,
    time,
    update: {
      ...group,
      required: ["ota", "windows"],
      properties: {
        ota,
        windows: {
          type: "array",
          items: window,
          maxItems: 16,
          default: [],
          ...byOperator,
          description: "when updates may be applied, in the device's time zone; empty: at any time",
        },
      },
    },
    security,
    console: consoleSettings,
  },
} as const;

/** The annotations above that JSON Schema does not know. */
export const annotationKeywords = ["x-writer", "x-redacted"] as const;
