import { accentNames } from "../console/accents.ts";
import { duration } from "../durations.ts";
import { notify } from "../notifications/notify-settings.ts";
import { byAdmin, byOperator, group, strictObject } from "../shapes.ts";
import { displayName } from "../text/visible-text.ts";
import { clockSource, nullableInteger, nullableNumber, sourceReason, timeModes } from "./clock.ts";
import { update } from "./update-settings.ts";

/** `host`, `host:port` or `[v6]:port`. */
export const serverName = {
  type: "string",
  maxLength: 261,
  pattern:
    "^(\\[[0-9a-fA-F:.]{2,45}(%[\\w.~-]{1,17})?\\]|(?!-)[\\w-]{1,63}(\\.(?!-)[\\w-]{1,63})*\\.?)(:[0-9]{1,5})?$",
  "x-expected": "a time server: host, host:port or [v6]:port",
} as const;

const serverWithNts = strictObject({
  host: serverName,
  nts: {
    type: "boolean",
    description: "true: authenticated (RFC 8915); the port is that of the key exchange, by default 4460",
  },
});

/** One time server, read by `timeServer` (contract/clock/time-server.ts). */
const timeServer = {
  oneOf: [serverName, serverWithNts],
  "x-expected": 'a time server: host, host:port or [v6]:port, or {"host": …, "nts": true}',
} as const;

/** The parts of the first run that a device can do without, each by the code of its need. */
export const dispensableNeeds = ["second_factor_advised", "updates_not_set_up", "no_receiver"] as const;

export const mostTimeServers = 8;

const device = {
  ...group,
  ...strictObject({
    name: byOperator("Device name", "a name for people", { ...displayName, default: "" }),
    location: byOperator("Location", "where the device is", { ...displayName, default: "" }),
    contact: byOperator("Contact", "who answers questions about the device", {
      ...displayName,
      default: "",
      "x-redacted": true,
    }),
    not_needed: byAdmin(
      "Not needed here",
      "parts of the setup that this device does without: the status no longer asks for them",
      {
        type: "array",
        items: { type: "string", enum: dispensableNeeds },
        maxItems: dispensableNeeds.length,
        uniqueItems: true,
        default: [],
      },
    ),
  }),
} as const;

const time = {
  ...group,
  ...strictObject({
    mode: byAdmin("Who sets the clock", "the host file may decide this; changes here are then refused", {
      type: "string",
      enum: timeModes,
      default: "auto",
    }),
    servers: byAdmin(
      "Time servers",
      'NTP servers: host, host:port or [v6]:port; {"host": …, "nts": true} for authenticated time (NTS)',
      {
        type: "array",
        items: timeServer,
        maxItems: mostTimeServers,
        uniqueItems: true,
        default: [
          "0.debian.pool.ntp.org",
          "1.debian.pool.ntp.org",
          "2.debian.pool.ntp.org",
          "3.debian.pool.ntp.org",
        ],
      },
    ),
    authenticated_only: byAdmin(
      "Authenticated time only",
      "only servers with nts are asked, and the clock follows only a majority of them",
      { type: "boolean", default: false },
    ),
    min_agreeing: byAdmin(
      "Servers that must agree",
      "1 to 8; null or empty: 1 with one server, otherwise 2. The clock follows only a majority of the servers",
      { type: ["integer", "null"], minimum: 1, maximum: 8, default: null },
    ),
    max_root_distance: byAdmin(
      "Largest uncertainty",
      "100ms to 16s: a server whose time may be wrong by more is not used",
      { ...duration, default: "1500ms" },
    ),
    panic_threshold: byAdmin("Largest correction", "larger corrections are refused unless forced", {
      ...duration,
      default: "1000s",
    }),
  }),
} as const;

const security = {
  ...group,
  ...strictObject({
    require_2fa: byAdmin(
      "Two-factor sign-in is required",
      "users without a second factor must set one up before they can do anything else",
      { type: "string", enum: ["none", "admins", "all"], default: "none" },
    ),
    session_idle: byAdmin("Session idle limit", "5m to 24h: a session that is not used for this long ends", {
      ...duration,
      default: "60m",
    }),
    session_absolute: byAdmin(
      "Session total limit",
      "15m to 30d: a session ends after this long in any case",
      { ...duration, default: "24h" },
    ),
    password_min_length: byAdmin(
      "Minimum password length",
      "15 to 128 characters; applies to passwords chosen from now on",
      { type: "integer", minimum: 15, maximum: 128, default: 15 },
    ),
  }),
} as const;

const consoleSettings = {
  ...group,
  ...strictObject({
    language: byOperator(
      "Language",
      "the language of messages, and of the console if neither user nor browser decides",
      {
        type: "string",
        pattern: "^[a-z]{2}(-[A-Z]{2})?$",
        "x-expected": "a language such as en, de or pt-BR",
        default: "en",
      },
    ),
    banner: byOperator("Text on the sign-in page", "shown on the sign-in page", {
      ...displayName,
      maxLength: 512,
      default: "",
    }),
    accent: byOperator("Colour", "of the console", { type: "string", enum: accentNames, default: "blue" }),
  }),
} as const;

/**
 * The settings, their defaults, their units and, as `x-writer`, the least role that may change each of them
 * (an administrator may change all). `x-redacted` members are hidden from `readonly`. `x-secret` members here and in the host
 * file are shown whole only to those who may change them: of an "address" the path and the query are secret, since some
 * services ask for nothing else, and of "whole" all is.
 */
export const settings = strictObject({ device, time, update, security, console: consoleSettings, notify });

/** The text in place of a member that the reader may not see. */
export const hidden = "(hidden)";

/** Servers that may become those of `time.servers`. */
export const probeRequest = strictObject({
  servers: {
    type: "array",
    items: timeServer,
    minItems: 1,
    maxItems: mostTimeServers,
    uniqueItems: true,
    description: "in the form of time.servers",
  },
});

const probedServer = strictObject({
  host: { type: "string", description: "as it was asked for" },
  address: clockSource.properties.address,
  answers: { type: "boolean", description: "with a time that can be used" },
  reason: { ...sourceReason, description: "why it does not answer or is not believed" },
  offset_seconds: clockSource.properties.offset_seconds,
  uncertainty_seconds: clockSource.properties.uncertainty_seconds,
  delay_seconds: nullableNumber,
  stratum: nullableInteger,
  nts: {
    type: ["string", "null"],
    enum: ["offered", "not_offered", null],
    description: "authenticated time (RFC 8915); null: not known",
  },
});

export const timeProbe = strictObject({
  servers: { type: "array", items: probedServer, description: "in the order of the request" },
  answering: { type: "integer" },
  agreeing: { type: "integer", description: "how many say one time that can be used; 0: none" },
});

/** Annotations unknown to JSON Schema. `x-expected` completes "must be …" in place of a pattern or a format. */
export const annotationKeywords = ["x-writer", "x-redacted", "x-secret", "x-expected"] as const;

/** The names of these shapes in the OpenAPI document. */
export const probeShapes = () =>
  ({
    TimeServer: probeRequest.properties.servers.items,
    TimeServerWithNts: serverWithNts,
    TimeProbeRequest: probeRequest,
    TimeProbe: timeProbe,
    ProbedServer: timeProbe.properties.servers.items,
    NtsOffer: probedServer.properties.nts,
  }) as const;

export const probeExamples = { TimeProbeRequest: { servers: ["127.0.0.1:9"] } };
