import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { testMessage } from "../../lab/host/messages.ts";
import { retry } from "../../src/outbox/receiver.ts";
import { withoutRepeatedSecrets } from "../../src/programs/agent/outbox/repeated-secrets.ts";

const secrets = [
  "https://hooks.example/services/T0/B0/SLACKSECRET1?key=ä",
  "https://u.example/otlp",
  "AKIA.7",
  "Bearer sk-12345678",
  "right horse, battery",
];

const texts: readonly (readonly [what: string, text: string, covered: string])[] = [
  [
    "its address",
    "POST https://hooks.example/services/T0/B0/SLACKSECRET1?key=ä",
    "POST https://hooks.example…",
  ],
  ["its path, as it was sent", "Cannot POST /services/T0/B0/SLACKSECRET1?key=%C3%A4", "Cannot POST …"],
  ["a part of its path", "no token (SLACKSECRET1)", "no token (…)"],
  ["a plain word of its path", "there are no services", "there are no services"],
  ["its path, cut off", "“Cannot POST /services/T0/B0/SLACKSE…”", "“Cannot POST …”"],
  ["another path", "/otlp/v1/logs is unknown", "…/v1/logs is unknown"],
  ["a user name", "535 AKIA.7: bad", "535 …: bad"],
  ["a token of a header", "unknown key sk-12345678", "unknown key …"],
  ["a password in base64", "502 AUTH cmlnaHQgaG9yc2UsIGJhdHRlcnk=", "502 AUTH …"],
];

describe("a receiver that repeats a secret", () => {
  for (const [what, text, covered] of texts)
    it(`${what}: the outcome has ${JSON.stringify(covered)}`, async () => {
      const outcomes = [
        retry(text, 7),
        { outcome: "refused", answer: text, error: text, events: 2 },
        { outcome: "taken", answer: text },
      ] as const;
      for (const outcome of outcomes) {
        const receiver = withoutRepeatedSecrets({ deliver: async () => outcome }, () => secrets);
        const delivery = await receiver.deliver(testMessage(), new AbortController().signal);
        const expected = JSON.parse(
          JSON.stringify(outcome).replaceAll(JSON.stringify(text).slice(1, -1), covered),
        );
        assert.deepEqual(delivery, expected);
      }
    });

  it("and one that has none says all", async () => {
    const receiver = withoutRepeatedSecrets({ deliver: async () => retry("a text…") }, () => ["", "abc"]);
    const delivery = await receiver.deliver(testMessage(), new AbortController().signal);
    assert.deepEqual(delivery, retry("a text…"));
  });
});
