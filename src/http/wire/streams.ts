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
  /**
   * Called every second; resolves to true while the caller is signed in and has the right. False or a throw ends the
   * stream.
   */
  isAllowed: () => Promise<boolean>;
}

/** Bytes that a client has not taken yet; beyond them the stream is cut. */
const maximumUnsentBytes = 1024 * 1024;

/** Milliseconds between two checks of the callers' rights; every so many of them the stream sends a comment. */
const checkMilliseconds = 1_000;
const checksPerHeartbeat = 15;

/** Milliseconds after which a client should reconnect when the stream breaks off. */
const comeBackMilliseconds = 2_000;

/** Milliseconds in which a client has to take the last messages before the end. */
const endMilliseconds = 200;

interface OpenStream {
  actor: Actor;
  isAllowed: () => Promise<boolean>;
  /** Writes nothing after the end. */
  write: (text: string) => void;
  end: () => void;
  begin: (source: StreamSource, left: () => void) => void;
}

export function createStreams(): Streams {
  const open = new Set<OpenStream>();
  const checks = createRightsChecks(open);
  return {
    begin: ({ response, source, actor, isAllowed }) => {
      if (response.req.method === "HEAD") {
        response.writeHead(200, headers).end();
        return;
      }
      const actors = [...open].map((stream) => stream.actor);
      checkStreamPlaces(actors, actor);
      response.writeHead(200, headers);
      const stream = createStream(response, actor, isAllowed);
      open.add(stream);
      checks.start();
      stream.begin(source, () => {
        open.delete(stream);
        if (open.size === 0) checks.stop();
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
function createStream(response: ServerResponse, actor: Actor, isAllowed: () => Promise<boolean>): OpenStream {
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
    isAllowed,
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

/** One timer for all streams, which runs only while there are any. */
function createRightsChecks(open: ReadonlySet<OpenStream>): { start: () => void; stop: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let checks = 0;
  const check = async (): Promise<void> => {
    checks += 1;
    for (const stream of [...open]) {
      if (!(await stream.isAllowed().catch(() => false))) stream.end();
      else if (checks % checksPerHeartbeat === 0) stream.write(":\n\n");
    }
  };
  return {
    start: () => {
      timer ??= setInterval(() => void check(), checkMilliseconds).unref();
    },
    stop: () => {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
