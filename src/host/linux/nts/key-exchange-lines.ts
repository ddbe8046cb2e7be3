import type { Readable } from "node:stream";
import { objectIn } from "../../../contract/text/json-of.ts";
import type { KeyExchangeOutcome, KeyRequest, NtsKeys } from "../../nts-ports.ts";

/** Characters of a line: the keys, eight cookies of the greatest size and a name take 12,000. */
const mostCharacters = 32_768;

/** Cookies of one answer, and bytes of each (RFC 8915 §5.7). */
const mostCookies = 8;
const mostCookieBytes = 1_024;

const keyBytes = 32;

/** `id`: the number that joins an answer to its request. */
export interface NumberedRequest {
  readonly id: number;
  readonly request: KeyRequest;
}

export interface NumberedOutcome {
  readonly id: number;
  readonly outcome: KeyExchangeOutcome;
}

/** Calls `onLine` for each whole line; `onExcess` once, in place of all further lines, where one is too long. */
export function onEachLine(stream: Readable, onLine: (line: string) => void, onExcess: () => void): void {
  let begun = "";
  let isOver = false;
  stream.setEncoding("utf8").on("data", (text: string) => {
    if (isOver) return;
    const [first = "", ...others] = text.split("\n");
    const lines = [begun + first, ...others];
    begun = lines.pop() ?? "";
    isOver = [begun, ...lines].some(({ length }) => length > mostCharacters);
    if (isOver) onExcess();
    else lines.forEach(onLine);
  });
}

/** The first line of the process: it has started, and reads requests. */
export const readsLine = "";

export function requestLine(request: NumberedRequest): string {
  return `${JSON.stringify(request)}\n`;
}

export function outcomeLine({ id, outcome }: NumberedOutcome): string {
  if (outcome.kind === "failed") return `${JSON.stringify({ id, failure: outcome.failure })}\n`;
  const { c2s, s2c, cookies, host, port } = outcome.keys;
  const keys = { c2s: textOf(c2s), s2c: textOf(s2c), cookies: cookies.map(textOf), host, port };
  return `${JSON.stringify({ id, keys })}\n`;
}

/** The outcome in a line; null: none. The process has read what a server sent, so only what has the form counts. */
export function outcomeIn(line: string): NumberedOutcome | null {
  const { id, failure, keys } = objectIn(line) ?? {};
  if (typeof id !== "number") return null;
  if (typeof failure === "string") return { id, outcome: { kind: "failed", failure } };
  const found = keysIn(keys);
  return found && { id, outcome: { kind: "keys", keys: found } };
}

function keysIn(value: unknown): NtsKeys | null {
  if (typeof value !== "object" || value === null) return null;
  const { c2s, s2c, cookies, host, port } = value as Record<string, unknown>;
  if (typeof host !== "string" || typeof port !== "number" || !Array.isArray(cookies)) return null;
  const [forServer, forClient, ...held] = [c2s, s2c, ...cookies].map(bytesOf);
  const isWhole =
    forServer?.length === keyBytes &&
    forClient?.length === keyBytes &&
    held.length >= 1 &&
    held.length <= mostCookies &&
    held.every(({ length }) => length >= 1 && length <= mostCookieBytes);
  return isWhole ? { c2s: forServer, s2c: forClient, cookies: held, host, port } : null;
}

/** Empty where it is no text. */
function bytesOf(text: unknown): Uint8Array {
  return Uint8Array.from(Buffer.from(typeof text === "string" ? text : "", "base64"));
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}
