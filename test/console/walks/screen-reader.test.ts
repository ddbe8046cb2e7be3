import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startAgentProcess } from "../../../lab/agents/running-agent.ts";
import { until } from "../../../lab/basics/until.ts";
import { consoleOf, names, passwords, sees, untilFocused, untilShown } from "../../../lab/console/browser.ts";
import { stepTo } from "../../../lab/console/page-checks.ts";
import { tabTo } from "../../../lab/console/walks/hands.ts";
import { assertEveryLook } from "../../../lab/console/walks/looks.ts";
import { assertOrdered, assertWords } from "../../../lab/console/walks/reading.ts";

describe("a reader of logs, by screen reader and keyboard only", () => {
  let page: Page;
  const { agent, browser } = consoleOf(startAgentProcess);
  before(async () => {
    ({ page } = await browser.open(agent, { scheme: "dark", isKept: true }));
  });

  it("signs in without a pointer, and is told aloud what was wrong with the first attempt", async () => {
    await page.goto("/");
    const password = page.getByLabel("Password", { exact: true });
    await tabTo(page.getByLabel("User name"));
    await page.keyboard.type(names.readonly);
    await tabTo(password);
    await page.keyboard.type("no password of theirs");
    await page.keyboard.press("Enter");
    await untilShown(page.getByRole("alert").filter({ hasText: /password/ }));
    await password.focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type(passwords.readonly);
    await page.keyboard.press("Enter");
    await page.locator(".frame").waitFor();
  });

  it("goes through the log by its keys, opens a line, and is told how many lines come, but none of them", async () => {
    await stepTo(page, "/system/logs");
    const log = page.getByRole("log", { name: "Logs" });
    assert.equal(await log.getAttribute("aria-live"), "off");
    assert.match((await log.getAttribute("aria-description")) ?? "", /^Arrow keys move/);
    await tabTo(log);
    await page.keyboard.press("ArrowUp");
    await untilFocused(log.locator("summary").last());
    await page.keyboard.press("Enter");
    await tabTo(log.getByRole("button", { name: "Copy this line" }));
    await assertOrdered(page);
    await assertEveryLook(page, "a line of the log", "dark");
    await page.evaluate(listen);
    process.kill(agent.pid, "SIGHUP");
    const heard = () => page.evaluate(() => (globalThis as unknown as { said: readonly string[] }).said);
    await until("the lines are counted aloud", async () => (await heard()).length > 0);
    for (const text of await heard()) assert.match(text, /^\d+ new lines?$/);
  });

  it("finds an event by its filters, hears how many there are, and opens it", async () => {
    const operator = await browser.signedIn(agent, "operator", "/system/events", { scheme: "dark" });
    const count = operator.getByRole("status").filter({ hasText: /^\d+ events?$/ });
    await untilShown(count);
    await tabTo(operator.getByLabel("Name"));
    await operator.keyboard.type("no such name");
    await sees(operator, "No event matches these filters.");
    await operator.keyboard.press("ControlOrMeta+a");
    await operator.keyboard.type(names.operator);
    await untilShown(count);
    const row = operator.getByRole("button", { name: "signed in" }).first();
    await tabTo(row);
    await operator.keyboard.press("Enter");
    await untilShown(operator.locator(".event-detail"));
    assert.equal(await row.getAttribute("aria-expanded"), "true");
    await assertOrdered(operator);
    await assertWords(operator);
    await assertEveryLook(operator, "an event", "dark");
  });
});

/** In the page: keeps what a live region says from now on; it has no function with a name, as `findBrokenText`. */
function listen(): void {
  const said: string[] = [];
  Object.assign(globalThis, { said });
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      const place = (target instanceof Element ? target : target.parentElement)?.closest("[role=status]");
      if (place?.textContent) said.push(place.textContent);
    }
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}
