import type { Socket } from "node:net";
import type { ErrorCode } from "../../../contract/error-codes.ts";
import { jsonIn } from "../../../contract/text/json-of.ts";
import type { Timers } from "../../../host/ports.ts";

export type WordAnswer =
  | { readonly status: "taken" }
  | { readonly status: "refused"; readonly code: ErrorCode; readonly detail: string };

/** The product's units speak with these parts of the agent. */
export interface Conversation {
  /** Events and needs. */
  readonly word: { take(unit: string, line: unknown): WordAnswer };
  /** Hands over each session that has ended, until the returned function is called. */
  readonly follow: (send: (message: { readonly ended: string }) => void) => () => void;
  readonly timers: Timers;
}

/** Bytes of a line, its line feed included. */
const mostLineBytes = 1_024;

/** Seconds from the first byte of a line to its line feed. */
const lineSeconds = 5;

/** A connection has so many lines taken within so many seconds; further ones wait, so that a flood costs little. */
const [linesAtOnce, restSeconds] = [16, 0.25];

/** Bytes that a peer has not read, beside what the kernel keeps: one that has more is not reading. */
const mostUnreadBytes = 16_384;

const lineFeed = 0x0a;

/** Answers each line in order, until the peer ends the connection or sends what is none. */
export function answerLines(socket: Socket, unit: string, options: Conversation): void {
  const { timers } = options;
  const answer = createAnswer(socket, unit, options);
  let rest: Buffer = Buffer.alloc(0);
  let left = linesAtOnce;
  let cancel: (() => void) | null = null;
  const keepTime = (): void => {
    cancel ??= timers.after(lineSeconds, () => refuse(socket, timers, "request_timeout", tooSlow));
  };
  let isWhole = false;
  const refill = (): void => {
    if (socket.destroyed) return;
    left = linesAtOnce;
    work();
    if (left > 0) socket.resume();
  };
  const work = (): void => {
    for (let end = rest.indexOf(lineFeed); left > 0 && end >= 0; end = rest.indexOf(lineFeed)) {
      cancel = cancel?.() ?? null;
      if (end >= mostLineBytes) break;
      if (left === linesAtOnce) timers.after(restSeconds, refill);
      left -= 1;
      say(socket, answer(rest.subarray(0, end)));
      rest = rest.subarray(end + 1);
    }
    if (left === 0) socket.pause();
    else if (rest.length >= mostLineBytes) refuse(socket, timers, "payload_too_large", tooLong);
    else if (isWhole) socket.end();
    else if (rest.length > 0) keepTime();
  };
  socket.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    work();
  });
  // A peer may close its half, and read the answers then.
  socket.allowHalfOpen = true;
  socket.once("end", () => {
    isWhole = true;
    work();
  });
  socket.once("close", () => cancel?.());
}

const tooSlow = `A line was not complete after ${lineSeconds} s. End each with a line feed.`;
const tooLong = `A line has more than ${mostLineBytes} bytes. Send a code and numbers.`;

/** Follows ended sessions where the peer asks for them; the product's word is all else. */
function createAnswer(socket: Socket, unit: string, { word, follow }: Conversation) {
  let unfollow: (() => void) | undefined;
  return (bytes: Uint8Array): WordAnswer => {
    const line = lineIn(bytes);
    if (line instanceof Error) return refusal("malformed_json", line.message);
    if (!isFollow(line)) return word.take(unit, line);
    if (line.follow !== "sessions") return refusal("not_found", 'Only "sessions" can be followed.');
    if (unfollow === undefined) {
      unfollow = follow((message) => say(socket, message));
      socket.once("close", unfollow);
    }
    return { status: "taken" };
  };
}

function lineIn(bytes: Uint8Array): unknown {
  try {
    return jsonIn(bytes, (why) => new Error(`The line ${why}.`));
  } catch (error) {
    return error;
  }
}

function isFollow(line: unknown): line is { readonly follow: unknown } {
  return typeof line === "object" && line !== null && Object.keys(line).join() === "follow";
}

function refusal(code: ErrorCode, detail: string): WordAnswer {
  return { status: "refused", code, detail };
}

/** Seconds in which what a refused peer sends is still read: closing before would take the reason from it. */
const partingSeconds = 0.1;

/** Ends the connection with one line. */
export function refuse(socket: Socket, timers: Timers, code: ErrorCode, detail: string): void {
  if (!socket.writable) return;
  socket.removeAllListeners("data").resume();
  socket.end(`${JSON.stringify(refusal(code, detail))}\n`);
  timers.after(partingSeconds, () => socket.destroy());
}

function say(socket: Socket, message: object): void {
  if (!socket.writable) return;
  socket.write(`${JSON.stringify(message)}\n`);
  if (socket.writableLength > mostUnreadBytes) socket.destroy();
}
