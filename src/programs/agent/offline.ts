import { randomBytes } from "node:crypto";
import type { Calls } from "../../cli/client/context.ts";
import type { OperationId } from "../../contract/operations.ts";
import type { Input, Output } from "../../contract/types.ts";
import type { HostFiles } from "../../host/host.ts";
import type { Log } from "../../journal/logs/log.ts";
import { type Lock, takeLock } from "../../store/files/lock.ts";
import { finishReplacement, isReplacementDecided } from "../../store/files/replacement.ts";
import { finishWipe, isWipeRequested } from "../../store/files/wipe.ts";
import type { RoomsConfig } from "./config.ts";
import { hostOf } from "./wire-host.ts";
import { openRooms } from "./wiring.ts";

/** The agent's operations in this process, as local root, while it is down; under the lock, unless only reading. */
export async function openOfflineClient(config: RoomsConfig, remark: (text: string) => void): Promise<Calls> {
  // The terminal shows the fault, and the event log has the facts.
  const log: Log = (severity, message, members) => {
    if (severity === "error" || severity === "warning") remark(sentenceOf(message, members));
  };
  const own = { ...config, log, forOneCommand: true };
  const host = hostOf(own);
  const lock = config.readsOnly ? noLock : await takeLock(config.stateDirectory, host.files);
  const rooms = await openRooms(own, host, lock);
  return {
    call: async <Id extends OperationId>(id: Id, input: Partial<Input<Id>>): Promise<Output<Id>> => {
      const running = rooms.dispatch.run(id, {
        actor: { kind: "local-root" },
        context: {
          address: "local",
          clientKey: null,
          userAgent: "steward",
          requestId: `offline-${randomBytes(6).toString("base64url")}`,
        },
        noted: {},
        cookie: undefined,
        lastEventId: undefined,
        ifMatch: undefined,
        params: input.params ?? {},
        query: toSearch(input.query),
        body: input.body,
      });
      const answer = await keepAwake(running);
      return (answer.text === undefined ? undefined : JSON.parse(answer.text)) as Output<Id>;
    },
    close: async () => {
      // No other process would finish a check that was begun here.
      await keepAwake(rooms.settled());
      await rooms.close();
      if (!config.readsOnly) await finishRequested(config.stateDirectory, host.files);
    },
  };
}

/** Carries out a factory reset or a backup that was decided on here, since no agent is there to do it. */
async function finishRequested(stateDirectory: string, files: HostFiles): Promise<void> {
  if (!isWipeRequested(stateDirectory) && !isReplacementDecided(stateDirectory)) return;
  const lock = await takeLock(stateDirectory, files);
  try {
    await finishWipe(stateDirectory);
    await finishReplacement(stateDirectory);
  } finally {
    await lock.release();
  }
}

function sentenceOf(message: string, members: Parameters<Log>[2] = {}): string {
  const { document, detail } = members;
  const subject = typeof document === "string" ? ` (${document})` : "";
  const head = `${message.charAt(0).toUpperCase()}${message.slice(1)}${subject}`;
  const text = typeof detail === "string" ? `${head}: ${detail}` : head;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

const noLock: Lock = { release: async () => undefined };

/** Milliseconds: the longest wait that a timer of Node's takes. */
const forever = 2 ** 31 - 1;

/** The agent's timers do not keep a process alive; without a listener this one would end in the middle of its work. */
async function keepAwake<T>(running: Promise<T>): Promise<T> {
  const timer = setTimeout(() => undefined, forever);
  try {
    return await running;
  } finally {
    clearTimeout(timer);
  }
}

function toSearch(query: object | undefined): URLSearchParams {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
}
