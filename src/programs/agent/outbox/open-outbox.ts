import { StewardError } from "../../../contract/errors.ts";
import type { ReceiverStates, Settings } from "../../../contract/types.ts";
import { outboxKind } from "../../../outbox/cursors.ts";
import { createOutbox, type Outbox } from "../../../outbox/outbox.ts";
import {
  createReceiverSecrets,
  type ReceiverSecrets,
  receiverSecretsKind,
} from "../../../outbox/receiver-secrets.ts";
import { makeWebhookSecret, webhookKey } from "../../../outbox/webhook-signature.ts";
import { createReceiverMaker } from "./make-receivers.ts";
import type { OutboxPlan } from "./outbox-plan.ts";

type ReceiverSettings = Settings["notify"]["receivers"][number];

/** The outbox of a device that names receivers. */
export interface OpenedOutbox {
  readonly outbox: Outbox;
  configure(receivers: readonly ReceiverSettings[]): Promise<void>;
  /** Returns the secret that was made because none was given. Throws `validation_failed` and the errors of the seal. */
  setSecret(receiver: ReceiverSettings, secret: string | undefined): Promise<string | null>;
  states(receivers: readonly ReceiverSettings[]): ReceiverStates;
}

/** Opens its documents and loads its code. */
export async function openOutbox(plan: OutboxPlan): Promise<OpenedOutbox> {
  const { state, host, seal, device, now } = plan;
  const secrets = createReceiverSecrets(await state.openLater(receiverSecretsKind), seal);
  const document = await state.openLater(outboxKind);
  const { uptime, timers } = host.time;
  const outbox = createOutbox({
    ...{ document, events: state.events, device, now, uptime, timers, random: Math.random },
  });
  const makeReceiver = createReceiverMaker(plan, secrets);
  return {
    outbox,
    configure: async (receivers) => {
      await secrets.keepOnly(receivers);
      outbox.configure(
        await Promise.all(receivers.map(async (one) => ({ ...one, receiver: await makeReceiver(one) }))),
      );
    },
    setSecret: async (receiver, given) => {
      const secret = given ?? madeFor(receiver);
      if (receiver.kind === "webhook" && webhookKey(secret) === null) throw unusable(ofWebhook);
      await secrets.set(receiver, secret);
      return given === undefined ? secret : null;
    },
    states: (receivers) => statesOf(receivers, outbox, secrets),
  };
}

function statesOf(
  receivers: readonly ReceiverSettings[],
  outbox: Outbox,
  secrets: ReceiverSecrets,
): ReceiverStates {
  const known = outbox.states();
  return receivers.map((receiver) => {
    const { name, kind, username } = receiver;
    const { failing_seconds: _, ...state } = known.find((one) => one.name === name) ?? newState(name);
    const isWithout = kind === "mail" && username === undefined;
    return { ...state, kind, secret_set: isWithout ? null : secrets.of(receiver) !== null };
  });
}

/** The outbox gets the receiver in a moment. */
function newState(name: string): ReturnType<Outbox["states"]>[number] {
  const none = { last_success: null, last_error: null, next_attempt: null };
  return { name, ...none, waiting: 0, failing_seconds: 0 };
}

const ofWebhook = "must be `whsec_` and the base64 of 24 to 64 bytes, or absent: then one is made";

function madeFor({ kind }: ReceiverSettings): string {
  if (kind === "webhook") return makeWebhookSecret();
  throw unusable("is missing: give the password of the mail server's user");
}

function unusable(detail: string): StewardError {
  return new StewardError("validation_failed", `\`secret\` ${detail}. Nothing was changed.`, {
    details: { errors: [{ pointer: "/secret", code: "secret", detail }] },
  });
}
