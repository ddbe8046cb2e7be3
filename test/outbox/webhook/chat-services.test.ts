import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { gzipSync } from "node:zlib";
import { Ajv2020 } from "ajv/dist/2020.js";
import { messageOf, noticeOf, testMessage } from "../../../lab/host/messages.ts";
import { type ChatService, chatServiceNames } from "../../../src/contract/notifications/chat-services.ts";
import { createTransfers } from "../../../src/host/linux/transfers/transfers.ts";
import type { Message } from "../../../src/outbox/receiver.ts";
import { createWebhook } from "../../../src/outbox/webhook.ts";
import { authority, errorOf, receiving, unending } from "../fixture.ts";

type Answer = readonly [status: number, body: string | Buffer, headers?: Record<string, string>];

/** One delivery to a server that answers so, and the request that it got. */
async function delivered(
  test: TestContext,
  service: ChatService,
  message: Message,
  [status, text, more = {}]: Answer,
  { path = "/", secret = null }: { path?: string; secret?: string | null } = {},
) {
  const { url, received } = await receiving(test, (_request, response) =>
    response.writeHead(status, more).end(text),
  );
  const transfers = createTransfers({ redirects: null, allowLocalServers: true, caFile: authority.path });
  const options = { url: `${url}${path}`, service, secret, transfers, allowHttp: false, wall: Date.now };
  const delivery = await createWebhook(options).deliver(message, unending);
  const [{ body, headers, path: requested } = { body: "null", headers: {}, path: "" }] = received;
  return { delivery, body, headers, path: requested, json: JSON.parse(body) };
}

const vectors = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../vectors/chat/bodies.schema.json"), "utf8"),
);

/** Judges by the form that the service has published, in which no other members may be. */
function isPublishedForm(name: string, body: unknown): void {
  const closed = { ...vectors.$defs[name], additionalProperties: false };
  const validate = new Ajv2020({ strict: false }).compile({ ...closed, $defs: vectors.$defs });
  assert.equal(validate(body), true, JSON.stringify(validate.errors));
}

const hostile = "a & <!channel> <@U1> *b* _c_ `d` ~e~ |f| [g](https://evil.example) # h @everyone @here @all";
const grave = noticeOf(7, { level: "grave", title: "The disk is full", text: "Delete logs." });
const ordinary = noticeOf(8, { title: "Done: clock", text: `Done: clock. ${hostile}` });
const two = messageOf([grave, ordinary]);
const head = "[Boiler house] ⚠️ The disk is full, and 1 more";
const body = [
  "2026-11-27 10:00:07 UTC\n⚠️ The disk is full\nDelete logs.",
  `2026-11-27 10:00:08 UTC\nDone: clock. ${hostile}`,
].join("\n\n");

