import { StewardError } from "../../../contract/errors.ts";
import { connectionFailure } from "../../connection-failures.ts";

const advice = {
  certificate_date: " Check this device's clock, then the certificate.",
  certificate:
    " Check the name of the server: a network's sign-in page, or a proxy that opens TLS, may have answered in its place. " +
    "If it uses an authority of your own, add it with update.ca_file in the host file.",
  connection: "",
};

/** The server in an error, and the proxy on the way to it. */
export function placeOf({ host }: URL, proxy: URL | undefined): string {
  return proxy === undefined ? host : `${host} (through the proxy ${proxy.host})`;
}

/** The error of a failed transfer: `update_server_unreachable`, with the reason `certificate_date` or `certificate`. */
export function unreachable(where: string, cause: unknown): StewardError {
  if (cause instanceof StewardError) return cause;
  const { kind, why } = connectionFailure(cause);
  const details = kind === "connection" ? {} : { reason: kind };
  return new StewardError("update_server_unreachable", `${where} could not be read: ${why}.${advice[kind]}`, {
    ...{ cause, details },
  });
}

/** The failure of a connection to the proxy is the proxy's, whatever server was asked for. */
export async function blaming<T>(proxy: URL | undefined, opening: Promise<T>): Promise<T> {
  return opening.catch((cause: unknown) => {
    if (proxy === undefined) throw cause;
    throw unreachable(`The proxy ${proxy.host} (update.proxy in the host file)`, cause);
  });
}

/** The error of a proxy that answered for itself (RFC 9110 §9.3.6, §15.5.8). `status` is NaN where its answer is not HTTP. */
export function proxyRefused(proxy: URL, target: string, status: number): StewardError {
  const answered = Number.isNaN(status) ? "its answer is not HTTP" : `it answered ${status}`;
  const advised =
    status === 407
      ? "It asks for a user name and a password, which are never sent: have it let this device through without."
      : "Ask who runs it whether it reaches that server, and lets this device do so.";
  const message = `The proxy ${proxy.host} (update.proxy in the host file) did not connect to ${target}: ${answered}. ${advised}`;
  return status >= 500 ? new StewardError("update_server_unreachable", message) : refused(message);
}

/**
 * `update_server_refused`: the server's address, answer or redirect is not acceptable. `reason`: `local_server` for an
 * address of this device or of its own link.
 */
export function refused(message: string, reason?: "local_server"): StewardError {
  return new StewardError("update_server_refused", message, { ...(reason && { details: { reason } }) });
}

export function tooSlow(message: string): StewardError {
  return new StewardError("update_too_slow", message);
}
