import assert from "node:assert/strict";
import type { IncomingHttpHeaders } from "node:http";
import { createServer } from "node:https";
import { afterEach, describe, it } from "node:test";
import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { createAuthority } from "../../lab/host/certificates.ts";
import { deviceId, messageOf, noticeOf, testMessage } from "../../lab/host/messages.ts";
import { type Answerer, listening, startWebServer, type WebServer } from "../../lab/host/web-server.ts";
import { createTransfers } from "../../src/host/linux/transfers/transfers.ts";
import type { Delivery, Message } from "../../src/outbox/receiver.ts";
import { createWebhook, type WebhookOptions } from "../../src/outbox/webhook.ts";
import { makeWebhookSecret, readCredentials, webhookKey } from "../../src/outbox/webhook-signature.ts";

const directory = scratchDirectory();
const authority = createAuthority(directory);
const secret = makeWebhookSecret();
const servers: WebServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly method: string | undefined;
}

/** A receiver of webhooks that keeps what it gets, and answers as it is asked to. */
async function receiving(answer: Answerer, certificate = authority.certify("127.0.0.1")) {
  const received: Received[] = [];
  const requests: WebServer["requests"] = [];
  const server = await listening(
    createServer(certificate, (request, response) => {
      requests.push(request);
      let body = "";
      request.setEncoding("utf8");
      request.on("data", (piece: string) => {
        body += piece;
      });
      request.on("end", () => {
        received.push({ headers: request.headers, body, method: request.method });
        answer(request, response);
      });
    }),
    "https",
    requests,
  );
  servers.push(server);
  return { url: `${server.url}/hook`, received };
}

function deliver(
  url: string,
  message: Message,
  { allowLocalServers = true, ...changes }: Partial<WebhookOptions> & { allowLocalServers?: boolean } = {},
  signal = new AbortController().signal,
): Promise<Delivery> {
  const transfers = createTransfers({ redirects: null, allowLocalServers, caFile: authority.path });
  const options = { url, service: null, secret, transfers, allowHttp: true, wall: Date.now, ...changes };
  return createWebhook(options).deliver(message, signal);
}

const accepts: Answerer = (_request, response) => response.writeHead(204).end();
const began = messageOf([noticeOf(7, { text: "Zu prüfen: 40 °C – “warm” 🌡" })]);

describe("a webhook", () => {
  it("is verified by the library of Standard Webhooks, with letters of every kind", async () => {
    const { url, received } = await receiving(accepts);
    assert.deepEqual(await deliver(url, began), { outcome: "taken", answer: "204 No Content" });
    const [{ headers, body, method } = assert.fail()] = received;
    assert.equal(method, "POST");
    const verified = new Webhook(secret).verify(body, headers as Record<string, string>);
    assert.deepEqual(verified, {
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
    assert.equal(headers["content-type"], "application/cloudevents+json; charset=utf-8");
  });

  it("is refused by that library with another secret, another body, or after five minutes", async () => {
    const { url, received } = await receiving(accepts);
    await deliver(url, began);
    await deliver(url, began, { wall: () => Date.now() - 301_000 });
    const [first = assert.fail(), late = assert.fail()] = received;
    const verifying =
      (key: string, { headers, body }: Received) =>
      () =>
        new Webhook(key).verify(body, headers as Record<string, string>);
    assert.throws(verifying(makeWebhookSecret(), first), WebhookVerificationError);
    assert.throws(verifying(secret, { ...first, body: `${first.body} ` }), WebhookVerificationError);
    assert.throws(verifying(secret, late), /timestamp too old/i);
  });

  it("keeps its id at the next attempt, with a time and a signature of that moment", async () => {
    const { url, received } = await receiving(accepts);
    const now = Date.now();
    for (const seconds of [0, 60]) await deliver(url, began, { wall: () => now + seconds * 1_000 });
    const [first = assert.fail(), second = assert.fail()] = received;
    assert.equal(second.headers["webhook-id"], first.headers["webhook-id"]);
    assert.equal(
      Number(second.headers["webhook-timestamp"]),
      Number(first.headers["webhook-timestamp"]) + 60,
    );
    new Webhook(secret).verify(second.body, second.headers as Record<string, string>);
  });

  it("of several events, of a storm and of a test has a type of its own", async () => {
    const { url, received } = await receiving(accepts);
    await deliver(url, messageOf([noticeOf(7), noticeOf(9)], { gap: { from: 3, to: 6 } }));
    await deliver(url, messageOf([noticeOf(7)], { count: 70, counts: { "need.began": 70 } }));
    await deliver(url, testMessage());
    const events = received.map(({ body }) => JSON.parse(body));
    assert.deepEqual(
      events.map(({ type }) => type),
      ["steward.events", "steward.events", "steward.test"],
    );
    assert.deepEqual(events[0].data.gap, { from: 3, to: 6 });
    assert.deepEqual([events[1].data.count, events[1].data.events.length], [70, 1]);
    assert.match(events[2].time, /^20\d\d-\d\d-\d\dT/);
  });
});

describe("a webhook's failure", () => {
  it("is quoted on one line without control characters, and no redirect is followed", async () => {
    const { url, received } = await receiving((_request, response) =>
      response.writeHead(302, { location: "/elsewhere" }).end("no\u001b[2J\r\nsuch thing"),
    );
    const delivery = await deliver(url, began);
    assert.ok(delivery.outcome === "retry");
    assert.match(delivery.error, /answered 302 Found: “no \[2J such thing”\. Redirects are not followed/);
    assert.equal(received.length, 1);
  });

  it("is read for at most 4 KiB, though the answer has no end", { timeout: 9_000 }, async () => {
    let written = 0;
    const { url } = await receiving((_request, response) => {
      response.writeHead(500);
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(1_024))) written += 1_024;
      };
      response.on("drain", more);
      more();
    });
    const delivery = await deliver(url, began);
    assert.ok(delivery.outcome === "retry" && delivery.error.length < 400, JSON.stringify(delivery));
    assert.ok(written > 0);
  });

  it("comes soon after the delivery is cancelled", async () => {
    const ending = new AbortController();
    const { url } = await receiving(() => ending.abort());
    const delivery = await deliver(url, began, {}, ending.signal);
    assert.ok(delivery.outcome === "retry");
    assert.match(delivery.error, /was cancelled/);
  });
});

