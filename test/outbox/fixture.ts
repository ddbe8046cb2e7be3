import assert from "node:assert/strict";
import type { IncomingHttpHeaders } from "node:http";
import { createServer } from "node:https";
import { atEnd, type Ending } from "../../lab/basics/ending.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { createAuthority } from "../../lab/host/certificates.ts";
import { type Answerer, listening } from "../../lab/host/web-server.ts";
import type { Delivery } from "../../src/outbox/receiver.ts";

export const authority = createAuthority(scratchDirectory());
export const good = authority.certify("127.0.0.1");
export const unending = new AbortController().signal;

/** Stops the server with the test. */
export async function during<Server extends { stop: () => Promise<void> }>(
  test: Ending,
  starting: Server | Promise<Server>,
): Promise<Server> {
  const server = await starting;
  atEnd(test, () => server.stop());
  return server;
}

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server over HTTPS that keeps what it gets. */
export async function receiving(test: Ending, answer: Answerer) {
  const received: ReceivedRequest[] = [];
  const server = createServer(good, (request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (piece: string) => {
      body += piece;
    });
    request.on("end", () => {
      received.push({ path: `${request.method} ${request.url}`, headers: request.headers, body });
      answer(request, response);
    });
  });
  const { url } = await during(test, listening(server, "https", []));
  return { url, received };
}

export function errorOf(delivery: Delivery, outcome: "retry" | "refused" = "retry"): string {
  assert.equal(delivery.outcome, outcome, JSON.stringify(delivery));
  return "error" in delivery ? delivery.error : "";
}
