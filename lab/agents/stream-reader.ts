import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { createParser } from "eventsource-parser";
import { until } from "../basics/until.ts";

interface ReadMessage {
  id: string;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
  data: any;
}

/** Begins to read a stream at a port of loopback or a unix socket; an answer that is none has its body as `text`. */
export async function openStream(asked: {
  where: number | string;
  path: string;
  token?: string;
  headers?: Record<string, string>;
}) {
  const { where, path, token, headers = {} } = asked;
  const request = httpRequest({
    ...(typeof where === "string" ? { socketPath: where } : { host: "127.0.0.1", port: where }),
    ...{ path, agent: false },
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
  });
  request.end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
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
    /** Settles when it has ended, by either side. */
    ended: new Promise<void>((resolve) => response.once("close", () => resolve())),
    /** Waits until there are so many messages. Throws where they do not come; true, to be asserted. */
    until: async (count: number): Promise<boolean> => {
      await until(`${count} messages`, () => messages.length >= count);
      return true;
    },
    close: () => void request.destroy(),
  };
}
