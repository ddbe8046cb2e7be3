import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { type ConsoleWindow, endOfConsole, names, passwords, startConsole } from "../browser.ts";
import { picture } from "../page-checks.ts";
import { tabTo } from "./hands.ts";
import { assertEveryLook } from "./looks.ts";
import { assertOrdered, assertWords } from "./reading.ts";

describe("a reader of logs, by screen reader and keyboard alone", () => {
  const ending = endOfConsole();
  let window: ConsoleWindow;
  let page: Page;

  before(async () => {
    const { agent, browser } = await startConsole(ending);
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
    await page
      .getByRole("alert")
      .filter({ hasText: /password/ })
      .waitFor();
    const password = page.getByLabel("Password", { exact: true });
    await password.focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type(passwords.readonly);
    await page.keyboard.press("Enter");
    await page.locator(".frame").waitFor();
  });

  it("finds head, sections and content, one heading of the first level, and a name for each control", async () => {
    for (const path of ["/", "/system", "/system/settings", "/system/logs", "/updates", "/account"]) {
      await page.goto(path);
      await assertOrdered(page);
      await assertWords(page);
      await assertEveryLook(page, path, "dark");
      await picture(page, `walk-screen-reader${path.replaceAll("/", "-")}`);
    }
  });

  it("is never told that a page has failed", () => {
    assert.deepEqual(window.complaints, []);
  });
});
