import { damageKinds, type FindingFact, healthCodes, replacements } from "../findings.ts";
import { productVersion } from "../product.ts";
import { nullableTimestamp, partialObject, strictObject } from "../shapes.ts";
import { updateProblem } from "./update-reasons.ts";

const supportUntil = {
  type: ["string", "null"],
  description: "the last day of the maker's support (YYYY-MM-DD); null: not known",
} as const;

export const version = strictObject(
  {
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
    product: productVersion,
    rules_version: { type: ["string", "null"], description: "null: no rules installed" },
    support_until: supportUntil,
  },
  [
    "commit",
    "build_date",
    "node",
    "os",
    "kernel",
    "arch",
    "device_id",
    "boot_id",
    "uptime_seconds",
    "product",
    "rules_version",
    "support_until",
  ],
);

const count = { type: "integer", minimum: 0 } as const;
const text = { type: "string" } as const;
const texts = { type: "array", items: text } as const;

/** The members that the facts of a finding can have; `findingKinds` (contract/findings.ts) says which of them a code has. */
export const findingFacts = {
  path: { ...text, description: "mount point, directory or file" },
  free_bytes: count,
  least_bytes: { ...count, description: "fewer free bytes than this are reported" },
  free_inodes: count,
  least_inodes: count,
  has_reserve: { type: "boolean", description: "the file that a full disk gives up first exists" },
  document: { ...text, description: "of the state, such as settings" },
  error: text,
  damage: { type: "string", enum: damageKinds },
  replacement: { type: "string", enum: replacements, description: "used in its place" },
  found_at: { ...text, description: "RFC 3339 in UTC: the newest finding" },
  waiting: { ...count, description: "events not on the disk yet" },
  lost: { ...count, description: "events that only the journal has" },
  lines: count,
  complete_since: { ...text, description: "RFC 3339 in UTC: the newest event that is gone" },
  users: count,
  keys: { ...texts, description: "ids of the keys that are missing" },
  daemon: text,
  step_seconds: { type: "number", description: "positive: the clock was set forward" },
  frequency_ppm: { type: "number" },
  agreeing: { ...count, description: "time servers" },
  configured: { ...count, description: "time servers that are set" },
  needed: count,
  server: { ...text, description: "as in time.servers" },
  offset_seconds: { type: "number", description: "positive: the clock is behind" },
  measured_at: { type: ["string", "null"], description: "what the servers say; null: not a date" },
  address: text,
  certificate: { ...text, description: "its name in the directory" },
  ends_at: text,
  begins_at: text,
  faults: texts,
  members: texts,
  parts: { ...texts, description: "of the program" },
  problem: { ...updateProblem, description: "with updates" },
} as const satisfies Record<FindingFact, object>;

export const healthStates = ["ok", "degraded", "rescue"] as const;

export const health = strictObject(
  {
    status: { type: "string", enum: healthStates },
    checks: {
      type: "array",
      description: "only with a token",
      items: strictObject({
        name: { type: "string" },
        status: { type: "string", enum: healthStates },
        code: { type: "string", enum: healthCodes },
        detail: { type: "string", description: "the code in English, and what to do" },
        facts: { ...partialObject(findingFacts), description: "depend on the code" },
      }),
    },
  },
  ["checks"],
);

export const documentName = {
  type: "string",
  pattern: "^[a-z][a-z-]{0,31}$",
  "x-expected": "the name of a document, such as settings",
  description: "a state document, by the name that health gives it",
} as const;

export const acceptedDamage = strictObject({
  accepted: {
    type: "array",
    items: strictObject({ document: { type: "string" }, at: { type: "string" }, detail: { type: "string" } }),
  },
});

const nullableNumber = { type: ["number", "null"] } as const;
const nullableText = { type: ["string", "null"] } as const;

