import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { until } from "../../lab/basics/until.ts";
import { consoleOf, signIn, untilFocused } from "../../lab/console/browser.ts";
import { assertFits, axe, brokenText, picture } from "../../lab/console/page-checks.ts";

describe("the console's search and look", () => {
  const { agent, browser } = consoleOf();

  describe("the search of all that has a name", () => {
    const field = (page: Page) => page.getByRole("combobox", { name: "Page, user, setting or action" });
    const option = (page: Page, name: string | RegExp) => page.getByRole("option", { name });

    it("opens by Ctrl-K, goes by the keys alone to pages, users and settings, and gives the keyboard back", async () => {
      const { page } = await browser.open(agent);
      const loaded: string[] = [];
      page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
      await signIn(page, "admin", "/updates");
      await page.getByRole("heading", { name: "Updates", level: 1 }).waitFor();
      assert.ok(!loaded.some((path) => path.includes("palette")), "it is loaded before it is asked for");
      await page.keyboard.press("Control+k");
      await untilFocused(field(page));
      assert.equal(await field(page).getAttribute("aria-expanded"), "true");
      assert.deepEqual(await axe(page), []);
      await picture(page, "palette-light");
      await page.keyboard.type("s");
      const active = () =>
        page.evaluate(
          () =>
            document.getElementById(document.activeElement?.getAttribute("aria-activedescendant") ?? "")
              ?.textContent,
        );
      assert.equal(await active(), "SystemPage");
      await page.keyboard.press("ArrowUp");
      assert.notEqual(await active(), "SystemPage", "it goes round");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.waitForURL("**/system");
      await page.keyboard.press("Control+k");
      await field(page).fill("log-rea");
      await option(page, /log-reader/).waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL("**/users/log-reader");
      await page.getByRole("button", { name: "Reset password" }).click();
      const question = page.getByRole("dialog", { name: /log-reader/ });
      await question.waitFor();
      await page.keyboard.press("Control+k");
      assert.equal(await field(page).count(), 0, "it stands over another question");
      await page.keyboard.press("Escape");
      await question.waitFor({ state: "detached" });
      await page.keyboard.press("Control+k");
      // By what a setting does, and without its accents.
      await field(page).fill("stands where");
      await option(page, /^Location/).click();
      await page.waitForURL("**/system/settings?find=Location");
      await page.getByLabel("Location").waitFor();
      const button = page.getByRole("button", { name: "Find (Ctrl K)" });
      await button.press("Enter");
      await field(page).fill("<b>nothing");
      await page.getByText("Nothing is called <b>nothing.").waitFor();
      await page.keyboard.press("Escape");
      await untilFocused(button);
    });

    it("offers a reader on a phone no user and no page of others", async () => {
      const { page } = await browser.open(agent, { width: 320, height: 640, language: "de" });
      const asked: string[] = [];
      page.on("request", (request) => asked.push(new URL(request.url()).pathname));
      await signIn(page, "readonly");
      await page.getByRole("button", { name: "Suchen (Strg K)" }).click();
      const all = page.getByRole("option");
      await all.first().waitFor();
      const names = await all.allInnerTexts();
      assert.ok(!names.some((name) => /Benutzer|Ereignisse/.test(name)), names.join());
      await assertFits(page);
      assert.deepEqual(await brokenText(page), []);
      await picture(page, "palette-phone");
      await page.getByRole("combobox").fill("root-admin");
      await page.getByText("Nichts heißt root-admin.").waitFor();
      assert.ok(!asked.includes("/api/users"));
      await page.getByRole("combobox").fill("Abm");
      await page.getByRole("option", { name: "Abmelden Aktion" }).click();
      await page.getByRole("heading", { name: "Anmelden" }).waitFor();
    });
  });

  describe("the look that a person chooses", () => {
    const ground = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const bars = (page: Page) =>
      page.evaluate(() =>
        [...document.querySelectorAll<HTMLMetaElement>("meta[name=theme-color]")].map(
          ({ content }) => content,
        ),
      );

    it("is in force at once, stays in this browser, and is the browser's again when that is chosen", async () => {
      const page = await browser.signedIn(agent, "admin", "/account", { scheme: "light" });
      const choose = async (name: string) => {
        await page.getByRole("button", { name: /^Your account: / }).click();
        await page.getByRole("menuitemradio", { name }).click();
      };
      const [light, usual] = [await ground(page), await bars(page)];
      await choose("Look: dark");
      await until("the ground is dark", async () => (await ground(page)) !== light);
      const dark = await ground(page);
      assert.deepEqual(new Set(await bars(page)), new Set([dark]));
      assert.deepEqual(await axe(page), []);
      // The page's inline script sets the look before the console's script has come.
      await page.route("**/assets/index-*.js", (route) => route.abort(), { times: 1 });
      await page.reload();
      assert.equal(await ground(page), dark);
      await page.reload();
      await page.locator(".frame").waitFor();
      assert.equal(await ground(page), dark);
      await page.emulateMedia({ colorScheme: "dark" });
      await choose("Look: light");
      await until("the ground is light", async () => (await ground(page)) === light);
      await choose("Look: as the browser's");
      await until("the ground is the browser's", async () => (await ground(page)) === dark);
      assert.deepEqual(await bars(page), usual);
    });
  });
});
