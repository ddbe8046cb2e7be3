import { messageOf } from "../contract/errors.ts";
import { printableLine } from "../host/printable-text.ts";
import type { TransferFailure } from "../host/transfer-failure.ts";
import { tooLate, unreached } from "./unreached.ts";

/** Characters of a server's own words in an error. */
const mostQuoted = 200;

/** The members of nodemailer's errors that tell why a mail was not sent. */
interface SmtpError {
  readonly code?: string;
  /** The code of the system or of OpenSSL beneath it. */
  readonly originalCode?: string;
  /** The command that the server's reply is to. */
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
}

/**
 * The sentences about a mail that was not sent. `where`: host and port. `error`: of the connection or of nodemailer. `failure`
 * makes the first of the second.
 */
export function smtpFailure(
  where: string,
  error: unknown,
  failure: (cause: unknown) => TransferFailure,
): string {
  const { code, command = "", response, responseCode } = error as SmtpError;
  if (code === "ETIMEDOUT" || (error as Error).name === "TimeoutError") return `${tooLate(where)} ${ports}`;
  if (isWithoutTls(error as SmtpError)) return withoutTls(where, response);
  if (code === "EPROTOCOL" && responseCode === undefined) return notSmtp(where, response);
  if (response === undefined) return withoutReply(where, error as SmtpError, failure);
  const quoted = `“${printableLine(response, mostQuoted)}”`;
  if (code === "EAUTH")
    return `${where} did not accept the user name and the password: ${quoted}. No mail was sent. Set both again.`;
  if (responseCode !== undefined && responseCode < 500)
    return `${where} does not take the mail at present: ${quoted}. If that lasts, ask who runs the server.`;
  return `${where} refused ${refusedBy[command] ?? "the mail"}: ${quoted}. ${adviceFor[command] ?? adviceForMail}`;
}

/** nodemailer puts a code of its own in place of the one that says why. */
function withoutReply(where: string, error: SmtpError, failure: (cause: unknown) => TransferFailure): string {
  const { code, originalCode = code === "ECONNECTION" ? "ECONNRESET" : undefined } = error;
  if (originalCode === undefined) return unreached(where, failure(error));
  const sentences = unreached(
    where,
    failure(Object.assign(new Error(messageOf(error)), { code: originalCode })),
  );
  return /^ERR_SSL_|^EPROTO$/.test(originalCode) ? `${sentences} ${ports}` : sentences;
}

const ports = "Port 465 is for TLS from the first byte (tls), port 587 for STARTTLS (starttls).";

function notSmtp(where: string, response = ""): string {
  const quoted = response === "" ? "" : `: “${printableLine(response, mostQuoted)}”`;
  return `Nothing was sent to ${where}: it does not answer as a mail server does${quoted}. Check the server and its port. ${ports}`;
}

/** The server, or someone between, does not let the connection be encrypted. */
function isWithoutTls({ code, command }: SmtpError): boolean {
  return (code === "ETLS" && command === "STARTTLS") || (code === "ECONNECTION" && command === "EHLO");
}

function withoutTls(where: string, response = ""): string {
  return (
    `${where} did not encrypt the connection (“${printableLine(response, mostQuoted)}”), so neither the password nor the ` +
    `mail was sent. Either it offers no STARTTLS on this port, or someone between removes it. ${ports}`
  );
}

const refusedBy: Readonly<Record<string, string>> = {
  "MAIL FROM": "the sender",
  "RCPT TO": "the recipients",
};

const adviceFor: Readonly<Record<string, string>> = {
  "MAIL FROM": "Set a sender (from) that this server sends mail for.",
  "RCPT TO": "Check the recipients (to), and whether the server wants a user name and a password.",
};

const adviceForMail = "Ask who runs the server.";
