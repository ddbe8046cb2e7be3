import { receiverName } from "../notifications/notify-settings.ts";
import { delivery, receiverStates, secretAnswer, secretRequest } from "../notifications/receivers.ts";
import { admins, type Operation } from "./operation.ts";

/** Receivers of messages: their states, their secrets, and a test. The settings name them. */
export const notificationOperations = {
  getNotifications: {
    method: "GET",
    path: "/api/notifications",
    summary: "The receivers of messages, and how deliveries to them go",
    description: "In the order of notify.receivers; those of the host file follow.",
    access: { roles: ["admin", "operator"] },
    scope: "system:read",
    response: { status: 200, schema: receiverStates },
  },
  setReceiverSecret: {
    method: "PUT",
    path: "/api/notifications/{name}/secret",
    summary: "Set a receiver's secret, or have one made for a webhook",
    description:
      "Sealed and never shown again. It is for the receiver's server and user name: if these change, set it again.",
    access: admins,
    stepUp: true,
    pathParameters: { name: receiverName },
    body: secretRequest,
    bodyOptional: true,
    response: { status: 200, schema: secretAnswer },
    errors: ["not_found", "validation_failed", "second_factor_unavailable"],
    event: "notify.secret_set",
  },
  testReceiver: {
    method: "POST",
    path: "/api/notifications/{name}/test",
    summary: "Send a test to a receiver, and answer with what it says",
    description: "One attempt of a minute at most. A refusal is an answer too: read `ok`.",
    access: admins,
    scope: "system:write",
    pathParameters: { name: receiverName },
    response: { status: 200, schema: delivery },
    errors: ["not_found", "rate_limited"],
  },
} as const satisfies Record<string, Operation>;
