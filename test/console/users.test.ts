import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { until } from "../../lab/basics/until.ts";
import { endOfConsole, names, signIn, type TestBrowser } from "../../lab/console/browser.ts";
import { startLightConsole } from "../../lab/console/light/light-browser.ts";
import { lock, makeUser, openUsers, rowOf, userNamed } from "../../lab/console/users-steps.ts";
import { standingTime } from "../../lab/simulated/test-time.ts";

const canary = `<img src=x onerror="complain('canary')">`;
const canary2 = `"><script>complain('canary')</script>`;

/** Text of the rows' first cells, heads left out. */
async function shownNames(page: Page): Promise<string[]> {
  return page.getByRole("table", { name: "Users" }).locator("tbody a").allTextContents();
}

describe("the console's table of users", () => {
  const ending = endOfConsole();
  const { looks } = ending;
  let agent: RunningAgent;
  let browser: TestBrowser;
  before(async () => {
    // The clock is stopped: a lock lasts, and a sign-in was just now, however slow the machine is.
    const time = standingTime();
    ({ agent, browser } = await startLightConsole(ending, () => startAgentInProcess({ time })));
    await makeUser(agent, { username: "fleet.watch", display_name: "Watches the fleet", enabled: false });
    time.pass(1);
    await makeUser(agent, { username: "levi", display_name: "לוי (night)", role: "operator" });
  });

  it("shows role, second factor, state and last sign-in of each, and which is one's own", async () => {
    await lock(agent, names.operator);
    const { page } = await openUsers(browser, agent);
    const texts = async (name: string) => rowOf(page, name).getByRole("cell").allInnerTexts();
    const [, , role, factor, state, last] = await texts(names.admin);
    assert.deepEqual([role, factor, state], ["Administrator", "off", "active"]);
    assert.match(last ?? "", /^just now/);
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
    const { id: first } = await userNamed(agent, "fleet.watch");
    const named = await agent.call("PUT", `/api/users/${first}`, {
      body: { display_name: canary },
      local: true,
    });
    assert.equal(named.status, 200, named.text);
    const id = await makeUser(agent, { username: "canary.two", display_name: canary2 });
    const { page } = await openUsers(browser, agent, { scheme: "dark" });
    await rowOf(page, "fleet.watch").getByText(canary, { exact: true }).waitFor();
    await rowOf(page, "canary.two").getByText(canary2, { exact: true }).waitFor();
    const isolated = rowOf(page, "levi").locator("bdi");
    assert.equal(await isolated.innerText(), "לוי (night)");
    looks.keep(page, "users-list-dark");
    await page.getByRole("link", { name: "canary.two" }).click();
    assert.equal(await page.getByLabel("Display name").inputValue(), canary2);
    await agent.call("DELETE", `/api/users/${id}`, { local: true });
  });

  it("is filtered by text, role and state, which the address keeps", async () => {
    const { page } = await openUsers(browser, agent);
    const chip = (name: string) => page.getByRole("button", { name });
    await chip("disabled 1").click();
    await until("one disabled user", async () => (await shownNames(page)).join() === "fleet.watch");
    assert.equal(await chip("disabled 1").getAttribute("aria-pressed"), "true");
    await chip("disabled 1").click();
    await chip("never signed in 4").click();
    await until("four who never signed in", async () => (await shownNames(page)).length === 4);
    await chip("Operator 2").click();
    await until("two operators", async () => (await shownNames(page)).join() === "ana,levi");
    await chip("never signed in 4").click();
    await page.getByLabel("Search").fill("NIGHT");
    await until("one with night in a name", async () => (await shownNames(page)).join() === "levi");
    assert.equal(new URL(page.url()).search, "?role=operator&q=NIGHT");
    await page.reload();
    await page.getByText("1 user", { exact: true }).waitFor();
    assert.deepEqual(await shownNames(page), ["levi"]);
    assert.equal(await page.getByLabel("Search").inputValue(), "NIGHT");
  });

  it("says that nothing matches, and clears the filters", async () => {
    const { page } = await openUsers(browser, agent, { path: "/users?q=nobody-at-all&role=admin" });
    await page.getByRole("status").filter({ hasText: "No user matches these filters" }).waitFor();
    looks.keep(page, "users-none");
    await page.getByRole("button", { name: "Clear the filters" }).click();
    await page.getByText("5 users").waitFor();
    assert.equal(new URL(page.url()).search, "");
  });

  it("leaves out of an address what it does not understand", async () => {
    const { page } = await openUsers(browser, agent, { path: "/users?role=boss&sort=shoe&state=gone" });
    await page.getByText("5 users").waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
  });

  it("is sorted by its heads, once more the other way round", async () => {
    const { page } = await openUsers(browser, agent);
    const head = page.getByRole("columnheader", { name: "Name" });
    assert.equal(await head.getAttribute("aria-sort"), "ascending");
    await head.getByRole("button").click();
    await until("Z to A", async () => (await shownNames(page))[0] === names.admin);
    assert.equal(await head.getAttribute("aria-sort"), "descending");
    await page.goto("/users?sort=-created_at");
    await until("newest first", async () => (await shownNames(page))[0] === "levi");
  });

  it("keeps those who are no administrators away", async () => {
    for (const role of ["operator", "readonly"] as const) {
      const { page } = await browser.open(agent);
      if (role === "operator") {
        const { id } = await userNamed(agent, names.operator);
        await agent.call("POST", `/api/users/${id}/unlock`, { local: true });
      }
      await signIn(page, role, "/users");
      await page.getByRole("heading", { level: 1 }).waitFor();
      assert.notEqual(new URL(page.url()).pathname, "/users");
      assert.equal(await page.getByRole("link", { name: "Users" }).count(), 0);
    }
  });

  it("says so where the role is taken away in mid-work, and keeps what was typed", async () => {
    const password = "an odd kettle of herons";
    const id = await makeUser(agent, { username: "second", role: "admin", password });
    const page = await browser.signedIn(agent, { username: "second", password }, "/users");
    await page.getByRole("button", { name: "Add user" }).click();
    const sheet = page.getByRole("dialog", { name: "Add user" });
    await sheet.getByLabel("User name").fill("too.late");
    await agent.call("PUT", `/api/users/${id}`, { body: { role: "operator" }, local: true });
    // The page has heard of it.
    await page.locator(".sections a[href='/users']").waitFor({ state: "detached" });
    await sheet.getByRole("button", { name: "Add user" }).click();
    await sheet.getByRole("alert").getByText("Your role does not allow this").waitFor();
    assert.equal(await sheet.getByLabel("User name").inputValue(), "too.late");
    assert.equal(await userNamed(agent, "too.late"), undefined);
    await agent.call("DELETE", `/api/users/${id}`, { local: true });
  });
});
