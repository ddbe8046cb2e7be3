import { type IncomingMessage, ServerResponse } from "node:http";
import { checkAnswer } from "./answer-rules.ts";
import type { Answer } from "./running-agent.ts";

const faults: string[] = [];
let isHeld = false;

/**
 * From now on every answer that an agent in this process gives is held against the contract: to tests, browsers and the
 * command line alike, over every listener. What is wrong is kept for `assertAnswersHeld`.
 */
export function holdAnswers(): void {
  if (isHeld) return;
  isHeld = true;
  const end = ServerResponse.prototype.end;
  ServerResponse.prototype.end = function (
    this: ServerResponse & { req: IncomingMessage },
    ...args: never[]
  ) {
    // To a client who has left, koa sends nothing.
    if (this.socket?.writable === true) hold(this, args[0]);
    return Reflect.apply(end, this, args);
  } as typeof end;
}

export function assertAnswersHeld(): void {
  const told = faults.splice(0);
  if (told.length > 0) throw new Error(`Answers that the contract does not announce:\n${told.join("\n")}`);
}

function hold(response: ServerResponse & { req: IncomingMessage }, body: unknown): void {
  const { method = "", url = "" } = response.req;
  const headers = response.getHeaders() as Answer["headers"];
  // Other servers of a test, and streams, whose body was written before.
  const isAgents =
    headers["x-request-id"] !== undefined && headers["cross-origin-resource-policy"] !== undefined;
  const isStream = String(headers["content-type"]).startsWith("text/event-stream");
  if (!isAgents || isStream || !url.startsWith("/api/") || headers["content-encoding"] !== undefined) return;
  const text = method === "HEAD" || !(typeof body === "string" || Buffer.isBuffer(body)) ? "" : String(body);
  try {
    const json = text !== "" && /json$/.test(String(headers["content-type"])) ? JSON.parse(text) : undefined;
    // Node adds the date when it sends.
    const sent = { ...headers, date: headers.date ?? new Date().toUTCString() };
    checkAnswer(method, url, { status: response.statusCode, headers: sent, text, json });
  } catch (error) {
    faults.push(error instanceof Error ? error.message : String(error));
  }
}
