import { isIPv6, type Socket } from "node:net";
import type { SecureContext } from "node:tls";
import MimeNode from "nodemailer/lib/mime-node";
import SMTPConnection, { type SMTPError } from "nodemailer/lib/smtp-connection";
import { type RefusedRecipient, SmtpFailure, type SmtpStep, smtpCommands } from "./smtp-failures.ts";

export interface SmtpServer {
  /** Its name or address, which its certificate is for. */
  readonly server: string;
  /** `starttls`: on a connection that begins without (port 587); `tls`: from its first byte (port 465). */
  readonly security: "starttls" | "tls";
  /** null: the server takes mail without a sign-in. */
  readonly username: string | null;
  /** null: none was set. */
  readonly password: string | null;
  /** This device's own name among hosts, for the greeting. */
  readonly hostName: () => string;
}

export interface SmtpSession extends SmtpServer {
  /** Connected, and without TLS. An abort of the signal destroys it. */
  readonly socket: Socket;
  /** undefined: the authorities of the runtime. */
  readonly authorities: SecureContext | undefined;
}

export interface Mail {
  readonly from: { readonly name: string; readonly address: string };
  readonly to: readonly string[];
  /** Those of `to` that this mail is sent to. */
  readonly recipients: readonly string[];
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
  /** At least one other recipient was accepted. */
  readonly refused: readonly RefusedRecipient[];
}

/** Characters of all replies of a session, and of a line: RFC 5321 §4.5.3.1.5 has lines of 512, and EHLO one a service. */
const mostCharacters = 65_536;
const longLine = /[^\n]{2049}/;

/** Sends one mail, then closes. Rejects with SmtpFailure. Nothing is sent before TLS is verified (RFC 3207, RFC 8314). */
export async function sendMail(session: SmtpSession, mail: Mail, signal: AbortSignal): Promise<SentMail> {
  const { socket, security, authorities } = session;
  const greeting = greetingOf(session.hostName(), socket.localAddress);
  const steps = followSteps();
  const smtp = new SMTPConnection({
    ...{ connection: socket, host: session.server, name: greeting },
    ...{ secure: security === "tls", requireTLS: true },
    ...{ logger: { debug: steps.log }, transactionLog: true },
    tls: {
      ...{ rejectUnauthorized: true, minVersion: "TLSv1.2" },
      ...(authorities !== undefined && { secureContext: authorities }),
    },
  });
  boundReplies(smtp, socket);
  try {
    return await exchange(smtp, session, mail);
  } catch (thrown) {
    const error = thrown as SMTPError & { readonly rejectedErrors?: readonly SMTPError[] };
    const step = smtp.upgrading ? "TLS" : steps.failed(error);
    smtp.close();
    const refused = (error.rejectedErrors ?? []).map(refusal);
    const cause = signal.aborted ? signal.reason : error;
    throw new SmtpFailure({ step, greeting, refused, reply: error.response, cause });
  }
}

/**
 * The name that a server is greeted by (RFC 5321 §4.1.1.1): the host name where the public name system can have it, else the
 * address of this end of the connection. nodemailer's own choice, `[127.0.0.1]`, is refused by servers such as Google's.
 */
export function greetingOf(hostName: string, localAddress = "127.0.0.1"): string {
  if (publicName.test(hostName)) return hostName;
  // A zone has no meaning to the other side.
  const [address = ""] = localAddress.replace(/^::ffff:(?=\d+\.)/, "").split("%");
  return isIPv6(address) ? `[IPv6:${address}]` : `[${address}]`;
}

/** Letters, digits and hyphens with a dot (RFC 1123 §2.1), but not below a name for private use (RFC 6761, 6762, 8375). */
const publicName =
  /^(?=.{4,253}$)([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)+(?!(local|localhost|localdomain|lan|home|internal|intranet|invalid|test|arpa)$)[a-z][a-z\d-]{0,61}[a-z\d]$/i;

/**
 * Knows the step of a session by nodemailer's log of its commands and replies. Its errors name no command where the server has
 * not answered or has said 421, and with PIPELINING (RFC 2920) several commands are under way.
 */
function followSteps() {
  const waiting: SmtpStep[] = ["greeting"];
  let answered: SmtpStep = "greeting";
  return {
    log: ({ tnx }: { readonly tnx?: string }, line = ""): void => {
      // A line without a command goes on with a sign-in.
      if (tnx === "client") waiting.push(smtpCommands.find((command) => line.startsWith(command)) ?? "AUTH");
      if (tnx !== "server") return;
      answered = waiting.shift() ?? answered;
      if (answered === "DATA") waiting.push("end");
    },
    failed: ({ code, command = "", response }: SMTPError): SmtpStep => {
      if (response === undefined) return waiting[0] ?? answered;
      if (code === "EMESSAGE") return "end";
      return smtpCommands.find((one) => command.startsWith(one)) ?? answered;
    },
  };
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

async function exchange(smtp: SMTPConnection, session: SmtpSession, mail: Mail): Promise<SentMail> {
  const { socket, username: user, password } = session;
  return new Promise((resolve, reject) => {
    smtp.on("error", reject);
    // nodemailer comes first: it may have a reply that says why. It waits in vain on one that ended before it listened.
    const ended = Object.assign(new Error("the server closed the connection"), { code: "ECONNRESET" });
    socket.once("close", () => setImmediate(reject, ended));
    const send = (raw: Buffer): void =>
      smtp.send({ from: mail.from.address, to: [...mail.recipients] }, raw, (error, sent) => {
        if (error) return reject(error);
        smtp.quit();
        resolve({ reply: sent.response ?? "", refused: (sent.rejectedErrors ?? []).map(refusal) });
      });
    const write = (): void => void mimeOf(mail).then(send, reject);
    smtp.connect((error) => {
      if (error) return reject(error);
      if (user === null) return write();
      const credentials = { user, pass: password ?? "" };
      smtp.login({ credentials }, (refused) => (refused ? reject(refused) : write()));
    });
  });
}

function refusal({ recipient = "", response = "" }: SMTPError): RefusedRecipient {
  return { recipient, reply: response };
}

/** RFC 5322, with the text as MIME. No part of it is read from a file or an address. */
function mimeOf(mail: Mail): Promise<Buffer> {
  const node = new MimeNode("text/plain; charset=utf-8", { disableFileAccess: true, disableUrlAccess: true });
  const references = mail.references.map((id) => `<${id}>`);
  node.setHeader([
    { key: "From", value: mail.from },
    { key: "To", value: mail.to.map((address) => ({ address })) },
    { key: "Subject", value: mail.subject },
    { key: "Date", value: mail.date },
    { key: "Message-ID", value: `<${mail.messageId}>` },
    ...references.slice(-1).map((value) => ({ key: "In-Reply-To", value })),
    ...(references.length > 0 ? [{ key: "References", value: references.join(" ") }] : []),
    // RFC 3834 §5.1: no program answers it.
    { key: "Auto-Submitted", value: "auto-generated" },
    ...(mail.isImportant ? [{ key: "Importance", value: "high" }] : []),
  ]);
  return node.setContent(mail.text).build();
}
