import type { IncomingMessage } from "node:http";
import { readAnswer, receiveAnswer } from "./agent-answer.ts";
import { type HttpRequest, openRequest, unreachable } from "./agent-connection.ts";
import { CommandError, type StreamedMessage, type StreamOptions } from "./context.ts";
import { createEventParser } from "./event-parser.ts";
import type { Places } from "./places.ts";

/** Milliseconds without a word after which the agent is gone: three of its signs of life. */
const silenceMilliseconds = 45_000;

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

function answerTo(places: Places, request: HttpRequest, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = openRequest(places, request, signal);
    sent.setTimeout(silenceMilliseconds, () => sent.destroy(new Error("it has said nothing for 45 seconds")));
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
    throw new CommandError(1, `What answers is no event stream but ${contentType || "of no media type"}.`);
  }
  response.setEncoding("utf8");
  const parse = createEventParser();
  for await (const piece of piecesOf(response, places)) {
    for (const { id, event, data } of parse(piece)) await onMessage({ id, event, data: jsonOf(data) });
  }
}

/** The body as it comes; a connection that breaks off is told from one that was ended. */
async function* piecesOf(response: IncomingMessage, places: Places): AsyncGenerator<string> {
  try {
    for await (const piece of response) yield String(piece);
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

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError(1, "What was sent is no event stream of the agent: its data is no JSON.");
  }
}
