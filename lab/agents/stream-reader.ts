import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { createParser } from "eventsource-parser";
import { until } from "../basics/until.ts";

export interface ReadMessage {
  id: string;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
  data: any;
}

/** An event stream that is being read. */
export interface OpenedStream {
  status: number;
  headers: IncomingMessage["headers"];
  messages: ReadMessage[];
  /** Everything that came, comments too. */
  text: () => string;
  /** Settles when it has ended, by either side. */
  ended: Promise<void>;
  /** Waits until there are so many messages. Throws where they do not come; true, to be asserted. */
  until: (count: number) => Promise<boolean>;
  close: () => void;
}

export interface StreamRequest {
  /** A port of loopback, or a unix socket. */
  where: number | string;
  path: string;
  token?: string;
  headers?: Record<string, string>;
}

/** Begins to read a stream; an answer that is none has its body as `text`. */
export async function openStream({ where, path, token, headers = {} }: StreamRequest): Promise<OpenedStream> {
  const request = httpRequest({
    ...(typeof where === "string" ? { socketPath: where } : { host: "127.0.0.1", port: where }),
    path,
    agent: false,
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
  });
  request.end();
  return readingOf(request, await responseTo(request));
}

function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once("response", resolve);
    request.once("error", reject);
  });
}

function readingOf(request: ClientRequest, response: IncomingMessage): OpenedStream {
  const messages: ReadMessage[] = [];
  const parser = createParser({
    onEvent: ({ id = "", event = "message", data }) => messages.push({ id, event, data: JSON.parse(data) }),
  });
  let text = "";
  // A stream that is cut is what some tests are about.
  request.on("error", () => undefined);
  response.on("error", () => undefined);
  response.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    parser.feed(piece);
  });
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    messages,
    text: () => text,
    ended: new Promise((resolve) => response.once("close", () => resolve())),
    until: async (count) => {
      await until(`${count} messages`, () => messages.length >= count);
      return true;
    },
    close: () => void request.destroy(),
  };
}
