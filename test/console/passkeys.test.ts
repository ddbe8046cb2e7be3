import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { leadsHere, startAgentUnderName, trusting } from "../../lab/agents/agent-under-name.ts";
import { enrol } from "../../lab/agents/enrol.ts";
import { adminName, adminPassword, type RunningAgent } from "../../lab/agents/running-agent.ts";
import { codeNear } from "../../lab/basics/authenticator.ts";
import { endOfSuite } from "../../lab/basics/ending.ts";
import { untilDrawn } from "../../lab/console/browser.ts";
import { launchChromium } from "../../lab/console/launch.ts";
import { assertFits, axe, picture } from "../../lab/console/page-checks.ts";

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

/** Keeps the name of the error by which Chromium refuses the page's question for a passkey, before the page hears it. */
async function noteRefusal(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const { credentials } = navigator;
    const get = credentials.get.bind(credentials);
    credentials.get = (options) => {
      const answer = get(options);
      answer.catch(({ name }: DOMException) => Object.assign(globalThis, { refusal: name }));
      return answer;
    };
  });
}

/** Keeps the ways on which the page asks for passkeys. */
async function noteTransports(page: Page): Promise<() => Promise<unknown>> {
  await page.evaluate(() => {
    const { credentials } = navigator;
    const get = credentials.get.bind(credentials);
    credentials.get = (options) => {
      const asked = options?.publicKey?.allowCredentials?.map(({ transports }) => transports);
      if (asked !== undefined) Object.assign(globalThis, { asked });
      return get(options);
    };
  });
  return () => page.evaluate(() => Reflect.get(globalThis, "asked"));
}

async function givePassword(page: Page): Promise<void> {
  await page.getByLabel("User name").fill(adminName);
  await page.getByLabel("Password", { exact: true }).fill(adminPassword);
  await button(page, "Sign in").click();
  await page.getByLabel("Code", { exact: true }).waitFor();
}

describe("passkeys in the console", () => {
  const ending = endOfSuite();
  let agent: RunningAgent;
  let browser: Browser;
  let port: number;
  let secret: string;
  let recoveryCode: string;
  before(async () => {
    ({ agent, port } = await startAgentUnderName(ending));
    const admin = await agent.signedInAdmin();
    const enrolled = await enrol(agent.call, { ...admin, password: adminPassword });
    secret = enrolled.secret;
    recoveryCode = enrolled.recoveryCodes[0] ?? assert.fail("there is no recovery code");
    browser = await launchChromium(false, [await trusting(agent), leadsHere]);
    ending.after(() => browser.close());
  });
  const open = async (name: string): Promise<Page> => {
    const page = await browser.newPage({ reducedMotion: "reduce" });
    page.setDefaultTimeout(20_000);
    await page.goto(`https://${name}:${port}/account`);
    // The session by which it is loaded ends, and with it an authenticator that is there by then.
    assert.deepEqual(await axe(page), []);
    await addAuthenticator(page);
    return page;
  };

  it("are added under the device's name, sign in in place of a code, and are removed", async () => {
    const page = await open("edge-7.local");
    await givePassword(page);
    assert.equal(await button(page, "Use a passkey").count(), 0, "there is none yet");
    await page.getByLabel("Code", { exact: true }).fill(codeNear(secret, 1));
    await button(page, "Sign in").click();
    await button(page, "Add a passkey").click();
    const dialog = page.getByRole("dialog", { name: "Add a passkey" });
    await dialog.getByLabel("Name").fill("Work laptop");
    assert.deepEqual(await axe(page), []);
    await picture(page, "passkey-adding");
    await button(page, "Continue").click();
    const row = page.getByRole("row", { name: /Work laptop/ });
    await row.getByText("edge-7.local").waitFor();
    assert.deepEqual(await axe(page), []);
    await assertFits(page);
    await picture(page, "passkeys");

    await page.getByRole("button", { name: adminName }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await givePassword(page);
    await button(page, "Use a passkey").waitFor();
    assert.deepEqual(await axe(page), []);
    await picture(page, "passkey-sign-in");
    const asked = await noteTransports(page);
    await button(page, "Use a passkey").click();
    await page.locator(".frame").waitFor();
    // The virtual authenticator is of this kind, as Windows Hello and Touch ID are.
    assert.deepEqual(await asked(), [["internal"]]);
    const { json } = await agent.call("GET", "/api/events?type=sign_in.succeeded&limit=1", { local: true });
    assert.equal(json.items[0].details.method, "passkey");

    await page.goto(`https://edge-7.local:${port}/account`);
    await button(page, "Remove the passkey Work laptop").click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
    await row.waitFor({ state: "detached" });
  });

  it("are not offered at an address, where no browser has them", async () => {
    const page = await browser.newPage({ reducedMotion: "reduce" });
    page.setDefaultTimeout(20_000);
    await noteRefusal(page);
    await page.goto(`https://127.0.0.1:${port}/account`);
    await givePassword(page);
    await button(page, "Use a recovery code").click();
    await page.getByLabel("Recovery code", { exact: true }).fill(recoveryCode);
    await button(page, "Sign in").click();
    await page.getByRole("heading", { name: "Second factor" }).waitFor();
    await page.getByRole("heading", { name: "API tokens" }).waitFor();
    await page.waitForFunction(() => "refusal" in globalThis);
    assert.equal(await page.evaluate(() => Reflect.get(globalThis, "refusal")), "SecurityError");
    await untilDrawn(page);
    assert.equal(await page.getByRole("heading", { name: "Passkeys" }).count(), 0);
  });
});
