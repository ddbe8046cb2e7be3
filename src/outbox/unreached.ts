import { messageOf, StewardError } from "../contract/errors.ts";
import { type ConnectionFailure, connectionFailure } from "../host/connection-failures.ts";

const advice: Readonly<Record<ConnectionFailure["kind"], string>> = {
  connection: "Check the address of the receiver, and the network and the name servers of this device.",
  certificate:
    "Check the name of the server, and that its certificate is from an authority that this device trusts.",
  certificate_date: "Check the clock of this device, then the certificate.",
};

/**
 * The sentences about a receiver's server that no message reached. `where`: its host. `cause`: the error of the
 * connection, or the StewardError of an address that is not allowed.
 */
export function unreached(where: string, cause: unknown): string {
  if (cause instanceof StewardError && cause.details.reason === "local_server")
    return (
      `${where} is this device or is on its own link, and no message is sent there. ` +
      "Set another address; for a trial, root sets notify.allow_local_servers in the host file."
    );
  if (cause instanceof StewardError && cause.code === "update_too_slow") return tooLate(where);
  if (cause instanceof StewardError && cause.details.reason === "ca_file")
    return `Nothing was sent to ${where}: the file of certificate authorities that the host file names cannot be used (${messageOf(cause.cause)}). Repair it.`;
  const isWrapped = cause instanceof StewardError && cause.cause !== undefined;
  const { kind, why } = connectionFailure(isWrapped ? cause.cause : cause);
  return `Nothing was sent to ${where}: ${why}. ${advice[kind]}`;
}

/** The sentences about a server that took too long. */
export function tooLate(where: string): string {
  return `${where} did not answer in time. Check that it runs, and that this device reaches it.`;
}

/** The sentence about a delivery that the device itself ended. */
export function cancelled(where: string): string {
  return `The delivery to ${where} was cancelled, because the agent stops or its settings have changed.`;
}