describe("an address that a webhook may not have", () => {
  for (const host of ["127.0.0.1", "localhost", "169.254.169.254", "[::ffff:127.0.0.1]"]) {
    it(`is ${host}, where local servers are not allowed`, async () => {
      const delivery = await deliver(`https://${host}:1/`, began, { allowLocalServers: false });
      assert.ok(delivery.outcome === "retry");
      assert.match(delivery.error, /is this device or is on its own link: it is not used/);
    });
  }

  it("is one without TLS, where root does not allow it", async () => {
    const server = await startWebServer((_request, response) => response.writeHead(200).end());
    servers.push(server);
    const delivery = await deliver(server.url, began, { allowHttp: false });
    assert.ok(delivery.outcome === "retry");
    assert.match(delivery.error, /must begin with https:.*"allow_http": true.*systemctl restart steward\.$/);
    assert.deepEqual(await deliver(server.url, began), { outcome: "taken", answer: "200 OK" });
    assert.equal(server.requests.length, 1);
  });
});

describe("a webhook's secret", () => {
  const bad = [
    "",
    "whsec_",
    `whsec_${"A".repeat(28)}`,
    makeWebhookSecret().slice(6),
    `whsec_${"A".repeat(100)}`,
  ];
  for (const secret of bad) {
    it(`is not ${JSON.stringify(secret).slice(0, 40)}, and nothing is sent without one`, async () => {
      const { url, received } = await receiving(accepts);
      const delivery = await deliver(url, began, { secret });
      assert.ok(delivery.outcome === "retry" && /Set a new one/.test(delivery.error));
      assert.equal(received.length, 0);
    });
  }
});

describe("the credentials in a secret", () => {
  const whole = makeWebhookSecret();
  const cases: [secret: string, token: string | undefined, expected: object][] = [
    ["X-Key: a b", undefined, { "x-key": "a b" }],
    ["A: 1\r\n# a comment\n\nB: 2\n", undefined, { a: "1", b: "2" }],
    ["tk_1", "Authorization: Bearer ", { authorization: "Bearer tk_1" }],
    ["Authorization: Basic eA==", "Authorization: Bearer ", { authorization: "Basic eA==" }],
    [`${whole}\nX-Key: a`, undefined, { "x-key": "a" }],
    ["tk_1", undefined, /line 1 that is not of the form/],
    ["tk_1\ntk_2", "Authorization: Bearer ", /line 1 that is not of the form/],
    ["", undefined, /is empty/],
    [" \n", "Authorization: Bearer ", /is empty/],
    ["X-Key: ä", undefined, /line 1/],
    ["X-Key: a\rHost: b", undefined, /line 1/],
    ["X Key: a", undefined, /line 1/],
    ["whsec_c2hvcnQ=", undefined, /begins with `whsec_`/],
    ...["Host", "Content-Length", "Transfer-Encoding", "Connection", "Proxy-Authorization", "TE"].map(
      (name): [string, undefined, RegExp] => [
        `X-Key: a\n${name}: b`,
        undefined,
        /names the header .* in line 2/,
      ],
    ),
  ];
  for (const [secret, token, expected] of cases)
    it(`are read from ${JSON.stringify(secret.replace(whole, "whsec_…"))}${token ? " for a service with tokens" : ""}`, () => {
      const read = readCredentials(secret, token);
      if (expected instanceof RegExp) return assert.match(String(read), expected);
      assert.ok(typeof read !== "string", String(read));
      assert.deepEqual({ ...read.headers }, expected);
      assert.equal(read.key !== null, secret.includes("whsec_"));
    });
});

describe("the secret of a webhook", () => {
  it("counts without the version that some services put in front of it, and with no other", () => {
    const secret = makeWebhookSecret();
    assert.equal(webhookKey(secret)?.byteLength, 32);
    assert.deepEqual(webhookKey(`v1,${secret}`), webhookKey(secret));
    for (const wrong of [`v2,${secret}`, `v1,v1,${secret}`, `v1a,${secret}`, "v1,whsec_", "v1,"])
      assert.equal(webhookKey(wrong), null, wrong);
  });
});
