import { messageOf } from "../contract/errors.ts";
import type { TransferFailure } from "../host/transfer-failure.ts";
import { inQuotes, tooLate, unreached } from "./failures.ts";
import { type Delivery, retry } from "./receiver.ts";

export const smtpCommands = ["EHLO", "STARTTLS", "AUTH", "MAIL FROM", "RCPT TO", "DATA", "QUIT"] as const;

/** The parts of a session (RFC 3207, RFC 4954, RFC 5321): a command, or `end`, the reply that follows the whole mail. */
export type SmtpStep = (typeof smtpCommands)[number] | "greeting" | "TLS" | "end";

export interface RefusedRecipient {
  readonly recipient: string;
  readonly reply: string;
}

interface FailedSession {
  readonly step: SmtpStep;
  /** The name that the device has greeted the server by. */
  readonly greeting: string;
  /** The server's reply at that step; undefined: there was none. */
  readonly reply: string | undefined;
  /** All recipients, where the step is theirs. */
  readonly refused: readonly RefusedRecipient[];
  /** nodemailer's error, whose own code hides the one that says why; or the reason of a signal. */
  readonly cause: Error & { readonly code?: string; readonly originalCode?: string };
}

export class SmtpFailure extends Error {
  readonly session: FailedSession;

  constructor(session: FailedSession) {
    super(`the mail was not sent (${session.step})`, { cause: session.cause });
    this.session = session;
  }
}

const askThem = "Ask who runs the server.";
const ifItLasts = "If that lasts, ask who runs the server.";
const ports = "Port 465 is for TLS from the first byte (tls), port 587 for STARTTLS (starttls).";
const withoutTls =
  "did not encrypt the connection: {reply}. Neither the password nor the mail was sent. " +
  `Either it offers no STARTTLS on this port, or someone between removes it. ${ports}`;

/** The sentences that follow the server's name, by the step and the beginning of the reply: the longest that fits. */
const sentences: Readonly<Record<string, string>> = {
  "greeting 5": `takes no mail from this device: {reply}. ${askThem}`,
  EHLO:
    "did not accept {greeting}, the name that this device greets it by: {reply}. No mail was sent. " +
    "Ask who runs the server, or let root give this device a host name with a domain that name servers know.",
  "EHLO 4":
    "takes no mail at present from this device, which greets it as {greeting}: {reply}. " +
    "If that lasts, ask who runs the server whether it accepts this name.",
  // RFC 5321 §4.1.1.1: a server without EHLO has no extension.
  ...{ "EHLO 500": withoutTls, "EHLO 502": withoutTls, STARTTLS: withoutTls },
  "STARTTLS 4":
    "did not encrypt the connection: {reply}. Neither the password nor the mail was sent. " +
    `${ifItLasts} Someone between may say so as well.`,
  "AUTH 4": `cannot check the sign-in at present: {reply}. No mail was sent. ${ifItLasts}`,
  "AUTH 50":
    "offers no sign-in with a user name and a password here: {reply}. No mail was sent. " +
    "Take the port and the kind of account that this provider has for devices, or leave out the user name.",
  AUTH:
    "did not accept the user name and the password: {reply}. No mail was sent. Set both again. " +
    "If they are right, the provider wants an app password, or has switched this kind of sign-in off.",
  "MAIL FROM 5": "refused the sender: {reply}. Set a sender (from) that this server sends mail for.",
  "RCPT TO 5":
    "refused the recipients: {reply}. Check the recipients (to), and whether the server wants a user name and a password.",
  " 530":
    "takes mail only after a sign-in: {reply}. Set a user name, and its password with steward notify secret.",
  " 4": `does not take the mail at present: {reply}. ${ifItLasts}`,
  "": `refused the mail: {reply}. ${askThem}`,
};

/** RFC 3463: too long (5.2.3, 5.3.4), or a content that this server never takes (5.6). */
const neverTaken = /^5\d\d[ -]5\.(2\.3|3\.4|6\.\d{1,3})\b/;

/**
 * The end of an attempt that failed. `where`: host and port. A person may mend most refusals, so the mail is tried again; one
 * that this server can never take is refused. `failure`: of the connection, from its error.
 */
export function smtpOutcome(
  where: string,
  { session }: SmtpFailure,
  failure: (cause: unknown) => TransferFailure,
): Delivery {
  const { step, reply, greeting } = session;
  if (reply === undefined) return retry(unanswered(where, session, failure));
  const words = inQuotes(reply);
  const [code] = /^[2-5]\d\d/.exec(reply) ?? [];
  if (code === undefined) return retry(notSmtp(where, `: ${words}`));
  if (neverTaken.test(reply) && step !== "RCPT TO") {
    const error = `${where} can never take this mail: ${words}. It is not sent again.`;
    return { outcome: "refused", answer: reply, error };
  }
  const keys = [3, 2, 1].map((length) => ` ${code.slice(0, length)}`);
  const key = [...keys.flatMap((begin) => [`${step}${begin}`, begin]), step].find((one) => one in sentences);
  const said = (sentences[key ?? ""] ?? "").replace("{greeting}", greeting);
  return retry(`${where} ${said.replace("{reply}", () => words)}`);
}

function unanswered(
  where: string,
  { step, cause }: FailedSession,
  failure: (cause: unknown) => TransferFailure,
): string {
  const { code, originalCode = code === "ECONNECTION" ? "ECONNRESET" : code, name } = cause;
  if (code === "EPROTOCOL") return notSmtp(where);
  const isLate = code === "ETIMEDOUT" || name === "TimeoutError";
  if (step === "end")
    return (
      `${where} ${isLate ? "did not answer in time" : "closed the connection"} after the mail was sent to it. ` +
      "It may have taken the mail, which is sent again and may arrive twice, under the same Message-ID."
    );
  if (isLate) return `${tooLate(where)} It was silent at ${step}. ${ports}`;
  const failed = failure(Object.assign(new Error(messageOf(cause)), { code: originalCode }));
  // In TLS 1.3 a server judges the certificate of its client after the client has gone on.
  if (step !== "greeting" && step !== "TLS" && failed.reason !== "client_certificate")
    return `${where} closed the connection at ${step}, and has not taken the mail. ${ifItLasts}`;
  const text = unreached(where, failed);
  return /^ERR_SSL_|^EPROTO$/.test(originalCode ?? "") ? `${text} ${ports}` : text;
}

function notSmtp(where: string, words = ""): string {
  return `Nothing was sent to ${where}: it does not answer as a mail server does${words}. Check the server and its port. ${ports}`;
}
