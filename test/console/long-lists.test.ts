import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { counted } from "../../lab/basics/counts.ts";
import { until } from "../../lab/basics/until.ts";
import {
  endOfConsole,
  fill,
  press,
  sees,
  signIn,
  startBrowser,
  type TestBrowser,
  untilFocused,
} from "../../lab/console/browser.ts";
import { downloaded } from "../../lab/console/launch.ts";
import { startFullAgent } from "../../lab/console/many.ts";
import { assertReads, assertSound, layOutEarly } from "../../lab/console/page-checks.ts";
import { makeUser, userNamed } from "../../lab/console/users-steps.ts";

/** Usually fewer than are kept, and many pages all the same. */
const events = counted({ usual: 800, all: 10_000 });

/** The most rows that may be drawn, of however many. */
const mostDrawn = 90;

const rows = (page: Page): Locator => page.locator("tbody > tr[aria-rowindex]");
const runs = (page: Page): Locator => page.locator(".timeline-run");
const rowAt = (page: Page, index: number) => page.locator(`tr[aria-rowindex="${index}"]`);
const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });

/** Scrolls to the end of the page until it grows no more, and the last row is drawn. */
async function scrollUntil(page: Page, last: Locator): Promise<void> {
  await until("the end is reached", async () => {
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await page.evaluate(() => new Promise<void>((resolve) => requestAnimationFrame(() => resolve())));
    return (await last.count()) > 0;
  });
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
    await sees(page, "1000 users");
    const table = page.getByRole("table", { name: "Users" });
    assert.equal(await table.getAttribute("aria-rowcount"), "1001");
    assert.equal(await page.getByRole("button", { name: /^locked/ }).count(), 0, "a filter for none");
    await link(page, "user-0000").focus();
    await scrollUntil(page, rowAt(page, 1_001));
    assert.ok((await rows(page).count()) < mostDrawn, `${await rows(page).count()} rows are drawn`);
    await untilFocused(link(page, "user-0000"));
    await page.keyboard.press("Tab");
    await assertSound(page, "size-users");
    await page.evaluate(() => scrollTo(0, 30_000));
    await link(page, "user-0610").waitFor();
    await link(page, "System").click();
    await page.getByRole("heading", { name: "System", level: 1 }).waitFor();
    await page.goBack();
    await link(page, "user-0610").waitFor();
  });

  it("of users keep their place while rows are exchanged, however the browser lays them out", async () => {
    const { page } = await browser.open(agent);
    await layOutEarly(page);
    await signIn(page, "admin", "/users");
    await sees(page, "1000 users");
    await scrollUntil(page, rowAt(page, 1_001));
    for (const [place, name] of [
      [30_000, "user-0610"],
      [10_000, "user-0202"],
    ] as const) {
      await page.evaluate((top) => scrollTo(0, top), place);
      await link(page, name).waitFor();
      assert.equal(await page.evaluate(() => scrollY), place);
    }
  });

  it("of users are two lines each on a phone", async () => {
    const look = { width: 360, height: 740, language: "de" };
    const page = await browser.signedIn(agent, "admin", "/users", look);
    await sees(page, "1000 Benutzer");
    const heights = await rows(page).evaluateAll((all) => all.map((row) => row.clientHeight).sort());
    const middle = heights[Math.floor(heights.length / 2)] ?? 0;
    assert.ok(middle > 40 && middle < 70, `rows of ${middle} pixels`);
    await press(page, "Filter");
    await press(page, "deaktiviert 10");
    await page.getByText("10 Benutzer", { exact: true }).waitFor();
    await assertReads(page);
    await assertSound(page, "size-users-phone");
  });

  it("of users are changed several at once, with the outcome for each, but not the own account", async () => {
    const page = await browser.signedIn(agent, "admin", "/users?q=user-09");
    await sees(page, "99 users");
    const act = async (verb: string, ...names: readonly string[]) => {
      for (const name of names) await page.getByLabel(`Select ${name}`).check();
      await sees(page, `${names.length} selected`);
      await press(page, "Actions for the selected users");
      await page.getByRole("menuitem", { name: verb }).click();
      const dialog = page.getByRole("dialog", { name: verb });
      return { dialog, verb: dialog.getByRole("button", { name: verb }) };
    };
    const close = (dialog: Locator) => dialog.getByRole("button", { name: "Close" }).last().click();
    const required = await act("Require a new password", "user-0901", "user-0902", "user-0903");
    await required.verb.click();
    await sees(required.dialog, "Done: 3.");
    await close(required.dialog);
    for (const name of ["user-0901", "user-0902"])
      await sees(page.getByRole("row", { name }), "must change password");
    assert.equal(await page.getByText("selected").count(), 0, "what is done stays chosen");
    const { dialog, verb } = await act("Delete", "user-0911", "user-0912");
    assert.deepEqual(await dialog.locator("li").allInnerTexts(), ["user-0911", "user-0912"]);
    const { id } = await userNamed(agent, "user-0912");
    await agent.call("DELETE", `/api/users/${id}`, { local: true });
    assert.equal(await verb.getAttribute("aria-disabled"), "true");
    await fill(dialog, { "Type 2 to confirm": "2" });
    await assertSound(page, "size-users-delete");
    await verb.click();
    await sees(dialog, "Done: 1. Failed: 1.");
    await sees(dialog.locator("li", { hasText: "user-0912" }), "This does not exist");
    await close(dialog);
    await sees(page, "97 users");
    await page.goto("/users?role=admin");
    const own = await act("Disable", "root-admin");
    await sees(own.dialog, "Your own account is skipped.");
    assert.equal(await own.verb.getAttribute("aria-disabled"), "true");
  });

  it("of users are handed over as a table for spreadsheets", async () => {
    await makeUser(agent, { username: "formula", role: "operator", display_name: '=1+"1"' });
    const page = await browser.signedIn(agent, "admin", "/users?role=operator");
    await sees(page, /^\d+ users$/);
    const { name, text } = await downloaded(page, () => press(page, "Export CSV"));
    assert.match(name, /^[\w-]+-users-\d{4}-\d\d-\d\d\.csv$/);
    const lines = text.split("\r\n");
    assert.match(lines[0] ?? "", /^\uFEFFusername,display_name,role,/);
    const { total } = await agent.read("/api/users?role=operator&limit=1");
    assert.equal(lines.length, total + 2);
    assert.match(lines[1] ?? "", /^formula,"'=1\+""1""",operator,local,true,/);
  });

  it("of events scroll to the first that is kept, read page by page, and are a table of all too", async () => {
    const page = await browser.signedIn(agent, "admin", "/system/events");
    await runs(page).first().waitFor();
    const { total } = await agent.read("/api/events?limit=1");
    assert.ok(total >= events, `only ${total} events are kept`);
    await sees(page, `${total} events`);
    const [{ seq }] = (await agent.read("/api/events?after=0&limit=1")).items;
    const first = page.locator(`.timeline-run[data-key="${seq}"]`);
    await scrollUntil(page, first);
    assert.ok((await runs(page).count()) < mostDrawn, `${await runs(page).count()} rows are drawn`);
    await first.getByRole("button").click();
    await page.locator(".timeline .event-detail").waitFor();
    await page.goto("/system/events?type=user.changed&who=user");
    await sees(page, /^\d+ events$/);
    const { name, text } = await downloaded(page, () => press(page, "Export CSV"));
    assert.match(name, /-events-\d{4}-\d\d-\d\d\.csv$/);
    const lines = text.split("\r\n");
    assert.match(lines[0] ?? "", /^\uFEFFseq,time,type,outcome,/);
    const changed = await agent.read("/api/events?limit=1&type=user.changed&actor_kind=user");
    assert.equal(lines.length, changed.total + 2);
    assert.match(lines.at(-2) ?? "", /,user\.changed,success,,1,user,root-admin,user-\d+,192\.0\.2\.1,/);
    await page.setViewportSize({ width: 360, height: 740 });
    await assertReads(page);
    const height = await runs(page).evaluateAll((all) => all.map((run) => run.clientHeight).sort()[0] ?? 0);
    assert.ok(height <= 70, `an event takes ${height} pixels on a phone`);
  });
});
