import { type ChatService, chatServices, tokenHeader } from "../contract/notifications/chat-services.ts";
import { httpIsRoots } from "../contract/notifications/receivers.ts";
import { wellFormed } from "../contract/text/json-of.ts";
import type { Transfer, Transfers } from "../host/ports.ts";
import { readRetryAfter } from "../host/retry-after.ts";
import { cloudEvent, cloudEventType } from "./cloud-event.ts";
import { attempt, beginningOf, quoted, requestLimits, requestMilliseconds, statusText } from "./failures.ts";
import { type Delivery, type Message, type Receiver, retry } from "./receiver.ts";
import { askedPause, chatForms, chatText } from "./webhook/chat-services.ts";
import { type Credentials, readCredentials, signedHeaders } from "./webhook-signature.ts";

export interface WebhookOptions {
  /** Absolute. */
  readonly url: string;
  /** null: the receiver takes CloudEvents. */
  readonly service: ChatService | null;
  /** As `readCredentials` reads it; null: a chat service needs none. */
  readonly secret: string | null;
  /** Opened without redirects (`redirects: null`); they keep to the addresses that may be reached. */
  readonly transfers: Transfers;
  /** Root lets messages leave by plain HTTP. */
  readonly allowHttp: boolean;
  /** Milliseconds since 1970, which the receiver compares with its own clock. */
  readonly wall: () => number;
}

/** Bytes of an answer that are read: a chat service may repeat the message in it. */
const mostAnswerBytes = 16_384;

/** Sends messages by POST: in the form of a chat service, or as CloudEvents 1.0 in JSON, signed by Standard Webhooks. */
export function createWebhook(options: WebhookOptions): Receiver {
  const { url, service, secret, transfers } = options;
  const host = URL.canParse(url) ? new URL(url).host : url;
  const credentials =
    secret === null ? { key: null, headers: {} } : readCredentials(secret, tokenHeader(service ?? ""));
  return {
    deliver: async (message, signal) => {
      if (typeof credentials === "string")
        return retry(`Nothing was sent to ${host}: its secret ${credentials}. Set a new one.`);
      if (!options.allowHttp && !url.startsWith("https://"))
        return retry(`Nothing was sent to ${host}: its address ${httpIsRoots}.`);
      return attempt(host, requestMilliseconds, signal, async (whole) => {
        const { address, ...request } = requestOf(message, credentials, options);
        const limited = { ...request, limits: requestLimits, signal: whole };
        return answered(options, await transfers.open(address, limited));
      });
    },
  };
}

function requestOf(
  message: Message,
  { key, headers }: Credentials,
  { url, service, wall }: Pick<WebhookOptions, "url" | "service" | "wall">,
) {
  const now = wall();
  const [form, at] = [service && chatForms[service], new URL(url)];
  const content = form
    ? form.body(chatText(message, form), at)
    : cloudEvent(message, new Date(now).toISOString());
  const post = wellFormed(JSON.stringify(content));
  return {
    address: form?.address?.(at).href ?? url,
    headers: {
      ...{ ...headers, "content-type": form ? "application/json" : cloudEventType },
      ...(key && signedHeaders(key, message.id, Math.floor(now / 1_000), post)),
    },
    post,
  };
}

/** The outcome that an answer means. A failure is every other one than the service's own, or 2xx where it is none. */
async function answered({ url, service }: WebhookOptions, transfer: Transfer): Promise<Delivery> {
  const { status, headers } = transfer;
  const answer = statusText(transfer);
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && service === null) {
    transfer.close();
    return { outcome: "taken", answer };
  }
  const text = String(await beginningOf(transfer, mostAnswerBytes));
  if (service !== null && chatForms[service].isTaken(status, readJson(text)))
    return { outcome: "taken", answer };
  return retry(
    `${new URL(url).host} answered ${answer}${quoted(text)}. ${adviceFor(status, service)}`,
    readRetryAfter(headers) ?? askedPause(text),
  );
}

/** A text that is no JSON is its own value. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.trim();
  }
}

function adviceFor(status: number, service: ChatService | null): string {
  const name = service && chatServices[service].name;
  if (status < 300) return `${name} does not answer so: check the address.`;
  if (status < 400) return "Redirects are not followed: set the address that it leads to.";
  if (status === 401 || status === 403)
    return name
      ? "It does not accept the address or the token: set them again."
      : "It does not accept the signature: compare the secret at both ends, and check the clock of this device.";
  if (status === 404 || status === 410) return "Nothing receives messages at this address: check its path.";
  if (status === 429) return "It receives more than it takes at present.";
  if (status >= 500) return "It has a fault of its own: if that lasts, ask who runs it.";
  return `It does not take the message: check the address, and that it expects ${name ? `messages of ${name}` : "CloudEvents in JSON"}.`;
}
