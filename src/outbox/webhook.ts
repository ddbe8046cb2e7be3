import { STATUS_CODES } from "node:http";
import type { Transfer, TransferLimits, Transfers } from "../host/ports.ts";
import { printableLine } from "../host/printable-text.ts";
import { readRetryAfter } from "../host/retry-after.ts";
import { beginningOf } from "./answer-text.ts";
import { cloudEvent, cloudEventType } from "./cloud-event.ts";
import { type Delivery, type Message, type Receiver, retry } from "./receiver.ts";
import { cancelled, tooLate, unreached } from "./unreached.ts";
import { signedHeaders, webhookKey } from "./webhook-signature.ts";

export interface WebhookOptions {
  /** Absolute; `http:` only where local servers are allowed. */
  readonly url: string;
  /** `whsec_` and 24 to 64 bytes in base64. */
  readonly secret: string;
  /** Opened without redirects (`redirects: null`); they keep to the addresses that may be reached. */
  readonly transfers: Transfers;
  readonly allowLocalServers: boolean;
  /** Milliseconds since 1970, which the receiver compares with its own clock. */
  readonly wall: () => number;
}

const limits: TransferLimits = { headSeconds: 10, minimumBytesPerSecond: 64, rateWindowSeconds: 5 };

/** Milliseconds for one delivery, with its answer. */
const wholeMilliseconds = 10_000;

/** Bytes of an answer that are read. */
const mostAnswerBytes = 4_096;

/** Characters of a refusal's own words in an error. */
const mostQuoted = 200;

/** Sends messages by POST, as CloudEvents 1.0 in JSON, signed by Standard Webhooks. A 2xx is a delivery. */
export function createWebhook(options: WebhookOptions): Receiver {
  const { url, secret, transfers, wall } = options;
  const key = webhookKey(secret);
  const host = URL.canParse(url) ? new URL(url).host : url;
  return {
    deliver: async (message, signal) => {
      if (key === null)
        return retry("The webhook has no usable secret, so that nothing was sent. Set a new one.");
      if (!isAllowed(options))
        return retry(
          `Nothing was sent to ${host}: its address does not begin with https://. Set one that does.`,
        );
      const whole = AbortSignal.any([signal, AbortSignal.timeout(wholeMilliseconds)]);
      try {
        return await answered(
          host,
          await transfers.open(url, { ...signed(message, key, wall()), limits, signal: whole }),
        );
      } catch (error) {
        if (signal.aborted) return retry(cancelled(host));
        return retry(whole.aborted ? tooLate(host) : unreached(host, error));
      }
    },
  };
}

function isAllowed({ url, allowLocalServers }: WebhookOptions): boolean {
  return url.startsWith("https://") || (allowLocalServers && url.startsWith("http://"));
}

function signed(message: Message, key: Uint8Array, nowMilliseconds: number) {
  const body = JSON.stringify(cloudEvent(message, new Date(nowMilliseconds).toISOString()));
  const seconds = Math.floor(nowMilliseconds / 1_000);
  return {
    headers: { "content-type": cloudEventType, ...signedHeaders(key, message.id, seconds, body) },
    post: body,
  };
}

/** The outcome that an answer means. Every status but 2xx is a failure, after which the message is sent again. */
async function answered(host: string, transfer: Transfer): Promise<Delivery> {
  const { status, headers, close } = transfer;
  const answer = `${status} ${STATUS_CODES[status] ?? ""}`.trim();
  if (status >= 200 && status < 300) {
    close();
    return { outcome: "taken", answer };
  }
  const words = printableLine(String(await beginningOf(transfer, mostAnswerBytes)), mostQuoted);
  const quoted = words === "" ? "." : `: “${words}”.`;
  return retry(`${host} answered ${answer}${quoted} ${adviceFor(status)}`, readRetryAfter(headers));
}

function adviceFor(status: number): string {
  if (status >= 300 && status < 400) return "Redirects are not followed: set the address that it leads to.";
  if (status === 401 || status === 403)
    return "It does not accept the signature: compare the secret at both ends, and check the clock of this device.";
  if (status === 404 || status === 410) return "Nothing receives messages at this address: check its path.";
  if (status === 429) return "It receives more than it takes at present.";
  if (status >= 500) return "It has a fault of its own: if that lasts, ask who runs it.";
  return "It does not take the message: check the address, and that it expects CloudEvents in JSON.";
}
