import type { OperationId } from "../../contract/operations.ts";
import type { Output } from "../../contract/types.ts";
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
import type { Client } from "./context.ts";
import { readStream } from "./event-stream.ts";
import type { Places } from "./places.ts";

/** Milliseconds for one whole exchange: the longest operation is a password hash behind eight others, about 5 s. */
const patienceMilliseconds = 30_000;

export interface HttpClientOptions {
  timeoutMilliseconds?: number;
  /** The access token to call with; absent: the one in the token file, where one is named. */
  accessToken?: string;
  /** Waits until the request may be tried again, where no agent listened or the agent was stopping; else it throws. Absent: one try. */
  whenAbsent?: (absence: Error) => Promise<void>;
}

/**
 * The agent over its unix socket or a URL. A refusal is an AgentRefusal with the agent's code;
 * no agent at the socket is AgentAbsent, every other failure of the connection a CommandError (4 or 8).
 */
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
          const answer = await exchange(places, request, timeoutMilliseconds);
          // The only place where an answer is given the contract's type.
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
  const signal = AbortSignal.timeout(timeoutMilliseconds);
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
      receiveAnswer(response, places).then(resolve, fail);
    });
    sent.end(request.body);
  });
}
