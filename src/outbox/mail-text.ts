import { printableLine } from "../host/printable-text.ts";
import { languages } from "./notices.ts";
import type { Message, Notice } from "./receiver.ts";

/** A notice with a sentence that the mail adds to it. */
export type MailedNotice = Pick<Notice, "time" | "level" | "title" | "text" | "event"> & {
  readonly remark?: string;
};

/** A message as a person reads it in a mail, with these notices in their order. The subject is one line. */
export function mailText(message: Message, notices: readonly MailedNotice[]) {
  const { device, language } = message;
  const { title, parts } = messageText(message, notices);
  const footer = `-- \n${nameOf(device)}, ${device.id}\n${languages[language].footer}\n`;
  return { subject: title, text: [...parts, footer].join("\n\n") };
}

/** A message as a person reads it, with these notices in their order: one line, and paragraphs. */
export function messageText(message: Message, notices: readonly MailedNotice[]) {
  const { test, isTest } = languages[message.language];
  const title = `[${nameOf(message.device)}] ${message.isTest ? test : headline(message, notices)}`;
  if (message.isTest) return { title, parts: [isTest] };
  return { title, parts: [...storm(message), ...notices.map(paragraph), ...gap(message)] };
}

/** The name of a device on one line, or its id; at most 64 characters. */
export function nameOf({ id, name }: Message["device"]): string {
  return printableLine(name ?? "", 64) || id;
}

/** The title of the newest grave notice, or of the newest, the product's last; and the number of the others. */
function headline(message: Message, notices: readonly MailedNotice[]): string {
  const own = notices.filter(({ event }) => event.actor.kind !== "product");
  const among = own.length > 0 ? own : notices;
  const first = among.findLast(({ level }) => level === "grave") ?? among.at(-1);
  const others = message.count - message.notices.length + notices.length - 1;
  const words = languages[message.language];
  if (first === undefined) return words.dropped;
  const title = printableLine(first.title, mostHeadline);
  return others > 0 ? words.andMore(title, others) : title;
}

/** Characters of a title that a list of mails still shows. */
const mostHeadline = 100;

function paragraph({ time, title, text, remark }: MailedNotice): string {
  const at = `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;
  const heading = text.startsWith(title) ? [] : [title];
  return [at, ...heading, text, ...(remark === undefined ? [] : [remark])].join("\n");
}

function storm({ count, counts, notices, language }: Message): string[] {
  if (count <= notices.length) return [];
  const kinds = Object.entries(counts).map(([type, times]) => `${type} ${times}`);
  return [languages[language].storm(count, notices.length, kinds.join(", "))];
}

function gap({ gap: dropped, language }: Message): string[] {
  return dropped === null ? [] : [languages[language].gap(dropped.from, dropped.to)];
}
