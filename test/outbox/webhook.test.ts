import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { deviceId, messageOf, noticeOf, testMessage } from "../../lab/host/messages.ts";
import { type Answerer, startWebServer } from "../../lab/host/web-server.ts";
import { createTransfers } from "../../src/host/linux/transfers/transfers.ts";
import type { Delivery, Message } from "../../src/outbox/receiver.ts";
import { createWebhook, type WebhookOptions } from "../../src/outbox/webhook.ts";
import { makeWebhookSecret, readCredentials, webhookKey } from "../../src/outbox/webhook-signature.ts";
import { authority, during, errorOf, type ReceivedRequest, receiving, unending } from "./fixture.ts";

const secret = makeWebhookSecret();

function deliver(url: string, message: Message, changes: Partial<WebhookOptions> = {}): Promise<Delivery> {
  const transfers = createTransfers({ redirects: null, allowLocalServers: true, caFile: authority.path });
  const options = { url, service: null, secret, transfers, allowHttp: true, wall: Date.now, ...changes };
  return createWebhook(options).deliver(message, unending);
}

const accepts: Answerer = (_request, response) => response.writeHead(204).end();
const began = messageOf([noticeOf(7, { text: "Zu prüfen: 40 °C – “warm” 🌡" })]);

/** By the library of Standard Webhooks; throws where it refuses it. */
const verified = ({ body, headers }: ReceivedRequest, key = secret) =>
  new Webhook(key).verify(body, headers as Record<string, string>);

describe("a webhook", () => {
  it("is verified by the library of Standard Webhooks, with letters of every kind", async (test) => {
    const { url, received } = await receiving(test, accepts);
    const delivery = await deliver(`${url}/hook`, began);
    assert.deepEqual(delivery, { outcome: "taken", answer: "204 No Content" });
    const [request = assert.fail()] = received;
    const sent = [request.path, request.headers["content-type"]];
    assert.deepEqual(sent, ["POST /hook", "application/cloudevents+json; charset=utf-8"]);
    assert.deepEqual(verified(request), {
      ...{ specversion: "1.0", id: `${deviceId}-7-7`, type: "steward.need.began" },
      source: "urn:uuid:4f1d0c8e-9a3b-4c5d-8e7f-001122334455",
      ...{ time: "2026-11-27T10:00:07.000Z", datacontenttype: "application/json" },
      data: {
        device: { id: deviceId, name: "Boiler house" },
        ...{ count: 1, counts: { "need.began": 1 }, gap: null },
        events: [
          {
            ...{ seq: 7, time: "2026-11-27T10:00:07.000Z", type: "need.began", level: "ordinary" },
            ...{ title: "To do: the disk is nearly full", text: "Zu prüfen: 40 °C – “warm” 🌡" },
            details: { need: "disk_full", level: "attention" },
          },
        ],
      },
    });
  });

  it("is refused by that library with another secret, another body, or after five minutes", async (test) => {
    const { url, received } = await receiving(test, accepts);
    await deliver(url, began);
    await deliver(url, began, { wall: () => Date.now() - 301_000 });
    const [first = assert.fail(), late = assert.fail()] = received;
    assert.throws(() => verified(first, makeWebhookSecret()), WebhookVerificationError);
    assert.throws(() => verified({ ...first, body: `${first.body} ` }), WebhookVerificationError);
    assert.throws(() => verified(late), /timestamp too old/i);
  });

  it("keeps its id at the next attempt, with a time and a signature of that moment", async (test) => {
    const { url, received } = await receiving(test, accepts);
    const now = Date.now();
    for (const seconds of [0, 60]) await deliver(url, began, { wall: () => now + seconds * 1_000 });
    const [first = assert.fail(), second = assert.fail()] = received;
    assert.equal(second.headers["webhook-id"], first.headers["webhook-id"]);
    const later = Number(first.headers["webhook-timestamp"]) + 60;
    assert.equal(Number(second.headers["webhook-timestamp"]), later);
    verified(second);
  });

  it("of several events, of a storm and of a test has a type of its own", async (test) => {
    const { url, received } = await receiving(test, accepts);
    await deliver(url, messageOf([noticeOf(7), noticeOf(9)], { gap: { from: 3, to: 6 } }));
    await deliver(url, messageOf([noticeOf(7)], { count: 70, counts: { "need.began": 70 } }));
    await deliver(url, testMessage());
    const [several, storm, test_] = received.map(({ body }) => JSON.parse(body));
    assert.deepEqual([several.type, several.data.gap], ["steward.events", { from: 3, to: 6 }]);
    assert.deepEqual([storm.type, storm.data.count, storm.data.events.length], ["steward.events", 70, 1]);
    assert.equal(test_.type, "steward.test");
    assert.match(test_.time, /^20\d\d-\d\d-\d\dT/);
  });

  it("reads at most 4 KiB of an answer that has no end", { timeout: 9_000 }, async (test) => {
    let written = 0;
    const { url } = await receiving(test, (_request, response) => {
      response.writeHead(500);
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(1_024))) written += 1_024;
      };
      response.on("drain", more);
      more();
    });
    const error = errorOf(await deliver(url, began));
    assert.ok(error.length < 400 && written > 0, error);
  });

  it("is not sent without TLS, where root does not allow it", async (test) => {
    const starting = startWebServer((_request, response) => response.writeHead(200).end());
    const { url, requests } = await during(test, starting);
    const error = errorOf(await deliver(url, began, { allowHttp: false }));
    assert.match(error, /must begin with https:.*"allow_http": true.*systemctl restart steward\.$/);
    assert.deepEqual(await deliver(url, began), { outcome: "taken", answer: "200 OK" });
    assert.equal(requests.length, 1);
  });
});

