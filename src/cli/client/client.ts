import type { ClientRequest } from "node:http";
import { pipeline } from "node:stream/promises";
import { type OperationId, operationOf } from "../../contract/operations.ts";
import type { Output, Upload } from "../../contract/types.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { type Answer, readAnswer, receiveAnswer } from "./agent-answer.ts";
import {
  buildRequest,
  type Credentials,
  type HttpRequest,
  isAway,
  loadSend,
  openRequest,
  readCredentials,
  unreachable,
} from "./agent-connection.ts";
import { askForBytes } from "./answered-bytes.ts";
import type { Client } from "./context.ts";
import { readStream } from "./event-stream.ts";
import type { Places } from "./places.ts";

/** Milliseconds for one whole exchange: the longest operation is a password hash behind eight others, about 5 s. */
const patienceMilliseconds = 30_000;

interface HttpClientOptions {
  timeoutMilliseconds?: number;
  /** The access token to call with; absent: the one in the token file, where one is named. */
  accessToken?: string;
  /** Waits until the request may be tried again, where no agent listened or the agent was stopping; else it throws. Absent: one try. */
  whenAbsent?: (absence: Error) => Promise<void>;
}

/** The agent over its socket or a URL. Throws AgentRefusal with its code, AgentAbsent, or CommandError (4 or 8). */
export function createHttpClient(places: Places, options: HttpClientOptions = {}): Client {
  const { timeoutMilliseconds = patienceMilliseconds, accessToken, whenAbsent } = options;
  let credentials: Promise<Credentials> | undefined;
  const requestOf = async (id: OperationId, input: object): Promise<HttpRequest> => {
    credentials ??= readCredentials(places);
    const { token, authority } = await credentials;
    return buildRequest(id, input, { token: accessToken ?? token, authority });
  };
  return {
    async call<Id extends OperationId>(id: Id, input: object) {
      const request = await requestOf(id, input);
      for (;;) {
        try {
          // The only place where an answer is given the contract's type.
          if (operationOf(id).response.bytes)
            return (await askForBytes(places, request, timeoutMilliseconds)) as Output<Id>;
          const answer = await exchange(places, request, timeoutMilliseconds);
          return readAnswer(answer, places) as Output<Id>;
        } catch (error) {
          if (!whenAbsent || !isAway(error)) throw error;
          await whenAbsent(error);
        }
      }
    },
    async stream(id, input, onMessage, streamOptions) {
      await readStream(places, await requestOf(id, input), onMessage, streamOptions);
    },
    async close() {},
  };
}

async function exchange(places: Places, request: HttpRequest, timeoutMilliseconds: number): Promise<Answer> {
  const send = await loadSend(places);
  const ending = new AbortController();
  const { signal } = ending;
  const timer = setTimeout(() => ending.abort(), timeoutMilliseconds);
  return new Promise<Answer>((resolve, reject) => {
    const fail = (error: Error) =>
      reject(
        error instanceof CommandError
          ? error
          : unreachable(error, places, signal.aborted ? timeoutMilliseconds : undefined),
      );
    const sent = openRequest(send, places, request, signal);
    sent.on("error", fail);
    sent.on("response", (response) => {
      receiveAnswer(response, places)
        .then(resolve, fail)
        // An answer that came before the end of the file is a refusal: the rest is not sent.
        .finally(() => sent.destroy());
    });
    const { body } = request;
    if (typeof body !== "object") sent.end(body);
    // As long as bytes leave, there is no reason to give up.
    else sendUpload(sent, body, () => timer.refresh());
  }).finally(() => clearTimeout(timer));
}

/** Milliseconds to wait for the agent's go-ahead: a proxy may not pass it on (RFC 9110 §10.1.1). */
const goAheadMilliseconds = 1_000;

function sendUpload(sent: ClientRequest, upload: Upload, onPiece: () => void): void {
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    for await (const piece of upload) {
      onPiece();
      yield piece;
    }
  };
  const begin = (): void => {
    clearTimeout(timer);
    sent.off("continue", begin).off("response", end).off("error", end);
    // The request reports its own failures, and those of the file.
    pipeline(pieces, sent).catch((error: Error) => sent.destroy(error));
  };
  const end = (): void => clearTimeout(timer);
  const timer = setTimeout(begin, goAheadMilliseconds);
  sent.once("continue", begin).once("response", end).once("error", end);
  sent.flushHeaders();
}
