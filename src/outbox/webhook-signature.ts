import { createHmac, randomBytes } from "node:crypto";
import { readHeaderLines } from "../host/header-lines.ts";

/** Bytes of a secret: Standard Webhooks recommends 24 to 64. */
const [fewestBytes, mostBytes, madeBytes] = [24, 64, 32];

/** A secret as Standard Webhooks writes it: `whsec_`, then 24 to 64 random bytes in base64. */
export function makeWebhookSecret(): string {
  return `whsec_${randomBytes(madeBytes).toString("base64")}`;
}

/** The key of a secret, which some services show as `v1,whsec_…`; null: it is not `whsec_` and 24 to 64 bytes in base64. */
export function webhookKey(secret: string): Buffer | null {
  const [, text] = /^(?:v1,)?whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const key = Buffer.from(text ?? "", "base64");
  const isWhole = key.toString("base64").replace(/=+$/, "") === text?.replace(/=+$/, "");
  return isWhole && key.byteLength >= fewestBytes && key.byteLength <= mostBytes ? key : null;
}

/** Standard Webhooks' three headers, signature `v1` (HMAC-SHA256). `id`: without a full stop. `seconds`: since 1970. */
export function signedHeaders(key: Uint8Array, id: string, seconds: number, body: string) {
  const signature = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": String(seconds), "webhook-signature": `v1,${signature}` };
}

/** The part that a secret has in the requests to a receiver; `key`: null where its messages are not signed. */
export type Credentials = Exclude<ReturnType<typeof readCredentials>, string>;

/**
 * The credentials in a secret: lines `name: value`, which are headers of each request, and a line `whsec_…`, by which it is
 * signed. `token`: the beginning of the header that a text without a name is sent in. A text instead: what is wrong.
 */
export function readCredentials(secret: string, token?: string) {
  const lines = secret.split("\n").map((line) => line.trim());
  const isSigning = (line: string): boolean => /^(v1,)?whsec_/.test(line);
  const [signing] = lines.filter(isSigning);
  const key = webhookKey(signing ?? "");
  if (signing !== undefined && key === null)
    return "has a line that begins with `whsec_`, but is not of that and the base64 of 24 to 64 bytes";
  const others = lines.filter((line) => line !== "" && !isSigning(line));
  const isToken = token !== undefined && others.length === 1 && !others[0]?.includes(":");
  const headers = readHeaderLines(isToken ? token + others[0] : others.join("\n"));
  if (typeof headers === "string") return headers;
  return key === null && Object.keys(headers).length === 0 ? "is empty" : { key, headers };
}
