import { messageOf, StewardError } from "../../../contract/errors.ts";
import type { AuditEvent, DeliveryAnswer, Settings } from "../../../contract/types.ts";
import type { ReceiverState } from "../../../outbox/dispatcher.ts";
import type { Delivery } from "../../../outbox/receiver.ts";
import type { ReceiverTrouble } from "../../../system/status-needs.ts";
import type { OpenedOutbox } from "./open-outbox.ts";
import { namedByRoot, type OutboxPlan } from "./outbox-plan.ts";

/** The messages of this device, whose code is loaded only where a receiver is named. */
export type Notifications = ReturnType<typeof createNotifications>;

/** Seconds after the start: readiness and the first requests come before messages. */
const startSeconds = 2;

/** Seconds of failures after which a person is asked for help: a receiver may restart, a network may be away. */
const failingSeconds = 60 * 60;

export function createNotifications(plan: OutboxPlan) {
  const { settings, host, config, state } = plan;
  const named = () => settings.read().notify.receivers;
  const areNamed = () => named().length > 0 || namedByRoot(plan).length > 0;
  const outbox = createLazyOutbox(plan, { named, areNamed });
  let isStarted = false;
  let cancel = (): void => undefined;
  const configure = (change?: Promise<AuditEvent>): void => {
    if (!isStarted) return;
    void outbox.configure(change).catch((error: unknown) => {
      const detail = messageOf(error);
      config.log("error", "messages cannot be sent", { detail });
    });
  };
  const figures = (): readonly ReceiverState[] => outbox.opened()?.readings() ?? [];
  return {
    /** Begins to send what waits, and metrics where a collector is named. */
    start: (): void => {
      cancel = host.time.timers.after(startSeconds, () => {
        isStarted = true;
        configure();
      });
    },
    settingsChanged: (names: readonly string[]): void => {
      if (names.some((name) => name.startsWith("notify."))) configure(nextChange(state.events));
    },
    /** Someone is named who gets messages. */
    areNamed,
    /** The receivers as far as the memory knows them. */
    figures,
    /** Receivers that no message has reached for an hour, and those that have refused messages, each with the way. */
    troubles: () => figures().flatMap(troublesOf),
    states: async () => (areNamed() ? (await outbox.open()).states(named()) : []),
    setSecret: async (name: string, secret: string | undefined) => {
      const made = await (await outbox.open()).setSecret(receiverNamed(named(), name), secret);
      configure(nextChange(state.events));
      return made;
    },
    test: async (name: string) => {
      if (!namedByRoot(plan).some((one) => one === name)) receiverNamed(named(), name);
      // Receivers begin some seconds after the start, which a person who tests one need not wait for.
      await outbox.configure();
      return answerOf(await (await outbox.open()).test(name));
    },
    stop: async (): Promise<void> => {
      cancel();
      isStarted = false;
      await outbox.close();
    },
  };
}

/** People who may read the status need not see the server's own words. */
function troublesOf({ name, failing_seconds, refused, last_error }: ReceiverState): ReceiverTrouble[] {
  const detail = last_error?.detail.replace(/:? ?“[^”]*”/g, "") ?? "";
  return [
    ...(failing_seconds >= failingSeconds ? [{ name, detail }] : []),
    ...(refused > 0 ? [{ name, detail, kind: "refused" as const }] : []),
  ];
}

/** The event of a change of receivers, which is recorded once the change is made: the next one. */
function nextChange(events: OutboxPlan["state"]["events"]): Promise<AuditEvent> {
  return new Promise((resolve) => {
    const unsubscribe = events.subscribe((event) => {
      if (!isOfReceivers(event)) return;
      unsubscribe();
      resolve(event);
    });
  });
}

function isOfReceivers({ type, details }: AuditEvent): boolean {
  const { changed = [] } = details as { changed?: readonly string[] };
  return type === "notify.secret_set" || changed.some((name) => name.startsWith("notify."));
}

type Receivers = Settings["notify"]["receivers"];

/** The outbox, loaded for the first receiver. One step after the other: a change must not overtake the one before. */
function createLazyOutbox(
  plan: OutboxPlan,
  { named, areNamed }: { named: () => Receivers; areNamed: () => boolean },
) {
  let opened: OpenedOutbox | undefined;
  let work: Promise<unknown> = Promise.resolve();
  const inOrder = <Result>(step: () => Promise<Result>): Promise<Result> => {
    const done = work.then(step);
    work = done.catch(() => undefined);
    return done;
  };
  const open = async (): Promise<OpenedOutbox> => {
    opened ??= await (await import("./open-outbox.ts")).openOutbox(plan);
    return opened;
  };
  return {
    opened: () => opened,
    open: () => inOrder(open),
    configure: (change?: Promise<AuditEvent>) =>
      inOrder(async () => {
        // A device that has lost its last receiver ends what was begun.
        if (areNamed() || opened !== undefined) await (await open()).configure(named(), change);
      }),
    close: async () => {
      await work;
      await opened?.close();
    },
  };
}

function answerOf(delivery: Delivery): DeliveryAnswer {
  const answer = delivery.outcome === "retry" ? null : delivery.answer;
  const error = delivery.outcome === "taken" ? null : delivery.error;
  return { ok: error === null, answer, error };
}

/** Throws `not_found`. */
function receiverNamed(receivers: Receivers, name: string) {
  const found = receivers.find((one) => one.name === name);
  if (found) return found;
  throw new StewardError(
    "not_found",
    `There is no receiver "${name}": notify.receivers names them. Nothing was changed.`,
  );
}
