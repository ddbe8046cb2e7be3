import type { AuditEvent } from "../../types.ts";

const inTheRecord = "and look at the events of the device.";

/** The advice about an unexpected event, by its actor. */
const ifUnexpected: Readonly<Record<AuditEvent["actor"]["kind"], (who: string) => string>> = {
  user: (who) =>
    `If this was not expected: undo it, end the sessions of ${who}, reset their password, ${inTheRecord}`,
  token: (who) => `If this was not expected: undo it, delete the API token ${who}, ${inTheRecord}`,
  "local-root": () =>
    `If this was not expected: someone else can act as root on the device. Undo it, find out who can reach the device, ${inTheRecord}`,
  agent: () => `If this was not expected: ask the person who looks after the device, ${inTheRecord}`,
  anonymous: () => `If this was not expected: ask the person who looks after the device, ${inTheRecord}`,
  product: (who) => `Reported by the unit ${who}.`,
};

/** The sentences of messages to receivers, beside those of events, needs and findings. */
export const messageWords = {
  /** After what happened; `address`: `local` on the device itself. */
  from: (address: string) => (address === "local" ? ", on the device itself" : `, from ${address}`),
  ifUnexpected,
  whereToLook: "The status of the device says what to do.",
  isOver: (need: string) => `Nothing is left to do about it: ${need}.`,
  comesAndGoes:
    "This came back within a day. No more mails about it are sent until the day is over, whether it ends or comes back: look at the status of the device.",
  removed: (receiver: string) => `The receiver ${receiver} was removed: this is the last message sent here.`,
  replaced: (receiver: string) =>
    `The receiver ${receiver} now has other settings or another secret: this message still went out with the former ones.`,
  test: "Test message",
  isTest: "This is a test: the messages of this device arrive. Nothing has happened.",
  footer: "Sent by Steward. Replies to this mail are not read.",
  andMore: (title: string, others: number) => `${title}, and ${others} more`,
  storm: (count: number, shown: number, types: string) =>
    `${count} events happened; the ${shown} gravest and newest follow. By type: ${types}.`,
  dropped: "Events are missing",
  gap: (from: number, to: number) =>
    `Events ${from} to ${to}, or some of them, did not reach everyone who gets these messages: the device had to drop them, or a server refused them.`,
};
