import { type ClientRequest, type RequestOptions, request as requestByHttp } from "node:http";
import { connect } from "node:net";
import { StewardError, systemErrorCode } from "../../contract/errors.ts";
import { type OperationId, operationOf } from "../../contract/operations.ts";
import type { Upload } from "../../contract/types.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { givenText } from "../../terminal/given-text.ts";
import type { Places } from "./places.ts";

/** No agent listens: the request was not delivered, so it may be done another way. */
export class AgentAbsent extends CommandError {
  constructor(message: string) {
    super(8, message);
    this.name = "AgentAbsent";
  }
}

/** The agent is absent, or has refused because it is stopping: nothing was done, and it may be done another way. */
export function isAway(error: unknown): error is AgentAbsent | StewardError {
  return error instanceof AgentAbsent || (error instanceof StewardError && error.code === "shutting_down");
}

export type Credentials = Awaited<ReturnType<typeof readCredentials>>;

/** From the files named on the command line. Throws CommandError(6) for what cannot be a token. */
export async function readCredentials({ tokenFile, authorityFile }: Places) {
  const token = tokenFile === undefined ? undefined : (await givenText(tokenFile)).trim();
  // RFC 6750 §2.1: b64token; anything else could not be sent in the header.
  if (token !== undefined && !/^[A-Za-z0-9._~+/-]+=*$/.test(token)) {
    throw new CommandError(
      6,
      `${tokenFile} does not contain a bearer token: one line of letters, digits and ._~+/- is expected.`,
    );
  }
  return {
    token,
    authority:
      authorityFile === undefined ? undefined : await givenText(authorityFile, { otherwise: "windows-1252" }),
  };
}

export type HttpRequest = ReturnType<typeof buildRequest>;

interface Parts {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, unknown>>;
  body?: unknown;
}

export function buildRequest(id: OperationId, input: object, { token, authority }: Credentials) {
  const operation = operationOf(id);
  const { params = {}, query = {}, body }: Parts = input;
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ""),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  const upload = operation.upload && (body as Upload);
  const text = operation.body === undefined ? undefined : JSON.stringify(body ?? {});
  const headers: Record<string, string> = {
    Accept: `${operation.response.mediaType ?? "application/json"}, application/problem+json`,
  };
  if (token !== undefined) headers.Authorization = `Bearer ${token}`;
  if (text !== undefined) headers["Content-Type"] = "application/json";
  if (upload) Object.assign(headers, headersOf(upload));
  else if (operation.method !== "GET") headers["Content-Length"] = String(Buffer.byteLength(text ?? ""));
  return {
    method: operation.method,
    path: search.size > 0 ? `${path}?${search}` : path,
    headers,
    body: upload ?? text,
    authority,
  };
}

/** The agent refuses a file before it is sent, if it can. */
function headersOf({ lengthBytes }: Upload): Record<string, string> {
  return {
    "Content-Type": "application/octet-stream",
    Expect: "100-continue",
    ...(lengthBytes !== null && { "Content-Length": String(lengthBytes) }),
  };
}

/** Sends a request, over TLS if the URL says so; TLS takes as long to load as all of a short command. */
export type Send = (target: URL | RequestOptions, options?: RequestOptions) => ClientRequest;

export async function loadSend({ url }: Places): Promise<Send> {
  const request = url?.protocol === "https:" ? (await import("node:https")).request : requestByHttp;
  return (target, options = {}) => (target instanceof URL ? request(target, options) : request(target));
}

/** Opens a request over the socket or to the URL; the caller sends the body. */
export function openRequest(
  send: Send,
  places: Places,
  { method, path, headers, authority }: HttpRequest,
  signal: AbortSignal,
): ClientRequest {
  const { url, socketPath } = places;
  const common = { method, headers, signal };
  // An agent of Node's would look whether "localhost" is an address: the pattern of all IPv6 addresses takes it 4 ms.
  if (url === undefined)
    return send({ ...common, createConnection: () => connect(socketPath), path, host: "localhost" });
  const target = new URL(url.pathname.replace(/\/$/, "") + path, url);
  return send(target, { ...common, agent: false, ...(authority !== undefined && { ca: authority }) });
}

/** The reason why no answer came. `waitedMilliseconds`: after which the command stopped waiting, if it did. */
export function unreachable(
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
      `${held} did not answer within ${waitedMilliseconds / 1000} seconds. It is not known whether the request was carried out.`,
    );
  }
  if (url === undefined && (code === "ENOENT" || code === "ECONNREFUSED")) {
    return new AgentAbsent(
      `The agent is not running: no program listens at ${where}. Start it, or name its socket with --socket; \`steward doctor\` says why it is down.`,
    );
  }
  if (url === undefined && (code === "EACCES" || code === "EPERM")) {
    return new CommandError(
      4,
      `This user cannot open ${where}; run the command as root or as the service's user.`,
    );
  }
  if (code === "ECONNRESET") {
    return new CommandError(
      8,
      `The agent at ${where} ended the connection without an answer. It is not known whether the request was carried out.`,
    );
  }
  const certificate = /CERT|TLS|SELF_SIGNED|UNABLE_TO/.test(code ?? "")
    ? " Its certificate cannot be verified: name its authority with --cacert, and check this machine's clock."
    : "";
  return new CommandError(8, `The agent at ${where} cannot be reached: ${error.message}.${certificate}`);
}
