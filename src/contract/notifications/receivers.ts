import { nullableTimestamp, timestamp } from "../shapes.ts";
import { receiverName } from "./notify-settings.ts";

const error = { type: "string", description: "why, in English" } as const;

const receiverState = {
  type: "object",
  additionalProperties: false,
  required: ["name", "kind", "secret_set", "last_success", "waiting", "last_error", "next_attempt"],
  properties: {
    name: receiverName,
    kind: {
      type: "string",
      enum: ["webhook", "mail", "otlp", "syslog"],
      description: "otlp, syslog: root's, by the host file",
    },
    secret_set: {
      type: ["boolean", "null"],
      description: "null: it needs none",
    },
    last_success: { ...nullableTimestamp, description: "since the agent's start" },
    waiting: { type: "integer", minimum: 0, description: "events that it has not acknowledged" },
    last_error: {
      type: ["object", "null"],
      additionalProperties: false,
      required: ["time", "detail"],
      properties: { time: timestamp, detail: error },
      description: "or refusal; null: the last attempt succeeded",
    },
    next_attempt: { ...nullableTimestamp, description: "null: nothing waits" },
  },
} as const;

export const receiverStates = {
  type: "object",
  additionalProperties: false,
  required: ["receivers"],
  properties: { receivers: { type: "array", items: receiverState } },
} as const;

export const secretRequest = {
  type: "object",
  additionalProperties: false,
  properties: {
    secret: {
      type: "string",
      minLength: 1,
      maxLength: 512,
      writeOnly: true,
      description: "mail: the password. Webhook: `whsec_` and base64 of 24 to 64 bytes; absent: one is made",
    },
  },
} as const;

export const secretAnswer = {
  type: "object",
  additionalProperties: false,
  required: ["secret"],
  properties: {
    secret: {
      type: ["string", "null"],
      description: "that was made, shown only here; null: it was given",
    },
  },
} as const;

export const delivery = {
  type: "object",
  additionalProperties: false,
  required: ["ok", "answer", "error"],
  properties: {
    ok: { type: "boolean" },
    answer: { type: ["string", "null"], description: "in the receiver's words" },
    error: { ...error, type: ["string", "null"] },
  },
} as const;

/** The names of these shapes in the OpenAPI document. */
export const notificationShapes = () =>
  ({
    Receivers: receiverStates,
    ReceiverState: receiverState,
    ReceiverSecretRequest: secretRequest,
    ReceiverSecret: secretAnswer,
    Delivery: delivery,
  }) as const;

/** Examples of them. */
export const notificationExamples = {
  ReceiverSecretRequest: { secret: "whsec_c3Rld2FyZCBzdGV3YXJkIHN0ZXdhcmQ=" },
  Delivery: { ok: true, answer: "204 No Content", error: null },
};
