import type { Socket } from "node:net";
import type { SecureContext } from "node:tls";
import MimeNode from "nodemailer/lib/mime-node";
import SMTPConnection, { type SMTPError } from "nodemailer/lib/smtp-connection";

export interface SmtpSession {
  /** Connected, and without TLS. An abort of the signal destroys it. */
  readonly socket: Socket;
  /** The server's name or address, which its certificate is for. */
  readonly host: string;
  /** `starttls`: TLS is asked for before anything else is sent, and there is no session without it. */
  readonly security: "starttls" | "tls";
  /** undefined: the authorities of the runtime. */
  readonly authorities: SecureContext | undefined;
  /** null: the server takes mail without a sign-in. */
  readonly login: { readonly user: string; readonly pass: string } | null;
}

export interface Mail {
  readonly from: { readonly name: string; readonly address: string };
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** Without `<` and `>`. */
  readonly messageId: string;
  /** Ids of earlier mails, likewise. */
  readonly references: readonly string[];
  readonly date: Date;
  readonly isImportant: boolean;
}

export interface SentMail {
  /** The server's reply after the mail. */
  readonly reply: string;
  /** The recipients that the server did not accept; at least one was accepted. */
  readonly refused: readonly { readonly recipient: string; readonly reply: string }[];
}

/** Characters of all replies of a session, and of a line: RFC 5321 §4.5.3.1.5 has lines of 512, and EHLO one a service. */
const mostCharacters = 65_536;
const longLine = /[^\n]{2049}/;

/**
 * Sends one mail over a connection, which it closes. Rejects with nodemailer's error, or with the signal's reason.
 * Neither sign-in nor mail is sent before TLS is there and the certificate is verified (RFC 3207, RFC 8314).
 */
export async function sendMail(session: SmtpSession, mail: Mail, signal: AbortSignal): Promise<SentMail> {
  const { socket, host, security, authorities } = session;
  const ended = endOf(socket);
  const raw = await mimeOf(mail);
  const smtp = new SMTPConnection({
    ...{ connection: socket, host, secure: security === "tls", requireTLS: true },
    tls: {
      ...{ rejectUnauthorized: true, minVersion: "TLSv1.2" },
      ...(authorities !== undefined && { secureContext: authorities }),
    },
  });
  boundReplies(smtp, socket);
  try {
    return await Promise.race([ended, exchange(smtp, session, mail, raw)]);
  } catch (error) {
    smtp.close();
    throw signal.aborted ? signal.reason : error;
  }
}

/**
 * Ends a session whose server sends more than one needs. nodemailer bounds only a reply that is not whole: it would queue
 * empty lines until the memory is gone, and look for a challenge in one long line for seconds.
 */
function boundReplies(smtp: SMTPConnection, socket: Socket): void {
  // Its reader, before and within TLS, which its types leave out.
  const reader = smtp as unknown as { _onSocketData: (chunk: Buffer) => void };
  const read = reader._onSocketData;
  let [characters, line] = [0, ""];
  reader._onSocketData = (chunk) => {
    const text = line + chunk.toString("latin1");
    characters += chunk.length;
    line = text.slice(text.lastIndexOf("\n") + 1);
    if (characters <= mostCharacters && !longLine.test(text)) return read(chunk);
    smtp.emit("error", Object.assign(new Error("the server sends too much"), { code: "EPROTOCOL" }));
    socket.destroy();
  };
}

/** Rejects when the connection ends. nodemailer waits in vain on one that ended before it listened. */
function endOf(socket: Socket): Promise<never> {
  const ended = new Promise<never>((_resolve, reject) => {
    const error = Object.assign(new Error("the server closed the connection"), { code: "ECONNRESET" });
    // nodemailer comes first: it may have a reply of the server's that says why.
    socket.once("close", () => setImmediate(reject, error));
  });
  // The end of a session that went well is expected.
  ended.catch(() => undefined);
  return ended;
}

function exchange(
  smtp: SMTPConnection,
  { login }: SmtpSession,
  { from, to }: Mail,
  raw: Buffer,
): Promise<SentMail> {
  return new Promise((resolve, reject) => {
    smtp.on("error", reject);
    const send = (): void =>
      smtp.send({ from: from.address, to: [...to] }, raw, (error, sent) => {
        if (error) return reject(error);
        smtp.quit();
        resolve({ reply: sent.response ?? "", refused: (sent.rejectedErrors ?? []).map(refusal) });
      });
    smtp.connect((error) => {
      if (error) return reject(error);
      if (login === null) return send();
      smtp.login({ credentials: { ...login } }, (refused) => (refused ? reject(refused) : send()));
    });
  });
}

function refusal({ recipient = "", response = "" }: SMTPError) {
  return { recipient, reply: response };
}

/** RFC 5322, with the text as MIME. No part of it is read from a file or an address. */
function mimeOf({
  from,
  to,
  subject,
  text,
  messageId,
  references,
  date,
  isImportant,
}: Mail): Promise<Buffer> {
  const node = new MimeNode("text/plain; charset=utf-8", { disableFileAccess: true, disableUrlAccess: true });
  const angled = references.map((id) => `<${id}>`);
  node.setHeader([
    { key: "From", value: from },
    { key: "To", value: to.map((address) => ({ address })) },
    { key: "Subject", value: subject },
    { key: "Date", value: date },
    { key: "Message-ID", value: `<${messageId}>` },
    ...(angled.length > 0
      ? [
          { key: "In-Reply-To", value: angled.at(-1) },
          { key: "References", value: angled.join(" ") },
        ]
      : []),
    // RFC 3834 §5.1: no program answers it.
    { key: "Auto-Submitted", value: "auto-generated" },
    ...(isImportant ? [{ key: "Importance", value: "high" }] : []),
  ]);
  return node.setContent(text).build();
}
