import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { enrol } from "../../../lab/agents/enrol.ts";
import type { RunningAgent } from "../../../lab/agents/running-agent.ts";
import {
  type ConsoleWindow,
  endOfConsole,
  passwords,
  signInByForm,
  startBrowser,
  untilShown,
} from "../../../lab/console/browser.ts";
import { downloaded } from "../../../lab/console/launch.ts";
import { startFullAgent } from "../../../lab/console/many.ts";
import { picture } from "../../../lab/console/page-checks.ts";
import { assertEveryLook } from "../../../lab/console/walks/looks.ts";

/** Operators, by how they are made. */
const [colleague, other] = ["user-0003", "user-0011"];

describe("an administrator of a branch with two hundred users", () => {
  const ending = endOfConsole();
  let agent: RunningAgent;
  let window: ConsoleWindow;
  let page: Page;
  const button = (name: string | RegExp, within: Page | Locator = page) =>
    within.getByRole("button", { name, exact: true });

  before(async () => {
    agent = await startFullAgent(ending, { users: 200, events: 100 });
    const { json } = await agent.call("POST", "/api/auth/login", {
      body: { username: colleague, password: passwords.admin },
    });
    const user = { id: json.user.id, token: json.access_token, password: passwords.admin };
    await enrol(agent.call, user);
    window = await (await startBrowser(ending)).open(agent);
    ({ page } = window);
  });

  it("reads on Home how many they are, and how many have no second factor", async () => {
    await signInByForm(page, "admin");
    const people = page.locator(".tile", { has: page.getByRole("link", { name: "People" }) });
    await untilShown(people.getByText(/^200 users/));
    // Disabled users do not count.
    await untilShown(people.getByText("197 without a second factor"));
    await people.getByRole("link", { name: "People" }).click();
    await untilShown(page.getByText("200 users"));
    await assertEveryLook(page, "two hundred users");
  });

  it("narrows them to those who are disabled, and lets these in again at once", async () => {
    await button(/^disabled/).click();
    await untilShown(page.getByText("2 users"));
    for (const name of ["user-0007", "user-0107"]) await page.getByLabel(`Select ${name}`).check();
    await button("Actions for the selected users").click();
    await page.getByRole("menuitem", { name: "Enable" }).click();
    const dialog = page.getByRole("dialog", { name: "Enable" });
    await button("Enable", dialog).click();
    await untilShown(dialog.getByText("Done: 2."));
    await assertEveryLook(page, "several users changed at once");
    await picture(page, "walk-administrator-several");
    await button("Close", dialog).last().click();
    await page.getByText("No user matches these filters").or(page.getByText("200 users")).waitFor();
  });

  it("takes a lost second factor from a colleague, with the reason", async () => {
    await page.goto(`/users?q=${colleague}`);
    await button(`Actions for ${colleague}`).click();
    await page.getByRole("menuitem", { name: "Reset second factor" }).click();
    const dialog = page.getByRole("dialog", { name: "Reset second factor" });
    assert.equal(await button("Reset second factor", dialog).getAttribute("aria-disabled"), "true");
    await dialog.getByLabel("Reason").fill("phone lost in the harbour");
    await assertEveryLook(page, "the reset of a second factor");
    await button("Reset second factor", dialog).click();
    await dialog.waitFor({ state: "detached" });
    await untilShown(page.getByRole("row", { name: colleague }).getByText("off", { exact: true }));
    const events = await agent.call("GET", "/api/events?type=two_factor.recovered", { local: true });
    assert.match(events.text, /phone lost in the harbour/);
  });

  it("loses a race with another administrator, and nothing that was typed", async () => {
    const { json } = await agent.call("GET", `/api/users?q=${other}`, { local: true });
    const [{ id }] = json.items;
    await page.goto(`/users/${other}`);
    const sheet = page.locator("main");
    await sheet.getByLabel("Display name").fill("Anna of the branch");
    const theirs = { display_name: "Anna of headquarters" };
    const changed = await agent.call("PUT", `/api/users/${id}`, { local: true, body: theirs });
    assert.equal(changed.status, 200, changed.text);
    await button("Save", sheet).click();
    await untilShown(sheet.getByText("Theirs: Anna of headquarters"));
    await untilShown(sheet.getByText("Yours: Anna of the branch"));
    await assertEveryLook(page, "a lost race");
    await picture(page, "walk-administrator-race");
    await button("Keep mine", sheet).click();
    await page.getByText(`Save: ${other} ✓`).waitFor();
    const kept = await agent.call("GET", `/api/users/${id}`, { local: true });
    assert.equal(kept.json.display_name, "Anna of the branch");
  });

  it("takes the operators along as a table", async () => {
    await page.goto("/users?role=operator");
    await untilShown(page.getByText(/^\d+ users$/));
    const { name, text } = await downloaded(page, () => button("Export CSV").click());
    assert.match(name, /-users-\d{4}-\d\d-\d\d\.csv$/);
    const operators = text.split("\r\n").filter((line) => line.includes(",operator,"));
    assert.equal(operators.length, 49);
  });
});
