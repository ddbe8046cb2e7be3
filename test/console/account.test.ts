import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { codeNear, codeOf, wrongCodeOf } from "../../lab/basics/authenticator.ts";
import {
  changeSettings,
  confirmPassword,
  names,
  passwords,
  signIn,
  signInByForm,
  startBrowser,
  type TestBrowser,
} from "../../lab/console/browser.ts";
import { lightConsoleOf } from "../../lab/console/light/light-browser.ts";
import { assertFits, axe, picture } from "../../lab/console/page-checks.ts";

const canary = "<img src=x onerror=alert(1)>";
const recoveryCodePattern = /[0-9A-Z]{4}(-[0-9A-Z]{4}){3}/g;
const dialog = (page: Page, name: string) => page.getByRole("dialog", { name });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

describe("the own account in the console", () => {
  const userOf = async (username: string) => {
    const { json } = await agent.call("GET", `/api/users?q=${username}`, { local: true });
    return json.items[0];
  };
  const login = (username: string, password: string, more = {}) =>
    agent.call("POST", "/api/auth/login", { body: { username, password, ...more } });
  const { agent, browser, ending, looks } = lightConsoleOf();

  it("says who one is and what the role may do, and takes any display name as text", async () => {
    const page = await browser.signedIn(agent, "readonly", "/account", { scheme: "dark" });
    await page.getByText("Reads logs and status, changes nothing").waitFor();
    await page.getByLabel("Display name").fill(canary);
    await button(page, "Save").click();
    await page.getByText("Saved").waitFor();
    assert.equal((await userOf(names.readonly)).display_name, canary);
    looks.keep(page, "account-dark");
  });

  describe("the second factor of an administrator", () => {
    let page: Page;
    let secret = "";
    let recoveryCodes: string[] = [];
    const shownCodes = async () =>
      (await dialog(page, "Recovery codes").locator("pre").innerText()).match(recoveryCodePattern) ?? [];
    before(async () => {
      page = await browser.signedIn(agent, "admin", "/account", { isKept: true });
    });

    it("begins with the key, as a picture and as text, without the password of a moment ago", async () => {
      await button(page, "Set up a second factor").click();
      const enrolment = dialog(page, "Set up a second factor");
      await enrolment.locator("img[src^='blob:']:not([alt=''])[alt]").waitFor();
      const shown = await enrolment.locator("pre").innerText();
      assert.match(shown, /^([A-Z2-7]{4} )+[A-Z2-7]{1,4}$/);
      secret = shown.replaceAll(" ", "");
      const link = new URL((await enrolment.getByRole("link").getAttribute("href")) ?? "");
      assert.deepEqual([link.protocol, link.searchParams.get("secret")], ["otpauth:", secret]);
    });

    it("explains a clock that is not trusted, and goes on where the person says so", async () => {
      const code = page.getByLabel("Code", { exact: true });
      const allow = page.getByLabel("Switch it on although this clock is not in sync");
      assert.equal(await allow.count(), 0);
      await code.fill(wrongCodeOf(secret));
      await button(page, "Switch on").click();
      await page.getByRole("alert").getByText("The clock of this device is not trusted").waitFor();
      await page.getByText(/Codes depend on the clock of this device.* It says .*202/).waitFor();
      await allow.check();
      await button(page, "Switch on").click();
      await page.getByText("This is not the current code of this key").waitFor();
      await code.fill(codeOf(secret));
      await code.press("Enter");
    });

    it("gives ten recovery codes, and closes when they are kept", async () => {
      const codes = dialog(page, "Recovery codes");
      await codes.waitFor();
      recoveryCodes = await shownCodes();
      assert.equal(new Set(recoveryCodes).size, 10);
      await button(page, "Done").click({ force: true });
      assert.equal(await codes.count(), 1, "closed before the codes were kept");
      looks.keep(page, "account-recovery-codes-light");
      await page.getByLabel("I have kept them").check();
      await button(page, "Done").click();
      await codes.waitFor({ state: "detached" });
      await page.getByText("Recovery codes left").waitFor();
      assert.equal((await userOf(names.admin)).two_factor.enabled, true);
    });

    it("makes new recovery codes, and the old ones die", async () => {
      await button(page, "Create new recovery codes").click();
      await dialog(page, "Create new recovery codes")
        .getByRole("button", { name: "Create new recovery codes" })
        .click();
      await dialog(page, "Recovery codes").waitFor();
      const fresh = await shownCodes();
      assert.equal(fresh.length, 10);
      await page.getByLabel("I have kept them").check();
      await button(page, "Done").click();
      const old = await login(names.admin, passwords.admin, { recovery_code: recoveryCodes[0] });
      assert.equal(old.json.code, "recovery_code_invalid");
      recoveryCodes = fresh;
    });

    it("is replaced with password and recovery code, and this page goes on", async () => {
      await button(page, "Replace the authenticator").click();
      const lost = dialog(page, "Replace the authenticator");
      await lost.getByLabel("Password", { exact: true }).fill(passwords.admin);
      await lost.getByLabel("Recovery code").fill(recoveryCodes[0] ?? "");
      await lost.getByRole("button", { name: "Remove the current one" }).click();
      await button(page, "Set up a second factor").click();
      const enrolment = dialog(page, "Set up a second factor");
      secret = (await enrolment.locator("pre").innerText()).replaceAll(" ", "");
      await page.getByLabel("Code", { exact: true }).fill(codeOf(secret));
      await button(page, "Switch on").click();
      await page.getByLabel("Switch it on although this clock is not in sync").check();
      await button(page, "Switch on").click();
      await page.getByLabel("I have kept them").check();
      await button(page, "Done").click();
      await page.getByText("Recovery codes left").waitFor();
    });

    it("cannot be switched off where the device requires it, and the page says why", async () => {
      const policy = (require_2fa: string) => changeSettings(agent, { security: { require_2fa } });
      await policy("admins");
      await page.reload();
      await page.getByText("This device requires a second factor. You can replace").first().waitFor();
      await button(page, "Switch off").and(page.locator("[aria-disabled=true]")).waitFor();
      await policy("none");
    });

    it("is switched off with password and code", async () => {
      await page.reload();
      await button(page, "Switch off").click();
      const remove = dialog(page, "Switch off the second factor");
      await remove.getByLabel("Password", { exact: true }).fill(passwords.admin);
      await remove.getByRole("button", { name: "Switch off" }).click();
      await remove.getByLabel("Code", { exact: true }).fill(codeNear(secret, 1));
      await remove.getByRole("button", { name: "Switch off" }).click();
      await button(page, "Set up a second factor").waitFor();
      assert.equal((await userOf(names.admin)).two_factor.enabled, false);
    });
  });

  it("changes the password, says why one is refused, and ends the other sessions", async () => {
    const page = await browser.signedIn(agent, "operator", "/account");
    const other = await login(names.operator, passwords.operator);
    const [present, next] = [page.getByLabel("Current password"), page.getByLabel("New password")];
    await present.fill("not the present one");
    await next.fill("a new one of four words");
    await button(page, "Change password").click();
    await page.getByText("The password is wrong").waitFor();
    assert.equal(await present.getAttribute("aria-invalid"), "true");
    await present.fill(passwords.operator);
    await next.fill("passwordpassword");
    await button(page, "Change password").click();
    await page.getByText("This password is too easy to guess").waitFor();
    assert.equal(await next.getAttribute("aria-invalid"), "true");
    await next.fill("harbour lamps at quiet noon");
    await next.press("Enter");
    await page.getByText("Password changed").waitFor();
    const { status } = await agent.call("GET", "/api/auth/me", { token: other.json.access_token });
    assert.equal(status, 401);
    await page.reload();
    await present.fill("harbour lamps at quiet noon");
    await next.fill(passwords.operator);
    await button(page, "Change password").click();
    await page.getByText("Password changed").waitFor();
  });

  it("lists the sessions, marks this one, and ends one or all others", async () => {
    const { page } = await browser.open(agent);
    await signInByForm(page, "operator", "/account");
    const tokens = [];
    for (let count = 0; count < 3; count += 1)
      tokens.push((await login(names.operator, passwords.operator)).json.access_token);
    await page.reload();
    const table = page.getByRole("table", { name: "Sessions" });
    await table.getByText("this one").waitFor();
    assert.equal(await table.getByRole("row", { name: /Chrome, Linux.*this one/ }).count(), 1);
    const rows = await table.getByRole("row").count();
    await table
      .getByRole("button", { name: /^End the session/ })
      .first()
      .click();
    await page.getByText("The session has ended.").waitFor();
    await page.waitForFunction((before) => document.querySelectorAll("table tr").length === before - 1, rows);
    await button(page, "End all others").click();
    await button(page, "End all others").waitFor({ state: "detached" });
    for (const token of tokens)
      assert.equal((await agent.call("GET", "/api/auth/me", { token })).status, 401);
  });

  it("makes a token of the scopes that the role may have, shows it this once, and deletes it", async () => {
    const page = await browser.signedIn(agent, "readonly", "/account");
    await button(page, "Create token").click();
    const sheet = dialog(page, "Create token");
    await sheet.getByRole("checkbox").first().waitFor();
    const scopes = await sheet
      .getByRole("checkbox")
      .evaluateAll((boxes) => boxes.map((box) => box.parentElement?.querySelector("label")?.textContent));
    assert.deepEqual(scopes, ["logs:read", "metrics:read", "system:read"]);
    const create = sheet.getByRole("button", { name: "Create token" });
    await create.click();
    await sheet.getByText("Choose at least one scope").waitFor();
    assert.equal(await sheet.getByLabel("Name").getAttribute("aria-invalid"), "true", "all at once");
    await sheet.getByLabel("Name").fill(canary);
    await sheet.getByLabel("system:read").check();
    looks.keep(page, "account-token-scopes");
    await create.click();
    const token = await sheet.getByRole("region", { name: "Token" }).locator("pre").innerText();
    assert.match(token, /^stw_/);
    assert.match(
      await sheet.getByRole("region", { name: "curl" }).locator("pre").innerText(),
      /\/api\/status'$/,
    );
    assert.equal(await sheet.getByRole("heading", { name: "Prometheus" }).count(), 0, "not for this scope");
    looks.keep(page, "account-token-made");
    assert.equal((await agent.call("GET", "/api/system", { token })).status, 200);
    assert.equal((await agent.call("GET", "/api/logs", { token })).json.code, "insufficient_scope");
    await button(page, "Done").click();
    await sheet.waitFor({ state: "detached" });
    assert.ok(!(await page.content()).includes(token), "the token is still in the page");
    await button(page, `Delete the token ${canary}`).click();
    await dialog(page, `Delete the token ${canary}`)
      .getByRole("button", { name: "Delete", exact: true })
      .click();
    await page.getByText("You have no tokens.").waitFor();
    assert.equal((await agent.call("GET", "/api/system", { token })).status, 401);
  });

  it("ticks the scopes of a purpose that the role allows, and names the token by it unless it has a name", async () => {
    const page = await browser.signedIn(agent, "operator", "/account");
    await button(page, "Create token").click();
    const sheet = dialog(page, "Create token");
    const ticked = (): Promise<(string | null | undefined)[]> =>
      sheet
        .getByRole("checkbox")
        .evaluateAll((boxes) =>
          boxes
            .filter((box) => (box as HTMLInputElement).checked)
            .map((box) => box.parentElement?.querySelector("label")?.textContent),
        );
    await sheet.getByRole("button", { name: "Updates" }).click();
    assert.deepEqual(await ticked(), ["system:read", "updates:check"], "an operator may not apply them");
    assert.equal(await sheet.getByLabel("Name").inputValue(), "updates");
    await sheet.getByRole("button", { name: "Monitoring" }).click();
    assert.deepEqual(await ticked(), ["metrics:read"]);
    assert.equal(await sheet.getByLabel("Name").inputValue(), "monitoring");
    await sheet.getByLabel("Name").fill("graphs");
    await sheet.getByRole("button", { name: "A fleet's state" }).click();
    assert.deepEqual(await ticked(), ["system:read"]);
    assert.equal(await sheet.getByLabel("Name").inputValue(), "graphs", "the person's own name stays");
    const reader = await browser.open(agent);
    await signIn(reader.page, "readonly", "/account");
    await button(reader.page, "Create token").click();
    await dialog(reader.page, "Create token").getByText("Choose scopes for").waitFor();
    const buttons = dialog(reader.page, "Create token").locator("fieldset button");
    assert.deepEqual(await buttons.evaluateAll((all) => all.map((one) => one.textContent)), [
      "Monitoring",
      "A fleet's state",
      "Logs and events",
    ]);
  });

  it("is all that opens with a one-use password: the form for another one, and then everything", async () => {
    const body = { username: "fresh", role: "operator" };
    const { json } = await agent.call("POST", "/api/users", { body, local: true });
    const { page } = await browser.open(agent);
    await page.goto("/system");
    await page.getByLabel("User name").fill("fresh");
    await page.getByLabel("Password", { exact: true }).fill(json.initial_password);
    await button(page, "Sign in").click();
    await page.getByLabel("One-use password").fill(json.initial_password);
    assert.equal(await page.getByRole("heading", { level: 2 }).count(), 1);
    assert.equal(await page.getByRole("navigation").getByRole("link").count(), 0);
    looks.keep(page, "account-one-use-password");
    await page.getByLabel("New password").fill("lanterns under cold rivers");
    await button(page, "Change password").click();
    await page.locator(".verdict h1").waitFor();
  });

  it("is all that opens where a second factor is required: its enrolment, and then everything", async () => {
    const policy = (require_2fa: string) => changeSettings(agent, { security: { require_2fa } });
    await policy("all");
    const { page } = await browser.open(agent);
    await signInByForm(page, "operator");
    await page.getByText("This device requires a second factor. Set yours").waitFor();
    assert.equal(await page.getByRole("heading", { level: 2 }).count(), 1);
    await button(page, "Set up a second factor").click();
    await confirmPassword(page, "operator");
    const enrolment = dialog(page, "Set up a second factor");
    const secret = (await enrolment.locator("pre").innerText()).replaceAll(" ", "");
    await page.getByLabel("Code", { exact: true }).fill(codeOf(secret));
    await button(page, "Switch on").click();
    await page.getByLabel("Switch it on although this clock is not in sync").check();
    await button(page, "Switch on").click();
    await page.getByLabel("I have kept them").check();
    await button(page, "Done").click();
    await page.locator(".verdict h1").waitFor();
    await page.locator(".sections").getByRole("link", { name: "Updates" }).click();
    await page.getByRole("heading", { name: "Updates", level: 1 }).waitFor();
    await policy("none");
  });

  describe("in a browser", () => {
    let chromium: TestBrowser;
    before(async () => {
      chromium = await startBrowser(ending);
    });

    it("draws the key, copies it, fits a phone, and puts the recovery codes into a file", async () => {
      const { page, context } = await chromium.open(agent, { width: 360, height: 740 });
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      await signIn(page, "admin", "/account");
      await button(page, "Set up a second factor").click();
      const enrolment = dialog(page, "Set up a second factor");
      await page.waitForFunction(() => {
        const picture = document.querySelector<HTMLImageElement>("dialog img");
        return picture?.src.startsWith("blob:") && picture.naturalWidth > 0;
      });
      const secret = (await enrolment.locator("pre").innerText()).replaceAll(" ", "");
      await button(page, "Copy").click();
      await enrolment.getByText("Copied").waitFor();
      const code = page.getByLabel("Code", { exact: true });
      await code.press("ControlOrMeta+v");
      assert.equal(await code.inputValue(), secret);
      await code.fill(wrongCodeOf(secret));
      await button(page, "Switch on").click();
      await page.getByLabel("Switch it on although this clock is not in sync").check();
      await button(page, "Switch on").click();
      await page.getByText("This is not the current code of this key").waitFor();
      assert.deepEqual(await axe(page), []);
      await picture(page, "account-enrolment-phone");
      await assertFits(page);
      await code.fill(codeOf(secret));
      await code.press("Enter");
      const codes = dialog(page, "Recovery codes");
      const [file] = await Promise.all([page.waitForEvent("download"), button(page, "Download").click()]);
      const text = (await (await file.createReadStream()).setEncoding("utf8").toArray()).join("");
      const shown = (await codes.locator("pre").innerText()).match(recoveryCodePattern) ?? [];
      assert.equal(shown.length, 10);
      for (const one of shown) assert.ok(text.includes(one), `${one} is not in the file`);
      await page.keyboard.press("Escape");
      await button(page, "Done").click({ force: true });
      assert.equal(await codes.count(), 1, "closed before the codes were kept");
    });
  });
});
