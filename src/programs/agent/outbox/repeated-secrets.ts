import type { Delivery, Receiver } from "../../../outbox/receiver.ts";

/** Characters of what is taken for a secret: fewer are in every sentence. */
const fewest = 4;

/** Characters of the beginning of a secret at the end of a text that was cut off. */
const fewestOfCut = 8;

/** A receiver without its secrets in outcomes: servers answer with what they were asked for. `secrets`: afterwards. */
export function withoutRepeatedSecrets(receiver: Receiver, secrets: () => readonly string[]): Receiver {
  return {
    deliver: async (message, signal) => coveredDelivery(await receiver.deliver(message, signal), secrets()),
  };
}

/** Takes secrets out: whole, the path of an address as it is sent, and the words in them that no one would guess. */
export function coveredDelivery(delivery: Delivery, secrets: readonly string[]): Delivery {
  // The longest first: one may be a part of another.
  const parts = secrets.flatMap(partsOf).sort((one, other) => other.length - one.length);
  const cover = (text: string) =>
    parts.reduce((covered, part) => withoutBeginning(covered.replaceAll(part, "…"), part), text);
  const members = Object.entries(delivery).map(([name, value]) => [
    name,
    ["answer", "error"].includes(name) ? cover(String(value)) : value,
  ]);
  return Object.fromEntries(members) as Delivery;
}

function partsOf(secret: string): string[] {
  const inner = secret.replace(/^https?:\/\/[^/?#]+/i, "");
  const { pathname = "", search = "" } = URL.canParse(secret) ? new URL(secret) : {};
  const words = inner.split(/[\s/?&=:]+/).filter((word) => word.length >= 8 && !/^[a-z-]*$/.test(word));
  const parts = [inner, `${pathname}${search}`, Buffer.from(secret).toString("base64"), ...words];
  return parts.filter((part) => part.length >= fewest);
}

function withoutBeginning(text: string, part: string): string {
  for (let end = text.includes("…") ? part.length - 1 : 0; end >= fewestOfCut; end -= 1) {
    const beginning = `${part.slice(0, end)}…`;
    if (text.includes(beginning)) return text.replaceAll(beginning, "…");
  }
  return text;
}
