import { connect, type Socket } from "node:net";
import type { Answer } from "./running-agent.ts";

export interface RawAnswers {
  /** Interim answers (100) left out. */
  answers: Answer[];
  /** True when the agent ended the connection, false when the time ran out. */
  isClosed: boolean;
  text: string;
}

export interface RawOptions {
  port: number;
  socketPath?: string;
  /** Stop reading once so many answers have come; without it, once the agent closes. */
  expect?: number;
  isEnding?: boolean;
  /** Bound of the wait, in milliseconds; what comes at all comes before it on any machine. */
  milliseconds?: number;
}

const longMilliseconds = 120_000;

export function sendRaw(bytes: string | Uint8Array, options: RawOptions): Promise<RawAnswers> {
  const { port, expect = Number.POSITIVE_INFINITY, milliseconds = longMilliseconds } = options;
  return new Promise((resolve) => {
    const socket = connect(options.socketPath ? { path: options.socketPath } : { host: "127.0.0.1", port });
    const chunks: Buffer[] = [];
    const finish = (isClosed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      const text = Buffer.concat(chunks).toString("utf8");
      resolve({ answers: readAnswers(text), isClosed, text });
    };
    const timer = setTimeout(() => finish(false), milliseconds);
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      if (readAnswers(Buffer.concat(chunks).toString("utf8")).length >= expect) finish(false);
    });
    socket.on("error", () => undefined);
    socket.once("close", () => finish(true));
    if (options.isEnding) socket.end(bytes);
    else socket.write(bytes);
  });
}

export function openSilently(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => resolve(socket));
    socket.once("error", reject);
  });
}

/** A request's bytes: the line, Host, further header lines, the body as it is. */
export function requestText(line: string, headers: readonly string[] = [], body = ""): string {
  return [`${line} HTTP/1.1`, "Host: 127.0.0.1", ...headers, "", body].join("\r\n");
}

/** Complete answers in the order in which they came. */
function readAnswers(text: string): Answer[] {
  const answers: Answer[] = [];
  let rest = text;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) return answers;
    const [statusLine = "", ...lines] = rest.slice(0, end).split("\r\n");
    const headers = Object.fromEntries(lines.map(readHeader));
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
    const bytes = Buffer.from(rest.slice(end + 4));
    const length = Number(headers["content-length"] ?? 0);
    if (bytes.length < length) return answers;
    const body = bytes.subarray(0, length).toString("utf8");
    rest = bytes.subarray(length).toString("utf8");
    if (status >= 200) answers.push({ status, headers, text: body, json: parsedOrNot(body) });
  }
}

function readHeader(line: string): [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

function parsedOrNot(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
