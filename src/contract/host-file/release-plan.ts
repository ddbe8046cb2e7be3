import { duration } from "../durations.ts";
import { group, partialObject, strictObject } from "../shapes.ts";

/** A program and up to 31 arguments. */
const command = {
  type: "array",
  items: { type: "string", maxLength: 1_024, pattern: "^[^\\u0000]*$", "x-expected": "a text without NUL" },
  minItems: 1,
  maxItems: 32,
} as const;

/** Not a template, not a pattern, and no word that systemctl would take for an option. */
export const serviceName = {
  type: "string",
  pattern: "^[A-Za-z0-9](?:[A-Za-z0-9:_.@-]{0,126}[A-Za-z0-9:_.-])?\\.service$",
  "x-expected": "the name of a service such as pump.service",
} as const;

const httpCheck = strictObject(
  {
    url: {
      type: "string",
      "x-expected": "an http: address on the loopback interface, such as http://127.0.0.1:9000/health",
    },
    status: { type: "integer", minimum: 200, maximum: 599, default: 200 },
    version_member: {
      type: "string",
      pattern: "^[\\x20-\\x7e]{1,64}$",
      "x-expected": "the name of a member of the JSON answer",
    },
  },
  ["status", "version_member"],
);

const health = {
  ...group,
  properties: {
    http: {
      type: "array",
      items: httpCheck,
      maxItems: 8,
      default: [],
      description:
        "Up to 8 checks `{url, status, version_member}` of addresses of the device itself (`http://127.…`, `http://[::1]…`). Each must answer within 5 s with `status` (default 200). `version_member` names the member of the JSON answer that must be the release's version",
      examples: [[{ url: "http://127.0.0.1:9000/health", status: 200, version_member: "version" }]],
    },
    command: {
      ...command,
      description: "A program that must end with exit code 0 within 10 s",
      examples: [["{release}/healthy"]],
    },
    successes: {
      type: "integer",
      minimum: 1,
      maximum: 100,
      default: 6,
      description: "Healthy checks in a row that are needed, 1 to 100. Default: 6",
      examples: [6],
    },
    interval: {
      ...duration,
      default: "5s",
      description: "Time between two checks, `100ms` to `1m`. Default: `5s`",
      "x-expected": "a duration from 100ms to 1m, such as 5s",
      examples: ["5s"],
    },
    within: {
      ...duration,
      default: "5m",
      description:
        "Time after the switch within which the release must be healthy, up to `60m`. Default: `5m`",
      "x-expected": "a duration of up to 60m, such as 5m",
      examples: ["5m"],
    },
  },
} as const;

export const releasePlan = partialObject({
  unit: {
    ...serviceName,
    description:
      "A service. Rules make it reload (or restart, if it cannot reload); a binary makes it restart. It must be active to count as healthy",
    examples: ["pump.service"],
  },
  activate: {
    ...command,
    description:
      "A program with arguments that puts the release to work instead of the unit, within 60 s. Without systemd this is the only way. A binary needs `activate` or `unit`",
    examples: [["{release}/activate"]],
  },
  self_test: {
    ...command,
    description:
      "A program that tests the release before the switch, as a user without rights and without network",
    examples: [["{release}/check", "{release}"]],
  },
  health,
});
