import { StewardError, systemErrorCode } from "../../../contract/errors.ts";

/** OpenSSL's words for a certificate whose time has not come or is over: by a wrong clock too. */
const dateCodes: readonly string[] = [
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CRL_HAS_EXPIRED",
  "CRL_NOT_YET_VALID",
];

const otherCertificateCodes =
  /^(CERT_|UNABLE_TO_(GET|VERIFY)_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH|ERR_TLS_CERT_)/;

const words: Readonly<Record<string, string>> = {
  ENOTFOUND: "its name is not known",
  EAI_AGAIN: "no name server answers",
  ETIMEOUT: "no name server answered in time",
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "it broke the connection off",
  EPIPE: "it broke the connection off",
  EHOSTUNREACH: "there is no way to it",
  ENETUNREACH: "there is no way to its network",
  ETIMEDOUT: "it does not answer",
};

/** What an answer's way broke at: `update_server_unreachable`, with the reason `certificate_date` or `certificate`. */
export function unreachable(url: URL, cause: unknown): StewardError {
  if (cause instanceof StewardError) return cause;
  const code = firstCode(cause) ?? "";
  const where = url.protocol === "file:" ? url.pathname : url.host;
  if (dateCodes.includes(code)) {
    return new StewardError(
      "update_server_unreachable",
      `The certificate of ${where} is not valid at this time (${code}). Check this device's clock, then the certificate.`,
      { cause, details: { reason: "certificate_date" } },
    );
  }
  if (otherCertificateCodes.test(code)) {
    return new StewardError(
      "update_server_unreachable",
      `The certificate of ${where} cannot be trusted (${code}). ` +
        "Check the server's name; an authority of your own goes into update.ca_file of the host file.",
      { cause, details: { reason: "certificate" } },
    );
  }
  const why = words[code] ?? (code !== "" ? code : String(cause));
  return new StewardError("update_server_unreachable", `${where} could not be read: ${why}.`, { cause });
}

/** `update_server_refused`: what the server is, says or leads to is nothing to go on with. */
export function refused(message: string): StewardError {
  return new StewardError("update_server_refused", message);
}

export function tooSlow(message: string): StewardError {
  return new StewardError("update_too_slow", message);
}

/** Several addresses may have been tried: the first one's failure stands for them. */
function firstCode(error: unknown): string | undefined {
  if (error instanceof AggregateError && systemErrorCode(error) === undefined) {
    return error.errors.map(systemErrorCode).find((code) => code !== undefined);
  }
  return systemErrorCode(error);
}
