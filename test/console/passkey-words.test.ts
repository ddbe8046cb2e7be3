import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { leadsHere, startAgentUnderName, trusting } from "../../lab/agents/agent-under-name.ts";
import { endOfSuite } from "../../lab/basics/ending.ts";
import { launchChromium } from "../../lab/console/launch.ts";

const document = readFileSync(join(import.meta.dirname, "../../docs/sign-in.md"), "utf8");

/** Begins to make a passkey for the host of the page, and gives it up: the words of whatever ends the attempt. */
async function wordsOf(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const giveUp = new AbortController();
    setTimeout(() => giveUp.abort(), 1_000);
    const publicKey: PublicKeyCredentialCreationOptions = {
      challenge: new Uint8Array(32),
      rp: { id: location.hostname, name: "Steward" },
      user: { id: new Uint8Array(16), name: "alice", displayName: "Alice" },
      pubKeyCredParams: [{ type: "public-key", alg: -7 }],
    };
    return navigator.credentials.create({ publicKey, signal: giveUp.signal }).then(
      () => "made",
      ({ name, message }: DOMException) => `${name}: ${message}`,
    );
  });
}

/** As a person does who goes on past the warning. */
async function openPastWarning(page: Page, url: string): Promise<void> {
  await assert.rejects(page.goto(url), /ERR_CERT_AUTHORITY_INVALID/);
  await page.click("#details-button");
  await page.click("#proceed-link");
  await page.locator("form").waitFor();
}

/** Without a virtual authenticator: with one, Chromium does not look at the certificate. */
describe("Chromium's words about passkeys, by the way to the device", () => {
  const ending = endOfSuite();
  let port: number;
  let trusted: string;
  const open = async (flags: readonly string[] = []): Promise<Page> => {
    const browser = await launchChromium(true, [leadsHere, ...flags]);
    ending.after(() => browser.close());
    return browser.newPage();
  };
  before(async () => {
    const started = await startAgentUnderName(ending);
    ({ port } = started);
    await started.agent.signedInAdmin();
    trusted = await trusting(started.agent);
  });

  it("waits for an authenticator under a name with a trusted certificate", async () => {
    const page = await open([trusted]);
    await page.goto(`https://edge-7.local:${port}/`);
    assert.match(await wordsOf(page), /^AbortError: /);
  });

  it("refuses a certificate that only this person goes past", async () => {
    const page = await open();
    await openPastWarning(page, `https://edge-7.local:${port}/`);
    const words = await wordsOf(page);
    assert.match(words, /^NotAllowedError: .*TLS certificate/);
    assert.ok(document.includes(words), words);
  });

  it("refuses an address, whatever the certificate", async () => {
    const page = await open([trusted]);
    await page.goto(`https://127.0.0.1:${port}/`);
    const words = await wordsOf(page);
    assert.match(words, /^SecurityError: /);
    assert.ok(document.includes(words), words);
  });
});
