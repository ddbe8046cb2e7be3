import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { adminName, adminPassword, type RunningAgent } from "../../lab/agents/running-agent.ts";
import { until } from "../../lab/basics/until.ts";
import { endOfConsole, startBrowser, type TestBrowser, untilFocused } from "../../lab/console/browser.ts";
import { lightBrowser } from "../../lab/console/light/light-browser.ts";
import { assertAboveKeyboard } from "../../lab/console/page-checks.ts";
import { makeRescueToken, rescueTokenName } from "../../src/accounts/sign-in/rescue-token.ts";

function fields(page: Page) {
  return {
    token: page.getByLabel("Setup token"),
    tick: page.getByText("The setup token came with the link"),
    name: page.getByLabel("Your name"),
    username: page.getByLabel("User name"),
    password: page.getByLabel("Password", { exact: true }),
    submit: page.getByRole("button", { name: "Create the administrator" }),
  };
}

/** The agent's answer to the later of two people who set it up. */
const alreadyDone = {
  status: 409,
  contentType: "application/problem+json",
  json: {
    ...{ type: "about:blank", title: "Set up already", status: 409, request_id: "r" },
    ...{ code: "setup_already_done", detail: "This device has an administrator already." },
  },
};

describe("the console's first run", () => {
  const ending = endOfConsole();
  const { looks } = ending;
  const browser = lightBrowser(ending);
  let agent: RunningAgent;
  let chromium: TestBrowser;
  const setupToken = () => readFileSync(join(agent.runDirectory, "setup-token"), "utf8").trim();
  before(async () => {
    agent = await startAgentInProcess();
    ending.after(() => agent.dispose());
    chromium = await startBrowser(ending);
  });

  const open = async (path = "/") => {
    const { page } = await browser.open(agent);
    await page.goto(path);
    return { page, ...fields(page) };
  };

  it("takes the token out of a link at once, over one that was typed too, shows a tick for it, and sends it in no address", async () => {
    const { page, context } = await chromium.open(agent);
    const addresses: string[] = [];
    context.on("request", (request) => addresses.push(request.url()));
    await page.goto(`/#setup=${setupToken()}`);
    const { token, tick, name, username, password, submit } = fields(page);
    await tick.waitFor();
    assert.equal(await token.count(), 0, "there is nothing to type");
    assert.equal(new URL(page.url()).hash, "");
    await untilFocused(name);
    // Other links are opened in the same page; the first of them is of another start of the agent.
    await page.evaluate(() => location.assign("#setup=pasted"));
    await page.waitForFunction(() => location.hash === "");
    await username.fill(adminName);
    await password.fill(adminPassword);
    await submit.click();
    await untilFocused(token.and(page.locator("[aria-invalid=true]")));
    assert.equal(await token.inputValue(), "pasted");
    await token.fill("typed");
    assert.equal(await tick.count(), 0);
    await page.evaluate((link) => location.assign(link), `#setup=${setupToken()}`);
    await tick.waitFor();
    assert.equal(await token.count(), 0);
    assert.ok(addresses.length > 0, "no request was seen");
    const told = addresses.filter((address) => address.includes(setupToken()) || address.includes("pasted"));
    assert.deepEqual(told, []);
  });

  it("keeps each field of a small phone above its keyboard", async () => {
    const { page } = await chromium.open(agent, { width: 320, height: 568, isTouched: true });
    await page.goto("/");
    await fields(page).token.waitFor();
    await assertAboveKeyboard(page, 4);
  });

  it("suggests a user name from the person's, until another one is typed, and counts the password's characters", async () => {
    const { page, name, username, password } = await open();
    for (const [field, text, expected] of [
      [name, "Ana Müller", "ana.mueller"],
      [name, "Ana Miller", "ana.miller"],
      [username, "ana", "ana"],
      [name, "Ana M.", "ana"],
    ] as const) {
      await field.fill(text);
      await until(`${expected} is suggested`, async () => (await username.inputValue()) === expected);
    }
    looks.keep(page, "first-run-names");
    for (const [text, words] of [
      ["", /^15 characters or more\./],
      ["🦉 and owl", /^9 of 15 characters\./],
      [adminPassword, /^26 characters: long enough\./],
    ] as const) {
      await password.fill(text);
      await until(`the password is described by ${words}`, async () => {
        const id = await password.getAttribute("aria-describedby");
        return words.test(await page.locator(`[id="${id}"]`).innerText());
      });
    }
    // Another language takes nothing of it away.
    await page.getByRole("button", { name: "Deutsch" }).click();
    await page.getByRole("heading", { name: "Der erste Administrator" }).waitFor();
    assert.equal(await page.getByLabel("Passwort", { exact: true }).inputValue(), adminPassword);
  });

  it("says at the field why it is refused, and moves the focus to it", async () => {
    const { page, token, username, password, submit } = await open();
    const refused = async (field: typeof token, reason: RegExp) => {
      await submit.click();
      await page.locator(".error").filter({ hasText: reason }).waitFor();
      await field.and(page.locator("[aria-invalid=true]")).waitFor();
      await untilFocused(field);
    };
    await token.fill(setupToken());
    await username.fill("Root Admin");
    await password.fill("correct horse battery");
    assert.equal(await page.getByText("3 to 32 lower-case letters").count(), 0, "no rule before an error");
    await refused(
      username,
      /^3 to 32 lower-case letters \(a–\u2060z\), digits, dots, underscores or hyphens/,
    );
    assert.equal(await page.getByText("[a-z]").count(), 0, "a pattern is no rule for a person");
    await username.fill(adminName);
    for (const [text, reason] of [
      ["too short", /too short/],
      ["root-admin-root-admin", /name/],
    ] as const) {
      await password.fill(text);
      await refused(password, reason);
    }
    looks.keep(page, "first-run-light");
    await token.fill("wrong");
    await password.fill(adminPassword);
    await refused(token, /not the setup token/);
  });

  it("sends all of it, keeps it where another person has made the administrator meanwhile, and says so", async () => {
    const { page, name, username, password, submit } = await open("/#setup=any");
    const sent: unknown[] = [];
    await page.route("/api/setup", (route) => {
      sent.push(route.request().postDataJSON());
      return route.fulfill(alreadyDone);
    });
    const expected = { display_name: "Ana M.", username: "second-admin", password: adminPassword };
    await name.fill(expected.display_name);
    await username.fill(expected.username);
    await password.fill(adminPassword);
    await submit.click();
    await page.getByText("your account was not created").waitFor();
    assert.deepEqual(sent, [{ setup_token: "any", ...expected }]);
    assert.equal(await username.inputValue(), expected.username);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();
  });

  it("goes on where the answer was lost that had made the administrator", async () => {
    const { page, username, password, submit } = await open(`/#setup=${setupToken()}`);
    await page.route("/api/setup", (route) => route.fetch().then(() => route.abort()), { times: 1 });
    await username.fill(adminName);
    await password.fill(adminPassword);
    await password.press("Enter");
    await page.getByText("The device did not answer").waitFor();
    await submit.click();
    const steps = page.getByRole("list", { name: "Steps of the setup" });
    await steps.locator('[aria-current="step"]').getByText("Second factor", { exact: true }).waitFor();
    await page.getByRole("img", { name: /QR code/ }).waitFor();
    looks.keep(page, "first-run-factor", async (drawn) => {
      const width = await drawn.locator("img").evaluate((image) => (image as HTMLImageElement).naturalWidth);
      assert.ok(width > 0, "the QR code is not drawn");
    });
  });

  it("sets an administrator's password with the token of a device that was booted for rescue", async () => {
    const { token, text } = makeRescueToken(uptime());
    writeFileSync(join(agent.runDirectory, rescueTokenName), text);
    const { page, name, username, password } = await open(`/#setup=${token}`);
    await page.getByText("enter the name of one to set a new password").waitFor();
    assert.equal(await name.count(), 0, "an administrator who is there has one");
    await untilFocused(username);
    await username.fill(adminName);
    await password.fill("seven quiet owls at dusk");
    await password.press("Enter");
    await page.getByRole("heading", { name: "Your account", level: 1 }).waitFor();
    await page.goto(`/#setup=${token}`);
    await page.locator(".frame").waitFor();
  });

  it("leads to the sign-in where the token of rescue has ended", async () => {
    const { page, username, password, submit } = await open("/#setup=00000-00000-00000-00000");
    await username.fill(adminName);
    await password.fill(adminPassword);
    await submit.click();
    await page.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();
  });
});
