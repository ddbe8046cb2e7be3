import type { ServerConnections, Uptime } from "../host/ports.ts";
import { printableLine } from "../host/printable-text.ts";
import { mailText, nameOf } from "./mail-text.ts";
import { createNeedMails, type MailPlan } from "./need-mails.ts";
import { type Delivery, type Message, type Receiver, retry } from "./receiver.ts";
import type { Mail, SentMail } from "./smtp.ts";
import { type RefusedRecipient, SmtpFailure, smtpOutcome } from "./smtp-failures.ts";
import { cancelled, tooLate, unreached } from "./unreached.ts";

export interface MailOptions {
  /** A name or an address. */
  readonly server: string;
  readonly port: number;
  /** `starttls`: on a connection that begins without (port 587); `tls`: from its first byte (port 465). */
  readonly security: "starttls" | "tls";
  /** null: the server takes mail without a sign-in. */
  readonly username: string | null;
  /** null: none was set. */
  readonly password: string | null;
  /** The address of the sender, without a name. */
  readonly from: string;
  /** Addresses of recipients, at least one. */
  readonly to: readonly string[];
  readonly connections: ServerConnections;
  /** This device's own name among hosts, for the greeting of servers. */
  readonly hostName: () => string;
  /** Milliseconds since 1970, for the date of a mail. */
  readonly wall: () => number;
  readonly uptime: Uptime;
}

/**
 * Milliseconds for one delivery: a server may look at a mail for viruses before it answers. Less than the outbox waits,
 * whose error would not name the server.
 */
const wholeMilliseconds = 50_000;

/** Characters of a server's own words about one recipient. */
const mostQuoted = 200;

/**
 * Sends messages as mail by the owner's SMTP server, one mail a message. Needs that come and go have fewer mails
 * (`createNeedMails`). A mail is delivered when the server has accepted it for at least one recipient.
 */
export function createMail(options: MailOptions): Receiver {
  const needs = createNeedMails(options.uptime);
  return {
    deliver: async (message, signal) => {
      const plan = needs.plan(message);
      if (hasNothingNew(message, plan)) {
        plan.done();
        return {
          outcome: "taken",
          answer: "Not mailed: all of it came and went today, and was mailed before.",
        };
      }
      const mail = { ...mailOf(options, message, plan), recipients: options.to };
      const delivery = await delivered(options, { mail, events: message.count }, signal);
      // A mail that was refused as a whole may come again in smaller parts.
      if (delivery.outcome === "taken" || "events" in delivery) plan.done();
      return delivery;
    },
  };
}

function hasNothingNew({ isTest, count, notices, gap }: Message, plan: MailPlan): boolean {
  return !isTest && plan.notices.length === 0 && count === notices.length && gap === null;
}

function mailOf({ from, to, wall }: MailOptions, message: Message, plan: MailPlan): Omit<Mail, "recipients"> {
  const { id, device } = message;
  const domain = from.slice(from.lastIndexOf("@") + 1);
  const inDomain = (local: string): string => `${local}@${domain}`;
  return {
    ...{ to, ...mailText(message, plan.notices) },
    from: { name: nameOf(device), address: from },
    messageId: inDomain(id),
    references: plan.references.map(inDomain),
    date: new Date(wall()),
    isImportant: plan.notices.some(({ level }) => level === "grave"),
  };
}

async function delivered(
  options: MailOptions,
  { mail, events }: { readonly mail: Mail; readonly events: number },
  signal: AbortSignal,
): Promise<Delivery> {
  const { server, port, username, password } = options;
  const where = `${server}:${port}`;
  if (username !== null && password === null)
    return retry(
      `Nothing was sent to ${where}: no password is set for ${username}. Set it with steward notify secret.`,
    );
  const whole = AbortSignal.any([signal, AbortSignal.timeout(wholeMilliseconds)]);
  try {
    return accepted({ where, events }, await sent(options, mail, whole));
  } catch (error) {
    if (signal.aborted) return retry(cancelled(where));
    const failure = (cause: unknown) => options.connections.failure({ host: server, port }, cause);
    if (error instanceof SmtpFailure) return smtpOutcome(where, error, failure);
    return retry(whole.aborted ? tooLate(where) : unreached(where, failure(error)));
  }
}

/** nodemailer is loaded with the first mail. */
async function sent(options: MailOptions, mail: Mail, signal: AbortSignal): Promise<SentMail> {
  const { server: host, port, security, username, password, connections } = options;
  const { sendMail } = await import("./smtp.ts");
  const authorities = await connections.authorities();
  const socket = await connections.open({ host, port }, signal);
  const login = username === null ? null : { user: username, pass: password ?? "" };
  const session = { socket, host, hostName: options.hostName(), security, authorities, login };
  return await sendMail(session, mail, signal);
}

function accepted(
  { where, events }: { readonly where: string; readonly events: number },
  { reply, refused }: SentMail,
): Delivery {
  if (refused.length === 0) return { outcome: "taken", answer: reply };
  const error = `${where} took the mail, but not for ${namesOf(refused)}. It is not sent to them again. Check the recipients (to).`;
  return { outcome: "refused", answer: reply, error, events };
}

function namesOf(refused: readonly RefusedRecipient[]): string {
  return refused
    .map(({ recipient, reply }) => `${recipient} (“${printableLine(reply, mostQuoted)}”)`)
    .join(", ");
}
