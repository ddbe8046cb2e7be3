import { createServer, type RequestListener, type Server } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import type { User } from "../../src/contract/types.ts";
import { atEnd } from "../basics/ending.ts";
import { temporaryDirectory } from "./run-steward.ts";

export interface Received {
  method: string;
  path: string;
  authorization: string | undefined;
  body: unknown;
}

export interface Answer {
  status?: number;
  type?: string;
  body?: unknown;
}

/** Answers by method and path (without the query); a function sees the query. */
export type Answers = Readonly<Record<string, Answer | ((query: URLSearchParams) => Answer)>>;

/** A real HTTP server on a unix socket that answers as the test says, and 404 as a problem otherwise. */
export async function startAgent(test: TestContext, answers: Answers) {
  const socketPath = join(temporaryDirectory(test), "steward.sock");
  const received: Received[] = [];
  const server = createServer(answerFrom(answers, received));
  await listen(test, server, socketPath);
  return { socketPath, received };
}

/** The same on a loopback port. */
export async function startNetworkAgent(test: TestContext, answers: Answers) {
  const received: Received[] = [];
  const server = createServer(answerFrom(answers, received));
  await listen(test, server, 0);
  return { url: `http://127.0.0.1:${portOf(server)}`, received };
}

export async function listen(test: TestContext, server: Server, where: string | number): Promise<void> {
  await new Promise<void>((resolve) => {
    if (typeof where === "string") server.listen(where, resolve);
    else server.listen(where, "127.0.0.1", resolve);
  });
  atEnd(test, () => {
    server.closeAllConnections();
    server.close();
  });
}

export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}

export function answerFrom(answers: Answers, received: Received[]): RequestListener {
  return async (request, response) => {
    const { pathname, search, searchParams } = new URL(request.url ?? "", "http://localhost");
    const { method = "", headers } = request;
    const sent = await text(request);
    const content = sent === "" ? undefined : JSON.parse(sent);
    const { authorization } = headers;
    received.push({ method, path: `${pathname}${search}`, authorization, body: content });
    const found = answers[`${method} ${pathname}`] ?? problem({ code: "not_found", status: 404 });
    const answer = typeof found === "function" ? found(searchParams) : found;
    const { status = 200, type = "application/json", body } = answer;
    response.writeHead(status, body === undefined ? {} : { "Content-Type": type });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  };
}

/** An answer with an RFC 9457 problem document. */
export function problem(members: { code: string; status: number; [member: string]: unknown }): Answer {
  const type = `urn:steward:problem:${members.code}`;
  const body = { type, title: "A title", detail: "What is wrong.", request_id: "request-1", ...members };
  return { status: members.status, type: "application/problem+json", body };
}

export const annaId = `usr_${"a".repeat(32)}`;

export function exampleUser(change: Partial<User> = {}): User {
  return {
    id: annaId,
    username: "anna",
    display_name: "Anna",
    role: "readonly",
    origin: "local",
    enabled: true,
    must_change_password: false,
    two_factor: { enabled: false, enrolled_at: null, recovery_codes_remaining: 0 },
    locked: null,
    tokens: 0,
    last_login_at: null,
    created_at: "2026-01-02T03:04:05.000Z",
    updated_at: "2026-01-02T03:04:05.000Z",
    ...change,
  };
}

export function pageOf(...items: object[]): Answer {
  return { body: { items, total: items.length, next_cursor: null } };
}