export const facts = {
  description: "Hardware and present state of the host; a figure that cannot be read is null",
  ...strictObject({
    hostname: { type: "string" },
    time_zone: { type: "string", description: "a name of the IANA time zone database" },
    manufacturer: nullableText,
    model: nullableText,
    cpu: strictObject({ model: nullableText, cores: { type: "integer" } }),
    memory: strictObject({
      total_bytes: { type: "number" },
      available_bytes: { type: "number" },
      swap_total_bytes: { type: "number" },
      swap_free_bytes: { type: "number" },
    }),
    disks: {
      type: "array",
      items: strictObject({
        mount: { type: "string" },
        type: { type: "string" },
        size_bytes: { type: "number" },
        available_bytes: { type: "number" },
      }),
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
      items: strictObject({ sensor: { type: "string" }, celsius: nullableNumber }),
    },
    uptime_seconds: { type: "number" },
    network: strictObject({
      interfaces: {
        type: "array",
        items: strictObject({
          name: text,
          mac: text,
          addresses: { ...texts, description: "such as 192.0.2.7/24" },
        }),
      },
      gateways: texts,
      name_servers: texts,
    }),
    services: {
      type: "array",
      description: "units that the host file names",
      items: strictObject({
        unit: text,
        state: { ...nullableText, description: "systemd's ActiveState, or not-found; null: no systemd" },
      }),
    },
  }),
} as const;

/** RFC 6713. */
export const supportBundleType = "application/gzip";

export const supportBundle = { type: "string", contentMediaType: supportBundleType } as const;

/** One label of RFC 1123 §2.1: a host name without a domain. */
export const hostName = {
  type: "string",
  maxLength: 63,
  pattern: "^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$",
  "x-expected": "1 to 63 letters, digits and hyphens, with no hyphen first or last",
  description: "one label of RFC 1123: letters, digits and hyphens",
} as const;

/** A name of the IANA time zone database. Whether this host has the zone, only the host knows. */
export const timeZone = {
  type: "string",
  maxLength: 64,
  pattern: "^[A-Z][A-Za-z0-9_+-]*(/[A-Z][A-Za-z0-9_+-]*){0,2}$",
  "x-expected": "a time zone such as Europe/Berlin or UTC",
  description: "a name of the IANA time zone database, such as Europe/Berlin; update windows go by it",
} as const;

export const supportStates = ["supported", "ending", "ended", "unknown"] as const;

export const hostSettings = strictObject({
  host_name: { type: "string" },
  time_zone: { type: "string", description: "a name of the IANA time zone database" },
  support_until: supportUntil,
  support: {
    type: "string",
    enum: supportStates,
    description:
      "ending: 90 days or less are left; unknown: the host file has none, or the time is not trusted",
  },
});

export const hostChange = partialObject({ host_name: hostName, time_zone: timeZone });

export const powerRequest = partialObject({
  force: {
    type: "boolean",
    default: false,
    description: "even while a release is on trial, which is then undone",
  },
});

export const powerAnswer = strictObject({
  boot_id: { type: "string", description: "of the boot that ends; GET /api/version shows the next one" },
});

export const factoryResetRequest = strictObject({
  confirm: {
    type: "string",
    maxLength: 256,
    description: "`device_name` of GET /api/status, so that no other device is reset by mistake",
  },
});

export const factoryResetAnswer = strictObject({
  device_name: { type: "string", description: "of the device that is being reset" },
});

export const anyObject = { type: "object" } as const;

/** Prometheus' text format. */
export const metricsType = "text/plain; version=0.0.4; charset=utf-8";
export const metricsText = {
  type: "string",
  contentMediaType: "text/plain",
  description: "a line for each value, under the help and the type of its metric",
} as const;

/** The names of these shapes in the OpenAPI document. */
export const systemShapes = () =>
  ({
    Version: version,
    HealthState: health.properties.status,
    Health: health,
    HealthCheck: health.properties.checks.items,
    Metrics: metricsText,
    SystemFacts: facts,
    MemoryFacts: facts.properties.memory,
    LoadFacts: facts.properties.load,
    SupportBundle: supportBundle,
    HostSettings: hostSettings,
    HostChange: hostChange,
    PowerRequest: powerRequest,
    PowerAnswer: powerAnswer,
    FactoryResetRequest: factoryResetRequest,
    FactoryResetAnswer: factoryResetAnswer,
    AcceptedDamage: acceptedDamage,
  }) as const;

export const systemExamples = {
  Health: { status: "ok", checks: [{ name: "host file", status: "ok", code: "ok", detail: "", facts: {} }] },
  HostSettings: { host_name: "pump-7", time_zone: "Europe/Berlin", support_until: null, support: "unknown" },
  HostChange: { host_name: "pump-7" },
  PowerRequest: { force: true },
  PowerAnswer: { boot_id: "4d9e6a2c-7f10-4b83-9c5e-2a6f8d013b7e" },
  FactoryResetRequest: { confirm: "pump-7" },
  FactoryResetAnswer: { device_name: "pump-7" },
};
