import { StewardError, systemErrorCode } from "../../../contract/errors.ts";

/** OpenSSL's codes for a certificate that is not valid yet or has expired, possibly by a wrong clock. */
const dateCodes: readonly string[] = [
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CRL_HAS_EXPIRED",
  "CRL_NOT_YET_VALID",
];

const otherCertificateCodes =
  /^(CERT_|UNABLE_TO_(GET|VERIFY)_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH|ERR_TLS_CERT_)/;

const words: Readonly<Record<string, string>> = {
  ENOTFOUND: "its name cannot be resolved",
  EAI_AGAIN: "the name servers do not answer",
  ETIMEOUT: "no name server answered in time",
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "it closed the connection",
  EPIPE: "it closed the connection",
  EHOSTUNREACH: "there is no route to it",
  ENETUNREACH: "there is no route to its network",
  ETIMEDOUT: "it does not answer",
};

/** The error of a failed transfer: `update_server_unreachable`, with the reason `certificate_date` or `certificate`. */
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
        "Check the name of the server. If it uses an authority of your own, add it with update.ca_file in the host file.",
      { cause, details: { reason: "certificate" } },
    );
  }
  const why = words[code] ?? (code !== "" ? code : String(cause));
  return new StewardError("update_server_unreachable", `${where} could not be read: ${why}.`, { cause });
}

/** `update_server_refused`: the server's address, answer or redirect is not acceptable. */
export function refused(message: string): StewardError {
  return new StewardError("update_server_refused", message);
}

export function tooSlow(message: string): StewardError {
  return new StewardError("update_too_slow", message);
}

/** If several addresses were tried, the failure of the first. */
function firstCode(error: unknown): string | undefined {
  if (error instanceof AggregateError && systemErrorCode(error) === undefined) {
    return error.errors.map(systemErrorCode).find((code) => code !== undefined);
  }
  return systemErrorCode(error);
}
