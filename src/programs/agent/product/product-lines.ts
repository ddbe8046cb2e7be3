import type { Socket } from "node:net";
import { messageOf, StewardError } from "../../../contract/errors.ts";
import { jsonIn } from "../../../contract/text/json-of.ts";
import type { Timers } from "../../../host/ports.ts";
import type { createEndedSessions } from "../../../product/ended-sessions.ts";
import type { ProductWord, WordAnswer } from "../../../product/word.ts";

/** The product's units speak with these parts of the agent. */
export interface Conversation {
  readonly word: ProductWord;
  readonly follow: ReturnType<typeof createEndedSessions>["follow"];
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

/** Seconds in which what a refused peer sends is still read: closing before would take the reason from it. */
const partingSeconds = 0.1;

const lineFeed = 0x0a;

/** Answers each line in order, until the peer ends the connection or sends what is none. */
export function answerLines(socket: Socket, unit: string, options: Conversation): void {
  const { timers } = options;
  const answer = createAnswer(socket, unit, options);
  let rest: Buffer = Buffer.alloc(0);
  let left = linesAtOnce;
  let isWhole = false;
  let cancel: (() => void) | null = null;
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
    else if (rest.length >= mostLineBytes) refuse(socket, timers, tooLong);
    else if (isWhole) socket.end();
    else if (rest.length > 0) cancel ??= timers.after(lineSeconds, () => refuse(socket, timers, tooSlow));
  };
  // A peer may close its half, and read the answers then.
  socket.allowHalfOpen = true;
  socket.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    work();
  });
  socket.once("end", () => {
    isWhole = true;
    work();
  });
  socket.once("close", () => cancel?.());
}

const tooSlow = new StewardError(
  "request_timeout",
  `End each line with a line feed within ${lineSeconds} s.`,
);
const tooLong = new StewardError("payload_too_large", `A line has ${mostLineBytes} bytes at most.`);

/** Follows ended sessions where the peer asks for them; the product's word is all else. */
function createAnswer(socket: Socket, unit: string, { word, follow }: Conversation) {
  let isFollowing = false;
  return (bytes: Uint8Array): WordAnswer => {
    try {
      const line = jsonIn(bytes, (why) => new StewardError("malformed_json", `The line ${why}.`));
      if (!isFollow(line)) return word.take(unit, line);
      if (line.follow !== "sessions") throw new StewardError("not_found", 'Follow "sessions".');
      if (!isFollowing)
        socket.once(
          "close",
          follow((message) => say(socket, message)),
        );
      isFollowing = true;
      return { status: "taken" };
    } catch (error) {
      return refusal(error);
    }
  };
}

function isFollow(line: unknown): line is { readonly follow: unknown } {
  return typeof line === "object" && line !== null && Object.keys(line).join() === "follow";
}

function refusal(error: unknown): WordAnswer {
  const code = error instanceof StewardError ? error.code : "internal_error";
  return { status: "refused", code, detail: messageOf(error) };
}

/** Ends the connection with one line. */
export function refuse(socket: Socket, timers: Timers, error: unknown): void {
  if (!socket.writable) return;
  socket.removeAllListeners("data").resume();
  socket.end(`${JSON.stringify(refusal(error))}\n`);
  timers.after(partingSeconds, () => socket.destroy());
}

function say(socket: Socket, message: object): void {
  if (!socket.writable) return;
  socket.write(`${JSON.stringify(message)}\n`);
  if (socket.writableLength > mostUnreadBytes) socket.destroy();
}
