import { objectIn } from "../../contract/text/json-of.ts";

/** google.rpc.Status: `code`, which OTLP does not use and may be absent, `message` and `details`. */
const members: readonly string[] = ["code", "message", "details"];

/** Its highest code. */
const mostCode = 16;

/**
 * The message of a `Status`, by which a collector says why it refuses a request (OTLP/HTTP, "Failures"); null: the body is
 * none. A collector answers in the form of the request, which is JSON; Loki does so in Protobuf whatever was sent.
 */
export function statusMessage(body: Buffer): string | null {
  const value = objectIn(String(body));
  if (value === undefined) return messageField(body);
  const { message, code = 0 } = value;
  const isOne = Object.keys(value).every((name) => members.includes(name)) && Number(code) <= mostCode;
  return isOne && typeof message === "string" ? message : null;
}

/** The tags of its three fields in Protobuf. */
const tags = { code: 0x08, message: 0x12, details: 0x1a } as const;

/** The message of one in Protobuf, of which every byte must be understood. */
function messageField(body: Buffer): string | null {
  let [at, message]: [number, string | null] = [0, null];
  const varint = (): number => {
    for (let [value, unit] = [0, 1]; at < body.length; unit *= 128) {
      const byte = body[at++] ?? 0;
      value += (byte % 128) * unit;
      if (byte < 128) return value;
    }
    return Number.NaN;
  };
  while (at < body.length) {
    const tag = body[at++];
    const value = varint();
    if (Number.isNaN(value)) return null;
    if (tag === tags.code) continue;
    if ((tag !== tags.message && tag !== tags.details) || at + value > body.length) return null;
    if (tag === tags.message) message = body.toString("utf8", at, at + value);
    at += value;
  }
  return message;
}
