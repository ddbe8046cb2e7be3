import type { Message, Notice } from "../receiver.ts";

/** RFC 5424 §6.2.1: "log audit". */
const facility = 13;

/** RFC 5424 §6.2.1. */
const severities = { error: 3, warning: 4, informational: 6 } as const;

/**
 * The element of the structured data. Names without a number of IANA's are reserved (RFC 5424 §6.3.2), and Steward has no
 * number of its own: this is the one for examples (RFC 5612), which no other program may claim.
 */
const element = "steward@32473";

/** Characters of a value; the rest of a longer one is left out, since receivers must take 2,048 bytes only (RFC 5425 §4.3.1). */
const mostValueCharacters = 512;

/** Parameters of one name, from a list. */
const mostOfList = 16;

interface Parts {
  readonly severity: keyof typeof severities;
  /** RFC 3339, in UTC. */
  readonly time: string;
  /** MSGID: the type of the event. */
  readonly type: string;
  readonly parameters: readonly (readonly [name: string, value: string])[];
  readonly text: string;
}

/** A message of RFC 5424 an event, and one for lost ones, in octet counting (RFC 5425 §4.3). `nowMilliseconds`: of those. */
export function syslogFrames(
  message: Message,
  { hostName, nowMilliseconds }: { readonly hostName: string; readonly nowMilliseconds: number },
): Uint8Array {
  const now = new Date(nowMilliseconds).toISOString();
  const { device, notices, gap, isTest } = message;
  const parts = [
    ...(gap === null ? [] : [gapParts(gap, device.id, now)]),
    ...notices.map((notice) => eventParts(notice, device.id)),
    ...(isTest ? [testParts(message, now)] : []),
  ];
  return Buffer.concat(parts.map((one) => frame(textOf(one, hostName))));
}

function eventParts({ time, type, level, text, event }: Notice, deviceId: string): Parts {
  const { seq, outcome, code, count, actor, subject, from, request_id, details, hash } = event;
  const isRefused = outcome === "refused";
  return {
    severity: level === "grave" ? "error" : isRefused ? "warning" : "informational",
    ...{ time, type, text },
    parameters: [
      ...given({ device: deviceId, seq, outcome, code, count }),
      ...given({ actor_kind: actor.kind, actor_id: actor.id, actor_name: actor.name }),
      ...given({ subject_id: subject?.id, subject_name: subject?.name, from, request_id }),
      ...given(details, "details."),
      ...given({ hash }),
    ],
  };
}

function gapParts({ from, to }: { from: number; to: number }, device: string, time: string): Parts {
  const text = `The events ${from} to ${to}, or some of them, are not sent: the device dropped them before, or they were refused.`;
  return { severity: "warning", time, type: "gap", parameters: [...given({ device, from, to })], text };
}

function testParts({ id, device }: Message, time: string): Parts {
  const parameters = given({ device: device.id, message: id });
  return { severity: "informational", time, type: "test", parameters, text: "This is a test." };
}

/** The members that have a value; a list is a parameter each time. */
function given(members: object, before = ""): [string, string][] {
  return Object.entries(members).flatMap(([name, value]: [string, unknown]): [string, string][] => {
    if (value === null || value === undefined) return [];
    const values: unknown[] = Array.isArray(value) ? value.slice(0, mostOfList) : [value];
    return values.map((one) => [
      `${before}${name}`,
      typeof one === "object" ? JSON.stringify(one) : String(one),
    ]);
  });
}

function textOf({ severity, time, type, parameters, text }: Parts, hostName: string): string {
  const priority = facility * 8 + severities[severity];
  const data = parameters.map(([name, value]) => ` ${nameOf(name)}="${escaped(value)}"`).join("");
  const head = `<${priority}>1 ${time} ${ascii(hostName, 255)} steward - ${ascii(type, 32)}`;
  return `${head} [${element}${data}] ${plain(text)}`;
}

function frame(text: string): Uint8Array {
  const bytes = Buffer.from(text, "utf8");
  return Buffer.concat([Buffer.from(`${bytes.byteLength} `), bytes]);
}

/** PRINTUSASCII of a field, or its nil value. */
function ascii(text: string, mostCharacters: number): string {
  return text.replace(/[^\x21-\x7e]/g, "").slice(0, mostCharacters) || "-";
}

/** RFC 5424 §6.3.3: PARAM-NAME. */
function nameOf(name: string): string {
  return ascii(name.replace(/[=\]"]/g, ""), 32);
}

/** RFC 5424 §6.3.3: PARAM-VALUE in UTF-8, without characters that control a terminal. */
function escaped(value: string): string {
  const [...characters] = value.slice(0, 2 * mostValueCharacters).replace(/\p{Cc}+/gu, " ");
  const isCut = characters.length > mostValueCharacters || value.length > 2 * mostValueCharacters;
  const cut = isCut ? `${characters.slice(0, mostValueCharacters).join("")}…` : characters.join("");
  return cut.replace(/["\\\]]/g, "\\$&");
}

/** RFC 5424 §6.4: text beyond ASCII begins with a byte order mark. */
function plain(text: string): string {
  const line = text.replace(/\p{Cc}+/gu, " ");
  return /[^ -~]/.test(line) ? `\ufeff${line}` : line;
}
