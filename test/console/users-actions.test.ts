import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { enrol } from "../../lab/agents/enrol.ts";
import {
  confirmPassword,
  fill,
  names,
  passwords,
  press,
  sees,
  signInWithoutStepUp,
} from "../../lab/console/browser.ts";
import { lightConsoleOf } from "../../lab/console/light/light-browser.ts";
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
  // The clock is stopped from the start of the process, which runs other files before this one.
  const time = standingTime();
  const { agent, browser, looks } = lightConsoleOf(() => startLockingAgent(time));

  const open = async (): Promise<Page> => (await openUsers(browser, agent)).page;
  const openMenu = async (page: Page, username: string): Promise<Locator> => {
    await press(page, `Actions for ${username}`);
    return page.getByRole("menu", { name: `Actions for ${username}` });
  };
  const itemOf = (menu: Locator, name: string) => menu.getByRole("menuitem", { name });
  /** Chooses from the row's menu, and waits for the question. */
  const choose = async (page: Page, username: string, verb: string): Promise<Locator> => {
    await itemOf(await openMenu(page, username), verb).click();
    const dialog = page.getByRole("dialog", { name: `${verb}: ${username}` });
    await dialog.waitFor();
    return dialog;
  };
  const confirm = async (dialog: Locator, verb: string): Promise<void> => {
    await press(dialog, verb);
    await confirmPassword(dialog.page(), "admin");
    await dialog.waitFor({ state: "detached" });
  };
  const login = (username: string, password: string) =>
    agent.call("POST", "/api/auth/login", { body: { username, password } });

  it("unlock one who is locked, and are offered for no other", async () => {
    const page = await open();
    const menu = await openMenu(page, names.operator);
    await itemOf(menu, "Delete").waitFor();
    assert.equal(await itemOf(menu, "Unlock").count(), 0);
    await page.keyboard.press("Escape");
    await lock(agent, names.operator);
    await sees(rowOf(page, names.operator), /^locked/);
    await itemOf(await openMenu(page, names.operator), "Unlock").waitFor();
    // The way there from Home asks at once, about that user.
    await page.goto("/");
    await page.locator(".needs").getByRole("link", { name: "Unlock" }).click();
    const dialog = page.getByRole("dialog", { name: `Unlock: ${names.operator}` });
    await sees(dialog, "ana can try to sign in again immediately");
    await confirm(dialog, "Unlock");
    await rowOf(page, names.operator)
      .getByText(/^locked/)
      .waitFor({ state: "detached" });
    assert.equal((await userNamed(agent, names.operator)).locked, null);
    assert.equal(new URL(page.url()).search, `?q=${names.operator}`);
  });

  it("take a lost second factor away, with the reason, and show where there is none", async () => {
    const page = await open();
    const item = itemOf(await openMenu(page, names.readonly), "Reset second factor");
    assert.equal(await item.getAttribute("aria-disabled"), "true");
    assert.match(await item.innerText(), /This user has none/);
    const password = "a heron on the jetty";
    const id = await makeUser(agent, { username: "coded", password });
    const { json } = await login("coded", password);
    await enrol(agent.call, { id, token: json.access_token, password }, time.wall() / 1_000);
    await page.reload();
    const dialog = await choose(page, "coded", "Reset second factor");
    assert.equal(
      await dialog.getByRole("button", { name: "Reset second factor" }).getAttribute("aria-disabled"),
      "true",
    );
    await fill(dialog, { Reason: "phone lost in the harbour" });
    await confirm(dialog, "Reset second factor");
    const { items } = await agent.read("/api/events?type=two_factor.recovered");
    assert.match(JSON.stringify(items), /phone lost in the harbour/);
    assert.equal((await userNamed(agent, "coded")).two_factor.enabled, false);
  });

  it("make a one-use password in the place of one that is forgotten", async () => {
    await makeUser(agent, { username: "forgetful", password: "a walrus under the pier" });
    const page = await open();
    const dialog = await choose(page, "forgetful", "Reset password");
    await press(dialog, "Reset password");
    await confirmPassword(page, "admin");
    const card = cardOf(page, "forgetful");
    const password = await passwordOn(card);
    looks.keep(page, "users-reset-password");
    assert.equal((await login("forgetful", "a walrus under the pier")).status, 401);
    assert.equal((await login("forgetful", password)).json.user.must_change_password, true);
    // It is lost once it is closed.
    const question = page.getByRole("dialog", { name: "Shown only this once" });
    for (const close of [() => page.keyboard.press("Escape"), () => press(dialog, "Close")]) {
      await close();
      await press(question, "Stay");
      await question.waitFor({ state: "detached" });
      assert.equal(await passwordOn(card), password);
    }
    await press(dialog, "Done");
    await sees(rowOf(page, "forgetful"), "must change password");
  });

  it("set a password that is typed, once it is good enough", async () => {
    await makeUser(agent, { username: "typist" });
    const page = await open();
    const dialog = await choose(page, "typist", "Reset password");
    await dialog.getByRole("radio", { name: "Type a password" }).check();
    await fill(dialog, { "New password": "too short" });
    await sees(dialog, "9 of 15 characters");
    await press(dialog, "Reset password");
    await confirmPassword(page, "admin");
    await sees(dialog, "This password is too short");
    await fill(dialog, { "New password": "long ferries at low tide" });
    await press(dialog, "Reset password");
    await dialog.waitFor({ state: "detached" });
    assert.equal((await login("typist", "long ferries at low tide")).json.user.must_change_password, false);
  });

  it("end the sessions of a user, told how many API tokens stay good", async () => {
    const { json } = await login(names.readonly, passwords.readonly);
    const body = { user_id: json.user.id, name: "fleet", scopes: ["logs:read"] };
    assert.equal((await agent.call("POST", "/api/tokens", { local: true, body })).status, 201);
    const page = await open();
    const dialog = await choose(page, names.readonly, "End sessions");
    await sees(dialog, "API tokens that remain valid: 1.");
    await confirm(dialog, "End sessions");
    await sees(page.getByRole("status"), "End sessions: log-reader");
    assert.equal((await agent.call("GET", "/api/auth/me", { token: json.access_token })).status, 401);
  });

  it("disable a user, and enable again", async () => {
    const page = await open();
    const dialog = await choose(page, names.readonly, "Disable");
    await sees(dialog, "until the user is enabled again");
    await confirm(dialog, "Disable");
    const disabled = rowOf(page, names.readonly).getByText("disabled");
    await disabled.waitFor();
    assert.equal((await login(names.readonly, passwords.readonly)).status, 401);
    await press(await choose(page, names.readonly, "Enable"), "Enable");
    await disabled.waitFor({ state: "detached" });
    assert.equal((await userNamed(agent, names.readonly)).enabled, true);
  });

  it("delete a user whose name and whose administrator's password were typed, and leave the keyboard on the page", async () => {
    await makeUser(agent, { username: "leaver" });
    const goner = await makeUser(agent, { username: "goner" });
    const page = await open();
    const dialog = await choose(page, "leaver", "Delete");
    const word = dialog.getByLabel("Type leaver to confirm");
    await word.fill("leave");
    const button = dialog.getByRole("button", { name: "Delete" });
    assert.equal(await button.getAttribute("aria-disabled"), "true");
    await page.keyboard.press("Enter");
    assert.ok(await dialog.isVisible(), "deleted without the whole name");
    await word.fill("leaver");
    looks.keep(page, "users-delete-light");
    await button.click();
    const question = page.getByRole("dialog", { name: "Confirm that it is you" });
    await question.waitFor();
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    assert.equal(await word.inputValue(), "leaver");
    assert.ok(await userNamed(agent, "leaver"), "the user is gone");
    await confirm(dialog, "Delete");
    await rowOf(page, "leaver").waitFor({ state: "detached" });
    assert.equal(await userNamed(agent, "leaver"), undefined);
    await page.locator("main :focus").waitFor();
    // Another administrator deletes the row that has it.
    await page.getByRole("button", { name: "Actions for goner" }).focus();
    await agent.call("DELETE", `/api/users/${goner}`, { local: true });
    await rowOf(page, "goner").waitFor({ state: "detached" });
    await page.locator("main h1:focus").waitFor();
  });

  it("are refused where no other administrator could sign in afterwards, and say whom that leaves", async () => {
    const second = await makeUser(agent, { username: "second", role: "admin" });
    const page = await open();
    const menu = await openMenu(page, names.admin);
    assert.equal(await itemOf(menu, "Reset password").count(), 0);
    await itemOf(menu, "Your password, second factor").waitFor();
    await page.keyboard.press("Escape");
    const dialog = await choose(page, names.admin, "Disable");
    await sees(dialog, "only another administrator can let you in again");
    await press(dialog, "Disable");
    await confirmPassword(page, "admin");
    const refusal = dialog.getByRole("alert");
    await sees(refusal, "No administrator could sign in afterwards", "Let another one sign in first");
    await refusal.getByText("Technical details").click();
    await sees(refusal, /second has not signed in with the one-use password yet/);
    assert.equal((await userNamed(agent, names.admin)).enabled, true);
    looks.keep(page, "users-last-administrator");
    await agent.call("DELETE", `/api/users/${second}`, { local: true });
  });

  for (const way of ["role", "Disable", "Delete"])
    it(`let an administrator who is not the last act on oneself: ${way}`, async () => {
      const user = { username: "second", password: "copper kettles in the rain" };
      await makeUser(agent, { ...user, role: "admin" });
      const { page } = await browser.open(agent);
      await signInWithoutStepUp(agent, page, user, "/users");
      if (way === "role") {
        await page.getByRole("link", { name: "second" }).click();
        await page.getByRole("radio", { name: /Operator/ }).check();
        await sees(page, "only another administrator can give it back");
        await press(page, "Save");
      } else {
        const dialog = await choose(page, "second", way);
        await sees(dialog, "you are signed out at once");
        if (way === "Delete") await fill(dialog, { "Type second to confirm": "second" });
        await press(dialog, way);
      }
      await confirmPassword(page, "admin", user.password);
      if (way === "role") await page.waitForURL((url) => url.pathname === "/system");
      else await page.getByRole("button", { name: "Sign in" }).waitFor();
      const after = await userNamed(agent, "second");
      assert.equal(after === undefined, way === "Delete");
      if (after) await agent.call("DELETE", `/api/users/${after.id}`, { local: true });
    });
});
