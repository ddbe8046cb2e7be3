import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { leadsHere, startAgentUnderName, trusting } from "../../lab/agents/agent-under-name.ts";
import { enrol } from "../../lab/agents/enrol.ts";
import { adminName, adminPassword, type RunningAgent } from "../../lab/agents/running-agent.ts";
import { codeNear } from "../../lab/basics/authenticator.ts";
import { endOfSuite } from "../../lab/basics/ending.ts";
import { fill, untilDrawn } from "../../lab/console/browser.ts";
import { launchChromium } from "../../lab/console/launch.ts";
import { assertSound } from "../../lab/console/page-checks.ts";

const documented = readFileSync(join(import.meta.dirname, "../../docs/sign-in.md"), "utf8");

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** Chromium's own, which makes and uses passkeys without asking a person. */
async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...{ protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
}

/** Keeps the ways on which the page asks for passkeys, and the name of the error by which Chromium refuses that. */
async function noteQuestions(page: Page): Promise<(name: "asked" | "refusal") => Promise<unknown>> {
  await page.addInitScript(() => {
    const { credentials } = navigator;
    const get = credentials.get.bind(credentials);
    credentials.get = (options) => {
      const asked = options?.publicKey?.allowCredentials?.map(({ transports }) => transports);
      if (asked !== undefined) Object.assign(globalThis, { asked });
      const answer = get(options);
      answer.catch(({ name }: DOMException) => Object.assign(globalThis, { refusal: name }));
      return answer;
    };
  });
  return (name) => page.evaluate((one) => Reflect.get(globalThis, one), name);
}

async function givePassword(page: Page): Promise<void> {
  await fill(page, { "User name": adminName, Password: adminPassword });
  await button(page, "Sign in").click();
  await page.getByLabel("Code", { exact: true }).waitFor();
}

/** A sentence says it, and the browser's own words are beneath a fold, marked as English. */
async function explained(page: Page, ...sentences: string[]): Promise<void> {
  const problem = page.locator(".problem");
  for (const sentence of sentences) await problem.getByText(sentence).waitFor();
  const raw = problem.locator("details p");
  assert.equal(await raw.isVisible(), false);
  assert.equal(await raw.getAttribute("lang"), "en");
}

/** Begins to make a passkey for the host of the page, and gives it up: the words of whatever ends the attempt. */
function wordsOf(page: Page): Promise<string> {
  return page.evaluate(() => {
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

describe("passkeys in the console", () => {
  const ending = endOfSuite();
  let agent: RunningAgent;
  let port: number;
  let trusted: string;
  let secret: string;
  let recoveryCode = "";
  before(async () => {
    ({ agent, port } = await startAgentUnderName(ending));
    const admin = await agent.signedInAdmin();
    const enrolled = await enrol(agent.call, { ...admin, password: adminPassword });
    ({ secret } = enrolled);
    [recoveryCode = ""] = enrolled.recoveryCodes;
    trusted = await trusting(agent);
  });
  const open = async (isWhole: boolean, flags: readonly string[]): Promise<Page> => {
    const browser = await launchChromium(isWhole, [leadsHere, ...flags]);
    ending.after(() => browser.close());
    const page = await browser.newPage({ reducedMotion: "reduce" });
    page.setDefaultTimeout(20_000);
    return page;
  };

  it("are added under the device's name, sign in in place of a code, and are removed", async () => {
    const page = await open(false, [trusted]);
    const noted = await noteQuestions(page);
    await page.goto(`https://edge-7.local:${port}/account`);
    // The session by which it is loaded ends, and with it an authenticator that is there by then.
    await assertSound(page);
    await addAuthenticator(page);
    await givePassword(page);
    assert.equal(await button(page, "Use a passkey").count(), 0, "there is none yet");
    await page.getByLabel("Code", { exact: true }).fill(codeNear(secret, 1));
    await button(page, "Sign in").click();
    await button(page, "Add a passkey").click();
    await page.getByRole("dialog", { name: "Add a passkey" }).getByLabel("Name").fill("Work laptop");
    await assertSound(page, "passkey-adding");
    await button(page, "Continue").click();
    const row = page.getByRole("listitem").filter({ hasText: "Work laptop" });
    await row.getByText("edge-7.local").waitFor();
    await assertSound(page, "passkeys");
    await button(page, "Add a passkey").click();
    await button(page, "Continue").click();
    await explained(page, "There is a passkey already", "Use another one");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: adminName }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await givePassword(page);
    await button(page, "Use a passkey").waitFor();
    await assertSound(page, "passkey-sign-in");
    // As where none of the person's is on this computer, in Chromium's words.
    await page.evaluate(() => {
      const { credentials } = navigator;
      const get = credentials.get;
      credentials.get = () => {
        credentials.get = get;
        const address = "https://www.w3.org/TR/webauthn-2/#sctn-privacy-considerations-client";
        return Promise.reject(
          new DOMException(
            `The operation either timed out or was not allowed. See: ${address}.`,
            "NotAllowedError",
          ),
        );
      };
    });
    await button(page, "Use a passkey").click();
    await explained(page, "No passkey was used", "None of yours is on this computer or key");
    await button(page, "Use a passkey").click();
    await page.locator(".frame").waitFor();
    // The virtual authenticator is of this kind, as Windows Hello and Touch ID are.
    assert.deepEqual(await noted("asked"), [["internal"]]);
    const [{ details }] = (await agent.read("/api/events?type=sign_in.succeeded&limit=1")).items;
    assert.equal(details.method, "passkey");
    await page.goto(`https://edge-7.local:${port}/account`);
    await button(page, "Remove the passkey Work laptop").click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
    await row.waitFor({ state: "detached" });
  });

  it("are not offered at an address, where no browser has them", async () => {
    const page = await open(false, [trusted]);
    const noted = await noteQuestions(page);
    await page.goto(`https://127.0.0.1:${port}/account`);
    await givePassword(page);
    await button(page, "Use a recovery code").click();
    await page.getByLabel("Recovery code", { exact: true }).fill(recoveryCode);
    await button(page, "Sign in").click();
    await page.getByRole("heading", { name: "Second factor" }).waitFor();
    await page.getByRole("heading", { name: "Password" }).waitFor();
    await page.waitForFunction(() => "refusal" in globalThis);
    assert.equal(await noted("refusal"), "SecurityError");
    await untilDrawn(page);
    assert.equal(await page.getByRole("heading", { name: "Passkeys" }).count(), 0);
  });

  // Without a virtual authenticator: with one, Chromium does not look at the certificate.
  for (const [way, host, isTrusted, words] of [
    [
      "waits for an authenticator under a name with a trusted certificate",
      "edge-7.local",
      true,
      /^AbortError: /,
    ],
    [
      "refuses a certificate that only this person goes past",
      "edge-7.local",
      false,
      /^NotAllowedError: .*TLS/,
    ],
    ["refuses an address, whatever the certificate", "127.0.0.1", true, /^SecurityError: /],
  ] as const)
    it(`are documented in Chromium's words, which ${way}`, async () => {
      const page = await open(true, isTrusted ? [trusted] : []);
      const arrived = page.goto(`https://${host}:${port}/`);
      if (isTrusted) await arrived;
      else {
        await assert.rejects(arrived, /ERR_CERT_AUTHORITY_INVALID/);
        await page.click("#details-button");
        await page.click("#proceed-link");
        await page.locator("form").waitFor();
      }
      const said = await wordsOf(page);
      assert.match(said, words);
      if (!said.startsWith("AbortError")) assert.ok(documented.includes(said), said);
    });
});
