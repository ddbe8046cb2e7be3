import { StewardError } from "../../../contract/errors.ts";
import { connectionFailure } from "../../connection-failures.ts";

/** The error of a failed transfer: `update_server_unreachable`, with the reason `certificate_date` or `certificate`. */
export function unreachable(url: URL, cause: unknown): StewardError {
  if (cause instanceof StewardError) return cause;
  const { kind, code, why } = connectionFailure(cause);
  const where = url.protocol === "file:" ? url.pathname : url.host;
  if (kind === "certificate_date") {
    return new StewardError(
      "update_server_unreachable",
      `The certificate of ${where} is not valid at this time (${code}). Check this device's clock, then the certificate.`,
      { cause, details: { reason: kind } },
    );
  }
  if (kind === "certificate") {
    return new StewardError(
      "update_server_unreachable",
      `The certificate of ${where} cannot be trusted (${code}). ` +
        "Check the name of the server. If it uses an authority of your own, add it with update.ca_file in the host file.",
      { cause, details: { reason: kind } },
    );
  }
  return new StewardError("update_server_unreachable", `${where} could not be read: ${why}.`, { cause });
}

/**
 * `update_server_refused`: the server's address, answer or redirect is not acceptable. `reason`: `local_server` for an
 * address of this device or of its own link.
 */
export function refused(message: string, reason?: "local_server"): StewardError {
  return new StewardError(
    "update_server_refused",
    message,
    reason === undefined ? {} : { details: { reason } },
  );
}

export function tooSlow(message: string): StewardError {
  return new StewardError("update_too_slow", message);
}
