import type { ChatService } from "../../contract/notifications/chat-services.ts";
import { messageText } from "../mail-text.ts";
import type { Message } from "../receiver.ts";

/** A message as the people of a chat read it. */
export interface ChatText {
  readonly title: string;
  readonly text: string;
  /** One of its notices did not wait for others. */
  readonly isGrave: boolean;
}

/** One chat service: the requests that it takes, and its answer to one that it has taken. */
export interface ChatForm {
  /** Bytes of title and text together, in the service's markup. */
  readonly mostBytes: number;
  /** Takes the meaning from what the service would read as markup, mentions or links; absent: it reads none. */
  readonly escapeMarkup?: (text: string) => string;
  /** Sent as JSON. `url`: the address of the settings. */
  readonly body: (message: ChatText, url: URL) => object;
  /** The address that the body goes to; absent: that of the settings. */
  readonly address?: (url: URL) => URL;
  /** `answer`: the body as JSON, or as text where it is no JSON. */
  readonly isTaken: (status: number, answer: unknown) => boolean;
}

const hasMember = (answer: unknown, member: string, value: (of: unknown) => boolean): boolean =>
  typeof answer === "object" && answer !== null && value((answer as Record<string, unknown>)[member]);

const isText = (of: unknown): boolean => typeof of === "string" && of !== "";

/** A row for each service; its name and its own addresses are in `contract/notifications/chat-services.ts`. */
export const chatForms: Readonly<Record<ChatService, ChatForm>> = {
  // https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks and …/formatting-message-text
  slack: {
    mostBytes: 4_000,
    // Mattermost, which takes this form, would call everyone by a plain @channel.
    escapeMarkup: (text) =>
      text
        .replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign] ?? sign)
        .replace(/@(?=all|channel|here|everyone)/gi, "@\u2060"),
    body: ({ title, text }) => ({ text: `*${title}*\n${text}`, unfurl_links: false }),
    // Rocket.Chat answers with JSON.
    isTaken: (status, answer) =>
      status === 200 && (answer === "ok" || hasMember(answer, "success", (of) => of === true)),
  },
  // https://discord.com/developers/docs/resources/webhook#execute-webhook: 2,000 characters of content
  discord: {
    mostBytes: 1_990,
    escapeMarkup: (text) => text.replace(/[\\*_~`|<>[\]#]/g, "\\$&"),
    body: ({ title, text }) => ({ content: `**${title}**\n${text}`, allowed_mentions: { parse: [] } }),
    // 200 where the address asks for the message by ?wait=true.
    isTaken: (status, answer) => status === 204 || (status === 200 && hasMember(answer, "id", isText)),
  },
  // The trigger "When a Teams webhook request is received" takes 28 KB. Text of RichTextBlocks is not Markdown.
  teams: {
    mostBytes: 8_000,
    body: ({ title, text, isGrave }) => ({
      type: "message",
      attachments: [
        {
          contentType: "application/vnd.microsoft.card.adaptive",
          contentUrl: null,
          content: {
            ...{ $schema: "http://adaptivecards.io/schemas/adaptive-card.json", type: "AdaptiveCard" },
            version: "1.2",
            body: [
              richText({ text: title, weight: "bolder", color: isGrave ? "attention" : "default" }),
              ...text.split("\n").map((line) => richText({ text: line || " " })),
            ],
          },
        },
      ],
    }),
    isTaken: (status) => status === 202,
  },
  // https://docs.ntfy.sh/publish/#publish-as-json: to the server, with the topic in the body; a message has 4,096 bytes
  ntfy: {
    mostBytes: 3_800,
    address: ({ origin, search }) => new URL(`/${search}`, origin),
    body: ({ title, text, isGrave }, { pathname }) => ({
      ...{ topic: pathname.split("/").filter(Boolean).at(-1) ?? "", title, message: text },
      priority: isGrave ? 5 : 3,
    }),
    isTaken: (status, answer) =>
      status === 200 && hasMember(answer, "id", isText) && hasMember(answer, "topic", isText),
  },
  // https://gotify.net/docs/pushmsg: a priority of 8 and more alerts loudly
  gotify: {
    mostBytes: 4_000,
    address: ({ origin, pathname, search }) =>
      new URL(`${pathname.replace(/\/?(message)?\/?$/, "")}/message${search}`, origin),
    body: ({ title, text, isGrave }) => ({ title, message: text, priority: isGrave ? 8 : 5 }),
    isTaken: (status, answer) => status === 200 && hasMember(answer, "id", Number.isInteger),
  },
};

function richText(run: { readonly text: string; readonly weight?: string; readonly color?: string }) {
  return { type: "RichTextBlock", inlines: [{ type: "TextRun", ...run }] };
}

/** The message in a service's markup and bound: of many notices the gravest and newest, of a long one its beginning. */
export function chatText(message: Message, { mostBytes, escapeMarkup = (text) => text }: ChatForm): ChatText {
  const isGrave = message.notices.some(({ level }) => level === "grave");
  for (let notices = message.notices, most = mostBytes; ; ) {
    const { title, parts } = messageText({ ...message, notices }, notices.map(marked));
    const [whole, head] = [parts.join("\n\n"), escapeMarkup(title)];
    const text = escapeMarkup(
      whole.length <= most ? whole : `${whole.slice(0, most).replace(/[\ud800-\udbff]$/, "")}…`,
    );
    if (Buffer.byteLength(head) + Buffer.byteLength(text) <= mostBytes) return { title: head, text, isGrave };
    if (notices.length > 1) notices = withoutLeast(notices);
    else most = Math.floor(most * 0.9);
  }
}

type Notices = Message["notices"];

function marked({ level, title, text, ...rest }: Notices[number]): Notices[number] {
  const mark = level === "grave" ? "⚠️ " : "";
  return { ...rest, level, title: mark + title, text: text.startsWith(title) ? mark + text : text };
}

/** Without the oldest of those that are not grave, or of all. */
function withoutLeast(notices: Notices): Notices {
  const least = notices.find(({ level }) => level !== "grave") ?? notices[0];
  return notices.filter((one) => one !== least);
}

/** Seconds that the text of an answer asks for, as Discord's does; undefined: none. */
export function askedPause(answer: string): number | undefined {
  const [, seconds] = /"retry_after":\s*(\d{1,6}(?:\.\d+)?)/.exec(answer) ?? [];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds));
}