describe("the secret of a webhook", () => {
  for (const secret of ["", "whsec_", `whsec_${"A".repeat(28)}`, `whsec_${"A".repeat(100)}`])
    it(`is not ${JSON.stringify(secret).slice(0, 40)}, and nothing is sent without one`, async (test) => {
      const { url, received } = await receiving(test, accepts);
      assert.match(errorOf(await deliver(url, began, { secret })), /Set a new one/);
      assert.equal(received.length, 0);
    });

  it("counts without the version that some services put in front of it, and with no other", () => {
    assert.equal(webhookKey(secret)?.byteLength, 32);
    assert.deepEqual(webhookKey(`v1,${secret}`), webhookKey(secret));
    for (const wrong of [`v2,${secret}`, `v1,v1,${secret}`, `v1a,${secret}`, "v1,whsec_", "v1,"])
      assert.equal(webhookKey(wrong), null, wrong);
  });

  const bearer = "Authorization: Bearer ";
  const notOurs = "Host Content-Length Transfer-Encoding Connection Proxy-Authorization TE".split(" ");
  const cases: [secret: string, token: string | undefined, expected: object | RegExp][] = [
    ["X-Key: a b", undefined, { "x-key": "a b" }],
    ["A: 1\r\n# a comment\n\nB: 2\n", undefined, { a: "1", b: "2" }],
    ["tk_1", bearer, { authorization: "Bearer tk_1" }],
    ["Authorization: Basic eA==", bearer, { authorization: "Basic eA==" }],
    [`${secret}\nX-Key: a`, undefined, { "x-key": "a" }],
    ["tk_1", undefined, /line 1 that is not of the form/],
    ["tk_1\ntk_2", bearer, /line 1 that is not of the form/],
    [secret.slice(6), undefined, /line 1 that is not of the form/],
    ["", undefined, /is empty/],
    [" \n", bearer, /is empty/],
    ["X-Key: ä", undefined, /line 1/],
    ["X-Key: a\rHost: b", undefined, /line 1/],
    ["X Key: a", undefined, /line 1/],
    ["whsec_c2hvcnQ=", undefined, /begins with `whsec_`/],
    ...notOurs.map((name): (typeof cases)[number] => [
      `X-Key: a\n${name}: b`,
      undefined,
      /names the header .* in line 2/,
    ]),
  ];
  for (const [given, token, expected] of cases)
    it(`has these headers: ${JSON.stringify(given.replace(secret, "whsec_…"))}${token ? " for a service with tokens" : ""}`, () => {
      const read = readCredentials(given, token);
      if (expected instanceof RegExp) return assert.match(String(read), expected);
      assert.ok(typeof read !== "string", String(read));
      assert.deepEqual({ ...read.headers }, expected);
      assert.equal(read.key !== null, given.includes("whsec_"));
    });
});
