import { setTimeout as delay } from "node:timers/promises";
import { StewardError } from "../../contract/errors.ts";
import type { Input, StreamId } from "../../contract/types.ts";
import { CommandError } from "../../terminal/command-error.ts";
import type { Invocation } from "./command.ts";
import { BoundlessAnswer, type StreamedMessage } from "./context.ts";

/** Tries in a row to reconnect to an agent, a second apart: a restart takes a few. */
const comeBackTries = 30;
const comeBackMilliseconds = 1_000;

export interface Followed<Id extends StreamId> {
  id: Id;
  input: Partial<Input<Id>>;
  lastEventId: string | undefined;
  onMessage: (message: StreamedMessage) => Promise<void>;
}

/** Reads a stream, also across restarts of the agent, until Ctrl-C (CommandError 130) or until standard output closes. */
export async function followStream<Id extends StreamId>(
  { client, context }: Invocation,
  { id, input, lastEventId, onMessage }: Followed<Id>,
): Promise<void> {
  const interruption = context.interruption();
  const unread = new AbortController();
  // As in `steward events -f | head`.
  context.stdout.once("error", () => unread.abort());
  const signal = AbortSignal.any([interruption, unread.signal]);
  let last = lastEventId;
  let tries = 0;
  const receive = async (message: StreamedMessage): Promise<void> => {
    tries = 0;
    last = message.id || last;
    await onMessage(message);
    if (!context.stdout.writable) unread.abort();
  };
  while (!signal.aborted) {
    await client.stream(id, input, receive, { lastEventId: last, signal }).catch((error: unknown) => {
      if (!isPassing(error) || tries >= comeBackTries) throw error;
    });
    tries += 1;
    if (!signal.aborted) await delay(comeBackMilliseconds, undefined, { signal }).catch(() => undefined);
  }
  if (interruption.aborted) throw new CommandError(130, "Interrupted.");
}

/** An agent that is absent or stopping may be back soon; any other refusal lasts. */
export function isPassing(error: unknown): boolean {
  if (error instanceof CommandError) return error.exitCode === 8 && !(error instanceof BoundlessAnswer);
  return error instanceof StewardError && error.code === "shutting_down";
}
