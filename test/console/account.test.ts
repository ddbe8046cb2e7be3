import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { codeNear, codeOf, wrongCodeOf } from "../../lab/basics/authenticator.ts";
import { until } from "../../lab/basics/until.ts";
import {
  changeSettings,
  confirmPassword,
  fill,
  names,
  passwords,
  signInByForm,
  startBrowser,
} from "../../lab/console/browser.ts";
import { lightConsoleOf } from "../../lab/console/light/light-browser.ts";
import { assertSound } from "../../lab/console/page-checks.ts";

const canary = "<img src=x onerror=alert(1)>";
const recoveryCodePattern = /[0-9A-Z]{4}(-[0-9A-Z]{4}){3}/g;
const dialog = (page: Page, name: string) => page.getByRole("dialog", { name });
const button = (place: Page | Locator, name: string) => place.getByRole("button", { name, exact: true });
const code = (page: Page) => page.getByLabel("Code", { exact: true });
const allow = (page: Page) => page.getByLabel("Switch it on even though this clock is not in sync");
const enrolment = (page: Page) => dialog(page, "Set up a second factor");
const secretIn = async (page: Page) => (await enrolment(page).locator("pre").innerText()).replaceAll(" ", "");
const codesIn = async (page: Page) =>
  (await dialog(page, "Recovery codes").locator("pre").innerText()).match(recoveryCodePattern) ?? [];

async function keepCodes(page: Page): Promise<void> {
  await page.getByLabel("I have saved these codes").check();
  await button(page, "Done").click();
}

/** From the key that is shown to the recovery codes that are kept; no server is asked for the time here. */
async function enrolInPage(page: Page): Promise<string> {
  const secret = await secretIn(page);
  await code(page).fill(codeOf(secret));
  await button(page, "Switch on").click();
  await allow(page).check();
  await button(page, "Switch on").click();
  await keepCodes(page);
  return secret;
}

