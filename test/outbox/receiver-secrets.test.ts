import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { createSeal } from "../../src/accounts/second-factor/seal.ts";
import { createReceiverSecrets, receiverSecretsKind } from "../../src/outbox/receiver-secrets.ts";
import { openDocument } from "../../src/store/documents/document.ts";
import { createReserve } from "../../src/store/files/reserve.ts";

const webhook = { name: "alerts", kind: "webhook", url: "https://alerts.example/a" } as const;
const mail = { name: "duty", kind: "mail", server: "mail.example", port: 587, username: "pump" } as const;

async function opened(test: TestContext) {
  const directory = await temporaryDirectory(test);
  const open = (isFirstStart = false) =>
    openDocument(directory, receiverSecretsKind, { isFirstStart, reserve: createReserve(directory) });
  const [document, seal] = [await open(true), createSeal([randomBytes(32)])];
  test.after(() => document.close());
  const secrets = createReceiverSecrets(document, seal);
  return { document, open, file: join(directory, "receiver-secrets.json"), seal, secrets };
}

describe("the secrets of receivers", () => {
  it("are read back, also by the next start, and are not in the file", async (test) => {
    const { secrets, open, file, seal } = await opened(test);
    assert.equal(secrets.of(mail), null);
    await secrets.set(mail, "a password");
    await secrets.set(webhook, "whsec_one");
    await secrets.set(webhook, "whsec_two");
    const again = createReceiverSecrets(await open(), seal);
    assert.deepEqual([again.of(mail), again.of(webhook)], ["a password", "whsec_two"]);
    const text = await readFile(file, "utf8");
    assert.doesNotMatch(text, /a password|whsec_/);
    assert.equal(JSON.parse(text).secrets.length, 2);
  });

  it("are not given to another server: a password is sealed for the one that it was set for", async (test) => {
    const { secrets } = await opened(test);
    await secrets.set(mail, "a password");
    await secrets.set(webhook, "X-Key: a");
    for (const changed of [
      ...[{ server: "attacker.example" }, { port: 2525 }, { username: "other" }, { name: "other" }],
      { kind: "webhook" as const },
    ])
      assert.equal(secrets.of({ ...mail, ...changed }), null, JSON.stringify(changed));
    assert.equal(secrets.of(mail), "a password");
    for (const origin of [
      "https://attacker.example",
      "http://alerts.example",
      "https://alerts.example:8443",
    ]) {
      const other = { ...webhook, url: `${origin}/a` };
      assert.deepEqual([secrets.of(other), secrets.isSet(other)], [null, true], origin);
    }
    const elsewhere = { ...webhook, kind: "gotify", url: "https://alerts.example/b?c" };
    assert.equal(secrets.of(elsewhere), "X-Key: a", "it is the same server");
  });

  it("are none where the key is another one, as on a machine that the state was copied to", async (test) => {
    const { document, secrets } = await opened(test);
    await secrets.set(webhook, "whsec_one");
    assert.equal(createReceiverSecrets(document, createSeal([randomBytes(32)])).of(webhook), null);
    assert.equal(createReceiverSecrets(document, createSeal([])).of(webhook), null);
  });

  it("are forgotten with their receiver", async (test) => {
    const { document, secrets } = await opened(test);
    await secrets.set(mail, "a password");
    await secrets.set(webhook, "whsec_one");
    await secrets.keepOnly([webhook]);
    assert.deepEqual([secrets.of(mail), secrets.of(webhook)], [null, "whsec_one"]);
    assert.equal(document.read().secrets.length, 1);
  });
});
