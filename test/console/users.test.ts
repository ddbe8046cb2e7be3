import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { until } from "../../lab/basics/until.ts";
import { fill, names, press, sees } from "../../lab/console/browser.ts";
import { lightConsoleOf } from "../../lab/console/light/light-browser.ts";
import { lock, makeUser, openUsers, rowOf, userNamed } from "../../lab/console/users-steps.ts";
import { standingTime } from "../../lab/simulated/test-time.ts";

const canaries = [`<img src=x onerror="complain('canary')">`, `"><script>complain('canary')</script>`];

describe("the console's table of users", () => {
  // The clock is stopped: a lock lasts, however slow the machine is.
  const time = standingTime();
  const { agent, browser, looks } = lightConsoleOf(() => startAgentInProcess({ time }));
  before(async () => {
    await makeUser(agent, { username: "fleet.watch", display_name: "Watches the fleet", enabled: false });
    time.pass(1);
    await makeUser(agent, { username: "levi", display_name: "לוי (night)", role: "operator" });
  });

  const open = async (options: Parameters<typeof openUsers>[2] = {}): Promise<Page> =>
    (await openUsers(browser, agent, options)).page;
  const shown = (page: Page) =>
    page.getByRole("table", { name: "Users" }).locator("tbody a").allTextContents();
  const untilShows = (page: Page, expected: string) =>
    until(`${expected} are shown`, async () => (await shown(page)).join() === expected);
  const untilCounted = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();

  it("shows role, second factor, state and last sign-in of each, and which is one's own", async () => {
    await lock(agent, names.operator);
    const page = await open();
    const texts = async (name: string) => rowOf(page, name).getByRole("cell").allInnerTexts();
    const [, , role, factor, state, last] = await texts(names.admin);
    assert.deepEqual([role, factor, state], ["Administrator", "off", "active"]);
    assert.match(last ?? "", /^(just now|\d+ minutes? ago)/);
    assert.match((await texts(names.operator))[4] ?? "", /^locked · \d+\s(s|min)$/);
    assert.match((await texts(names.readonly))[5] ?? "", /^never/);
    // The head comes with the status, which may be later than the users.
    await page.locator(".frame .banner").waitFor();
    looks.keep(page, "users-list-light", async (drawn) => {
      const textOf = (name: string, cell: number) =>
        rowOf(drawn, name).getByRole("cell").nth(cell).innerText();
      assert.match(await textOf(names.admin, 1), /root-admin\s+you/);
      assert.match(await textOf("fleet.watch", 4), /disabled\s+must change password/);
    });
  });

  it("shows names as text, whatever they contain, each in its own direction", async () => {
    const made = [];
    for (const [at, display_name] of canaries.entries())
      made.push(await makeUser(agent, { username: `canary.${at}`, display_name }));
    const page = await open({ scheme: "dark" });
    for (const [at, text] of canaries.entries())
      await rowOf(page, `canary.${at}`).getByText(text, { exact: true }).waitFor();
    assert.equal(await rowOf(page, "levi").locator("bdi").innerText(), "לוי (night)");
    looks.keep(page, "users-list-dark");
    await page.getByRole("link", { name: "canary.1" }).click();
    assert.equal(await page.getByLabel("Display name").inputValue(), canaries[1]);
    for (const id of made) await agent.call("DELETE", `/api/users/${id}`, { local: true });
  });

  it("is filtered by text, role and state, which the address keeps", async () => {
    const page = await open();
    const chip = (name: string) => page.getByRole("button", { name });
    await chip("disabled 1").click();
    await untilShows(page, "fleet.watch");
    assert.equal(await chip("disabled 1").getAttribute("aria-pressed"), "true");
    await chip("disabled 1").click();
    await chip("never signed in 4").click();
    await until("four who never signed in", async () => (await shown(page)).length === 4);
    await chip("Operator 2").click();
    await untilShows(page, "ana,levi");
    await chip("never signed in 4").click();
    await page.getByLabel("Search").fill("NIGHT");
    await untilShows(page, "levi");
    assert.equal(new URL(page.url()).search, "?role=operator&q=NIGHT");
    await page.reload();
    await untilCounted(page, "1 user");
    await untilShows(page, "levi");
    assert.equal(await page.getByLabel("Search").inputValue(), "NIGHT");
  });

  it("says that nothing matches, clears the filters, and leaves out of an address what it does not understand", async () => {
    const page = await open({ path: "/users?q=nobody-at-all&role=admin" });
    await sees(page.getByRole("status"), "No user matches these filters");
    looks.keep(page, "users-none");
    await press(page, "Clear the filters");
    await untilCounted(page, "5 users");
    assert.equal(new URL(page.url()).search, "");
    await page.goto("/users?role=boss&sort=shoe&state=gone");
    await untilCounted(page, "5 users");
    assert.equal(await page.getByRole("alert").count(), 0);
  });

  it("is sorted by its heads, once more the other way round", async () => {
    const page = await open();
    const head = page.getByRole("columnheader", { name: "Name" });
    assert.equal(await head.getAttribute("aria-sort"), "ascending");
    await head.getByRole("button").click();
    await until("Z to A", async () => (await shown(page))[0] === names.admin);
    assert.equal(await head.getAttribute("aria-sort"), "descending");
    await page.goto("/users?sort=-created_at");
    await until("newest first", async () => (await shown(page))[0] === "levi");
  });

  it("says so where the role is taken away in mid-work, and keeps what was typed", async () => {
    const user = { username: "second", password: "an odd kettle of herons" };
    const id = await makeUser(agent, { ...user, role: "admin" });
    const page = await browser.signedIn(agent, user, "/users");
    await press(page, "Add user");
    const sheet = page.getByRole("dialog", { name: "Add user" });
    await fill(sheet, { "User name": "too.late" });
    await agent.call("PUT", `/api/users/${id}`, { body: { role: "operator" }, local: true });
    // The page has heard of it.
    await page.locator(".sections a[href='/users']").waitFor({ state: "detached" });
    await press(sheet, "Add user");
    await sees(sheet.getByRole("alert"), "Your role does not allow this");
    assert.equal(await sheet.getByLabel("User name").inputValue(), "too.late");
    assert.equal(await userNamed(agent, "too.late"), undefined);
    await agent.call("DELETE", `/api/users/${id}`, { local: true });
  });
});
