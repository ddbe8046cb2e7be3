import { request as httpRequest } from "node:http";
import { text as readText } from "node:stream/consumers";
import { valueIn } from "../../../src/contract/text/json-of.ts";
import { type Answer, testProxy } from "../../agents/running-agent.ts";

/** A request as it goes out. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Over the unix socket, as root. */
  readonly isLocal?: boolean;
  /** The address that the trusted proxy names. */
  readonly from?: string;
}

export type Send = (request: Request) => Promise<Answer>;

/** Milliseconds until an answer must be complete: far more than any takes, also while passwords of others are hashed. */
const longestMilliseconds = 90_000;

/** Sends one request on a connection of its own; of an event stream the head is the answer. Throws where none comes. */
export function createClient({ port, socket }: { port: number; socket: string }): Send {
  return ({ method, path, headers = {}, body, isLocal, from }) => {
    const where = isLocal ? { socketPath: socket } : { host: "127.0.0.1", port, localAddress: testProxy };
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const forwarded = isLocal || from === undefined ? {} : { "x-forwarded-for": from };
    const sent = { headers: { ...length, ...forwarded, ...headers }, agent: false };
    const signal = AbortSignal.timeout(longestMilliseconds);
    return new Promise((resolve, reject) => {
      const request = httpRequest({ ...where, method, path, ...sent, signal }, (response) => {
        const { statusCode: status = 0, headers } = response;
        const finish = (text: string) => resolve({ status, headers, text, json: valueIn(text) });
        if (headers["content-type"]?.startsWith("text/event-stream")) {
          finish("");
          request.destroy();
        } else readText(response).then(finish, reject);
      });
      request.once("error", reject).end(body);
    });
  };
}
