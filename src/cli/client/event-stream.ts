import type { IncomingMessage } from "node:http";
import { createParser, type EventSourceMessage, type EventSourceParser } from "eventsource-parser";
import { jsonOf } from "../../contract/text/json-of.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { readAnswer, receiveAnswer } from "./agent-answer.ts";
import { type HttpRequest, loadSend, openRequest, unreachable } from "./agent-connection.ts";
import { BoundlessAnswer, type StreamedMessage, type StreamOptions } from "./context.ts";
import type { Places } from "./places.ts";

/** Milliseconds without a byte after which the agent is gone: three of its signs of life. */
const silenceMilliseconds = 45_000;

/** Characters that the parser keeps of an event until its blank line; the agent's events have a few thousand. */
const maximumCharacters = 1024 * 1024;

/** Reads an event stream of the agent to its end. Throws like a call, and where the connection breaks off. */
export async function readStream(
  places: Places,
  request: HttpRequest,
  onMessage: (message: StreamedMessage) => void | Promise<void>,
  { lastEventId, signal }: StreamOptions = {},
): Promise<void> {
  const headers: Record<string, string> = {
    ...request.headers,
    Accept: "text/event-stream, application/problem+json",
  };
  if (lastEventId !== undefined) headers["Last-Event-ID"] = lastEventId;
  const breaking = new AbortController();
  const signals = AbortSignal.any([breaking.signal, ...(signal ? [signal] : [])]);
  try {
    const response = await answerTo(places, { ...request, headers }, signals);
    await readMessages(places, response, onMessage);
  } catch (error) {
    if (!signal?.aborted) throw error;
  } finally {
    breaking.abort();
  }
}

async function answerTo(places: Places, request: HttpRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const send = await loadSend(places);
  return new Promise((resolve, reject) => {
    const sent = openRequest(send, places, request, signal);
    sent.setTimeout(silenceMilliseconds, () => sent.destroy(new Error("it has sent nothing for 45 seconds")));
    sent.on("error", (error) => reject(unreachable(error, places, undefined)));
    sent.on("response", resolve);
    sent.end();
  });
}

async function readMessages(
  places: Places,
  response: IncomingMessage,
  onMessage: (message: StreamedMessage) => void | Promise<void>,
): Promise<void> {
  const contentType = response.headers["content-type"] ?? "";
  if (contentType.split(";", 1)[0] !== "text/event-stream") {
    readAnswer(await receiveAnswer(response, places).catch(brokenOff(places)), places);
    throw new CommandError(
      1,
      `The answer is not an event stream: its media type is ${contentType || "missing"}.`,
    );
  }
  const messages: EventSourceMessage[] = [];
  const parser = createBoundedParser((message) => messages.push(message));
  const decoder = new TextDecoder();
  for await (const piece of piecesOf(response, places)) {
    parser.feed(decoder.decode(piece, { stream: true }));
    for (const { id = "", event = "message", data } of messages.splice(0))
      await onMessage({ id, event, data: jsonOf(data, noEventStream) });
  }
}

function createBoundedParser(onEvent: (message: EventSourceMessage) => void): EventSourceParser {
  return createParser({
    onEvent,
    maxBufferSize: maximumCharacters,
    // Unknown fields are reported here too, and are ignored.
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded")
        throw new BoundlessAnswer("An event does not end after 1 MiB, which the agent's events do.");
    },
  });
}

/** The body as it comes. A connection that breaks off throws; one that was ended does not. */
async function* piecesOf(response: IncomingMessage, places: Places): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of response) yield piece as Uint8Array;
  } catch (error) {
    brokenOff(places)(error);
  }
}

function brokenOff(places: Places): (error: unknown) => never {
  return (error) => {
    if (error instanceof CommandError) throw error;
    throw unreachable(error instanceof Error ? error : new Error(String(error)), places, undefined);
  };
}

function noEventStream(why: string): CommandError {
  return new CommandError(1, `The answer is not an event stream of the agent: its data ${why}.`);
}
