import { messageOf } from "../contract/errors.ts";
import { TransferFailure } from "../host/transfer-failure.ts";

/** The sentences about a receiver's server that no message reached. `where`: its host. `cause`: of the connection. */
export function unreached(where: string, cause: unknown): string {
  if (!(cause instanceof TransferFailure)) return `The delivery to ${where} failed: ${messageOf(cause)}.`;
  const { kind, reason, message, isSent } = cause;
  if (kind === "too_slow") return tooLate(where);
  if (reason === "local_server") return `${message} Nothing was sent. Set another address.`;
  if (isSent) return message;
  const isOfNetwork = kind === "unreachable" && reason === null;
  return `${message} Nothing was sent.${isOfNetwork ? ` ${adviceForNetwork}` : ""}`;
}

const adviceForNetwork =
  "Check the address of the receiver, and the network and the name servers of this device.";

/** The sentences about a server that took too long. */
export function tooLate(where: string): string {
  return `${where} did not answer in time. Check that it runs, and that this device reaches it.`;
}

/** The sentence about a delivery that the device itself ended. */
export function cancelled(where: string): string {
  return `The delivery to ${where} was cancelled, because the agent stops or its settings have changed.`;
}
