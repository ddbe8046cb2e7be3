import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { deviceId, messageOf, noticeOf } from "../../lab/host/messages.ts";
import type { Transfers } from "../../src/host/ports.ts";
import { textOf, weaklyTagged } from "../../src/http/answer-text.ts";
import { createOtlp } from "../../src/outbox/otlp.ts";
import type { Receiver } from "../../src/outbox/receiver.ts";
import { createWebhook } from "../../src/outbox/webhook.ts";
import { makeWebhookSecret } from "../../src/outbox/webhook-signature.ts";
import { lasting } from "../../src/store/documents/lasting.ts";

const half = "Kessel \ud83d";
const url = "https://receiver.example";
const message = messageOf([noticeOf(7, { title: half, details: { detail: half } })], {
  device: { id: deviceId, name: half },
});

/** The body that a receiver gets of this message. */
async function sentBy(receiverOf: (transfers: Transfers) => Receiver): Promise<string> {
  const bodies: Buffer[] = [];
  const transfers: Transfers = {
    open: async (_, { post = "" }) => {
      bodies.push(Buffer.from(post));
      throw new Error("no answer");
    },
  };
  await receiverOf(transfers).deliver(message, new AbortController().signal);
  const [body = Buffer.alloc(0)] = bodies;
  return String(body[0] === 0x1f ? gunzipSync(body) : body);
}

const wall = () => 0;
const resource = () => ({ version: "1", deviceId, deviceName: half, hostName: half, product: "steward" });
const byWebhook = (service: "slack" | null, secret: string | null) =>
  sentBy((transfers) => createWebhook({ url, transfers, wall, secret, service, allowHttp: false }));

const ways: Readonly<Record<string, () => string | Promise<string>>> = {
  "an answer": () => textOf({ name: half, list: [{ [half.slice(0, 6)]: half }] }),
  "an answer with a lasting value": () => textOf({ one: lasting({ name: half }), other: half }),
  "a lasting answer": () => textOf(lasting({ name: half })),
  "an answer with a weak tag": () => weaklyTagged({ name: half }, []).text,
  "a log record of OTLP": () =>
    sentBy((transfers) => createOtlp({ url, transfers, wall, resource, headers: async () => ({}) })),
  "a webhook": () => byWebhook(null, makeWebhookSecret()),
  "a message to a chat": () => byWebhook("slack", null),
};

/** Strict readers write what they have read as UTF-8, which has no half characters. */
const strictly = "import json, sys; print(json.dumps(json.load(sys.stdin), ensure_ascii=False))";

describe("a text with half a character that is there already", () => {
  for (const [way, write] of Object.entries(ways))
    it(`leaves whole in ${way}`, async () => {
      const text = await write();
      assert.match(text, /Kessel \ufffd/);
      assert.doesNotThrow(() => JSON.parse(text));
      const read = execFileSync("python3", ["-c", strictly], {
        input: text,
        env: { ...process.env, PYTHONIOENCODING: "utf-8:strict" },
      });
      assert.match(String(read), /Kessel \ufffd/);
    });

  it("and one that only looks so stays as it is", () => {
    const text = textOf({ path: "C:\\ud83d", emoji: "👨‍👩‍👧" });
    assert.deepEqual(JSON.parse(text), { path: "C:\\ud83d", emoji: "👨‍👩‍👧" });
  });
});
