import { nullableTimestamp, partialObject, strictObject, timestamp } from "../shapes.ts";
import { chatServiceNames } from "./chat-services.ts";
import { receiverName } from "./notify-settings.ts";

const error = { type: "string", description: "why, in English" } as const;

/** The end of a sentence about an `http://` address of a receiver: what it has to be instead, and how root allows it. */
export const httpIsRoots =
  'must begin with https://. For http:// on your own network, root puts "allow_http": true into "notify" of /etc/steward/steward.json and types: systemctl restart steward';

const receiverState = strictObject({
  name: receiverName,
  kind: {
    type: "string",
    enum: ["webhook", "mail", "otlp", "syslog", ...chatServiceNames],
    description: "otlp, syslog: root's",
  },
  secret_set: { type: ["boolean", "null"], description: "null: it needs none" },
  last_success: { ...nullableTimestamp, description: "since the agent's start" },
  waiting: { type: "integer", minimum: 0, description: "events not delivered" },
  last_error: {
    description: "or refusal; null: none",
    ...strictObject({ time: timestamp, detail: error }),
    type: ["object", "null"],
  },
  next_attempt: { ...nullableTimestamp, description: "null: nothing waits" },
});

export const receiverStates = strictObject({ receivers: { type: "array", items: receiverState } });

export const secretRequest = partialObject({
  secret: {
    type: "string",
    minLength: 1,
    maxLength: 4_096,
    writeOnly: true,
    description:
      "a password, the token of ntfy or Gotify, or headers: lines `Name: value`. Webhook: also `whsec_…`; absent: one is made",
  },
});

export const secretAnswer = strictObject({
  secret: { type: ["string", "null"], description: "that was made; null: it was given" },
});

export const delivery = strictObject({
  ok: { type: "boolean" },
  answer: { type: ["string", "null"], description: "the receiver's words" },
  error: { ...error, type: ["string", "null"] },
});

/** The names of these shapes in the OpenAPI document. */
export const notificationShapes = () =>
  ({
    Receivers: receiverStates,
    ReceiverState: receiverState,
    ReceiverSecretRequest: secretRequest,
    ReceiverSecret: secretAnswer,
    Delivery: delivery,
  }) as const;

export const notificationExamples = {
  ReceiverSecretRequest: { secret: "X-Key: secret" },
  Delivery: { ok: true, answer: "204 No Content", error: null },
};
