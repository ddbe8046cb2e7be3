import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { AuditEvent } from "../../src/contract/types.ts";
import { createTransfers } from "../../src/host/linux/transfers/transfers.ts";
import type { EventFacts } from "../../src/journal/events/event.ts";
import type { EventLog, EventLogOptions } from "../../src/journal/events/event-log.ts";
import { outboxKind } from "../../src/outbox/cursors.ts";
import type { NamedReceiver } from "../../src/outbox/dispatcher.ts";
import { createOutbox, type Outbox } from "../../src/outbox/outbox.ts";
import type { Message, Receiver } from "../../src/outbox/receiver.ts";
import { createWebhook } from "../../src/outbox/webhook.ts";
import { makeWebhookSecret } from "../../src/outbox/webhook-signature.ts";
import { openDocument } from "../../src/store/documents/document.ts";
import { createReserve } from "../../src/store/files/reserve.ts";
import { createChance } from "../basics/chance.ts";
import { atEnd, type Ending, temporaryDirectory } from "../basics/ending.ts";
import { longSeconds } from "../basics/until.ts";
import { deviceId } from "../host/messages.ts";
import { startWebServer } from "../host/web-server.ts";
import { createVirtualTime, type VirtualTime } from "../simulated/virtual-time.ts";
import { openLog } from "./event-directory.ts";

/**
 * The end of one request. `lost`: the receiver has the message, and its answer does not come back. `dropped`: nothing
 * arrives. A number of seconds: the answer, 204, takes so long. A status: it is refused.
 */
export type Fate = "delivered" | "lost" | "dropped" | Refusal | { readonly seconds: number };

interface Refusal {
  readonly status: number;
  /** Seconds. */
  readonly retryAfter?: number;
}

export type OutboxWorld = Awaited<ReturnType<typeof openOutboxWorld>>;

const startMilliseconds = Date.parse("2026-11-27T10:00:00Z");

/** One device's event log and outbox on real files in virtual time, and real webhooks over loopback that fail at will. */
export async function openOutboxWorld(
  test: Ending,
  options: Pick<EventLogOptions, "totalBytes" | "refusalKinds"> = {},
) {
  const directory = await temporaryDirectory(test);
  const time = createVirtualTime();
  const busy = createBusy();
  const wall = () => startMilliseconds + time.now() * 1_000;
  const network = await openNetwork(test, { time, busy, wall, fate: () => world.fate(time.now()) });
  let configured: readonly NamedReceiver[] = [];
  const start = async (isFirstStart: boolean) => {
    const life = createLife(time);
    const clock = { uptime: time.now, timers: life.createTimers(), now: () => new Date(wall()) };
    const timers = life.createTimers();
    const { events } = await openLog(test, { directory: join(directory, "events"), ...clock, ...options });
    const reserve = createReserve(directory);
    const document = await openDocument(directory, outboxKind, {
      ...{ isFirstStart, reserve, time: { ...clock, wall } },
    });
    const outbox = createOutbox({
      ...{ ...clock, timers },
      events: { ...events, list: (query) => life.within(busy.during(events.list(query))) },
      document: {
        read: () => document.read(),
        note: (change, seconds) => document.note(change, seconds),
        save: () => life.within(busy.during(document.save())),
      },
      device: () => ({ id: deviceId, name: "box" }),
      language: () => world.language,
      random: createChance(1).uniform,
    });
    atEnd(test, async () => {
      if (!life.isOver()) await outbox.close();
      await document.close();
      await events.close();
    });
    return { events, outbox, life, timers };
  };
  let present = await start(true);
  const world = {
    /** The state directory; all messages, in the order of the attempts; and when nothing happens without time. */
    ...{ time, directory, attempts: network.attempts, arrived: network.arrived, settle: busy.settled },
    get events(): EventLog {
      return present.events;
    },
    get outbox(): Outbox {
      return present.outbox;
    },
    /** The number of timers that the outbox waits for. */
    timers: () => present.timers.count(),
    /** The end of each request from now on. */
    fate: (() => "delivered") as (at: number) => Fate,
    /** The language of the device's messages from now on. */
    language: "en" as Message["language"],
    /** A webhook; all go to one server. */
    receiver: (name = "hook", takes: NamedReceiver["takes"] = "all"): NamedReceiver => ({
      ...{ name, takes, receiver: network.receiver },
    }),
    /** Another receiver, during whose deliveries no time passes. */
    reached: ({ deliver }: Receiver): Receiver => ({
      deliver: (message, signal) => busy.during(deliver(message, signal)),
    }),
    configure: async (receivers: readonly NamedReceiver[], change?: Promise<AuditEvent>): Promise<void> => {
      const { life, outbox } = present;
      configured = receivers;
      outbox.configure(
        receivers.map((one) => ({ ...one, receiver: within(life, one.receiver) })),
        change,
      );
      await passed(time, busy, 0);
    },
    record: async (facts: EventFacts): Promise<void> => {
      await busy.during(world.events.record(facts));
      await busy.settled();
    },
    /** Lets time pass from one event to the next, each with all that follows from it. */
    pass: (seconds: number) => passed(time, busy, seconds),
    /** The process is killed, and the agent starts again on the same files with the same receivers. */
    restart: async (): Promise<void> => {
      present.life.end();
      present = await start(false);
      await world.configure(configured);
    },
  };
  return world;
}

