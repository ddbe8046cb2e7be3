import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { objectIn, wellFormed } from "../../contract/text/json-of.ts";
import type { Transfer, Transfers } from "../../host/ports.ts";
import { readRetryAfter } from "../../host/retry-after.ts";
import { TransferFailure } from "../../host/transfer-failure.ts";
import { attempt, beginningOf, quoted, requestLimits, requestMilliseconds, statusText } from "../failures.ts";
import { type Delivery, retry } from "../receiver.ts";

export interface ExporterOptions {
  /** The place that `/v1/logs` and `/v1/metrics` follow, as in OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  /** Headers of each request, such as `authorization`; lower-case names. Throws an error whose message is a sentence. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  /** Opened without redirects (`redirects: null`). */
  readonly transfers: Transfers;
}

/** Bytes of an answer that are read. A whole one is far smaller. */
const mostAnswerBytes = 65_536;

/** OTLP/HTTP, "Retryable Response Codes". */
const retryable: readonly number[] = [429, 502, 503, 504];

/** Seconds until a request is sent again that a person has to repair something for first. */
const repairSeconds = 3_600;

const compressed = promisify(gzip);

/** Sends one request of OTLP/HTTP in JSON, compressed. Tries once, never throws. */
export async function exported(
  { url, headers, transfers }: ExporterOptions,
  signal: "logs" | "metrics",
  request: object,
  ending: AbortSignal,
): Promise<Delivery> {
  const { host } = new URL(url);
  return attempt(host, requestMilliseconds, ending, async (whole) => {
    try {
      const answer = await transfers.open(`${url.replace(/\/+$/, "")}/v1/${signal}`, {
        headers: {
          ...(await headers()),
          ...{ "content-type": "application/json", "content-encoding": "gzip" },
        },
        post: await compressed(wellFormed(JSON.stringify(request))),
        ...{ limits: requestLimits, signal: whole },
      });
      return outcomeOf(host, answer, await beginningOf(answer, mostAnswerBytes));
    } catch (error) {
      if (error instanceof UnusableHeaders) return retry(error.message);
      if (error instanceof TransferFailure && error.reason === "local_server") return retry(localAt(host));
      throw error;
    }
  });
}

function localAt(host: string): string {
  return `The name ${host} leads to this device or its own link, where nothing is sent. For a collector on this device write http://127.0.0.1:4318 into telemetry.otlp.url of the host file.`;
}

/** The headers cannot be read; its message is a sentence for a person. */
export class UnusableHeaders extends Error {}

function outcomeOf(host: string, transfer: Transfer, body: Buffer): Delivery {
  const { status, headers } = transfer;
  const answer = statusText(transfer);
  const text = String(body);
  const isPage = text.trimStart().startsWith("<");
  if (status >= 200 && status < 300 && !isPage) return accepted(host, answer, text);
  const reason = statusMessage(body);
  // The title says what a page of a proxy or of a network's sign-in is.
  const [, title = ""] = (isPage && /<title>([^<]*)/i.exec(text)) || [];
  const error = `${host} answered ${answer}${quoted(reason ?? (title || text))}.`;
  // "Bad Data" in a collector's own form: sent again, it would be refused again. Others' 400 says nothing about the data.
  if (status === 400 && reason !== null) return { outcome: "refused", answer, error: `${error} ${notAgain}` };
  const seconds = readRetryAfter(headers);
  if (retryable.includes(status)) return retry(`${error} ${busy}`, seconds);
  return retry(`${error} ${adviceFor(status)}`, Math.max(seconds ?? 0, repairSeconds));
}

function adviceFor(status: number): string {
  if (status < 300 || status === 400)
    return "That is not the answer of an OTLP collector, but of another server or of a proxy before it: check telemetry.otlp.url, and whether it asks this device for a certificate.";
  if (status >= 300 && status < 400)
    return "Redirects are not followed: write the address that it leads to into telemetry.otlp.url.";
  if (status === 401 || status === 403)
    return "It does not accept the headers of telemetry.otlp.headers_file: check the token in that file.";
  if (status === 404 || status === 405)
    return "Nothing takes OTLP there: telemetry.otlp.url is the address that /v1/logs and /v1/metrics follow.";
  return "Check telemetry.otlp of the host file, and the collector.";
}

const busy = "If that lasts, look at the collector's load and at its own log.";

const notAgain =
  "The refused part is not sent again, as the protocol demands. Look at the limits of the collector.";

/** The words of an answer that accepts all, maybe with a warning, or a part. */
function accepted(host: string, answer: string, text: string): Delivery {
  const { partialSuccess } = (objectIn(text) ?? {}) as { readonly partialSuccess?: PartialSuccess | null };
  const { rejectedLogRecords, rejectedDataPoints, errorMessage = "" } = partialSuccess ?? {};
  const words = quoted(String(errorMessage));
  const rejected = Number(rejectedLogRecords ?? rejectedDataPoints ?? 0);
  if (!(rejected > 0)) return { outcome: "taken", answer: `${answer}${words}` };
  const what = rejectedLogRecords === undefined ? "values" : "events";
  return {
    ...{ outcome: "refused", answer, events: rejected },
    error: `${host} took the message, but refused ${rejected} of its ${what}${words}. ${notAgain}`,
  };
}

/** Members of an answer, each of which may be of any type. */
type PartialSuccess = Readonly<
  Partial<Record<"rejectedLogRecords" | "rejectedDataPoints" | "errorMessage", unknown>>
>;

/** google.rpc.Status: `code`, which OTLP does not use and may be absent, `message` and `details`. */
const members: readonly string[] = ["code", "message", "details"];

/** Its highest code. */
const mostCode = 16;

/**
 * The message of a `Status`, by which a collector says why it refuses a request (OTLP/HTTP, "Failures"); null: the body is
 * none. A collector answers in the form of the request, which is JSON; Loki does so in Protobuf whatever was sent.
 */
function statusMessage(body: Buffer): string | null {
  const value = objectIn(String(body));
  if (value === undefined) return messageField(body);
  const { message, code = 0 } = value;
  const isOne = Object.keys(value).every((name) => members.includes(name)) && Number(code) <= mostCode;
  return isOne && typeof message === "string" ? message : null;
}

/** The tags of its three fields in Protobuf. */
const tags = { code: 0x08, message: 0x12, details: 0x1a } as const;

/** The message of one in Protobuf, of which every byte must be understood. */
function messageField(body: Buffer): string | null {
  let [at, message]: [number, string | null] = [0, null];
  const varint = (): number => {
    for (let [value, unit] = [0, 1]; at < body.length; unit *= 128) {
      const byte = body[at++] ?? 0;
      value += (byte % 128) * unit;
      if (byte < 128) return value;
    }
    return Number.NaN;
  };
  while (at < body.length) {
    const tag = body[at++];
    const value = varint();
    if (Number.isNaN(value)) return null;
    if (tag === tags.code) continue;
    if ((tag !== tags.message && tag !== tags.details) || at + value > body.length) return null;
    if (tag === tags.message) message = body.toString("utf8", at, at + value);
    at += value;
  }
  return message;
}
