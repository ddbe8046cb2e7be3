import { createServer as createPlainServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import { createServer } from "node:https";
import type { Socket } from "node:net";
import { gunzipSync } from "node:zlib";
import type { ServerCertificate } from "./certificates.ts";
import { judgeOtlp, type OtlpPath } from "./otlp-requests.ts";
import { listening, readBytes, type WebServer } from "./web-server.ts";

/** A request of OTLP/HTTP that the protocol's files have found no fault in. */
export interface OtlpRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly json: unknown;
  /** Bytes as they were sent, and without compression. */
  readonly sentBytes: number;
  readonly plainBytes: number;
}

/** The answer of a collector: status, body, headers. */
export type OtlpAnswer = readonly [
  status: number,
  body: string | Uint8Array,
  headers?: Record<string, string>,
];

export interface OtlpCollector extends WebServer {
  /** In order. */
  readonly received: OtlpRequest[];
  /** The words of the judge about others; they were answered with 400. */
  readonly faults: string[];
  answer: OtlpAnswer;
  /** Bytes of all connections that are closed, both ways, with those of TLS; without the heads of TCP. */
  wireBytes: number;
}

/** A collector on loopback that judges each request by the protocol's files; over HTTPS with a certificate. */
export async function startCollector(certificate?: ServerCertificate): Promise<OtlpCollector> {
  const received: OtlpRequest[] = [];
  const faults: string[] = [];
  const listener: RequestListener = async (request, response) => {
    const sent = await readBytes(request);
    const path = (request.url ?? "").replace("/otlp", "");
    try {
      const { headers } = request;
      if (headers["content-type"] !== "application/json") throw new Error(`${headers["content-type"]}`);
      const plain = headers["content-encoding"] === "gzip" ? gunzipSync(sent) : sent;
      const json: object = JSON.parse(plain.toString("utf8"));
      judgeOtlp(path as OtlpPath, json);
      received.push({ path, headers, json, sentBytes: sent.byteLength, plainBytes: plain.byteLength });
      const [status, body, more = {}] = collector.answer;
      response.writeHead(status, { "content-type": "application/json", ...more }).end(body);
    } catch (error) {
      faults.push(String(error));
      response.writeHead(400).end();
    }
  };
  const server =
    certificate === undefined ? createPlainServer(listener) : createServer(certificate, listener);
  const web = await listening(server, certificate === undefined ? "http" : "https", []);
  const collector: OtlpCollector = { ...web, received, faults, answer: [200, "{}"], wireBytes: 0 };
  server.on("connection", (socket: Socket) =>
    socket.once("close", () => {
      collector.wireBytes += socket.bytesRead + socket.bytesWritten;
    }),
  );
  return collector;
}
