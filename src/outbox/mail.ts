import type { HostTime } from "../host/host.ts";
import type { ServerConnections } from "../host/ports.ts";
import { attempt, inQuotes } from "./failures.ts";
import { mailText, nameOf } from "./mail-text.ts";
import { createNeedMails, type MailPlan } from "./need-mails.ts";
import { type Delivery, type Message, type Receiver, retry } from "./receiver.ts";
import type { Mail, SentMail, SmtpServer } from "./smtp.ts";
import { type RefusedRecipient, SmtpFailure, smtpOutcome } from "./smtp-failures.ts";

export interface MailOptions extends SmtpServer, Pick<HostTime, "wall" | "uptime"> {
  readonly port: number;
  /** The address of the sender, without a name. */
  readonly from: string;
  /** Addresses of recipients, at least one. */
  readonly to: readonly string[];
  readonly connections: ServerConnections;
}

/** Milliseconds for one delivery: a server may scan a mail first. The outbox, whose error names no server, waits longer. */
const wholeMilliseconds = 50_000;

/** Seconds for which a recipient that is put off holds up messages: greylisting takes minutes, a full mailbox days. */
const patienceSeconds = 1_800;

/**
 * Sends messages as mail by the owner's SMTP server, one mail a message. Needs that come and go have fewer mails
 * (`createNeedMails`). A mail is done with when the server has taken or refused it for each recipient (`createRecipients`).
 */
export function createMail(options: MailOptions): Receiver {
  const planOf = createNeedMails(options.uptime);
  const recipients = createRecipients(options);
  return {
    deliver: async (message, signal) => {
      const plan = planOf(message);
      const { isTest, count, notices, gap } = message;
      if (!isTest && plan.notices.length === 0 && count === notices.length && gap === null) {
        plan.done();
        return {
          outcome: "taken",
          answer: "Not mailed: all of it came and went today, and was mailed before.",
        };
      }
      const mail = { ...mailOf(options, message, plan), recipients: recipients.left(message) };
      const end = await attempted(options, mail, signal);
      const delivery = "outcome" in end ? end : recipients.settled(message, mail, end);
      // Its notices were not mailed where no recipient has it.
      if (delivery.outcome === "taken" || "events" in delivery) plan.done();
      return delivery;
    },
  };
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

/** The end of an attempt, or the recipients that the server did not accept while others have the mail. */
async function attempted(
  options: MailOptions,
  mail: Mail,
  signal: AbortSignal,
): Promise<Delivery | SentMail> {
  const { server, port, username, password } = options;
  const where = `${server}:${port}`;
  if (username !== null && password === null)
    return retry(
      `Nothing was sent to ${where}: no password is set for ${username}. Set it with steward notify secret.`,
    );
  const failed = (error: unknown): Delivery | SentMail => {
    const failure = (cause: unknown) => options.connections.failure({ host: server, port }, cause);
    if (signal.aborted || !(error instanceof SmtpFailure)) throw failure(error);
    const { refused } = error.session;
    const isForSome = refused.length > 0 && mail.recipients.length < mail.to.length;
    return isForSome ? { reply: "", refused } : smtpOutcome(where, error, failure);
  };
  return attempt(where, wholeMilliseconds, signal, (whole) => sent(options, mail, whole).catch(failed));
}

/** nodemailer is loaded with the first mail. */
async function sent(options: MailOptions, mail: Mail, signal: AbortSignal): Promise<SentMail> {
  const { server: host, port, connections } = options;
  const { sendMail } = await import("./smtp.ts");
  const authorities = await connections.authorities();
  const socket = await connections.open({ host, port }, signal);
  return await sendMail({ ...options, socket, authorities }, mail, signal);
}

/** A message that some recipients have, and that is tried again for the others. */
interface Partly {
  readonly id: string;
  /** The server's reply to the mail that was taken. */
  readonly answer: string;
  readonly left: readonly string[];
  readonly lost: readonly RefusedRecipient[];
}

/**
 * Remembers who has a message, so that it is tried again only for the recipients that the server puts off, for half an hour
 * since it began to: then they no longer hold up the others, until a mail is accepted for them. The memory is this
 * process's, so a restart may cost one mail more.
 */
function createRecipients({ server, port, to, uptime }: MailOptions) {
  const putOffSince = new Map<string, number>();
  let partly: Partly | null = null;
  const isWaitedFor = ({ recipient, reply }: RefusedRecipient): boolean => {
    // RFC 5321 §4.5.3.1.10: 552 to a recipient is as temporary as 452.
    if (!/^(4|552)/.test(reply)) return false;
    const since = putOffSince.get(recipient) ?? uptime();
    putOffSince.set(recipient, since);
    return uptime() - since < patienceSeconds;
  };
  const before = (id: string): Partly | null => (partly?.id === id ? partly : null);
  return {
    left: ({ id }: Message) => before(id)?.left ?? to,
    settled: (
      { id, count, isTest }: Message,
      { recipients }: Mail,
      { reply, refused }: SentMail,
    ): Delivery => {
      const where = `${server}:${port}`;
      for (const accepted of recipients)
        if (!refused.some(({ recipient }) => recipient === accepted)) putOffSince.delete(accepted);
      const waiting = refused.filter(isWaitedFor);
      const lost = [...(before(id)?.lost ?? []), ...refused.filter((one) => !waiting.includes(one))];
      const answer = reply || (before(id)?.answer ?? "");
      const left = waiting.map(({ recipient }) => recipient);
      // A test is not tried again.
      if (!isTest) partly = waiting.length > 0 ? { id, answer, left, lost } : null;
      if (waiting.length > 0)
        return retry(
          `${where} took the mail, but puts it off for ${namesOf(waiting)}. ` +
            "Messages are tried for them again for up to half an hour, while newer ones wait.",
        );
      if (lost.length === 0) return { outcome: "taken", answer };
      const error = `${where} took the mail, but not for ${namesOf(lost)}. It is not sent to them again. Check the recipients (to).`;
      return { outcome: "refused", answer, error, events: count };
    },
  };
}

function namesOf(refused: readonly RefusedRecipient[]): string {
  return refused.map(({ recipient, reply }) => `${recipient}: ${inQuotes(reply)}`).join(", ");
}
