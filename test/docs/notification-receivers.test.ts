import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { messageOf, noticeOf as sampleOf } from "../../lab/host/messages.ts";
import { notify } from "../../src/contract/notifications/notify-settings.ts";
import { cloudEvent } from "../../src/outbox/cloud-event.ts";
import { mailText } from "../../src/outbox/mail-text.ts";
import { noticeOf } from "../../src/outbox/notices.ts";
import { makeWebhookSecret, signedHeaders, webhookKey } from "../../src/outbox/webhook-signature.ts";
import { receiverErrors } from "../../src/system/settings/receiver-rules.ts";
import { blocksOf } from "./blocks.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/notification-receivers.md"), "utf8");
const administrators = readFileSync(join(import.meta.dirname, "../../docs/notifications.md"), "utf8");
const person = (name: string) => ({ kind: "user" as const, id: `usr_${"1".repeat(32)}`, name });
const block = (kind: string): string =>
  blocksOf(page).find((one) => one.kind === kind)?.text ?? assert.fail(kind);

const details = { need: "clock", level: "attention", reason: "clock_no_majority" };
const notice = noticeOf(sampleOf(4_711, { details }).event);
const message = messageOf([notice]);

describe("the page for receivers", () => {
  it("has the body that a device sends", () => {
    assert.deepEqual(JSON.parse(block("json")), cloudEvent(message, ""));
  });

  it("leads from one on which receivers are named in settings as they may be", () => {
    const [json = assert.fail()] = blocksOf(administrators).filter(({ kind }) => kind === "json");
    const { receivers } = JSON.parse(json.text).notify;
    const isValid = new Ajv2020({ strict: false }).compile(notify.properties.receivers);
    assert.equal(isValid(receivers), true, JSON.stringify(isValid.errors));
    assert.deepEqual(receiverErrors(receivers), []);
  });

  it("has the mail that a device sends, and so has the page for administrators", () => {
    const by = { actor: person("anna"), subject: person("eve"), from: "192.0.2.7" };
    const { event } = sampleOf(4_712, {
      type: "user.changed",
      details: { role: "admin", role_before: "readonly" },
    });
    const pages = [
      [page, message],
      [administrators, messageOf([noticeOf({ ...event, ...by, time: "2026-11-29T10:00:31.000Z" })])],
    ] as const;
    for (const [whole, sent] of pages) {
      const { subject, text } = mailText(sent, sent.notices);
      const [shown] = text.split("\n\n-- \n");
      const mail = blocksOf(whole).find(({ kind }) => kind === "text")?.text;
      assert.equal(mail, `Subject: ${subject}\n\n${shown}\n`);
    }
  });

  it("verifies a webhook, and refuses another secret, another body and one of six minutes ago", () => {
    const secret = makeWebhookSecret();
    const body = JSON.stringify(cloudEvent(message, ""));
    const now = Math.floor(Date.now() / 1_000);
    const headersAt = (seconds: number) =>
      signedHeaders(webhookKey(secret) ?? assert.fail(), message.id, seconds, body);
    const cases = [
      [secret, headersAt(now), body],
      [makeWebhookSecret(), headersAt(now), body],
      [secret, headersAt(now), `${body} `],
      [secret, headersAt(now - 360), body],
    ];
    const asking =
      "import json, sys\nprint(json.dumps([is_from_device(s, h, b.encode()) for s, h, b in json.load(sys.stdin)]))";
    const { stdout, stderr } = spawnSync("python3", ["-c", `${block("python")}\n${asking}`], {
      ...{ encoding: "utf8", input: JSON.stringify(cases) },
    });
    assert.deepEqual(JSON.parse(stdout || JSON.stringify(stderr)), [true, false, false, false]);
  });
});
