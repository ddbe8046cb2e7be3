import { createHmac, randomBytes } from "node:crypto";

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

/**
 * The three headers of Standard Webhooks, with its signature `v1` (HMAC-SHA256). `id`: without a full stop, which
 * divides the parts that are signed. `seconds`: whole seconds since 1970.
 */
export function signedHeaders(key: Uint8Array, id: string, seconds: number, body: string) {
  const signature = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": `v1,${signature}`,
  };
}
