import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startAgentProcess } from "../../../lab/agents/running-agent.ts";
import { sampled } from "../../../lab/basics/counts.ts";
import { until } from "../../../lab/basics/until.ts";
import {
  type ConsoleWindow,
  consoleOf,
  names,
  passwords,
  signIn,
  untilFocused,
  untilShown,
} from "../../../lab/console/browser.ts";
import { picture, stepTo } from "../../../lab/console/page-checks.ts";
import { tabTo } from "../../../lab/console/walks/hands.ts";
import { assertEveryLook } from "../../../lab/console/walks/looks.ts";
import { assertOrdered, assertWords } from "../../../lab/console/walks/reading.ts";

describe("a reader of logs, by screen reader and keyboard alone", () => {
  let window: ConsoleWindow;
  let page: Page;

  const { agent, browser } = consoleOf(startAgentProcess);
  before(async () => {
    window = await browser.open(agent, { scheme: "dark" });
    ({ page } = window);
  });

  it("signs in without a pointer, and is told aloud what was wrong with the first attempt", async () => {
    await page.goto("/");
    await tabTo(page.getByLabel("User name"));
    await page.keyboard.type(names.readonly);
    await tabTo(page.getByLabel("Password", { exact: true }));
    await page.keyboard.type("no password of theirs");
    await page.keyboard.press("Enter");
    await untilShown(page.getByRole("alert").filter({ hasText: /password/ }));
    const password = page.getByLabel("Password", { exact: true });
    await password.focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type(passwords.readonly);
    await page.keyboard.press("Enter");
    await page.locator(".frame").waitFor();
  });

  it("finds head, sections and content, one heading of the first level, and a name for each control", async () => {
    const paths = ["/", "/system", "/system/settings", "/updates", "/account", "/system/logs"];
    const looked = sampled(paths, { oneIn: 2 });
    for (const path of paths) {
      await stepTo(page, path);
      await assertOrdered(page);
      await assertWords(page);
      if (looked.includes(path)) await assertEveryLook(page, path, "dark");
      await picture(page, `walk-screen-reader${path.replaceAll("/", "-")}`);
    }
  });

  it("goes through the log by its keys, opens a line, and is not read every line that comes", async () => {
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
  });

  it("finds an event by its filters, hears how many there are, and opens it", async () => {
    const operator = await browser.open(agent, { scheme: "dark" });
    await signIn(operator.page, "operator", "/system/events");
    const count = operator.page.getByRole("status").filter({ hasText: /^\d+ events?$/ });
    await untilShown(count);
    await tabTo(operator.page.getByLabel("Name"));
    await operator.page.keyboard.type("no such name");
    await untilShown(operator.page.getByText("No event matches these filters."));
    await operator.page.keyboard.press("ControlOrMeta+a");
    await operator.page.keyboard.type(names.operator);
    await untilShown(count);
    const row = operator.page.getByRole("button", { name: "signed in" }).first();
    await tabTo(row);
    await operator.page.keyboard.press("Enter");
    await untilShown(operator.page.locator(".event-detail"));
    assert.equal(await row.getAttribute("aria-expanded"), "true");
    await assertOrdered(operator.page);
    await assertWords(operator.page);
    await assertEveryLook(operator.page, "an event", "dark");
  });

  it("has meanwhile been told at the log how many lines have come, and none of them", async () => {
    await until("the lines are counted aloud", async () => (await page.evaluate(heard)).length > 0);
    for (const text of await page.evaluate(heard)) assert.match(text, /^\d+ new lines?$/);
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

function heard(): readonly string[] {
  return (globalThis as unknown as { said: readonly string[] }).said;
}
