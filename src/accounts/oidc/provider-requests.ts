import { StewardError } from "../../contract/errors.ts";
import { readAnswer } from "../../host/answer-body.ts";
import type { Transfer, TransferLimits, Transfers } from "../../host/ports.ts";
import { TransferFailure } from "../../host/transfer-failure.ts";
import { refusedAnswer } from "./refusals.ts";

/** Sends one request of a sign-in, as fetch would. Throws `provider_unreachable` and `provider_refused`. */
export type ProviderRequest = (
  url: string,
  options: { readonly headers: Record<string, string>; readonly body?: URLSearchParams | null | undefined },
) => Promise<Response>;

const limits: TransferLimits = { headSeconds: 10, minimumBytesPerSecond: 512, rateWindowSeconds: 5 };

/** Milliseconds for one whole answer. */
const answerMilliseconds = 15_000;

/** Bytes of an answer. A discovery document has some 5 KiB, twenty keys with their certificates 60 KiB. */
const mostBytes = 256 * 1024;

/** Sends the requests of sign-ins, bounded in time and bytes, only to origins that root has named, without redirects. */
export function createProviderRequest(
  transfers: Transfers,
  /** Origins that the device asks. A provider could send the device to any other. */
  origins: readonly string[],
): ProviderRequest {
  return async (url, { headers, body }) => {
    const { origin, host } = new URL(url);
    if (!origins.includes(origin)) {
      throw refusedAnswer(
        "endpoint",
        `It names ${origin.slice(0, 128)}, which is not one of ${origins.join(", ")}. Other origins go into oidc.endpoint_origins of the host file.`,
      );
    }
    const signal = AbortSignal.timeout(answerMilliseconds);
    try {
      const answer = await transfers.open(url, { headers, post: body?.toString(), limits, signal });
      try {
        return asResponse(answer, (await readAnswer(host, answer, mostBytes)).toString("utf8"));
      } finally {
        answer.close();
      }
    } catch (cause) {
      throw signal.aborted ? unreachable(host, "it did not answer in time", cause) : failure(host, cause);
    }
  };
}

/** The part of a Response that oauth4webapi reads; Node's would load fetch, 3 MiB. Its tag is that of the present class. */
function asResponse({ status, headers }: Transfer, text: string): Response {
  class ProviderResponse {
    readonly status = status;
    readonly bodyUsed = false;
    readonly body = null;
    readonly headers = { get: (name: string) => headers[name.toLowerCase()] ?? null };
    get [Symbol.toStringTag](): string | undefined {
      return (Response.prototype as { [Symbol.toStringTag]?: string })[Symbol.toStringTag];
    }
    async text(): Promise<string> {
      return text;
    }
    async json(): Promise<unknown> {
      return JSON.parse(text);
    }
    clone(): this {
      return this;
    }
  }
  return new ProviderResponse() as unknown as Response;
}

/** Strangers can ask for a sign-in: they do not learn which proxy and which files there are. */
function failure(host: string, error: unknown): unknown {
  if (!(error instanceof TransferFailure)) return error;
  const { kind, reason, member } = error;
  if (kind === "too_slow") return unreachable(host, "it is too slow", error);
  if (kind === "too_large") {
    return refusedAnswer("size", `An answer has more than ${mostBytes / 1024} KiB.`);
  }
  if (kind === "refused" && reason !== "proxy") {
    return refusedAnswer(
      "endpoint",
      `${host} redirects, or sends far more than an answer, or is on this device or its own link, which takes oidc.allow_local_servers in the host file.`,
    );
  }
  return unreachable(host, whys[reason ?? ""]?.(`${member} of the host file`) ?? noConnection, error);
}

const noConnection = "no connection could be made. Check that this device can resolve its name and reach it";

const whys: Readonly<Record<string, (member: string) => string>> = {
  certificate: (member) => `its certificate cannot be trusted. An authority of your own goes into ${member}`,
  certificate_date: () => "its certificate is not valid at this time. Check the clock of this device",
  ca_file: (member) => `${member} cannot be used`,
  client_certificate: (member) => `it does not let this device in without a certificate, see ${member}`,
  tls_version: () => "it speaks no TLS from version 1.2 on",
  proxy: (member) => `the proxy does not connect to it, see ${member}`,
};

function unreachable(host: string, why: string, cause: unknown): StewardError {
  return new StewardError(
    "provider_unreachable",
    `The sign-in provider ${host} cannot be used: ${why}. Try again, or sign in with an account of this device.`,
    { cause },
  );
}
