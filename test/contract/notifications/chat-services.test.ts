import assert from "node:assert/strict";
import { it } from "node:test";
import { chatServiceNames, kindOf } from "../../../src/contract/notifications/chat-services.ts";

const path = "triggers/manual/paths/invoke?api-version=1&sig=x";
const direct = "environment.api.powerplatform.com:443/powerautomate/automations/direct";

/** Addresses as the services show them, and others that only look like them. */
const addresses = {
  slack: [
    ["https://hooks.slack.com/services/T0/B0/abc", "https://hooks.slack-gov.com/services/T0/B0/abc"],
    ["https://hooks.slack.com/triggers/T0/1/abc", "https://hooks.slack.com.evil.example/services/a"],
  ],
  discord: [
    [
      "https://discord.com/api/webhooks/123/a-b_c",
      "https://ptb.discord.com/api/v10/webhooks/123/abc?wait=true",
      "https://discordapp.com/api/webhooks/123/abc?thread_id=1",
    ],
    ["https://discord.com/api/webhooks/123/abc/slack", "https://discord.com/channels/1/2"],
  ],
  teams: [
    [
      `https://prod-23.westeurope.logic.azure.com:443/workflows/1f/${path}`,
      `https://default1f.d4.${direct}/workflows/1f/${path}`,
    ],
    ["https://logic.azure.com.evil.example/workflows/1", "https://a.logic.azure.com/other?workflows/"],
  ],
  ntfy: [
    ["https://ntfy.sh/boiler-house_7"],
    ["https://ntfy.sh/", "https://ntfy.sh/a/b", "https://ntfy.sh.evil.example/topic"],
  ],
  gotify: [
    [
      "https://push.example/message?token=AbCdEfGhIjKlMn_",
      "http://192.168.1.9:8080/gotify/message?token=A.123456789-xyz",
    ],
    ["https://push.example/message", "https://push.example/hook?token=AbCdEfGhIjKlMn_"],
  ],
} as const;

for (const service of chatServiceNames)
  it(`a receiver is one of ${service} by its own addresses and by its kind, and by nothing else`, () => {
    const [own, others] = addresses[service];
    for (const url of own) assert.equal(kindOf({ kind: "webhook", url }), service, url);
    for (const url of others) assert.equal(kindOf({ kind: "webhook", url }), "webhook", url);
    assert.equal(kindOf({ kind: service, url: "https://chat.example/hook" }), service);
  });