describe("the own account in the console", () => {
  const { agent, browser, ending, looks } = lightConsoleOf();
  const userOf = async (username: string) => (await agent.read(`/api/users?q=${username}`)).items[0];
  const login = (username: string, password: string, more = {}) =>
    agent.call("POST", "/api/auth/login", { body: { username, password, ...more } });
  const requireFactor = (require_2fa: string) => changeSettings(agent, { security: { require_2fa } });
  const statusWith = async (token: string, path = "/api/auth/me") =>
    (await agent.call("GET", path, { token })).status;

  it("says who one is and what the role may do, and takes any display name as text", async () => {
    const page = await browser.signedIn(agent, "readonly", "/account?open=you", { scheme: "dark" });
    await page.getByText("Reads logs and status, changes nothing").waitFor();
    await page.getByLabel("Display name").fill(canary);
    await button(page, "Save").click();
    await page.getByText("Saved").waitFor();
    assert.equal((await userOf(names.readonly)).display_name, canary);
    looks.keep(page, "account-dark");
  });

  it("has its parts one at a time, by the address, and keeps what is typed while another one is open", async () => {
    const page = await browser.signedIn(agent, "operator", "/account");
    const tab = (name: string) =>
      page.getByRole("navigation", { name: "Your account" }).getByRole("link", { name });
    const isOpen = async (title: string, others: readonly string[]): Promise<void> => {
      await page.getByRole("heading", { name: title, level: 2 }).waitFor();
      assert.equal(await tab(title === "Password" ? "Sign-in" : title).getAttribute("aria-current"), "page");
      for (const one of others)
        assert.ok(!(await page.getByRole("heading", { name: one, level: 2 }).isVisible()), one);
    };
    await isOpen("Password", ["Sessions", "API tokens", "You"]);
    await tab("You").click();
    await page.getByLabel("Display name").fill("half typed");
    await tab("API tokens").click();
    await page.waitForURL("**/account?open=tokens");
    await isOpen("API tokens", ["Password", "Sessions", "You"]);
    await page.goBack();
    await isOpen("You", ["Password", "Sessions", "API tokens"]);
    assert.equal(await page.getByLabel("Display name").inputValue(), "half typed");
    await page.getByLabel("Display name").fill("");
  });

  describe("the second factor of an administrator", () => {
    let page: Page;
    let secret: string;
    let codes: readonly string[];
    before(async () => {
      page = await browser.signedIn(agent, "admin", "/account", { isKept: true });
    });

    it("begins with the key, as a picture and as text, explains a clock that is not trusted, and ends with codes to keep", async () => {
      await button(page, "Set up a second factor").click();
      await enrolment(page).locator("img[src^='blob:']:not([alt=''])[alt]").waitFor();
      assert.match(await enrolment(page).locator("pre").innerText(), /^([A-Z2-7]{4} )+[A-Z2-7]{1,4}$/);
      secret = await secretIn(page);
      const link = new URL((await enrolment(page).getByRole("link").getAttribute("href")) ?? "");
      assert.deepEqual([link.protocol, link.searchParams.get("secret")], ["otpauth:", secret]);
      assert.equal(await allow(page).count(), 0);
      await code(page).fill(wrongCodeOf(secret));
      await button(page, "Switch on").click();
      await page.getByRole("alert").getByText("The clock of this device is not trusted").waitFor();
      await page.getByText(/Codes depend on the clock of this device.* It says .*202/).waitFor();
      await allow(page).check();
      await button(page, "Switch on").click();
      await page.getByText("This is not the current code of this key").waitFor();
      await code(page).fill(codeOf(secret));
      await code(page).press("Enter");
      await dialog(page, "Recovery codes").waitFor();
      codes = await codesIn(page);
      assert.equal(new Set(codes).size, 10);
      await button(page, "Done").click({ force: true });
      assert.equal(await dialog(page, "Recovery codes").count(), 1, "closed before the codes were kept");
      looks.keep(page, "account-recovery-codes-light");
      await keepCodes(page);
      await dialog(page, "Recovery codes").waitFor({ state: "detached" });
      await page.getByText("Recovery codes left").waitFor();
      assert.equal((await userOf(names.admin)).two_factor.enabled, true);
    });

    it("has new recovery codes, with which the old ones die, and is replaced with one of them", async () => {
      await button(page, "Create new recovery codes").click();
      await button(dialog(page, "Create new recovery codes"), "Create new recovery codes").click();
      await dialog(page, "Recovery codes").waitFor();
      const fresh = await codesIn(page);
      assert.equal(fresh.length, 10);
      await keepCodes(page);
      const old = await login(names.admin, passwords.admin, { recovery_code: codes[0] });
      assert.equal(old.json.code, "recovery_code_invalid");
      await button(page, "Replace the authenticator").click();
      const lost = dialog(page, "Replace the authenticator");
      await fill(lost, { Password: passwords.admin, "Recovery code": fresh[0] ?? "" });
      await button(lost, "Remove the current one").click();
      await button(page, "Set up a second factor").click();
      secret = await enrolInPage(page);
      await page.getByText("Recovery codes left").waitFor();
    });

    it("is switched off with password and code, but not where the device requires it, and the page says why", async () => {
      await requireFactor("admins");
      await page.reload();
      await page.getByText("This device requires a second factor. You can replace").first().waitFor();
      await button(page, "Switch off").and(page.locator("[aria-disabled=true]")).waitFor();
      await requireFactor("none");
      await page.reload();
      await button(page, "Switch off").click();
      const remove = dialog(page, "Switch off the second factor");
      await remove.getByLabel("Password", { exact: true }).fill(passwords.admin);
      await button(remove, "Switch off").click();
      await remove.getByLabel("Code", { exact: true }).fill(codeNear(secret, 1));
      await button(remove, "Switch off").click();
      await button(page, "Set up a second factor").waitFor();
      assert.equal((await userOf(names.admin)).two_factor.enabled, false);
    });
  });

  it("changes the password, says why one is refused, and ends the other sessions", async () => {
    const page = await browser.signedIn(agent, "operator", "/account");
    const other = await login(names.operator, passwords.operator);
    const [present, next] = [page.getByLabel("Current password"), page.getByLabel("New password")];
    const good = "harbour lamps at quiet noon";
    for (const [from, to, said, refused] of [
      ["not the present one", "a new one of four words", "The password is wrong", present],
      [passwords.operator, "passwordpassword", "This password is too easy to guess", next],
      [passwords.operator, good, "Password changed", null],
      [good, passwords.operator, "Password changed", null],
    ] as const) {
      await present.fill(from);
      await next.fill(to);
      await button(page, "Change password").click();
      await page.getByText(said).waitFor();
      if (refused !== null) assert.equal(await refused.getAttribute("aria-invalid"), "true");
      else await page.reload();
      if (to === good) assert.equal(await statusWith(other.json.access_token), 401);
    }
  });

  it("lists the sessions, marks this one, and ends one or all others", async () => {
    const { page } = await browser.open(agent);
    await signInByForm(page, "operator", "/account?open=sessions");
    const tokens = [];
    for (let count = 0; count < 3; count += 1)
      tokens.push((await login(names.operator, passwords.operator)).json.access_token);
    await page.reload();
    const list = page.getByRole("region", { name: "Sessions" }).getByRole("listitem");
    const own = list.filter({ hasText: "this one" });
    await own.waitFor();
    assert.match(
      await own.innerText(),
      /^Chrome, Linux\s.*this one\s*127\.0\.0\.1 · Signed in: .*20\d\d.* · Last used: /s,
    );
    assert.doesNotMatch(await page.content(), /Mozilla/, "as the browser sends it");
    assert.equal(await own.getByRole("button").count(), 0);
    const before = await list.count();
    await page
      .getByRole("button", { name: /^End the session of .*, .*20\d\d/ })
      .first()
      .click();
    await page.getByText("The session has ended.").waitFor();
    await until("it is gone", async () => (await list.count()) === before - 1);
    await button(page, "End all others").click();
    await button(page, "End all others").waitFor({ state: "detached" });
    for (const token of tokens) assert.equal(await statusWith(token), 401);
  });

  it("makes a token of the scopes that the role may have, shows it this once, and deletes it", async () => {
    const page = await browser.signedIn(agent, "readonly", "/account?open=tokens");
    await button(page, "Create token").click();
    const sheet = dialog(page, "Create token");
    await sheet.getByRole("checkbox").first().waitFor();
    assert.deepEqual(await scopesIn(sheet), ["logs:read", "metrics:read", "system:read", "product:use"]);
    await button(sheet, "Create token").click();
    await sheet.getByText("Choose at least one scope").waitFor();
    assert.equal(await sheet.getByLabel("Name").getAttribute("aria-invalid"), "true", "all at once");
    await sheet.getByLabel("Name").fill(canary);
    await sheet.getByLabel("Read settings, device information").check();
    looks.keep(page, "account-token-scopes");
    await button(sheet, "Create token").click();
    const token = await sheet.getByRole("region", { name: "Token" }).locator("pre").innerText();
    assert.match(token, /^stw_/);
    assert.equal(await button(sheet, "Copy").count(), 1);
    const recipes = sheet.getByRole("group").filter({ hasText: "How a program uses it" });
    assert.equal(await recipes.getAttribute("open"), null);
    const lines = await recipes.locator("pre").allInnerTexts();
    assert.match(lines.join("\n"), /\/api\/status'$/, "and nothing of Prometheus, for this scope");
    assert.ok(!lines.join().includes(token), "in the history of the shell");
    looks.keep(page, "account-token-made");
    assert.deepEqual(
      [await statusWith(token, "/api/system"), await statusWith(token, "/api/logs")],
      [200, 403],
    );
    await page.evaluate(() => history.pushState(null, "", "/account?open=tokens"));
    await page.goBack();
    await button(dialog(page, "Shown only this once"), "Stay").click();
    assert.ok(await sheet.getByText(token).isVisible(), "it is lost by a step to another part of the page");
    await button(page, "Done").click();
    await sheet.waitFor({ state: "detached" });
    assert.ok(!(await page.content()).includes(token), "the token is still in the page");
    await button(page, `Delete the token ${canary}`).click();
    await button(dialog(page, `Delete the token ${canary}`), "Delete").click();
    await page.getByRole("region", { name: "API tokens" }).getByText("None", { exact: true }).waitFor();
    assert.equal(await statusWith(token, "/api/system"), 401);
  });

  it("ticks the scopes of a purpose that the role allows, and names the token by it unless it has a name", async () => {
    const page = await browser.signedIn(agent, "operator", "/account?open=tokens");
    await button(page, "Create token").click();
    const sheet = dialog(page, "Create token");
    for (const [purpose, scopes, name] of [
      // An operator may not apply them.
      ["Updates", ["system:read", "updates:check"], "updates"],
      ["Monitoring", ["metrics:read"], "monitoring"],
      ["A fleet's state", ["system:read"], "graphs"],
    ] as const) {
      // The person's own name stays.
      if (name === "graphs") await sheet.getByLabel("Name").fill(name);
      await button(sheet, purpose).click();
      assert.deepEqual(await scopesIn(sheet, true), scopes);
      assert.equal(await sheet.getByLabel("Name").inputValue(), name);
    }
    const reader = await browser.signedIn(agent, "readonly", "/account?open=tokens");
    await button(reader, "Create token").click();
    await dialog(reader, "Create token").getByText("Choose scopes for").waitFor();
    const purposes = await dialog(reader, "Create token").locator("fieldset button").allTextContents();
    assert.deepEqual(purposes, ["Monitoring", "A fleet's state", "Logs and events"]);
  });

  it("is all that opens with a one-use password: the form for another one, and then everything", async () => {
    const body = { username: "fresh", role: "operator" };
    const { json } = await agent.call("POST", "/api/users", { body, local: true });
    const { page } = await browser.open(agent);
    await page.goto("/system");
    await fill(page, { "User name": "fresh", Password: json.initial_password });
    await button(page, "Sign in").click();
    await page.getByLabel("One-use password").fill(json.initial_password);
    assert.equal(await page.getByRole("heading", { level: 2 }).count(), 1);
    assert.equal(await page.getByRole("navigation").getByRole("link").count(), 0);
    looks.keep(page, "account-one-use-password");
    await page.getByLabel("New password").fill("lanterns under cold rivers");
    await button(page, "Change password").click();
    await page.getByRole("heading", { name: "System", level: 1 }).waitFor();
    assert.equal(new URL(page.url()).pathname, "/system");
  });

  it("is all that opens where a second factor is required: its enrolment, and then everything", async () => {
    await requireFactor("all");
    const { page } = await browser.open(agent);
    await signInByForm(page, "operator");
    await page.getByText("This device requires a second factor. Set yours").waitFor();
    assert.equal(await page.getByRole("heading", { level: 2 }).count(), 1);
    await button(page, "Set up a second factor").click();
    await confirmPassword(page, "operator");
    await enrolInPage(page);
    await page.locator(".verdict h1").waitFor();
    await page.locator(".sections").getByRole("link", { name: "Updates" }).click();
    await page.getByRole("heading", { name: "Updates", level: 1 }).waitFor();
    await requireFactor("none");
  });

  it("draws the key in a browser, copies it, fits a phone, and puts the recovery codes into a file", async () => {
    const chromium = await startBrowser(ending);
    const page = await chromium.signedIn(agent, "admin", "/account", { width: 360, height: 740 });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await button(page, "Set up a second factor").click();
    await page.waitForFunction(() => {
      const picture = document.querySelector<HTMLImageElement>("dialog img");
      return picture?.src.startsWith("blob:") && picture.naturalWidth > 0;
    });
    const secret = await secretIn(page);
    await button(page, "Copy").click();
    await enrolment(page).getByText("Copied").waitFor();
    await code(page).press("ControlOrMeta+v");
    assert.equal(await code(page).inputValue(), secret);
    await code(page).fill(wrongCodeOf(secret));
    await button(page, "Switch on").click();
    await allow(page).check();
    await button(page, "Switch on").click();
    await page.getByText("This is not the current code of this key").waitFor();
    await assertSound(page, "account-enrolment-phone");
    await code(page).fill(codeOf(secret));
    await code(page).press("Enter");
    const [file] = await Promise.all([page.waitForEvent("download"), button(page, "Download").click()]);
    const text = (await (await file.createReadStream()).setEncoding("utf8").toArray()).join("");
    const shown = await codesIn(page);
    assert.equal(shown.length, 10);
    for (const one of shown) assert.ok(text.includes(one), `${one} is not in the file`);
    await page.keyboard.press("Escape");
    await button(page, "Done").click({ force: true });
    assert.equal(await dialog(page, "Recovery codes").count(), 1, "closed before the codes were kept");
  });
});

/** The scopes that the boxes stand for, or only those that are ticked; each has a plain name as well. */
function scopesIn(sheet: Locator, isOnlyChecked = false): Promise<(string | null | undefined)[]> {
  return sheet
    .getByRole("checkbox")
    .evaluateAll(
      (boxes, onlyChecked) =>
        boxes
          .filter((box) => !onlyChecked || (box as HTMLInputElement).checked)
          .map((box) => box.parentElement?.querySelector(".hint")?.textContent),
      isOnlyChecked,
    );
}
