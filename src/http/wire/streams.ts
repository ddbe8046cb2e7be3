import type { ServerResponse } from "node:http";
import { drained } from "../../store/archives/pour.ts";
import type { StreamMessage, StreamSource } from "../call.ts";

/** Bytes that a client has not taken yet; beyond them the stream is cut. */
const maximumUnsentBytes = 1024 * 1024;

/** Milliseconds between two comments, by which clients see that the stream lives. */
const heartbeatMilliseconds = 15_000;

/** Milliseconds after which a client should reconnect when the stream breaks off. */
const comeBackMilliseconds = 2_000;

/** Milliseconds in which a client has to take the last messages before the end. */
const endMilliseconds = 200;

const headers = {
  "Content-Type": "text/event-stream",
  // Otherwise nginx holds the messages back.
  "X-Accel-Buffering": "no",
};

/** Answers with an event stream (WHATWG HTML §9.2), until its source, its client or the signal ends it. */
export function sendStream(response: ServerResponse, source: StreamSource, signal: AbortSignal): void {
  response.writeHead(200, headers);
  if (response.req.method === "HEAD") return void response.end();
  let stopSource = (): void => undefined;
  let isOver = false;
  const write = (text: string): void => {
    if (isOver) return;
    response.write(text);
    if (response.writableLength > maximumUnsentBytes) response.destroy();
  };
  const heartbeat = setInterval(() => write(":\n\n"), heartbeatMilliseconds).unref();
  const over = (): void => {
    if (isOver) return;
    isOver = true;
    clearInterval(heartbeat);
    stopSource();
  };
  const end = (): void => {
    if (isOver) return;
    over();
    response.end();
    setTimeout(() => response.destroy(), endMilliseconds).unref();
  };
  response.once("close", over);
  signal.addEventListener("abort", end);
  write(`retry: ${comeBackMilliseconds}\n\n`);
  stopSource = source(
    (message) => write(textOf(message)),
    end,
    () => drained(response),
  );
  // It may have ended while it began.
  if (isOver) stopSource();
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
