import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { until } from "../../lab/basics/until.ts";
import {
  confirmPassword,
  names,
  passwords,
  signInWithoutStepUp,
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

describe("users in the console, added and edited", () => {
  const { agent, browser, looks } = lightConsoleOf(() => startLockingAgent());

  async function openAdding(page: Page): Promise<Locator> {
    await page.getByRole("button", { name: "Add user" }).click();
    const sheet = page.getByRole("dialog", { name: "Add user" });
    await sheet.waitFor();
    return sheet;
  }

  describe("adding a user in the console", () => {
    it("says at the field why each bad input is refused, and keeps all that was typed", async () => {
      const { page } = await openUsers(browser, agent, { scheme: "dark" });
      const sheet = await openAdding(page);
      await sheet.getByRole("radio", { name: "Type a password" }).check();
      const good = { "User name": "lena.b", "Display name": "Lena", "New password": "nine calm rivers bend" };
      const cases: readonly [keyof typeof good, string, RegExp][] = [
        ["User name", "", /3 to 32 lower-case letters/],
        ["User name", "Lena", /3 to 32 lower-case letters/],
        ["User name", "lena b", /3 to 32 lower-case letters/],
        ["User name", "le", /3 to 32 lower-case letters/],
        ["User name", names.operator, /with this name already exists/],
        ["Display name", "x".repeat(65), /follow the rule above/],
        ["Display name", "bell \u0007", /follow the rule above/],
        ["Display name", "turned \u202egnp.exe", /follow the rule above/],
        ["New password", "", /too short/],
        ["New password", "nine calm", /too short/],
        ["New password", "passwordpassword", /too easy to guess/],
        ["New password", "root-steward-1234567", /too easy to guess|too similar to a name/],
        ["New password", "lena.b-lena.b-123", /too similar to a name/],
      ];
      for (const [label, value, message] of cases) {
        for (const [name, text] of Object.entries(good))
          await sheet.getByLabel(name, { exact: true }).fill(name === label ? value : text);
        await sheet.getByRole("button", { name: "Add user" }).click();
        if (value === "" && label === "User name") await confirmPassword(page, "admin");
        const field = sheet.getByLabel(label, { exact: true });
        await sheet.locator("[aria-invalid=true]").and(field).waitFor();
        const described = (await field.getAttribute("aria-describedby")) ?? "";
        const said = await page.locator(`[id="${described.split(" ").at(-1)}"]`).innerText();
        assert.match(said, message, `${label}: ${value}`);
        assert.equal(await sheet.locator("[aria-invalid=true]").count(), 1, `${label}: ${value}`);
        await untilFocused(field);
        assert.equal(await field.inputValue(), value);
      }
      looks.keep(page, "users-add-dark");
      // Both at once, where both are wrong.
      await sheet.getByLabel("User name", { exact: true }).fill(names.operator);
      await sheet.getByLabel("New password", { exact: true }).fill("nine calm");
      await sheet.getByRole("button", { name: "Add user" }).click();
      await until("both are told", async () => (await sheet.locator("[aria-invalid=true]").count()) === 2);
      for (const [name, text] of Object.entries(good))
        await sheet.getByLabel(name, { exact: true }).fill(text);
      await sheet.getByRole("radio", { name: "Operator" }).check();
      await sheet.getByRole("button", { name: "Add user" }).click();
      await rowOf(page, "lena.b").waitFor();
      const { role, display_name, must_change_password } = await userNamed(agent, "lena.b");
      assert.deepEqual([role, display_name, must_change_password], ["operator", "Lena", false]);
    });

    it("asks before typed input is lost by Escape or by the browser's back", async () => {
      const { page } = await openUsers(browser, agent);
      const sheet = await openAdding(page);
      await sheet.getByLabel("User name").fill("half.typed");
      const question = page.getByRole("dialog", { name: "Unsaved changes" });
      await page.keyboard.press("Escape");
      await question.getByRole("button", { name: "Stay" }).click();
      await question.waitFor({ state: "detached" });
      await page.goBack();
      await question.getByRole("button", { name: "Stay" }).click();
      await question.waitFor({ state: "detached" });
      assert.equal(await sheet.getByLabel("User name").inputValue(), "half.typed");
      assert.equal(new URL(page.url()).search, "?user=new");
      await sheet.getByRole("button", { name: "Cancel" }).click();
      await question.getByRole("button", { name: "Leave without saving" }).click();
      await sheet.waitFor({ state: "detached" });
      assert.equal(new URL(page.url()).search, "");
    });
  });

  describe("the console's page of a user", () => {
    it("is opened by the name and by a link, and closed by back", async () => {
      const { page } = await openUsers(browser, agent);
      await page.getByRole("link", { name: names.readonly }).click();
      const heading = page.getByRole("heading", { level: 1, name: names.readonly });
      await heading.waitFor();
      await until("both lists", async () => (await page.getByText("None", { exact: true }).count()) === 2);
      assert.equal(new URL(page.url()).pathname, `/users/${names.readonly}`);
      looks.keep(page, "users-person-light");
      await page.goBack();
      await rowOf(page, names.readonly).waitFor();
      await page.goto(`/users/${names.readonly}`);
      await page.getByLabel("Display name").waitFor();
      await page.getByRole("link", { name: "Users", exact: true }).and(page.locator("main a")).click();
      await rowOf(page, names.readonly).waitFor();
    });

    it("is opened by a click anywhere in the row, but for what can be used by itself", async () => {
      const { page } = await openUsers(browser, agent);
      const row = rowOf(page, names.readonly);
      await row.getByRole("checkbox").check();
      await row.getByRole("button", { name: `Actions for ${names.readonly}` }).click();
      await page.keyboard.press("Escape");
      assert.equal(new URL(page.url()).pathname, "/users");
      await row.locator("td.of-role").click();
      await page.getByRole("heading", { level: 1, name: names.readonly }).waitFor();
    });

    it("says that there is no such user", async () => {
      for (const name of [`usr_${"0".repeat(32)}`, "nonsense", "%25%E0%A4%A", "a%2Fb"]) {
        const { page } = await browser.open(agent);
        await signInWithoutStepUp(agent, page, "admin", `/users/${name}`);
        await page.getByText("This user does not exist").waitFor();
      }
    });

    it("shows where the user was last seen, and what they did in the last week, and no other", async () => {
      const password = "five quite unrelated words here";
      const work = async (username: string): Promise<string> => {
        const id = await makeUser(agent, { username, role: "operator", password });
        const { status, json } = await agent.call("POST", "/api/auth/login", {
          body: { username, password },
          headers: { "user-agent": "shipper/2" },
        });
        assert.equal(status, 200);
        const body = { device: { contact: id } };
        const set = await agent.call("PUT", "/api/system", { token: json.access_token, body });
        assert.equal(set.status, 200);
        return id;
      };
      await work("walter.two");
      const namesake = await work("walter");
      await agent.call("DELETE", `/api/users/${namesake}`, { local: true });
      const id = await work("walter");
      const { page } = await openPerson(browser, agent, "walter");
      const seen = page.locator(".facts > div").filter({ hasText: "Last seen" });
      await seen.getByText("shipper/2").waitFor();
      assert.match(await seen.innerText(), /127\.0\.0\.1|local/);
      const week = page.getByRole("region", { name: "Last seven days" });
      await week.getByText(/walter.*settings/i).waitFor();
      assert.doesNotMatch(await week.innerText(), /walter\.two/);
      assert.equal(await week.getByText(/walter.*settings/i).count(), 1, "a former walter changed them too");
      looks.keep(page, "users-person-week");
      await week.getByRole("link", { name: "What they did" }).click();
      await page.waitForURL(`**/system/events?who=user&name=${id}&since=7d`);
    });

    it("disables at once, and enables again with the same button", async () => {
      await makeUser(agent, { username: "doer" });
      const { page } = await openPerson(browser, agent, "doer");
      await page.getByRole("button", { name: "Disable", exact: true }).click();
      await confirmPassword(page, "admin");
      await page.locator(".facts").getByText("disabled").waitFor();
      assert.equal((await userNamed(agent, "doer")).enabled, false);
      looks.keep(page, "users-person-disabled");
      await page.getByRole("button", { name: "Enable", exact: true }).click();
      await page.locator(".facts").getByText("disabled").waitFor({ state: "detached" });
      assert.equal((await userNamed(agent, "doer")).enabled, true);
    });

    it("has the other actions of the row, and leads back to all users once it is deleted", async () => {
      await makeUser(agent, { username: "leaver" });
      const { page } = await openPerson(browser, agent, "leaver");
      await page.getByRole("button", { name: "Actions for leaver" }).click();
      const items = page.getByRole("menuitem");
      assert.deepEqual(
        (await items.allInnerTexts()).map((text) => text.replace("\n", "")),
        ["Reset second factor …This user has none", "End sessions …", "Delete …"],
      );
      await items.filter({ hasText: "Delete" }).click();
      const question = page.getByRole("dialog", { name: "Delete: leaver" });
      await question.getByLabel("Type leaver to confirm").fill("leaver");
      await question.getByRole("button", { name: "Delete" }).click();
      await confirmPassword(page, "admin");
      await page.getByRole("table", { name: "Users" }).waitFor();
      assert.equal(await rowOf(page, "leaver").count(), 0);
    });

    it("keeps what was typed until it is saved or given up", async () => {
      await makeUser(agent, { username: "typist" });
      const { page } = await openPerson(browser, agent, "typist");
      await page.getByLabel("Display name").fill("Half");
      await page.getByRole("link", { name: "Updates", exact: true }).click();
      const question = page.getByRole("dialog", { name: "Unsaved changes" });
      await question.getByRole("button", { name: "Stay" }).click();
      assert.equal(await page.getByLabel("Display name").inputValue(), "Half");
      await page.getByRole("button", { name: "Cancel" }).click();
      assert.equal(await page.getByLabel("Display name").inputValue(), "");
    });

    it("saves what was changed, and no more", async () => {
      await makeUser(agent, { username: "carl", display_name: "Carl" });
      const { page } = await openPerson(browser, agent, "carl");
      await page.getByLabel("Display name").fill("Carla");
      await page.getByRole("radio", { name: "Operator" }).check();
      const request = page.waitForRequest((one) => one.method() === "PUT" && "if-match" in one.headers());
      await page.getByRole("button", { name: "Save" }).click();
      assert.deepEqual((await request).postDataJSON(), { display_name: "Carla", role: "operator" });
      await confirmPassword(page, "admin");
      await page.getByText("Save: carl ✓").waitFor();
      assert.equal((await userNamed(agent, "carl")).role, "operator");
    });

    it("names what another user has changed, and takes theirs", async () => {
      const id = await makeUser(agent, { username: "dora", display_name: "Dora" });
      const { page } = await openPerson(browser, agent, "dora");
      await page.getByLabel("Display name").fill("Dora of mine");
      const body = { display_name: "Dora of theirs", role: "operator" };
      await agent.call("PUT", `/api/users/${id}`, { body, local: true });
      await page.getByRole("button", { name: "Save" }).click();
      await confirmPassword(page, "admin");
      const conflict = page.getByRole("status").filter({ hasText: "Another user has changed this" });
      await conflict.waitFor();
      assert.deepEqual(await conflict.getByRole("term").allInnerTexts(), ["Display name", "Role"]);
      assert.deepEqual(await conflict.getByRole("definition").allInnerTexts(), [
        ...["Theirs: Dora of theirs", "Yours: Dora of mine", "Theirs: Operator", "Yours: not changed"],
      ]);
      looks.keep(page, "users-conflict");
      await page.getByRole("button", { name: "Take theirs" }).click();
      await conflict.waitFor({ state: "detached" });
      assert.equal(await page.getByLabel("Display name").inputValue(), "Dora of theirs");
      assert.ok(await page.getByRole("radio", { name: "Operator" }).isChecked(), "not their role");
      assert.equal((await userNamed(agent, "dora")).display_name, "Dora of theirs");
    });

    it("sees no conflict in a change of a field that is not being edited", async () => {
      await makeUser(agent, { username: "edgar" });
      const { page } = await openPerson(browser, agent, "edgar");
      await page.getByLabel("Display name").fill("Edgar");
      await lock(agent, "edgar");
      await page.getByRole("button", { name: "Save" }).click();
      await confirmPassword(page, "admin");
      await page.getByText("Save: edgar ✓").waitFor();
      assert.equal((await userNamed(agent, "edgar")).display_name, "Edgar");
    });

    it("ends a session of the user, and deletes a token once that is confirmed", async () => {
      const { json: signedIn } = await agent.call("POST", "/api/auth/login", {
        body: { username: names.readonly, password: passwords.readonly },
        headers: { "user-agent": "shipper/2" },
      });
      const token = signedIn.access_token;
      await agent.call("POST", "/api/auth/reauth", { token, body: { password: passwords.readonly } });
      const made = await agent.call("POST", "/api/tokens", {
        token,
        body: { name: "<b>log shipper</b>", scopes: ["logs:read"] },
      });
      assert.equal(made.status, 201, made.text);
      const { page } = await openPerson(browser, agent, names.readonly);
      await page.getByRole("button", { name: "End the session of shipper/2" }).waitFor();
      await page.getByRole("button", { name: "Delete: <b>log shipper</b>" }).click();
      const question = page.getByRole("dialog", { name: "Delete: <b>log shipper</b>" });
      looks.keep(page, "users-delete-token");
      await question.getByRole("button", { name: "Delete" }).click();
      await confirmPassword(page, "admin");
      await question.waitFor({ state: "detached" });
      // Not the messages that say so, which name them as well.
      await page.getByText("<b>log shipper</b>", { exact: true }).waitFor({ state: "detached" });
      const withToken = await agent.call("GET", "/api/logs", { token: made.json.token });
      assert.equal(withToken.status, 401, withToken.text);
      await page.getByRole("button", { name: "End the session of shipper/2" }).click();
      await page.getByText("shipper/2", { exact: true }).first().waitFor({ state: "detached" });
      const after = await agent.call("GET", "/api/auth/me", { token });
      assert.equal(after.status, 401, after.text);
    });

    it("refuses the last administrator another role, and to be disabled, and says why", async () => {
      const { page } = await openUsers(browser, agent);
      await page.getByRole("link", { name: names.admin }).click();
      await page.getByRole("heading", { level: 1, name: names.admin }).waitFor();
      const own = page.getByRole("link", { name: "Your password, second factor" });
      assert.equal(await own.getAttribute("href"), "/account");
      await page.getByRole("radio", { name: /Operator/ }).check();
      await page.getByRole("button", { name: "Save" }).click();
      await confirmPassword(page, "admin");
      const refusal = page
        .getByRole("alert")
        .filter({ hasText: "No administrator could sign in afterwards" });
      await refusal.getByText("Let another one sign in first").waitFor();
      assert.equal((await userNamed(agent, names.admin)).role, "admin");
    });
  });
});
