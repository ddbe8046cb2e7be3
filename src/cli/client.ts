import { readFile } from "node:fs/promises";
import * as http from "node:http";
import * as https from "node:https";
import { errorCodes } from "../contract/error-codes.ts";
import { type OperationId, operationOf } from "../contract/operations.ts";
import type { Output } from "../contract/types.ts";
import { type StewardError, systemErrorCode } from "../errors.ts";
import { type Client, CommandError } from "./context.ts";
import { AgentRefusal, fileFailure, type Problem } from "./failure.ts";
import type { Places } from "./places.ts";

/** Nobody listens: the request was not delivered, so it may be done another way. */
export class AgentAbsent extends CommandError {
  constructor(message: string) {
    super(8, message);
    this.name = "AgentAbsent";
  }
}

/** Milliseconds for one whole exchange: the longest operation is a password hash behind eight others, about 5 s. */
const patienceMilliseconds = 30_000;

interface Parts {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, unknown>>;
  body?: unknown;
}

interface Answer {
  status: number;
  contentType: string;
  text: string;
}

/**
 * The agent over its unix socket or a URL. A refusal is an AgentRefusal with the agent's code;
 * no agent at the socket is AgentAbsent, every other trouble on the way a CommandError (4 or 8).
 */
export function createHttpClient(places: Places, timeoutMilliseconds = patienceMilliseconds): Client {
  let credentials: Promise<Credentials> | undefined;
  return {
    async call<Id extends OperationId>(id: Id, input: object) {
      credentials ??= readCredentials(places);
      const request = buildRequest(id, input, await credentials);
      const answer = await exchange(places, request, timeoutMilliseconds);
      // The one place where what came over the wire becomes the contract's type.
      return readAnswer(answer, places) as Output<Id>;
    },
    async close() {},
  };
}

interface Credentials {
  token: string | undefined;
  authority: string | undefined;
}

async function readCredentials({ tokenFile, authorityFile }: Places): Promise<Credentials> {
  const read = (path: string) =>
    readFile(path, "utf8").catch((error: unknown) => {
      throw fileFailure(error, path);
    });
  const token = tokenFile === undefined ? undefined : (await read(tokenFile)).trim();
  // RFC 6750 §2.1: b64token; anything else could not be sent in the header.
  if (token !== undefined && !/^[A-Za-z0-9._~+/-]+=*$/.test(token)) {
    throw new CommandError(
      6,
      `${tokenFile} does not hold a bearer token: one line of letters, digits and ._~+/- was expected.`,
    );
  }
  return { token, authority: authorityFile === undefined ? undefined : await read(authorityFile) };
}

interface HttpRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
  authority: string | undefined;
}

function buildRequest(id: OperationId, input: object, { token, authority }: Credentials): HttpRequest {
  const operation = operationOf(id);
  const { params = {}, query = {}, body }: Parts = input;
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ""),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  const text = operation.body === undefined ? undefined : JSON.stringify(body ?? {});
  const headers: Record<string, string> = { Accept: "application/json, application/problem+json" };
  if (token !== undefined) headers.Authorization = `Bearer ${token}`;
  if (text !== undefined) headers["Content-Type"] = "application/json";
  if (operation.method !== "GET") headers["Content-Length"] = String(Buffer.byteLength(text ?? ""));
  return {
    method: operation.method,
    path: search.size > 0 ? `${path}?${search}` : path,
    headers,
    body: text,
    authority,
  };
}

function exchange(places: Places, request: HttpRequest, timeoutMilliseconds: number): Promise<Answer> {
  const { url, socketPath } = places;
  const { method, headers, body, authority } = request;
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  return new Promise<Answer>((resolve, reject) => {
    const fail = (error: Error) =>
      reject(unreachable(error, places, signal.aborted ? timeoutMilliseconds : undefined));
    const common = { method, headers, signal, agent: false } as const;
    const sent =
      url === undefined
        ? http.request({ ...common, socketPath, path: request.path, host: "localhost" })
        : sendTo(new URL(url.pathname.replace(/\/$/, "") + request.path, url), { ...common, ca: authority });
    sent.on("error", fail);
    sent.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", fail);
      response.on("end", () => {
        const contentType = response.headers["content-type"] ?? "";
        resolve({
          status: response.statusCode ?? 0,
          contentType,
          text: Buffer.concat(chunks).toString("utf8"),
        });
      });
    });
    sent.end(body);
  });
}

function sendTo(
  url: URL,
  { ca, ...options }: http.RequestOptions & { ca: string | undefined },
): http.ClientRequest {
  if (url.protocol === "http:") return http.request(url, options);
  return https.request(url, ca === undefined ? options : { ...options, ca });
}

function readAnswer({ status, contentType, text }: Answer, places: Places): unknown {
  if (status >= 200 && status < 300 && text === "") return undefined;
  const mediaType = contentType.split(";", 1)[0]?.trim();
  const document = parseJson(text);
  if (status >= 200 && status < 300 && mediaType === "application/json" && document !== undefined)
    return document;
  if (mediaType === "application/problem+json" && isProblem(document)) throw refusalOf(document, status);
  const who = places.url?.origin ?? places.socketPath;
  throw new CommandError(
    1,
    `What answers at ${who} does not speak as the agent does: status ${status}, ${mediaType || "no media type"}.`,
  );
}

function refusalOf(problem: Problem, status: number): Error {
  const code = Object.keys(errorCodes).find((known): known is StewardError["code"] => known === problem.code);
  if (code !== undefined) return new AgentRefusal(code, problem);
  // A newer agent may have codes that this program does not know: the status still tells the kind.
  const exits: Readonly<Record<number, number>> = { 401: 4, 403: 4, 404: 3, 409: 5, 412: 5, 429: 7 };
  return new CommandError(exits[status] ?? (status < 500 ? 6 : 1), `${problem.detail} (${problem.code})`);
}

function isProblem(value: unknown): value is Problem {
  if (typeof value !== "object" || value === null || !("code" in value) || !("detail" in value)) return false;
  return typeof value.code === "string" && typeof value.detail === "string";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unreachable(
  error: Error,
  { url, socketPath }: Places,
  waitedMilliseconds: number | undefined,
): CommandError {
  const where = url?.origin ?? socketPath;
  const code = systemErrorCode(error);
  if (waitedMilliseconds !== undefined) {
    const held = url === undefined ? `The agent holds ${where} but` : `The agent at ${where}`;
    return new CommandError(
      8,
      `${held} does not answer; ${waitedMilliseconds / 1000} seconds were waited. Whether the request was carried out is not known.`,
    );
  }
  if (url === undefined && (code === "ENOENT" || code === "ECONNREFUSED")) {
    return new AgentAbsent(
      `The agent is not running: nobody listens at ${where}. Start it, or name its socket with --socket.`,
    );
  }
  if (url === undefined && (code === "EACCES" || code === "EPERM")) {
    return new CommandError(
      4,
      `This user may not open ${where}; run the command as root or as the service's user.`,
    );
  }
  if (code === "ECONNRESET") {
    return new CommandError(
      8,
      `The agent at ${where} ended the connection without an answer. Whether the request was carried out is not known.`,
    );
  }
  const certificate = /CERT|TLS|SELF_SIGNED|UNABLE_TO/.test(code ?? "")
    ? " Its certificate cannot be verified: name its authority with --cacert, and check this machine's clock."
    : "";
  return new CommandError(8, `The agent at ${where} cannot be reached: ${error.message}.${certificate}`);
}
