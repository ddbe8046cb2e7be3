import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { sampled } from "../../lab/basics/counts.ts";
import { consoleOf, passwords, untilFocused } from "../../lab/console/browser.ts";
import { axe, picture, stepTo } from "../../lab/console/page-checks.ts";
import { tabStops } from "../../lab/console/tab-stops.ts";
import { consolePaths } from "../../src/contract/schemas/console.ts";

/** CSS pixels: windows of 1280 × 800 at a zoom of 200 % and of 100 %, and a small phone. */
const windows = [
  { width: 640, height: 400 },
  { width: 390, height: 500 },
  { width: 1280, height: 800 },
] as const;

/** WCAG 2.2, 2.4.11, which axe-core does not see: a bar that stays in its place may cover what is behind it. */
describe("what has the keyboard", () => {
  const { agent, browser } = consoleOf();
  before(async () => {
    for (let index = 0; index < 15; index += 1) {
      const body = { username: `reader-${index}`, password: passwords.readonly, role: "readonly" };
      assert.equal((await agent.call("POST", "/api/users", { body, local: true })).status, 201);
    }
  });

  /** There and back, and no fewer stops than these. */
  const assertInSight = async (page: Page, least = 8): Promise<void> => {
    for (const key of ["Tab", "Shift+Tab"] as const) {
      const { count, hidden } = await tabStops(page, key);
      assert.deepEqual(hidden, [], `${hidden.length} of ${count} by ${key}`);
      assert.ok(count >= least, `${key} stops only ${count} times`);
    }
  };

  const refuseSettings = async (page: Page): Promise<void> => {
    for (const [section, label, text] of [
      ["trust", "Servers that must agree", "9"],
      ["trust", "Largest correction", "soon"],
      ["sessions", "Sign out after inactivity", "3m"],
      ["security", "Minimum password length", "3"],
      ["console", "Text on the sign-in page", "b".repeat(513)],
    ] as const) {
      await stepTo(page, `/system/settings?open=${section}`);
      await page.getByLabel(label, { exact: true }).fill(text);
    }
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await untilFocused(page.locator(".refusals"));
  };

  for (const size of windows) {
    const about = `${size.width} × ${size.height}`;

    it(`is in sight on every page at ${about}`, async () => {
      const page = await browser.signedIn(agent, "admin", "/account", size);
      const pages = [...consolePaths, "/updates?open=trust,schedule,history,settings"];
      for (const path of sampled(pages, { oneIn: 5 })) {
        if (path === "/setup") continue;
        await stepTo(page, path);
        await assertInSight(page);
      }
    });

    it(`is in sight among the settings at ${about}, and after a refusal, which links to each field`, async () => {
      const page = await browser.signedIn(agent, "admin", "/system/settings", size);
      await page.getByLabel("Device name").waitFor();
      for (const section of ["device", "clock", "console"]) {
        await stepTo(page, `/system/settings?open=${section}`);
        // The section takes the keyboard after the drawing, which would move a walk that has begun.
        await untilFocused(page.locator(".settings-group.open h2"));
        await assertInSight(page, 20);
      }
      await refuseSettings(page);
      await picture(page, `settings-refused-${size.width}`);
      assert.deepEqual(await axe(page), []);
      await assertInSight(page, 25);
      assert.deepEqual(await page.locator(".refusals a").allInnerTexts(), [
        "Servers that must agree",
        "Largest correction",
        "Minimum password length",
        "Sign out after inactivity",
        "Text on the sign-in page",
      ]);
      const link = page.locator(".refusals").getByRole("link", { name: "Minimum password length" });
      await link.press("Enter");
      await untilFocused(page.getByLabel("Minimum password length"));
    });

    it(`is in sight in a sheet, in a dialog and beside chosen users at ${about}`, async () => {
      const page = await browser.signedIn(agent, "admin", "/users", size);
      await page.getByRole("checkbox", { name: /reader-1$/ }).check();
      await page.locator(".users-bar").waitFor();
      await assertInSight(page, 20);
      await page.getByRole("button", { name: "Add user" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Add user" }).click();
      // The form gives it the keyboard after the drawing, which would end a walk that has begun.
      await untilFocused(page.locator("dialog [aria-invalid=true]").first());
      await assertInSight(page, 5);
    });
  }
});
