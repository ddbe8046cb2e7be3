import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { until } from "../../lab/basics/until.ts";
import {
  confirmPassword,
  fill,
  names,
  passwords,
  press,
  sees,
  untilFocused,
} from "../../lab/console/browser.ts";
import { lightConsoleOf } from "../../lab/console/light/light-browser.ts";
import {
  lock,
  makeUser,
  openPerson,
  openUsers,
  rowOf,
  startLockingAgent,
  userNamed,
} from "../../lab/console/users-steps.ts";

const dialog = (page: Page, name: string) => page.getByRole("dialog", { name });

describe("users in the console, added and edited", () => {
  const { agent, browser, looks } = lightConsoleOf(() => startLockingAgent());
  const personOf = async (username: string, more: object = {}) => {
    const id = await makeUser(agent, { username, ...more });
    return { id, page: (await openPerson(browser, agent, username)).page };
  };
  const openAdding = async (options = {}): Promise<{ page: Page; sheet: Locator }> => {
    const { page } = await openUsers(browser, agent, options);
    await press(page, "Add user");
    return { page, sheet: dialog(page, "Add user") };
  };

  it("says at the field why each bad input is refused, and keeps all that was typed", async () => {
    const { page, sheet } = await openAdding({ scheme: "dark" });
    await sheet.getByRole("radio", { name: "Type a password" }).check();
    const good = { "User name": "lena.b", "Display name": "Lena", "New password": "nine calm rivers bend" };
    const invalid = sheet.locator("[aria-invalid=true]");
    for (const [label, value, message] of [
      ["User name", "", /3 to 32 lower-case letters/],
      ["User name", "Lena", /3 to 32 lower-case letters/],
      ["User name", "lena b", /3 to 32 lower-case letters/],
      ["User name", "le", /3 to 32 lower-case letters/],
      ["User name", names.operator, /with this name already exists/],
      ["Display name", "x".repeat(65), /follow the rule above/],
      ["Display name", "bell \u0007", /follow the rule above/],
      ["Display name", "turned \u202egnp.exe", /follow the rule above/],
      ["New password", "", /too short/],
      ["New password", "passwordpassword", /too easy to guess/],
      ["New password", "lena.b-lena.b-123", /too similar to a name/],
    ] as const) {
      await fill(sheet, { ...good, [label]: value });
      await press(sheet, "Add user");
      if (value === "" && label === "User name") await confirmPassword(page, "admin");
      const field = sheet.getByLabel(label, { exact: true });
      await invalid.and(field).waitFor();
      const described = (await field.getAttribute("aria-describedby")) ?? "";
      const said = await page.locator(`[id="${described.split(" ").at(-1)}"]`).innerText();
      assert.match(said, message, `${label}: ${value}`);
      assert.equal(await invalid.count(), 1, `${label}: ${value}`);
      await untilFocused(field);
      assert.equal(await field.inputValue(), value);
    }
    looks.keep(page, "users-add-dark");
    // Both at once, where both are wrong.
    await fill(sheet, { "User name": names.operator, "New password": "nine calm" });
    await press(sheet, "Add user");
    await until("both are told", async () => (await invalid.count()) === 2);
    await fill(sheet, good);
    await sheet.getByRole("radio", { name: "Operator" }).check();
    await press(sheet, "Add user");
    await rowOf(page, "lena.b").waitFor();
    const { role, display_name, must_change_password } = await userNamed(agent, "lena.b");
    assert.deepEqual([role, display_name, must_change_password], ["operator", "Lena", false]);
  });

  it("asks before typed input is lost by Escape, by the browser's back or by a link, and keeps it", async () => {
    const { page, sheet } = await openAdding();
    const question = dialog(page, "Unsaved changes");
    await fill(sheet, { "User name": "half.typed" });
    for (const leave of [() => page.keyboard.press("Escape"), () => page.goBack()]) {
      await leave();
      await press(question, "Stay");
      await question.waitFor({ state: "detached" });
    }
    assert.equal(await sheet.getByLabel("User name").inputValue(), "half.typed");
    assert.equal(new URL(page.url()).search, "?user=new");
    await press(sheet, "Cancel");
    await press(question, "Leave without saving");
    await sheet.waitFor({ state: "detached" });
    assert.equal(new URL(page.url()).search, "");
    await page.getByRole("link", { name: names.readonly }).click();
    await fill(page, { "Display name": "Half" });
    await page.getByRole("link", { name: "Updates", exact: true }).click();
    await press(question, "Stay");
    assert.equal(await page.getByLabel("Display name").inputValue(), "Half");
    await press(page, "Cancel");
    assert.equal(await page.getByLabel("Display name").inputValue(), "");
  });

  it("are opened by their row or a link, but not by what can be used in the row, and closed by back", async () => {
    const { page } = await openUsers(browser, agent);
    const row = rowOf(page, names.readonly);
    const heading = page.getByRole("heading", { level: 1, name: names.readonly });
    await row.getByRole("checkbox").check();
    await press(row, `Actions for ${names.readonly}`);
    await page.keyboard.press("Escape");
    assert.equal(new URL(page.url()).pathname, "/users");
    await row.locator("td.of-role").click();
    await heading.waitFor();
    await page.goBack();
    await page.getByRole("link", { name: names.readonly }).click();
    await heading.waitFor();
    assert.equal(new URL(page.url()).pathname, `/users/${names.readonly}`);
    await until("both lists", async () => (await page.getByText("None", { exact: true }).count()) === 2);
    looks.keep(page, "users-person-light");
    await page.locator("main").getByRole("link", { name: "Users", exact: true }).click();
    await row.waitFor();
    for (const name of [`usr_${"0".repeat(32)}`, "nonsense", "%25%E0%A4%A", "a%2Fb"]) {
      await page.goto(`/users/${name}`);
      await sees(page, "This user does not exist");
    }
  });

  it("are shown with where they were last seen, and what they did in the last week, and no other did", async () => {
    const password = "five quite unrelated words here";
    const work = async (username: string): Promise<string> => {
      const id = await makeUser(agent, { username, role: "operator", password });
      const headers = { "user-agent": "shipper/2" };
      const { json } = await agent.call("POST", "/api/auth/login", { body: { username, password }, headers });
      const body = { device: { contact: id } };
      const set = await agent.call("PUT", "/api/system", { token: json.access_token, body });
      assert.equal(set.status, 200);
      return id;
    };
    await work("walter.two");
    await agent.call("DELETE", `/api/users/${await work("walter")}`, { local: true });
    const id = await work("walter");
    const { page } = await openPerson(browser, agent, "walter");
    const seen = page.locator(".facts > div").filter({ hasText: "Last seen" });
    await sees(seen, "shipper/2", /127\.0\.0\.1|local/);
    const week = page.getByRole("region", { name: "Last seven days" });
    await sees(week, /walter.*settings/i);
    assert.doesNotMatch(await week.innerText(), /walter\.two/);
    assert.equal(await week.getByText(/walter.*settings/i).count(), 1, "a former walter changed them too");
    looks.keep(page, "users-person-week");
    await week.getByRole("link", { name: "What they did" }).click();
    await page.waitForURL(`**/system/events?who=user&name=${id}&since=7d`);
  });

  it("are disabled at once and enabled again by one button, have the row's other actions, and are gone once deleted", async () => {
    const { page } = await personOf("leaver");
    for (const [verb, enabled] of [
      ["Disable", false],
      ["Enable", true],
    ] as const) {
      await press(page, verb);
      if (!enabled) await confirmPassword(page, "admin");
      const state = enabled ? "detached" : "visible";
      await page.locator(".facts").getByText("disabled").waitFor({ state });
      assert.equal((await userNamed(agent, "leaver")).enabled, enabled);
    }
    await press(page, "Actions for leaver");
    const items = page.getByRole("menuitem");
    const verbs = (await items.allInnerTexts()).map((text) => text.replace("\n", ""));
    assert.deepEqual(verbs, ["Reset second factor …This user has none", "End sessions …", "Delete …"]);
    await items.filter({ hasText: "Delete" }).click();
    const question = dialog(page, "Delete: leaver");
    await fill(question, { "Type leaver to confirm": "leaver" });
    await press(question, "Delete");
    await page.getByRole("table", { name: "Users" }).waitFor();
    assert.equal(await rowOf(page, "leaver").count(), 0);
  });

  it("are saved with what was changed and no more, and with another's change of what is not edited", async () => {
    const { page } = await personOf("carl", { display_name: "Carl" });
    await fill(page, { "Display name": "Carla" });
    await page.getByRole("radio", { name: "Operator" }).check();
    await lock(agent, "carl");
    const request = page.waitForRequest((one) => one.method() === "PUT" && "if-match" in one.headers());
    await press(page, "Save");
    assert.deepEqual((await request).postDataJSON(), { display_name: "Carla", role: "operator" });
    await confirmPassword(page, "admin");
    await sees(page, "Save: carl ✓");
    const { role, display_name } = await userNamed(agent, "carl");
    assert.deepEqual([role, display_name], ["operator", "Carla"]);
  });

  it("are named with what another user has changed, of which theirs can be taken or one's own kept", async () => {
    const { id, page } = await personOf("dora", { display_name: "Dora" });
    const conflict = page.getByRole("status").filter({ hasText: "Another user has changed this" });
    const race = async (mine: string, body: { display_name: string; role?: string }, verb: string) => {
      await fill(page, { "Display name": mine });
      await agent.call("PUT", `/api/users/${id}`, { body, local: true });
      await press(page, "Save");
      if (body.role) await confirmPassword(page, "admin");
      await conflict.waitFor();
      const said = await conflict.getByRole("definition").allInnerTexts();
      if (body.role) looks.keep(page, "users-conflict");
      await press(page, verb);
      await conflict.waitFor({ state: "detached" });
      return said;
    };
    const theirs = { display_name: "Dora of theirs", role: "operator" };
    assert.deepEqual(await race("Dora of mine", theirs, "Take theirs"), [
      ...["Theirs: Dora of theirs", "Yours: Dora of mine", "Theirs: Operator", "Yours: not changed"],
    ]);
    assert.equal(await page.getByLabel("Display name").inputValue(), "Dora of theirs");
    assert.ok(await page.getByRole("radio", { name: "Operator" }).isChecked(), "not their role");
    assert.equal((await userNamed(agent, "dora")).display_name, "Dora of theirs");
    await race("Dora of mine", { display_name: "Dora again" }, "Keep mine");
    await sees(page, "Save: dora ✓");
    assert.equal((await userNamed(agent, "dora")).display_name, "Dora of mine");
  });

  it("lose a session that is ended, and a token once that is confirmed", async () => {
    const body = { username: names.readonly, password: passwords.readonly };
    const headers = { "user-agent": "shipper/2" };
    const { json } = await agent.call("POST", "/api/auth/login", { body, headers });
    const token = json.access_token;
    await agent.call("POST", "/api/auth/reauth", { token, body: { password: passwords.readonly } });
    const name = "<b>log shipper</b>";
    const made = await agent.call("POST", "/api/tokens", { token, body: { name, scopes: ["logs:read"] } });
    const { page } = await openPerson(browser, agent, names.readonly);
    await press(page, `Delete the token ${name}`);
    const question = dialog(page, `Delete the token ${name}`);
    looks.keep(page, "users-delete-token");
    await press(question, "Delete");
    await confirmPassword(page, "admin");
    await question.waitFor({ state: "detached" });
    // Not the messages that say so, which name them as well.
    await page.getByText(name, { exact: true }).waitFor({ state: "detached" });
    await press(page, /^End the session of shipper\/2, /);
    await page.getByRole("button", { name: /^End the session/ }).waitFor({ state: "detached" });
    for (const [path, gone] of [
      ["/api/logs", made.json.token],
      ["/api/auth/me", token],
    ] as const)
      assert.equal((await agent.call("GET", path, { token: gone })).status, 401, path);
  });

  it("are refused another role where that takes the last administrator, with the reason", async () => {
    const { page } = await openPerson(browser, agent, names.admin);
    const own = page.getByRole("link", { name: "Your password, second factor" });
    assert.equal(await own.getAttribute("href"), "/account");
    await page.getByRole("radio", { name: /Operator/ }).check();
    await press(page, "Save");
    await confirmPassword(page, "admin");
    await sees(
      page.getByRole("alert"),
      "No administrator could sign in afterwards",
      /Let another one sign in/,
    );
    assert.equal((await userNamed(agent, names.admin)).role, "admin");
  });
});