const inSlack = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("@everyone @here @all", "@\u2060everyone @\u2060here @\u2060all");
const inDiscord = (text: string) => text.replaceAll(/\*|_|`|~|\||\[|\]|<|>|#/g, (sign) => `\\${sign}`);
const card = (json: { attachments: { content: { body: { inlines: { text: string }[] }[] } }[] }) =>
  json.attachments[0]?.content.body.flatMap(({ inlines }) => inlines) ?? [];

interface Row {
  readonly path: string;
  /** The path that the request has; absent: that of the address. */
  readonly requested?: string;
  readonly isBodyOfTwo: (json: never) => void;
  /** A part of the body where no notice is grave. */
  readonly ordinary?: RegExp;
  readonly lengthOf: (json: never) => number;
  readonly most: number;
  readonly taken: readonly Answer[];
  /** Answers that are no success, and the words about them. */
  readonly refused: readonly (readonly [Answer, RegExp])[];
  /** A secret, and a header that each request then has. */
  readonly token?: readonly [secret: string, header: string, value: string];
}

const portal: readonly [Answer, RegExp] = [
  [200, "<html><body>Sign in to this network</body></html>"],
  /answered 200 OK: “<html>.*does not answer so: check the address/,
];

const rows: Readonly<Record<ChatService, Row>> = {
  slack: {
    path: "/services/T0/B0/abc",
    isBodyOfTwo: (json: object) =>
      assert.deepEqual(json, { text: `*${head}*\n${inSlack(body)}`, unfurl_links: false }),
    lengthOf: ({ text }: { text: string }) => Buffer.byteLength(text),
    most: 4_005,
    taken: [
      [200, "ok"],
      [200, '{"success":true}'],
    ],
    refused: [
      [[200, "invalid_payload"], /answered 200 OK: “invalid_payload”\. Slack does not answer so/],
      [[403, "action_prohibited"], /403 Forbidden: “action_prohibited”\. It does not accept the address/],
      [[404, "channel_not_found"], /“channel_not_found”\. Nothing receives messages at this address/],
      [[410, "channel_is_archived"], /“channel_is_archived”\. Nothing receives/],
      [[400, "no_text"], /“no_text”.*expects messages of Slack/],
      portal,
    ],
  },
  discord: {
    path: "/api/webhooks/123/abc",
    isBodyOfTwo: (json: object) => {
      isPublishedForm("IncomingWebhookRequestPartial", json);
      const content = `**${inDiscord(head)}**\n${inDiscord(body)}`;
      assert.deepEqual(json, { content, allowed_mentions: { parse: [] } });
    },
    lengthOf: ({ content }: { content: string }) => [...content].length,
    most: 2_000,
    taken: [
      [204, ""],
      [200, '{"id":"1","type":0,"content":"x"}'],
    ],
    refused: [
      [[404, '{"message":"Unknown Webhook","code":10015}'], /Unknown Webhook.*Nothing receives messages/],
      [[200, "{}"], /Discord does not answer so/],
      portal,
    ],
  },
  teams: {
    path: "/workflows/1f/triggers/manual/paths/invoke?sig=x",
    isBodyOfTwo: (json: never) => {
      const { type, attachments, ...rest } = json as {
        type: string;
        attachments: { contentType: string; content: object }[];
      };
      const [{ contentType, content } = assert.fail(), ...more] = attachments;
      assert.deepEqual([type, contentType], ["message", "application/vnd.microsoft.card.adaptive"]);
      assert.deepEqual([rest, more], [{}, []]);
      isPublishedForm("AdaptiveCard", content);
      const [title, ...lines] = card(json);
      assert.deepEqual(title, { type: "TextRun", text: head, weight: "bolder", color: "attention" });
      // A run is no Markdown, so that nothing in it is escaped.
      assert.equal(lines.map(({ text }) => text).join("\n"), body.replace("\n\n", "\n \n"));
    },
    lengthOf: (json: never) => Buffer.byteLength(JSON.stringify(json), "utf16le"),
    most: 28 * 1_024,
    taken: [[202, ""]],
    refused: [
      [[400, '{"error":{"code":"TriggerInputSchemaMismatch"}}'], /expects messages of Microsoft Teams/],
      [[401, '{"error":{"code":"AuthorizationRequired"}}'], /does not accept the address or the token/],
      [[200, ""], /answered 200 OK\. Microsoft Teams does not answer so/],
      portal,
    ],
  },
  ntfy: {
    path: "/boiler-house",
    requested: "/",
    isBodyOfTwo: (json: object) =>
      assert.deepEqual(json, { topic: "boiler-house", title: head, message: body, priority: 5 }),
    ordinary: /"priority":3/,
    lengthOf: ({ message }: { message: string }) => Buffer.byteLength(message),
    most: 4_096,
    taken: [[200, '{"id":"7p","time":1,"expires":2,"event":"message","topic":"boiler-house","message":"x"}']],
    refused: [
      [
        [403, '{"code":40301,"http":403,"error":"forbidden"}'],
        /forbidden.*does not accept the address or the token/,
      ],
      [[413, '{"code":41303,"http":413,"error":"body too large"}'], /too large.*expects messages of ntfy/],
      [[200, '{"health":true}'], /ntfy does not answer so/],
      portal,
    ],
    token: ["tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2", "authorization", "Bearer tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2"],
  },
  gotify: {
    path: "/gotify/",
    requested: "/gotify/message",
    isBodyOfTwo: (json: object) => {
      isPublishedForm("CreateMessage", json);
      assert.deepEqual(json, { title: head, message: body, priority: 8 });
    },
    ordinary: /"priority":5/,
    lengthOf: ({ message }: { message: string }) => Buffer.byteLength(message),
    most: 4_000,
    taken: [[200, '{"id":25,"appid":5,"message":"x","date":"2018-02-27T19:36:10.5045044+01:00"}']],
    refused: [
      [
        [401, '{"error":"Unauthorized","errorCode":401,"errorDescription":"you need a valid token"}'],
        /Unauthorized.*does not accept the address or the token/,
      ],
      [[200, '{"health":"green","database":"green"}'], /Gotify does not answer so/],
      portal,
    ],
    token: ["AbCdEfGhIjKlMn_", "x-gotify-key", "AbCdEfGhIjKlMn_"],
  },
};

for (const service of chatServiceNames) {
  const row = rows[service];
  const first = row.taken[0] ?? assert.fail();

  describe(`a message to ${service}`, () => {
    it("has its form, marks what is grave, and takes the meaning from its markup", async (test) => {
      const { json, path, headers, delivery } = await delivered(test, service, two, first, {
        path: row.path,
      });
      row.isBodyOfTwo(json as never);
      assert.deepEqual(
        [path, headers["content-type"], headers["webhook-signature"], delivery.outcome],
        [`POST ${row.requested ?? row.path}`, "application/json", undefined, "taken"],
      );
    });

    it("is a test, or of ordinary notices, without a mark", async (test) => {
      const testing = await delivered(test, service, testMessage(), first);
      assert.match(testing.body, /Test message.*This is a test: the messages of this device arrive/s);
      const { body } = await delivered(test, service, messageOf([ordinary]), first);
      assert.doesNotMatch(body, /⚠️|attention/);
      assert.match(body, row.ordinary ?? /Done: clock/);
    });

    it("is never above the service's limit, and names the number of all", async (test) => {
      const many = Array.from({ length: 20 }, (_, index) =>
        noticeOf(index, {
          title: `${index} ${hostile}`,
          text: `${index} &<*€ü🌡️ `.repeat(60),
          level: index === 3 ? "grave" : "ordinary",
        }),
      );
      const long = noticeOf(1, { text: "🌡️&<*_".repeat(20_000) });
      const bodies: string[] = [];
      for (const message of [messageOf(many), messageOf([long])]) {
        const { json, body } = await delivered(test, service, message, first);
        const length = row.lengthOf(json as never);
        assert.ok(length <= row.most && length > row.most / 6, `${length} of ${row.most}`);
        assert.doesNotMatch(JSON.stringify(json), /\\ud[89a-f]/, "half a character");
        bodies.push(body);
      }
      for (const words of [/and 19 more/, /20 events happened; the \d+ gravest and newest/, /⚠️ 3 a/])
        assert.match(bodies[0] ?? "", words);
    });

    it("is delivered where the service says so, and only then", async (test) => {
      // Some proxies compress although nobody asked for it.
      const packed: Answer = [first[0], gzipSync(first[1]), { "content-encoding": "gzip" }];
      for (const answer of [...row.taken, packed]) {
        const { delivery } = await delivered(test, service, two, answer);
        assert.equal(delivery.outcome, "taken", String(answer[1]));
      }
      for (const [answer, expected] of row.refused)
        assert.match(errorOf((await delivered(test, service, two, answer)).delivery), expected);
    });

    it("waits as long as the service asks, in a header or in its text", async (test) => {
      const text = '{"message": "You are being rate limited.", "retry_after": 1.336, "global": false}';
      for (const [answer, seconds] of [
        [[429, "", { "retry-after": "7" }], 7],
        [[429, text], 2],
      ] as const) {
        const { delivery } = await delivered(test, service, two, answer);
        assert.equal(delivery.outcome === "retry" && delivery.retryAfterSeconds, seconds);
      }
    });

    it("has the token or the headers of its secret", async (test) => {
      const sentWith = (secret: string) => delivered(test, service, two, first, { secret });
      const own = await sentWith("X-Key: a b\nAuthorization: Basic eA==");
      assert.deepEqual([own.headers["x-key"], own.headers.authorization], ["a b", "Basic eA=="]);
      if (row.token !== undefined) {
        const [secret, header, value] = row.token;
        return assert.equal((await sentWith(secret)).headers[header], value);
      }
      const error = errorOf((await sentWith("a-token")).delivery);
      assert.match(error, /its secret has a line 1 that is not of the form "name: value"\. Set a new/);
    });
  });
}
