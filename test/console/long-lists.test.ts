import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { counted } from "../../lab/basics/counts.ts";
import { until } from "../../lab/basics/until.ts";
import {
  endOfConsole,
  signIn,
  startBrowser,
  type TestBrowser,
  untilFocused,
} from "../../lab/console/browser.ts";
import { layOutEarly } from "../../lab/console/early-layout.ts";
import { startFullAgent } from "../../lab/console/many.ts";
import { assertFits, axe, brokenText, picture } from "../../lab/console/page-checks.ts";

/** Usually fewer than are kept, and many pages all the same. */
const events = counted({ usual: 800, all: 10_000 });

/** The most rows that may be drawn, of however many. */
const mostDrawn = 90;

const rows = (page: Page): Locator => page.locator("tbody > tr[aria-rowindex]");

const runs = (page: Page): Locator => page.locator(".timeline-run");

/** Scrolls to the end of the page until it grows no more, and the last row is drawn. */
async function scrollUntil(page: Page, last: Locator): Promise<void> {
  await until("the end is reached", async () => {
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await page.evaluate(() => new Promise<void>((resolve) => requestAnimationFrame(() => resolve())));
    return (await last.count()) > 0;
  });
}

const scrollToEnd = (page: Page, last: string): Promise<void> =>
  scrollUntil(page, page.locator(`tr[aria-rowindex="${last}"]`));

async function download(page: Page): Promise<{ name: string; text: string }> {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export CSV" }).click(),
  ]);
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
}