/** The same receiver is the same one again, as that of unchanged settings is. */
function within(life: Life, receiver: Receiver): Receiver {
  const known = life.receivers.get(receiver);
  if (known) return known;
  const made: Receiver = { deliver: (message, signal) => life.within(receiver.deliver(message, signal)) };
  life.receivers.set(receiver, made);
  return made;
}

async function passed(time: VirtualTime, busy: Busy, seconds: number): Promise<void> {
  const end = time.now() + seconds;
  await busy.settled();
  for (let next = time.nextAt(); next !== null && next <= end; next = time.nextAt()) {
    time.pass(next - time.now());
    await busy.settled();
  }
  time.pass(end - time.now());
  await busy.settled();
}

/** One life of a process: after its end nothing that it waits for comes any more. */
function createLife(time: VirtualTime) {
  let isOver = false;
  return {
    end: () => {
      isOver = true;
    },
    isOver: () => isOver,
    receivers: new Map<Receiver, Receiver>(),
    createTimers: () => createTimersOf(time, () => isOver),
    within: <T>(promise: Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        promise.then(
          (value) => isOver || resolve(value),
          (error) => isOver || reject(error),
        );
      }),
  };
}

/** Timers that are counted until they run out or are cancelled. */
function createTimersOf(time: VirtualTime, isOver: () => boolean) {
  const waiting = new Set<object>();
  return {
    after: (seconds: number, call: () => void) => {
      const one = {};
      waiting.add(one);
      const takeBack = time.hostTimers.after(seconds, () => {
        waiting.delete(one);
        if (!isOver()) call();
      });
      return () => {
        waiting.delete(one);
        takeBack();
      };
    },
    count: () => waiting.size,
  };
}

type Life = ReturnType<typeof createLife>;

/** Counts the work that ends without time passing. */
function createBusy() {
  let count = 0;
  const leave = (): void => {
    count -= 1;
  };
  return {
    during: <T>(work: Promise<T>): Promise<T> => {
      count += 1;
      return work.finally(leave);
    },
    /** It waits for time to pass until the result is called. */
    pause: (): (() => void) => {
      count -= 1;
      let isOver = false;
      return () => {
        if (!isOver) count += 1;
        isOver = true;
      };
    },
    settled: async (): Promise<void> => {
      const begin = performance.now();
      for (let quiet = 0; quiet < quietTurns; quiet = count === 0 ? quiet + 1 : 0) {
        if (performance.now() - begin > longSeconds * 1_000) throw new Error(`busy for ${longSeconds} s`);
        await new Promise(setImmediate);
      }
    },
  };
}

type Busy = ReturnType<typeof createBusy>;

/** Turns of the loop without work after which none follows. */
const quietTurns = 5;

async function openNetwork(
  test: Ending,
  { time, busy, wall, fate }: { time: VirtualTime; busy: Busy; wall: () => number; fate: () => Fate },
) {
  /** By virtual seconds; a message may arrive for the second time. */
  const attempts: { message: Message; at: number }[] = [];
  const arrived: { id: string; seqs: readonly number[]; at: number }[] = [];
  const server = await startWebServer((request, response) => {
    const end = fate();
    if (end === "dropped") return void request.socket.destroy();
    void text(request).then((sent) => {
      if (typeof end === "object" && "status" in end) return refuse(response, end);
      const { id, data } = JSON.parse(sent) as { id: string; data: { events: { seq: number }[] } };
      arrived.push({ id, seqs: data.events.map(({ seq }) => seq), at: time.now() });
      if (end === "lost") return void request.socket.destroy();
      if (end === "delivered") return void response.writeHead(204).end();
      const goOn = busy.pause();
      // The outbox may give up sooner.
      response.once("close", goOn);
      time.at(time.now() + end.seconds, () => {
        goOn();
        response.writeHead(204).end();
      });
    });
  });
  atEnd(test, () => server.stop());
  const transfers = createTransfers({ redirects: null, allowLocalServers: true });
  const secret = makeWebhookSecret();
  const webhook = createWebhook({ url: server.url, service: null, secret, transfers, allowHttp: true, wall });
  const receiver: Receiver = {
    deliver: (message, signal) => {
      attempts.push({ message, at: time.now() });
      return busy.during(webhook.deliver(message, signal));
    },
  };
  return { attempts, arrived, receiver };
}

function refuse(response: ServerResponse, { status, retryAfter }: Refusal): void {
  response.writeHead(status, retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }).end();
}
