import type { ServerResponse } from "node:http";
import type { Actor, StreamMessage, StreamSource } from "../call.ts";
import { checkStreamPlaces } from "./stream-places.ts";

/** The event streams (WHATWG HTML §9.2) that are open. */
export interface Streams {
  /** Answers with a stream. Throws `rate_limited`. */
  begin(stream: NewStream): void;
  /** Ends all of them: the agent stops without waiting for them. */
  endAll(): void;
}

export interface NewStream {
  response: ServerResponse;
  source: StreamSource;
  actor: Actor;
  /** Aborted where the stream must end. */
  signal: AbortSignal;
}

/** Bytes that a client has not taken yet; beyond them the stream is cut. */
const maximumUnsentBytes = 1024 * 1024;

/** Milliseconds between two comments, by which clients see that the stream lives. */
const heartbeatMilliseconds = 15_000;

/** Milliseconds after which a client should reconnect when the stream breaks off. */
const comeBackMilliseconds = 2_000;

/** Milliseconds in which a client has to take the last messages before the end. */
const endMilliseconds = 200;

interface OpenStream {
  actor: Actor;
  /** Writes nothing after the end. */
  write: (text: string) => void;
  end: () => void;
  begin: (source: StreamSource, left: () => void) => void;
}

export function createStreams(): Streams {
  const open = new Set<OpenStream>();
  let heartbeat: NodeJS.Timeout | undefined;
  const beat = (): void => {
    for (const stream of open) stream.write(":\n\n");
  };
  return {
    begin: ({ response, source, actor, signal }) => {
      if (response.req.method === "HEAD") {
        response.writeHead(200, headers).end();
        return;
      }
      const actors = [...open].map((stream) => stream.actor);
      checkStreamPlaces(actors, actor);
      response.writeHead(200, headers);
      const stream = createStream(response, actor);
      open.add(stream);
      heartbeat ??= setInterval(beat, heartbeatMilliseconds).unref();
      signal.addEventListener("abort", stream.end);
      stream.begin(source, () => {
        open.delete(stream);
        if (open.size > 0) return;
        clearInterval(heartbeat);
        heartbeat = undefined;
      });
    },
    endAll: () => {
      for (const stream of [...open]) stream.end();
    },
  };
}

const headers = {
  "Content-Type": "text/event-stream",
  // Otherwise nginx holds the messages back.
  "X-Accel-Buffering": "no",
};

/** Joins a source to its response, until either of them ends. */
function createStream(response: ServerResponse, actor: Actor): OpenStream {
  let whenOver: () => void = () => undefined;
  let isOver = false;
  const over = (): void => {
    if (isOver) return;
    isOver = true;
    whenOver();
  };
  const write = (text: string): void => {
    if (isOver) return;
    response.write(text);
    if (response.writableLength > maximumUnsentBytes) response.destroy();
  };
  const end = (): void => {
    if (isOver) return;
    over();
    response.end();
    setTimeout(() => response.destroy(), endMilliseconds).unref();
  };
  return {
    actor,
    write,
    end,
    begin: (source, left) => {
      whenOver = left;
      response.once("close", over);
      write(`retry: ${comeBackMilliseconds}\n\n`);
      const stopSource = source(
        (message) => write(textOf(message)),
        end,
        () => drained(response),
      );
      whenOver = () => {
        stopSource();
        left();
      };
      // It may have ended while it began.
      if (isOver) stopSource();
    },
  };
}

function drained(response: ServerResponse): Promise<void> {
  if (!response.writableNeedDrain || response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}

/** JSON has no line ends, so one data line holds it. */
function textOf({ id, event, data }: StreamMessage): string {
  const lines = [
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(event === undefined ? [] : [`event: ${event}`]),
    `data: ${JSON.stringify(data)}`,
  ];
  return `${lines.join("\n")}\n\n`;
}