describe("lists at size", () => {
  const ending = endOfConsole();
  let agent: RunningAgent;
  let browser: TestBrowser;
  before(async () => {
    agent = await startFullAgent(ending, { users: 1_000, events });
    browser = await startBrowser(ending);
  });

  it("of users scroll to the last, with only those in the window drawn, and the place is kept on return", async () => {
    const page = await browser.signedIn(agent, "admin", "/users");
    await page.getByText("1000 users").waitFor();
    const table = page.getByRole("table", { name: "Users" });
    assert.equal(await table.getAttribute("aria-rowcount"), "1001");
    assert.equal(await page.getByRole("button", { name: /^locked/ }).count(), 0, "a filter for none");
    await picture(page, "size-users-light");
    const first = page.getByRole("link", { name: "user-0000" });
    await first.focus();
    await scrollToEnd(page, "1001");
    assert.ok((await rows(page).count()) < mostDrawn, `${await rows(page).count()} rows are drawn`);
    await untilFocused(first);
    await page.keyboard.press("Tab");
    assert.deepEqual(await axe(page), []);
    await page.evaluate(() => scrollTo(0, 30_000));
    await page.getByRole("link", { name: "user-0610", exact: true }).waitFor();
    await page.getByRole("link", { name: "System" }).click();
    await page.getByRole("heading", { name: "System", level: 1 }).waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "user-0610", exact: true }).waitFor();
  });

  it("of users keep their place while rows are exchanged, however the browser lays them out", async () => {
    const { page } = await browser.open(agent);
    await layOutEarly(page);
    await signIn(page, "admin", "/users");
    await page.getByText("1000 users").waitFor();
    await scrollToEnd(page, "1001");
    for (const [place, name] of [
      [30_000, "user-0610"],
      [10_000, "user-0202"],
    ] as const) {
      await page.evaluate((top) => scrollTo(0, top), place);
      await page.getByRole("link", { name, exact: true }).waitFor();
      assert.equal(await page.evaluate(() => scrollY), place);
    }
  });

  it("of users are two lines each on a phone", async () => {
    const look = { width: 360, height: 740, language: "de" };
    const page = await browser.signedIn(agent, "admin", "/users", look);
    await page.getByText("1000 Benutzer").waitFor();
    const heights = await rows(page).evaluateAll((all) => all.map((row) => row.clientHeight).sort());
    const middle = heights[Math.floor(heights.length / 2)] ?? 0;
    assert.ok(middle > 40 && middle < 70, `rows of ${middle} pixels`);
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByRole("button", { name: "deaktiviert 10" }).click();
    await page.getByText("10 Benutzer", { exact: true }).waitFor();
    await assertFits(page);
    assert.deepEqual(await brokenText(page), []);
    assert.deepEqual(await axe(page), []);
    await picture(page, "size-users-phone");
  });

  it("of users are changed several at once, with the outcome for each", async () => {
    const page = await browser.signedIn(agent, "admin", "/users?q=user-09");
    await page.getByText("99 users").waitFor();
    for (const name of ["user-0901", "user-0902", "user-0903"])
      await page.getByLabel(`Select ${name}`).check();
    await page.getByText("3 selected").waitFor();
    const act = async (verb: string) => {
      await page.getByRole("button", { name: "Actions for the selected users" }).click();
      await page.getByRole("menuitem", { name: verb }).click();
      return page.getByRole("dialog", { name: verb });
    };
    let dialog = await act("Require a new password");
    await dialog.getByRole("button", { name: "Require a new password" }).click();
    await dialog.getByText("Done: 3.").waitFor();
    await dialog.getByRole("button", { name: "Close" }).last().click();
    for (const name of ["user-0901", "user-0902"])
      await page.getByRole("row", { name }).getByText("must change password").waitFor();
    assert.equal(await page.getByText("selected", { exact: false }).count(), 0, "what is done stays chosen");

    await page.getByRole("button", { name: "Select all" }).count();
    for (const name of ["user-0911", "user-0912"]) await page.getByLabel(`Select ${name}`).check();
    dialog = await act("Delete");
    assert.deepEqual(await dialog.locator("li").allInnerTexts(), ["user-0911", "user-0912"]);
    const gone = await agent.call("GET", "/api/users?q=user-0912", { local: true });
    await agent.call("DELETE", `/api/users/${gone.json.items[0].id}`, { local: true });
    const button = dialog.getByRole("button", { name: "Delete" });
    assert.equal(await button.getAttribute("aria-disabled"), "true");
    await dialog.getByLabel("Type 2 to confirm").fill("2");
    assert.deepEqual(await axe(page), []);
    await button.click();
    await dialog.getByText("Done: 1. Failed: 1.").waitFor();
    await dialog.locator("li", { hasText: "user-0912" }).getByText("This does not exist").waitFor();
    await picture(page, "size-users-outcome");
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await page.getByText("97 users").waitFor();
  });

  it("of users leave the own account out of what is done to all, and are handed over as a table", async () => {
    const { page } = await browser.open(agent);
    await agent.call("POST", "/api/users", {
      body: { username: "formula", role: "operator", display_name: '=1+"1"' },
      local: true,
    });
    await signIn(page, "admin", "/users?role=admin");
    await page.getByLabel("Select root-admin").check();
    await page.getByRole("button", { name: "Actions for the selected users" }).click();
    await page.getByRole("menuitem", { name: "Disable" }).click();
    const dialog = page.getByRole("dialog", { name: "Disable" });
    await dialog.getByText("Your own account is left out.").waitFor();
    const disable = dialog.getByRole("button", { name: "Disable" });
    assert.equal(await disable.getAttribute("aria-disabled"), "true");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: /^Operator/ }).click();
    const { name, text } = await download(page);
    assert.match(name, /^[\w-]+-users-\d{4}-\d\d-\d\d\.csv$/);
    const lines = text.split("\r\n");
    assert.equal(lines[0]?.startsWith("\uFEFFusername,display_name,role,"), true, lines[0]);
    const { total } = (await agent.call("GET", "/api/users?role=operator&limit=1", { local: true })).json;
    assert.equal(lines.length, total + 2);
    assert.match(lines[1] ?? "", /^formula,"'=1\+""1""",operator,local,true,/);
  });

  it("of events scroll to the first that is kept, read page by page", async () => {
    const page = await browser.signedIn(agent, "admin", "/system/events");
    await runs(page).first().waitFor();
    const { total } = (await agent.call("GET", "/api/events?limit=1", { local: true })).json;
    assert.ok(total >= events, `only ${total} events are kept`);
    await page.getByText(`${total} events`).waitFor();
    const [{ seq }] = (await agent.call("GET", "/api/events?after=0&limit=1", { local: true })).json.items;
    const first = page.locator(`.timeline-run[data-key="${seq}"]`);
    await scrollUntil(page, first);
    assert.ok((await runs(page).count()) < mostDrawn, `${await runs(page).count()} rows are drawn`);
    await first.getByRole("button").click();
    await page.locator(".timeline .event-detail").waitFor();
  });

  it("of events are two lines each on a phone, and a table for spreadsheets", async (test) => {
    const page = await browser.signedIn(agent, "admin", "/system/events?type=user.changed", {
      width: 360,
      height: 740,
    });
    await page.getByText(/^\d+ events$/).waitFor();
    await assertFits(page);
    assert.deepEqual(await brokenText(page), []);
    await picture(page, "size-events-phone");
    const hundred = await page.evaluate(() => {
      const heights = [...document.querySelectorAll(".timeline-run")].map((row) => row.clientHeight);
      const list = document.querySelector(".timeline")?.clientHeight ?? 0;
      const middle = heights.sort((a, b) => a - b)[Math.floor(heights.length / 2)] ?? 0;
      return document.documentElement.scrollHeight - list + 100 * middle;
    });
    test.diagnostic(`100 events take ${hundred} pixels`);
    assert.ok(hundred <= 7_000, `100 events take ${hundred} pixels`);
    await page.getByRole("button", { name: "Filters", exact: true }).click();
    await page.getByLabel("Who").selectOption("user");
    const { name, text } = await download(page);
    assert.match(name, /-events-\d{4}-\d\d-\d\d\.csv$/);
    const lines = text.split("\r\n");
    assert.match(lines[0] ?? "", /^\uFEFFseq,time,type,outcome,/);
    const query = "/api/events?limit=1&type=user.changed&actor_kind=user";
    const { total } = (await agent.call("GET", query, { local: true })).json;
    assert.equal(lines.length, total + 2);
    assert.match(lines.at(-2) ?? "", /,user\.changed,success,,1,user,root-admin,user-\d+,192\.0\.2\.1,/);
  });
});
