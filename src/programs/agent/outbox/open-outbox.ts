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
import { namedByRoot, type OutboxPlan, type RootReceiver } from "./outbox-plan.ts";

type ReceiverSettings = Settings["notify"]["receivers"][number];

/** The outbox of a device that names receivers. */
export type OpenedOutbox = Awaited<ReturnType<typeof openOutbox>>;

export async function openOutbox(plan: OutboxPlan) {
  const { state, host, seal, device, now } = plan;
  const secrets = createReceiverSecrets(await state.openLater(receiverSecretsKind), seal);
  const { uptime, timers } = host.time;
  const outbox = createOutbox({
    document: await state.openLater(outboxKind),
    events: state.events,
    device,
    language: () => (plan.settings.read().console.language.startsWith("de") ? "de" : "en"),
    now,
    uptime,
    timers,
    random: Math.random,
  });
  const makeReceiver = createReceiverMaker(plan, secrets);
  const ofRoot = await openRootReceivers(plan);
  const readings = (): readonly ReceiverState[] => readingsOf(outbox, ofRoot);
  return {
    /** The receivers as far as the memory knows them; those of root with what becomes of the metrics. */
    readings,
    /** Throws `not_found`. */
    test: async (name: string): Promise<Delivery> => {
      const delivery = await outbox.test(name);
      const refusal = delivery.outcome === "taken" && ofRoot.get(name)?.metrics?.seen();
      return refusal ? { ...delivery, answer: `${delivery.answer}. ${refusal}` } : delivery;
    },
    /** `change`: the event of the change that brings these receivers. */
    configure: async (
      receivers: readonly ReceiverSettings[],
      change?: Promise<AuditEvent>,
    ): Promise<void> => {
      await secrets.keepOnly(receivers);
      const own = receivers.map(async (one) => ({ ...one, receiver: await makeReceiver(one) }));
      const named = [...ofRoot].map(([name, { receiver }]) => ({ name, takes: "record" as const, receiver }));
      outbox.configure([...(await Promise.all(own)), ...named], change);
    },
    /** Returns the secret that was made because none was given. Throws `validation_failed` and the errors of the seal. */
    setSecret: async (receiver: ReceiverSettings, given: string | undefined): Promise<string | null> => {
      const secret = given ?? madeFor(receiver);
      refuseUnusable(receiver, secret);
      await secrets.set(receiver, secret);
      return given === undefined ? secret : null;
    },
    /** The states of these receivers, then of those that root has named. */
    states: (receivers: readonly ReceiverSettings[]): ReceiverStates => [
      ...statesOf(receivers, readings(), secrets),
      ...namedByRoot(plan).map((name) => ({ ...stateOf(name, readings()), kind: name, secret_set: null })),
    ],
    close: async (): Promise<void> => {
      await Promise.all([outbox.close(), ...[...ofRoot.values()].map(({ metrics }) => metrics?.close())]);
    },
  };
}

/** The receivers that root has named. The code of others is not loaded. */
async function openRootReceivers(plan: OutboxPlan): Promise<ReadonlyMap<string, RootReceiver>> {
  const opened = new Map<string, RootReceiver>();
  for (const name of namedByRoot(plan)) {
    const open = await plan.rootReceivers[name]?.();
    const one = open?.(plan);
    if (one) opened.set(name, one);
  }
  return opened;
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
function readingsOf(outbox: Outbox, ofRoot: ReadonlyMap<string, RootReceiver>): readonly ReceiverState[] {
  return outbox.states().map((state) => {
    const metrics = ofRoot.get(state.name)?.metrics?.state();
    if (metrics === undefined) return state;
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

function refuseUnusable(receiver: ReceiverSettings, secret: string): void {
  const kind = kindOf(receiver);
  const fault = kind === "mail" ? null : readCredentials(secret, tokenHeader(kind));
  if (typeof fault === "string") throw unusable(`${fault}. Give ${secretForms}`);
}

function unusable(detail: string): StewardError {
  return new StewardError("validation_failed", `\`secret\` ${detail}. Nothing was changed.`, {
    details: { errors: [{ pointer: "/secret", code: "secret", detail }] },
  });
}
