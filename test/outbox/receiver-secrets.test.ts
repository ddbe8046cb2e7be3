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

async function opened(test: TestContext, key = randomBytes(32)) {
  const directory = await temporaryDirectory(test);
  const open = () =>
    openDocument(directory, receiverSecretsKind, { isFirstStart: false, reserve: createReserve(directory) });
  const document = await openDocument(directory, receiverSecretsKind, {
    isFirstStart: true,
    reserve: createReserve(directory),
  });
  test.after(() => document.close());
  return { document, open, file: join(directory, "receiver-secrets.json"), seal: createSeal([key]) };
}

describe("the secrets of receivers", () => {
  it("are read back, also by the next start, and are not in the file", async (test) => {
    const { document, open, file, seal } = await opened(test);
    const secrets = createReceiverSecrets(document, seal);
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
    const { document, seal } = await opened(test);
    const secrets = createReceiverSecrets(document, seal);
    await secrets.set(mail, "a password");
    for (const changed of [
      { server: "attacker.example" },
      { port: 2525 },
      { username: "other" },
      { name: "other" },
      { kind: "webhook" as const },
    ])
      assert.equal(secrets.of({ ...mail, ...changed }), null, JSON.stringify(changed));
    assert.equal(secrets.of(mail), "a password");
    await secrets.set(webhook, "X-Key: a");
    for (const url of [
      "https://attacker.example/a",
      "http://alerts.example/a",
      "https://alerts.example:8443/a",
    ]) {
      assert.equal(secrets.of({ ...webhook, url }), null, url);
      assert.equal(secrets.isSet({ ...webhook, url }), true);
    }
    const elsewhere = { ...webhook, kind: "gotify", url: "https://alerts.example/b?c" };
    assert.equal(secrets.of(elsewhere), "X-Key: a", "it is the same server");
  });

  it("are none where the key is another one, as on a machine that the state was copied to", async (test) => {
    const { document, seal } = await opened(test);
    await createReceiverSecrets(document, seal).set(webhook, "whsec_one");
    assert.equal(createReceiverSecrets(document, createSeal([randomBytes(32)])).of(webhook), null);
    assert.equal(createReceiverSecrets(document, createSeal([])).of(webhook), null);
  });

  it("are forgotten with their receiver", async (test) => {
    const { document, seal } = await opened(test);
    const secrets = createReceiverSecrets(document, seal);
    await secrets.set(mail, "a password");
    await secrets.set(webhook, "whsec_one");
    await secrets.keepOnly([webhook]);
    assert.deepEqual([secrets.of(mail), secrets.of(webhook)], [null, "whsec_one"]);
    assert.deepEqual(
      document.read().secrets.map(({ name }) => name),
      ["alerts"],
    );
  });
});
