import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import {
  confirmPassword,
  endOfConsole,
  names,
  passwords,
  signInWithoutStepUp,
  type TestBrowser,
  untilShown,
} from "../../lab/console/browser.ts";
import { startLightConsole } from "../../lab/console/light/light-browser.ts";
import {
  cardOf,
  lock,
  makeUser,
  openUsers,
  passwordOn,
  rowOf,
  startLockingAgent,
  userNamed,
} from "../../lab/console/users-steps.ts";
import { standingTime } from "../../lab/simulated/test-time.ts";

describe("actions on users in the console", () => {
  const ending = endOfConsole();
  const { looks } = ending;
  let agent: RunningAgent;
  let browser: TestBrowser;
  // The clock is stopped from the start of the process, which runs other files before this one.
  const time = standingTime();
  before(async () => {
    ({ agent, browser } = await startLightConsole(ending, () => startLockingAgent(time)));
  });

  async function openMenu(page: Page, username: string): Promise<Locator> {
    await page.getByRole("button", { name: `Actions for ${username}` }).click();
    return page.getByRole("menu", { name: `Actions for ${username}` });
  }

  /** Chooses from the row's menu, and waits for the question. */
  async function choose(page: Page, username: string, verb: string): Promise<Locator> {
    await (await openMenu(page, username)).getByRole("menuitem", { name: verb }).click();
    const dialog = page.getByRole("dialog", { name: `${verb}: ${username}` });
    await dialog.waitFor();
    return dialog;
  }

  async function confirm(dialog: Locator, verb: string): Promise<void> {
    await dialog.getByRole("button", { name: verb }).click();
    await confirmPassword(dialog.page(), "admin");
    await dialog.waitFor({ state: "detached" });
  }

  async function signInOverWire(username: string, password: string) {
    return agent.call("POST", "/api/auth/login", { body: { username, password } });
  }

  describe("the console's actions on a user", () => {
    it("unlock one who is locked, and are offered for no other", async () => {
      const { page } = await openUsers(browser, agent);
      const unlock = page.getByRole("menuitem", { name: "Unlock" });
      const menu = await openMenu(page, names.operator);
      await menu.getByRole("menuitem", { name: "Delete" }).waitFor();
      assert.equal(await unlock.count(), 0);
      await page.keyboard.press("Escape");
      await lock(agent, names.operator);
      await untilShown(rowOf(page, names.operator).getByText(/^locked/));
      await openMenu(page, names.operator);
      await unlock.waitFor();
      // The way there from Home asks at once, about that user.
      await page.goto("/");
      await page.locator(".needs").getByRole("link", { name: "Unlock" }).click();
      const dialog = page.getByRole("dialog", { name: `Unlock: ${names.operator}` });
      await dialog.getByText("ana can try to sign in again immediately").waitFor();
      await confirm(dialog, "Unlock");
      await rowOf(page, names.operator)
        .getByText(/^locked/)
        .waitFor({ state: "detached" });
      assert.equal((await userNamed(agent, names.operator)).locked, null);
      assert.equal(new URL(page.url()).search, `?q=${names.operator}`);
    });

    it("show why there is no second factor to take away", async () => {
      const { page } = await openUsers(browser, agent);
      const menu = await openMenu(page, names.readonly);
      const item = menu.getByRole("menuitem", { name: "Reset second factor" });
      assert.equal(await item.getAttribute("aria-disabled"), "true");
      assert.match(await item.innerText(), /This user has none/);
    });

    it("make a one-use password in the place of one that is forgotten", async () => {
      await makeUser(agent, { username: "forgetful", password: "a walrus under the pier" });
      const { page } = await openUsers(browser, agent);
      const dialog = await choose(page, "forgetful", "Reset password");
      await dialog.getByRole("button", { name: "Reset password" }).click();
      await confirmPassword(page, "admin");
      const card = cardOf(page, "forgetful");
      const password = await passwordOn(card);
      looks.keep(page, "users-reset-password");
      assert.equal((await signInOverWire("forgetful", "a walrus under the pier")).status, 401);
      const answer = await signInOverWire("forgetful", password);
      assert.equal(answer.json?.user?.must_change_password, true, answer.text);
      // It is lost once it is closed.
      const question = page.getByRole("dialog", { name: "Shown only this once" });
      for (const close of [
        () => page.keyboard.press("Escape"),
        () => dialog.getByRole("button", { name: "Close", exact: true }).click(),
      ]) {
        await close();
        await question.getByRole("button", { name: "Stay" }).click();
        await question.waitFor({ state: "detached" });
        assert.equal(await passwordOn(card), password);
      }
      await dialog.getByRole("button", { name: "Done" }).click();
      await rowOf(page, "forgetful").getByText("must change password").waitFor();
    });

    it("set a password that is typed, once it is good enough", async () => {
      await makeUser(agent, { username: "typist" });
      const { page } = await openUsers(browser, agent);
      const dialog = await choose(page, "typist", "Reset password");
      await dialog.getByRole("radio", { name: "Type a password" }).check();
      await dialog.getByLabel("New password", { exact: true }).fill("too short");
      await dialog.getByText("9 of 15 characters").waitFor();
      await dialog.getByRole("button", { name: "Reset password" }).click();
      await confirmPassword(page, "admin");
      await dialog.getByText("This password is too short").waitFor();
      await dialog.getByLabel("New password", { exact: true }).fill("long ferries at low tide");
      await dialog.getByRole("button", { name: "Reset password" }).click();
      await dialog.waitFor({ state: "detached" });
      const answer = await signInOverWire("typist", "long ferries at low tide");
      assert.equal(answer.json?.user?.must_change_password, false, answer.text);
    });

    it("end the sessions of a user, told how many API tokens stay good", async () => {
      const { json } = await signInOverWire(names.readonly, passwords.readonly);
      const body = { user_id: json.user.id, name: "fleet", scopes: ["logs:read"] };
      assert.equal((await agent.call("POST", "/api/tokens", { local: true, body })).status, 201);
      const { page } = await openUsers(browser, agent);
      const dialog = await choose(page, names.readonly, "End sessions");
      await dialog.getByText("API tokens that remain valid: 1.").waitFor();
      await confirm(dialog, "End sessions");
      await page.getByRole("status").filter({ hasText: "End sessions: log-reader" }).waitFor();
      const after = await agent.call("GET", "/api/auth/me", { token: json.access_token });
      assert.equal(after.status, 401, after.text);
    });

    it("disable a user, and enable again", async () => {
      const { page } = await openUsers(browser, agent);
      const dialog = await choose(page, names.readonly, "Disable");
      await dialog.getByText("until the user is enabled again").waitFor();
      await confirm(dialog, "Disable");
      await rowOf(page, names.readonly).getByText("disabled").waitFor();
      assert.equal((await signInOverWire(names.readonly, passwords.readonly)).status, 401);
      const enabling = await choose(page, names.readonly, "Enable");
      await enabling.getByRole("button", { name: "Enable" }).click();
      await rowOf(page, names.readonly).getByText("disabled").waitFor({ state: "detached" });
      assert.equal((await userNamed(agent, names.readonly)).enabled, true);
    });

    it("delete a user whose name was typed, and leave the keyboard on the page", async () => {
      await makeUser(agent, { username: "leaver" });
      const { page } = await openUsers(browser, agent);
      const dialog = await choose(page, "leaver", "Delete");
      await dialog.getByLabel("Type leaver to confirm").fill("leave");
      const button = dialog.getByRole("button", { name: "Delete" });
      assert.equal(await button.getAttribute("aria-disabled"), "true");
      await page.keyboard.press("Enter");
      assert.ok(await dialog.isVisible(), "deleted without the whole name");
      await dialog.getByLabel("Type leaver to confirm").fill("leaver");
      looks.keep(page, "users-delete-light");
      await confirm(dialog, "Delete");
      await rowOf(page, "leaver").waitFor({ state: "detached" });
      assert.equal(await userNamed(agent, "leaver"), undefined);
      await page.locator("main :focus").waitFor();
    });

    it("leave the keyboard on the page when the row that has it is deleted by another administrator", async () => {
      const id = await makeUser(agent, { username: "goner" });
      const { page } = await openUsers(browser, agent);
      await page.getByRole("button", { name: "Actions for goner" }).focus();
      const { status } = await agent.call("DELETE", `/api/users/${id}`, { local: true });
      assert.equal(status, 204);
      await rowOf(page, "goner").waitFor({ state: "detached" });
      await page.locator("main h1:focus").waitFor();
    });

    it("change nothing when the question for the password is closed", async () => {
      const { page } = await openUsers(browser, agent);
      const dialog = await choose(page, names.readonly, "Delete");
      await dialog.getByLabel("Type log-reader to confirm").fill(names.readonly);
      await dialog.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("dialog", { name: "Confirm that it is you" }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog", { name: "Confirm that it is you" }).waitFor({ state: "detached" });
      assert.equal(await dialog.getByLabel("Type log-reader to confirm").inputValue(), names.readonly);
      assert.ok(await userNamed(agent, names.readonly), "the user is gone");
    });
  });

  describe("the console's actions on administrators", () => {
    it("are refused where no other could sign in afterwards, and say whom that leaves", async () => {
      await makeUser(agent, { username: "second", role: "admin" });
      const { page } = await openUsers(browser, agent);
      const menu = await openMenu(page, names.admin);
      assert.equal(await menu.getByRole("menuitem", { name: "Reset password" }).count(), 0);
      await menu.getByRole("menuitem", { name: "Your password, second factor" }).waitFor();
      await page.keyboard.press("Escape");
      const dialog = await choose(page, names.admin, "Disable");
      await dialog.getByText("only another administrator can let you in again").waitFor();
      await dialog.getByRole("button", { name: "Disable" }).click();
      await confirmPassword(page, "admin");
      const refusal = dialog.getByRole("alert");
      await refusal.getByText("No administrator could sign in afterwards").waitFor();
      await refusal.getByText("Let another one sign in first").waitFor();
      await refusal.getByText("Technical details").click();
      await refusal.getByText(/second has not signed in with the one-use password yet/).waitFor();
      assert.equal((await userNamed(agent, names.admin)).enabled, true);
      looks.keep(page, "users-last-administrator");
      await agent.call("DELETE", `/api/users/${(await userNamed(agent, "second")).id}`, { local: true });
    });

    it("let one who is not the last give up the own role, disable and delete oneself", async () => {
      const password = "copper kettles in the rain";
      for (const way of ["role", "Disable", "Delete"]) {
        await makeUser(agent, { username: "second", role: "admin", password });
        const { page } = await browser.open(agent);
        await signInWithoutStepUp(agent, page, { username: "second", password }, "/users");
        if (way === "role") {
          await page.getByRole("link", { name: "second" }).click();
          await page.getByRole("radio", { name: /Operator/ }).check();
          await page.getByText("only another administrator can give it back").waitFor();
          await page.getByRole("button", { name: "Save" }).click();
        } else {
          const dialog = await choose(page, "second", way);
          await dialog.getByText("you are signed out at once").waitFor();
          if (way === "Delete") await dialog.getByLabel("Type second to confirm").fill("second");
          await dialog.getByRole("button", { name: way }).click();
        }
        const question = page.getByRole("dialog", { name: "Confirm that it is you" });
        await question.getByLabel("Password", { exact: true }).fill(password);
        await question.getByRole("button", { name: "Confirm" }).click();
        if (way === "role") await page.waitForURL((url) => url.pathname === "/system");
        else await page.getByRole("button", { name: "Sign in" }).waitFor();
        const after = await userNamed(agent, "second");
        if (way === "Delete") assert.equal(after, undefined);
        else await agent.call("DELETE", `/api/users/${after.id}`, { local: true });
      }
    });
  });
});
