import { backupFile, backupRequest, backupType } from "../backup/backup.ts";
import { history, historyQuery } from "../figures/history.ts";
import { consoleGreeting } from "../schemas/console.ts";
import { settingsChange, settingsView } from "../schemas/settings-forms.ts";
import { status } from "../schemas/status.ts";
import * as system from "../schemas/system.ts";
import { reloaded, tls, tlsRequest } from "../schemas/tls.ts";
import { admins, everyone, type Operation } from "./operation.ts";

/** These members differ in any two answers of the status, however little has happened. */
const figuresOfTheMoment = [
  "/server_time",
  "/updates/next_check_at",
  ...["offset_seconds", "uncertainty_seconds", "last_sync_at"].map((name) => `/clock/${name}`),
  ...["uptime_seconds", "load", "memory", "disk", "temperature_celsius"].map((name) => `/host/${name}`),
];

/** Facts for every user. */
const reading = { method: "GET", access: everyone, scope: "system:read" } as const;

/** Facts for anyone, whatever the state of the device is; a token shows more. */
const probe = {
  method: "GET",
  access: "open",
  scope: "system:read",
  beforeSetup: true,
  inRescue: true,
  beforePasswordChange: true,
} as const;

/** Settings, and what the agent and its host say of themselves. */
export const systemOperations = {
  getVersion: {
    ...probe,
    path: "/api/version",
    summary: "Name and version; with a token also build, host and boot",
    description:
      "`api_version` rises only when a program that is written against this contract could break. `device_id` stays as long as the system is installed; `boot_id` changes at each start of the machine.",
    response: { status: 200, schema: system.version },
  },
  getHealth: {
    ...probe,
    path: "/api/health",
    summary: "Health of the agent; with a token also each check",
    description:
      "The answer is 200 whatever the health is: read `status`. Each check has a `code` and `facts`; callers without a token see `status` alone.",
    response: { status: 200, schema: system.health },
  },
  getReadiness: {
    ...probe,
    path: "/api/health/ready",
    summary:
      "Readiness of the agent for sign-ins: it tests passwords, two-factor secrets, signatures and native modules once per start, and answers 503 if one does not work",
    description:
      "For load balancers and for the guard of an update: 200 when sign-ins work, 503 `not_ready` or `state_damaged` when they do not. The tests run once after each start.",
    response: { status: 200, schema: system.health },
    errors: ["state_damaged", "not_ready", "shutting_down"],
  },
  getStatus: {
    ...reading,
    path: "/api/status",
    summary: "The device at a glance: clock, updates, users, host, and what needs an administrator",
    description:
      "For monitoring programs. `state` is the gravest level in `needs`; each need has a stable `code`, `facts` with types, and an English `detail` that says what to do. The ETag stays while only figures of the moment change.",
    inRescue: true,
    response: { status: 200, schema: status, weakEtag: figuresOfTheMoment },
  },
  getHistory: {
    ...reading,
    path: "/api/history",
    summary: "Clock, disk, memory, load and temperature of the last day or week",
    description:
      "Means of each step, and the worst reading in it: the greatest, of the clock's offset the farthest from zero.",
    query: historyQuery,
    response: { status: 200, schema: history, etag: true },
  },
  getMetrics: {
    method: "GET",
    path: "/api/metrics",
    summary:
      "Figures for Prometheus, in its text format: clock, updates, sign-ins, requests and the process; from memory alone",
    description:
      "Prometheus' text format 0.0.4, compressed where Accept-Encoding has gzip. All values come from memory, also while the disk stalls. A value that is not known is absent. No label holds the name of a person, an address or a path that a stranger can choose.",
    access: everyone,
    scope: "metrics:read",
    response: { status: 200, schema: system.metricsText, mediaType: system.metricsType },
  },
  getOpenApi: {
    method: "GET",
    path: "/api/openapi.json",
    summary: "This contract as OpenAPI 3.1",
    description:
      "This document, compressed where Accept-Encoding allows it. Every answer names it in a Link header (`rel=service-desc`).",
    access: "open",
    beforeSetup: true,
    beforePasswordChange: true,
    response: { status: 200, schema: system.anyObject, etag: true, file: true },
  },
  greetConsole: {
    method: "GET",
    path: "/api/console",
    summary: "Facts that the console shows before sign-in",
    description: "The facts that a sign-in page needs before a person has signed in.",
    access: "open",
    beforeSetup: true,
    inRescue: true,
    beforePasswordChange: true,
    response: { status: 200, schema: consoleGreeting },
  },
  getSettings: {
    ...reading,
    path: "/api/system",
    summary: "The settings",
    description:
      "For readonly some are `(hidden)`; a secret, such as a webhook's path, is `…` and four digits to who may not change it. Send the ETag as If-Match with a change.",
    response: { status: 200, schema: settingsView, etag: true },
  },
  updateSettings: {
    method: "PUT",
    path: "/api/system",
    summary: "Change the settings given; an operator may change those whose x-writer is operator",
    description:
      "Absent members stay; one with its present value, or as shown, changes nothing. Settings of administrators need a step-up, which API tokens cannot have: a token changes only settings whose `x-writer` is operator, and a fleet token (`is_fleet`) all. Those that the host file decides are refused.",
    access: { roles: ["admin", "operator"] },
    scope: "system:write",
    body: settingsChange,
    response: { status: 200, schema: settingsView, etag: true },
    errors: [
      "step_up_required",
      "signature_verification_required",
      "update_trust_not_established",
      "update_root_unusable",
      "pinned_by_host",
    ],
    event: "settings.changed",
  },
  getSettingsSchema: {
    ...reading,
    path: "/api/system/schema",
    summary: "JSON Schema of the settings: defaults, units and who may write (x-writer)",
    description:
      "JSON Schema 2020-12 with title, description, default and limits: enough to make a form of it.",
    response: { status: 200, schema: system.anyObject },
  },
  getSystemFacts: {
    ...reading,
    path: "/api/system/facts",
    summary: "Hardware, memory, disks, load and temperatures of the host",
    description:
      "Figures of this moment, some of them a few seconds old. A figure that cannot be read is null.",
    response: { status: 200, schema: system.facts },
  },
  getTls: {
    ...reading,
    path: "/api/system/tls",
    summary: "HTTPS on the LAN: whether it listens, its certificate and fingerprint",
    description:
      "Compare `certificate.fingerprint` with what the browser or the client shows at the first connection.",
    response: { status: 200, schema: tls },
  },
  enableTls: {
    method: "POST",
    path: "/api/system/tls",
    summary: "Switch HTTPS on the LAN on, unless root has decided",
    description:
      "From the device itself, through a tunnel to it, or within half an hour after the first administrator was made; elsewhere with the token of `steward setup-token --rescue`. `pinned_by_host`: the host file has `https.enabled`. Only root switches HTTPS off again.",
    access: admins,
    stepUp: true,
    body: tlsRequest,
    bodyOptional: true,
    response: { status: 200, schema: tls },
    errors: [
      "setup_token_required",
      "setup_token_invalid",
      "too_many_attempts",
      "pinned_by_host",
      "host_right_missing",
      "rate_limited",
      "internal_error",
    ],
    event: "https.enabled",
  },
  reloadHostFile: {
    method: "POST",
    path: "/api/system/reload",
    summary: "Read the host file and the certificates again, as `systemctl reload` does; connections stay",
    description:
      "Members of the host file that can change while the agent runs are in use at once; `needs_restart` names the others. A host file with a fault is refused as a whole, and the former one stays in use.",
    access: admins,
    response: { status: 200, schema: reloaded },
    errors: ["validation_failed"],
    event: "host_file.read",
  },
  makeBackup: {
    method: "POST",
    path: "/api/system/backup",
    summary: "Make a backup of the whole device, encrypted by age to a passphrase or to recipients",
    description: "A connection that breaks off leaves a file that does not open. One is made at a time.",
    access: admins,
    stepUp: true,
    body: backupRequest,
    response: { status: 200, schema: backupFile, mediaType: backupType, bytes: true },
    errors: ["passphrase_guessable", "rate_limited", "second_factor_unavailable", "storage_unwritable"],
    event: "backup.made",
  },
  confirmBackup: {
    method: "POST",
    path: "/api/system/backup/arrived",
    summary: "Say that the backup which was made over the socket has arrived, and count it as the last one",
    description: "Over the socket nothing else counts a backup.",
    access: "local",
    isOfCommandLine: true,
    response: { status: 204 },
  },
  makeSupportBundle: {
    method: "POST",
    path: "/api/system/support-bundle",
    summary: "Findings, logs and settings without secrets, as `steward doctor --bundle FILE` packs them",
    description: "A .tar.gz; made in some seconds.",
    access: admins,
    response: { status: 200, schema: system.supportBundle, mediaType: system.supportBundleType, bytes: true },
    errors: ["internal_error"],
  },
  acceptDamage: {
    method: "POST",
    path: "/api/system/state/{name}/accept",
    summary: "Accept the damage that was found in a state document: health no longer reports it",
    description:
      "The damaged file stays beside the state for a person to look into. Only the finding is removed; the event names what was accepted.",
    access: admins,
    stepUp: true,
    pathParameters: { name: system.documentName },
    response: { status: 200, schema: system.acceptedDamage },
    event: "state.damage_accepted",
  },
} as const satisfies Record<string, Operation>;
