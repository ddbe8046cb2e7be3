import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { until } from "../../lab/basics/until.ts";
import {
  confirmPassword,
  endOfConsole,
  names,
  passwords,
  startBrowser,
  untilFocused,
} from "../../lab/console/browser.ts";
import { lightConsoleOf } from "../../lab/console/light/light-browser.ts";
import { Looks } from "../../lab/console/light/looks.ts";
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

describe("users in the console, added and edited", () => {
  const ending = endOfConsole();
  const looks = new Looks();
  const { agent, browser } = lightConsoleOf(ending, () => startLockingAgent());

  async function openAdding(page: Page): Promise<Locator> {
    await page.getByRole("button", { name: "Add user" }).click();
    const sheet = page.getByRole("dialog", { name: "Add user" });
    await sheet.waitFor();
    return sheet;
  }

  describe("adding a user in the console", () => {
    it("takes a keyboard alone, and gives a one-use password that signs in", async () => {
      const { page, complaints } = await openUsers(browser, agent);
      await page.getByRole("button", { name: "Add user" }).focus();
      await page.keyboard.press("Enter");
      const sheet = page.getByRole("dialog", { name: "Add user" });
      await sheet.waitFor();
      await page.keyboard.type("key.board");
      await page.keyboard.press("Tab");
      await page.keyboard.type("Kim Board");
      await page.keyboard.press("Tab");
      await page.keyboard.press("ArrowUp");
      assert.ok(await sheet.getByRole("radio", { name: "Operator" }).isChecked(), "the role is not chosen");
      await page.keyboard.press("Enter");
      await page.getByRole("dialog", { name: "Confirm that it is you" }).waitFor();
      await page.keyboard.type(passwords.admin);
      await page.keyboard.press("Enter");
      const card = cardOf(page, "key.board");
      const password = await passwordOn(card);
      looks.keep(page, "users-hand-over");
      await page.goBack();
      const question = page.getByRole("dialog", { name: "Shown only this once" });
      await question.getByRole("button", { name: "Stay" }).click();
      await question.waitFor({ state: "detached" });
      assert.equal(await passwordOn(card), password);
      await page.getByRole("button", { name: "Done" }).focus();
      await page.keyboard.press("Enter");
      await rowOf(page, "key.board").getByText("must change password").waitFor();
      await page.locator("button:focus").getByText("Add user").waitFor();
      const answer = await agent.call("POST", "/api/auth/login", {
        body: { username: "key.board", password },
      });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual([answer.json.user.role, answer.json.user.display_name], ["operator", "Kim Board"]);
      assert.deepEqual(complaints, []);
    });

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
      await sheet.getByRole("button", { name: "Add user" }).click();
      await rowOf(page, "lena.b").waitFor();
      assert.equal((await userNamed(agent, "lena.b")).must_change_password, false);
    });

    it("refuses a password that is the user's name with a little more", async () => {
      const { page } = await openUsers(browser, agent);
      const sheet = await openAdding(page);
      await sheet.getByLabel("User name").fill("magdalena");
      await sheet.getByRole("radio", { name: "Type a password" }).check();
      await sheet.getByLabel("New password", { exact: true }).fill("magdalena-123456");
      await sheet.getByRole("button", { name: "Add user" }).click();
      await confirmPassword(page, "admin");
      await sheet.getByText("This password is too similar to a name").waitFor();
      assert.equal(await userNamed(agent, "magdalena"), undefined);
    });

    it("loses nothing when the question for the password is closed", async () => {
      const { page } = await openUsers(browser, agent);
      const sheet = await openAdding(page);
      await sheet.getByLabel("User name").fill("patient.one");
      await sheet.getByLabel("Display name").fill("Patience");
      await sheet.getByRole("radio", { name: "Administrator" }).check();
      await sheet.getByRole("button", { name: "Add user" }).click();
      await page.getByRole("dialog", { name: "Confirm that it is you" }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog", { name: "Confirm that it is you" }).waitFor({ state: "detached" });
      assert.equal(await sheet.getByLabel("User name").inputValue(), "patient.one");
      assert.equal(await sheet.getByLabel("Display name").inputValue(), "Patience");
      assert.ok(await sheet.getByRole("radio", { name: "Administrator" }).isChecked(), "the role is lost");
      assert.equal(await userNamed(agent, "patient.one"), undefined);
      await sheet.getByRole("button", { name: "Add user" }).click();
      await confirmPassword(page, "admin");
      await page.getByRole("button", { name: "Done" }).click();
      await rowOf(page, "patient.one").waitFor();
      const { id } = await userNamed(agent, "patient.one");
      await agent.call("DELETE", `/api/users/${id}`, { local: true });
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

  describe("the console's sheet of a user", () => {
    it("is opened by the name and by a link, and closed by back", async () => {
      const { page, complaints } = await openUsers(browser, agent);
      const { id } = await userNamed(agent, names.readonly);
      await page.getByRole("link", { name: names.readonly }).click();
      const sheet = page.getByRole("dialog", { name: names.readonly });
      await until("both lists", async () => (await sheet.getByText("None", { exact: true }).count()) === 2);
      assert.equal(new URL(page.url()).search, `?user=${id}`);
      looks.keep(page, "users-edit-light");
      await page.goBack();
      await sheet.waitFor({ state: "detached" });
      await page.goto(`/users?user=${id}`);
      await sheet.getByLabel("Display name").waitFor();
      assert.deepEqual(complaints, []);
    });

    it("is opened by a click anywhere in the row, but for what can be used by itself", async () => {
      const { page, complaints } = await openUsers(browser, agent);
      const row = rowOf(page, names.readonly);
      await row.getByRole("checkbox").check();
      await row.getByRole("button", { name: `Actions for ${names.readonly}` }).click();
      await page.keyboard.press("Escape");
      assert.equal(await page.getByRole("dialog").count(), 0);
      await row.locator("td.of-role").click();
      await page.getByRole("dialog", { name: names.readonly }).waitFor();
      assert.deepEqual(complaints, []);
    });

    it("has the actions of the row, and leads to what the user did", async () => {
      const id = await makeUser(agent, { username: "doer" });
      const { page, complaints } = await openUsers(browser, agent, { path: `/users?user=${id}` });
      const sheet = page.getByRole("dialog", { name: "doer", exact: true });
      await sheet.getByRole("button", { name: "Actions for doer" }).click();
      await page.getByRole("menuitem", { name: "Disable" }).click();
      await sheet.waitFor({ state: "detached" });
      const question = page.getByRole("dialog", { name: "Disable: doer" });
      await question.getByRole("button", { name: "Cancel" }).click();
      await page.goto(`/users?user=${id}`);
      await sheet.getByRole("link", { name: "What they did" }).click();
      await page.waitForURL("**/system/events?who=user&name=doer");
      assert.deepEqual(complaints, []);
    });

    it("is opened by an address with the user's name, which becomes the id", async () => {
      const { id } = await userNamed(agent, names.readonly);
      const { page, complaints } = await openUsers(browser, agent, { path: `/users?user=${names.readonly}` });
      await page.getByRole("dialog", { name: names.readonly }).getByLabel("Display name").waitFor();
      assert.equal(new URL(page.url()).search, `?user=${id}`);
      assert.deepEqual(complaints, []);
    });

    it("says that there is no such user", async () => {
      for (const id of [`usr_${"0".repeat(32)}`, "nonsense"]) {
        const { page } = await openUsers(browser, agent, { path: `/users?user=${id}` });
        await page.getByRole("dialog").getByText("This user does not exist").waitFor();
      }
    });

    it("saves what was changed, and no more", async () => {
      const id = await makeUser(agent, { username: "carl", display_name: "Carl" });
      const { page } = await openUsers(browser, agent, { path: `/users?user=${id}` });
      const sheet = page.getByRole("dialog", { name: "carl" });
      await sheet.getByLabel("Display name").fill("Carla");
      await sheet.getByRole("radio", { name: "Operator" }).check();
      const request = page.waitForRequest((one) => one.method() === "PUT" && "if-match" in one.headers());
      await sheet.getByRole("button", { name: "Save" }).click();
      assert.deepEqual((await request).postDataJSON(), { display_name: "Carla", role: "operator" });
      await confirmPassword(page, "admin");
      await sheet.waitFor({ state: "detached" });
      await rowOf(page, "carl").getByText("Carla").waitFor();
      assert.equal((await userNamed(agent, "carl")).role, "operator");
    });

    it("names what another user has changed, and keeps mine or takes theirs", async () => {
      const id = await makeUser(agent, { username: "dora", display_name: "Dora" });
      for (const choice of ["Keep mine", "Take theirs"]) {
        await agent.call("PUT", `/api/users/${id}`, {
          body: { display_name: "Dora", role: "readonly" },
          local: true,
        });
        const { page } = await openUsers(browser, agent, { path: `/users?user=${id}` });
        const sheet = page.getByRole("dialog", { name: "dora" });
        await sheet.getByLabel("Display name").fill("Dora of mine");
        await agent.call("PUT", `/api/users/${id}`, {
          body: { display_name: "Dora of theirs", role: "operator" },
          local: true,
        });
        await sheet.getByRole("button", { name: "Save" }).click();
        await confirmPassword(page, "admin");
        await sheet.getByRole("button", { name: choice }).waitFor();
        const conflict = sheet.getByRole("status").filter({ hasText: "Another user has changed this" });
        assert.deepEqual(await conflict.getByRole("term").allInnerTexts(), ["Display name", "Role"]);
        assert.deepEqual(await conflict.getByRole("definition").allInnerTexts(), [
          "Theirs: Dora of theirs",
          "Yours: Dora of mine",
          "Theirs: Operator",
          "Yours: not changed",
        ]);
        looks.keep(page, `users-conflict-${choice === "Keep mine" ? "light" : "theirs"}`);
        assert.equal((await userNamed(agent, "dora")).display_name, "Dora of theirs");
        await sheet.getByRole("button", { name: choice }).click();
        if (choice === "Keep mine") await sheet.waitFor({ state: "detached" });
        else {
          await conflict.waitFor({ state: "detached" });
          assert.equal(await sheet.getByLabel("Display name").inputValue(), "Dora of theirs");
          assert.ok(await sheet.getByRole("radio", { name: "Operator" }).isChecked(), "not their role");
        }
        const { display_name, role } = await userNamed(agent, "dora");
        const kept = choice === "Keep mine" ? "Dora of mine" : "Dora of theirs";
        assert.deepEqual({ display_name, role }, { display_name: kept, role: "operator" });
      }
    });

    it("sees no conflict in a change of a field that is not being edited", async () => {
      const id = await makeUser(agent, { username: "edgar" });
      const { page } = await openUsers(browser, agent, { path: `/users?user=${id}` });
      const sheet = page.getByRole("dialog", { name: "edgar" });
      await sheet.getByLabel("Display name").fill("Edgar");
      await lock(agent, "edgar");
      await sheet.getByRole("button", { name: "Save" }).click();
      await confirmPassword(page, "admin");
      await sheet.waitFor({ state: "detached" });
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
      const { page } = await openUsers(browser, agent, { path: `/users?user=${signedIn.user.id}` });
      const sheet = page.getByRole("dialog", { name: names.readonly });
      await sheet.getByText("shipper/2").waitFor();
      await sheet.getByRole("button", { name: "Delete: <b>log shipper</b>" }).click();
      const question = page.getByRole("dialog", { name: "Delete: <b>log shipper</b>" });
      looks.keep(page, "users-delete-token");
      await question.getByRole("button", { name: "Delete" }).click();
      await confirmPassword(page, "admin");
      await question.waitFor({ state: "detached" });
      // Not the messages that say so, which name them as well.
      await sheet.getByText("<b>log shipper</b>", { exact: true }).waitFor({ state: "detached" });
      const withToken = await agent.call("GET", "/api/logs", { token: made.json.token });
      assert.equal(withToken.status, 401, withToken.text);
      await sheet.getByRole("button", { name: "End the session of shipper/2" }).click();
      await sheet.getByText("shipper/2", { exact: true }).waitFor({ state: "detached" });
      const after = await agent.call("GET", "/api/auth/me", { token });
      assert.equal(after.status, 401, after.text);
    });

    it("leads to the own account for the changes that are made there", async () => {
      const { page } = await openUsers(browser, agent);
      await page.getByRole("link", { name: names.admin }).click();
      const sheet = page.getByRole("dialog", { name: names.admin });
      await sheet.getByRole("link", { name: "Your password, second factor" }).click();
      await until("the own account", () => new URL(page.url()).pathname === "/account");
    });

    it("offers the last administrator no other role, and says why", async () => {
      const { page } = await openUsers(browser, agent);
      await page.getByRole("link", { name: names.admin }).click();
      const sheet = page.getByRole("dialog", { name: names.admin });
      const operator = sheet.getByRole("radio", { name: /Operator/ });
      await operator.and(page.locator(":disabled")).waitFor();
      assert.match(
        await operator.evaluate((one) => one.closest("label")?.textContent ?? ""),
        /This is the last administrator who can sign in/,
      );
      assert.ok(
        await sheet.getByLabel("May sign in").isDisabled(),
        "the last administrator could lock everyone out",
      );
    });
  });

  it("is sound to look at in a browser, in each state above", async () =>
    looks.judge(await startBrowser(ending)));
});
