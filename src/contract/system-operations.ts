import { everyone, type Operation } from "./operation.ts";
import { settingsChange, settingsView } from "./settings-forms.ts";
import * as system from "./system.ts";

/** Settings, and what the agent and its host say of themselves. */
export const systemOperations = {
  getVersion: {
    method: "GET",
    path: "/api/version",
    summary: "Name and version; with a token also build, host and boot",
    access: "open",
    beforeSetup: true,
    inRescue: true,
    beforePasswordChange: true,
    response: { status: 200, schema: system.version },
  },
  getHealth: {
    method: "GET",
    path: "/api/health",
    summary: "Whether the agent is well; with a token also each check",
    access: "open",
    beforeSetup: true,
    inRescue: true,
    beforePasswordChange: true,
    response: { status: 200, schema: system.health },
  },
  getReadiness: {
    method: "GET",
    path: "/api/health/ready",
    summary: "Whether the agent can serve sign-ins; 503 when not",
    access: "open",
    beforeSetup: true,
    inRescue: true,
    beforePasswordChange: true,
    response: { status: 200, schema: system.health },
    errors: ["state_damaged", "shutting_down"],
  },
  getOpenApi: {
    method: "GET",
    path: "/api/openapi.json",
    summary: "This contract as OpenAPI 3.1",
    access: "open",
    beforeSetup: true,
    beforePasswordChange: true,
    response: { status: 200, schema: system.anyObject },
  },
  getSettings: {
    method: "GET",
    path: "/api/system",
    summary: "The settings",
    access: everyone,
    response: { status: 200, schema: settingsView, etag: true },
  },
  updateSettings: {
    method: "PUT",
    path: "/api/system",
    summary: "Change the settings given; an operator only those whose x-writer is operator",
    access: { roles: ["admin", "operator"] },
    body: settingsChange,
    response: { status: 200, schema: settingsView, etag: true },
    errors: ["signature_verification_required", "update_trust_not_established"],
    event: "settings.changed",
  },
  getSettingsSchema: {
    method: "GET",
    path: "/api/system/schema",
    summary: "JSON Schema of the settings: defaults, units and who may write (x-writer)",
    access: everyone,
    response: { status: 200, schema: system.anyObject },
  },
  getSystemFacts: {
    method: "GET",
    path: "/api/system/facts",
    summary: "What the host is and how it does",
    access: everyone,
    response: { status: 200, schema: system.facts },
  },
} as const satisfies Record<string, Operation>;
