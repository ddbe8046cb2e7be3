import { type ConnectionFailure, connectionFailure } from "./connection-failures.ts";
import { type SurroundingName, type Surroundings, withPlace } from "./surroundings.ts";

/**
 * `unreachable`: no name, no connection, no TLS, or an answer that broke off. `refused`: an address, an answer or a redirect
 * that is not acceptable. `too_large`: more than the caller takes.
 */
type FailureKind = "unreachable" | "refused" | "too_slow" | "too_large";

/** A finer cause. */
type FailureReason = Exclude<ConnectionFailure["kind"], "connection"> | "local_server" | "ca_file" | "proxy";

interface FailureFacts {
  readonly reason?: FailureReason | undefined;
  readonly member?: string | undefined;
  readonly isSent?: boolean;
  readonly cause?: unknown;
}

/**
 * A connection that was not made or ended too early, or an answer that is not acceptable. The message is of whole sentences
 * that fit any caller, and says what to change.
 */
export class TransferFailure extends Error {
  readonly kind: FailureKind;
  /** null: the kind says all. */
  readonly reason: FailureReason | null;
  /** The member of the host file that root would change, such as `notify.proxy`; null: none is the cause. */
  readonly member: string | null;
  /** The request had been written to the server, wholly or in part, so that the server may have acted on it. */
  readonly isSent: boolean;

  constructor(kind: FailureKind, message: string, facts: FailureFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = "TransferFailure";
    this.kind = kind;
    this.reason = facts.reason ?? null;
    this.member = facts.member ?? null;
    this.isSent = facts.isSent ?? false;
  }
}

/** The failure that the error of a name resolution, of TCP or of TLS is. `where`: the server, as a sentence names it. */
export function unreachable(
  where: string,
  cause: unknown,
  surroundings: Surroundings,
  isSent = false,
): TransferFailure {
  if (cause instanceof TransferFailure) return cause;
  const { kind, why } = connectionFailure(cause);
  const reason = kind === "connection" ? undefined : kind;
  // A server that does not accept this device in the handshake has read no request.
  const wasSent = isSent && reason !== "client_certificate";
  const { advice, member } = adviceFor(kind, surroundings);
  return new TransferFailure(
    "unreachable",
    `${where} ${wasSent ? "did not answer in full" : "cannot be used"}: ${why}.${advice}`,
    { cause, reason, member, isSent: wasSent },
  );
}

type Advice = { readonly advice: string; readonly member?: string };

function adviceFor(kind: ConnectionFailure["kind"], surroundings: Surroundings): Advice {
  const named = (name: SurroundingName) => surroundings.members?.[name] ?? `network.${name}`;
  if (kind === "certificate_date") return { advice: " Check this device's clock, then the certificate." };
  if (kind === "certificate") {
    const member = named("ca_file");
    const advice =
      " Check the name of the server: a network's sign-in page, or a proxy that opens TLS, may have answered in its place. " +
      `If it uses an authority of your own, add it with ${withPlace(member)}.`;
    return { advice, member };
  }
  if (kind === "tls_version") return { advice: " Ask who runs it for TLS 1.2 or 1.3." };
  if (kind === "connection") return { advice: "" };
  const member = named("client_certificate_file");
  const advice =
    surroundings.clientCertificateFile === undefined
      ? ` Name a certificate for it with ${withPlace(member)}, or have it let this device in without.`
      : ` Compare the certificate that ${withPlace(member)} names with what the server asks for: its authority and its dates.`;
  return { advice, member };
}
