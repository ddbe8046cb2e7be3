import { StewardError } from "../../../contract/errors.ts";
import { isChatService, kindOf, tokenHeader } from "../../../contract/notifications/chat-services.ts";
import type { AuditEvent, ReceiverStates, Settings } from "../../../contract/types.ts";
import { outboxKind } from "../../../outbox/cursors.ts";
import type { ReceiverState } from "../../../outbox/dispatcher.ts";
import { createOutbox, type Outbox } from "../../../outbox/outbox.ts";
import type { Delivery } from "../../../outbox/receiver.ts";
import {
  createReceiverSecrets,
  type ReceiverSecrets,
  receiverSecretsKind,
} from "../../../outbox/receiver-secrets.ts";
import { makeWebhookSecret, readCredentials } from "../../../outbox/webhook-signature.ts";
import { createReceiverMaker } from "./make-receivers.ts";
import { type OutboxPlan, type ReadMetrics, rootsReceivers } from "./outbox-plan.ts";
import type { Telemetry } from "./telemetry.ts";

type ReceiverSettings = Settings["notify"]["receivers"][number];

/** The outbox of a device that names receivers. */
export type OpenedOutbox = Awaited<ReturnType<typeof openOutbox>>;

/** Opens its documents and loads its code. */
export async function openOutbox(plan: OutboxPlan, readMetrics: ReadMetrics) {
  const { state, host, seal, device, now, settings } = plan;
  const language = () => (settings.read().console.language.startsWith("de") ? "de" : "en");
  const secrets = createReceiverSecrets(await state.openLater(receiverSecretsKind), seal);
  const document = await state.openLater(outboxKind);
  const { uptime, timers } = host.time;
  const outbox = createOutbox({
    ...{ document, events: state.events, device, language, now, uptime, timers, random: Math.random },
  });
  const makeReceiver = createReceiverMaker(plan, secrets);
  const telemetry = await telemetryOf(plan, readMetrics);
  return {
    /** The receivers as far as the memory knows them; those of root with what becomes of the metrics. */
    readings: (): readonly ReceiverState[] => readingsOf(outbox, telemetry),
    /** Throws `not_found`. */
    test: async (name: string): Promise<Delivery> => {
      const delivery = await outbox.test(name);
      if (name !== "otlp" || delivery.outcome !== "taken") return delivery;
      const refusal = telemetry?.schedule?.seen();
      return refusal ? { ...delivery, answer: `${delivery.answer}. ${refusal}` } : delivery;
    },
    /** `change`: the event of the change that brings these receivers. */
    configure: async (
      receivers: readonly ReceiverSettings[],
      change?: Promise<AuditEvent>,
    ): Promise<void> => {
      await secrets.keepOnly(receivers);
      const own = receivers.map(async (one) => ({ ...one, receiver: await makeReceiver(one) }));
      outbox.configure([...(await Promise.all(own)), ...(telemetry?.receivers ?? [])], change);
    },
    /** Returns the secret that was made because none was given. Throws `validation_failed` and the errors of the seal. */
    setSecret: async (receiver: ReceiverSettings, given: string | undefined): Promise<string | null> => {
      const secret = given ?? madeFor(receiver);
      const kind = kindOf(receiver);
      const fault = kind === "mail" ? null : readCredentials(secret, tokenHeader(kind));
      if (typeof fault === "string") throw unusable(`${fault}. Give ${secretForms}`);
      await secrets.set(receiver, secret);
      return given === undefined ? secret : null;
    },
    /** The states of these receivers, then of those that root has named. */
    states: (receivers: readonly ReceiverSettings[]): ReceiverStates => [
      ...statesOf(receivers, readingsOf(outbox, telemetry), secrets),
      ...rootsReceivers(plan.config).map((name) => ({
        ...stateOf(name, readingsOf(outbox, telemetry)),
        ...{ kind: name, secret_set: null },
      })),
    ],
    close: async (): Promise<void> => {
      await Promise.all([outbox.close(), telemetry?.schedule?.close()]);
    },
  };
}

/** null: root has named no receiver, and its code is not loaded. */
async function telemetryOf(plan: OutboxPlan, readMetrics: ReadMetrics): Promise<Telemetry | null> {
  if (rootsReceivers(plan.config).length === 0) return null;
  return (await import("./telemetry.ts")).openTelemetry(plan, readMetrics);
}

function statesOf(
  receivers: readonly ReceiverSettings[],
  readings: readonly ReceiverState[],
  secrets: ReceiverSecrets,
): ReceiverStates {
  return receivers.map((receiver) => {
    const { name, username } = receiver;
    const kind = kindOf(receiver);
    const isWithout =
      kind === "mail" ? username === undefined : isChatService(kind) && !secrets.isSet(receiver);
    const secret_set = isWithout ? null : secrets.of(receiver) !== null;
    return { ...stateOf(name, readings), kind, secret_set };
  });
}

/** Pushes of metrics that are refused or fail are the collector's too. */
function readingsOf(outbox: Outbox, telemetry: Telemetry | null): readonly ReceiverState[] {
  const metrics = telemetry?.schedule?.state();
  return outbox.states().map((state) => {
    if (state.name !== "otlp" || metrics === undefined) return state;
    return {
      ...state,
      last_error: state.last_error ?? metrics.lastError,
      failing_seconds: Math.max(state.failing_seconds, metrics.failingSeconds),
      refused: state.refused + metrics.refused,
    };
  });
}

function stateOf(name: string, readings: readonly ReceiverState[]) {
  const found = readings.find((one) => one.name === name);
  const { failing_seconds: _, refused: _refused, ...state } = found ?? newState(name);
  return state;
}

/** The outbox gets the receiver in a moment. */
function newState(name: string): ReceiverState {
  const none = { last_success: null, last_error: null, next_attempt: null };
  return { name, ...none, waiting: 0, failing_seconds: 0, refused: 0 };
}

const secretForms =
  "a line `Name: value` for each header to send, the token of ntfy or Gotify, or for a webhook `whsec_` and the base64 of 24 to 64 bytes, or nothing: then one is made";

function madeFor(receiver: ReceiverSettings): string {
  const kind = kindOf(receiver);
  if (kind === "webhook") return makeWebhookSecret();
  throw unusable(
    kind === "mail"
      ? "is missing: give the password of the mail server's user"
      : `is missing: give ${secretForms}`,
  );
}

function unusable(detail: string): StewardError {
  return new StewardError("validation_failed", `\`secret\` ${detail}. Nothing was changed.`, {
    details: { errors: [{ pointer: "/secret", code: "secret", detail }] },
  });
}
