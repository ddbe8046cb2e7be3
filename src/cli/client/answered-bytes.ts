import type { IncomingMessage } from "node:http";
import { CommandError } from "../../terminal/command-error.ts";
import { readAnswer, receiveAnswer } from "./agent-answer.ts";
import { type HttpRequest, loadSend, openRequest, unreachable } from "./agent-connection.ts";
import type { Places } from "./places.ts";

/** The bytes of an answer as it is made, with so many milliseconds a piece. Throws refusals and the connection's errors. */
export async function askForBytes(
  places: Places,
  request: HttpRequest,
  patienceMilliseconds: number,
): Promise<AsyncIterable<Uint8Array>> {
  const send = await loadSend(places);
  const impatience = new AbortController();
  const timer = setTimeout(() => impatience.abort(), patienceMilliseconds);
  const failed = (error: Error): Error =>
    error instanceof CommandError
      ? error
      : unreachable(error, places, impatience.signal.aborted ? patienceMilliseconds : undefined);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = openRequest(send, places, request, impatience.signal);
    sent.on("error", (error) => reject(failed(error)));
    sent.on("response", resolve);
    sent.end(typeof request.body === "string" ? request.body : undefined);
  });
  if (response.statusCode === 200) return pieces(response, timer, failed);
  clearTimeout(timer);
  readAnswer(await receiveAnswer(response, places), places);
  throw new CommandError(1, "The agent answered without the bytes that it was asked for.");
}

async function* pieces(
  response: IncomingMessage,
  timer: NodeJS.Timeout,
  failed: (error: Error) => Error,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      timer.refresh();
      yield piece;
    }
  } catch (error) {
    throw error instanceof Error ? failed(error) : error;
  } finally {
    clearTimeout(timer);
  }
}
