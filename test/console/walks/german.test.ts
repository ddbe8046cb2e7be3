import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { consoleOf, fill, names, passwords, press, sees, untilShown } from "../../../lab/console/browser.ts";
import { stepTo } from "../../../lab/console/page-checks.ts";
import { assertEveryLook } from "../../../lab/console/walks/looks.ts";
import { assertGerman, assertOrdered } from "../../../lab/console/walks/reading.ts";
import { consolePaths } from "../../../src/contract/schemas/console.ts";

describe("an administrator whose browser is German", () => {
  let page: Page;
  const { agent, browser } = consoleOf();
  before(async () => {
    ({ page } = await browser.open(agent, { language: "de", isKept: true }));
  });

  it("reads why the first attempt to sign in failed, and signs in", async () => {
    await page.goto("/");
    await fill(page, { Benutzername: names.admin, Passwort: "kein Passwort von hier" });
    await press(page, "Anmelden");
    await untilShown(page.getByRole("alert").filter({ hasText: "Passwort" }));
    await assertGerman(page);
    await fill(page, { Passwort: passwords.admin });
    await press(page, "Anmelden");
    await page.locator(".frame").waitFor();
  });

  it("finds no word of English on any page", async () => {
    for (const path of consolePaths.filter((one) => one !== "/setup")) {
      await stepTo(page, path);
      assert.equal(await page.evaluate(() => document.documentElement.lang), "de");
      await assertGerman(page);
      await assertOrdered(page);
    }
  });

  it("adds a colleague, hands the password over, and reads under the events who did it", async () => {
    await stepTo(page, "/users");
    await press(page, "Benutzer anlegen");
    await fill(page, { Benutzername: "jana" });
    await assertGerman(page);
    await assertEveryLook(page, "a user to be added, in German");
    await page.getByRole("dialog").getByRole("button", { name: "Benutzer anlegen" }).click();
    const card = page.getByRole("region", { name: "Zugang für jana" });
    await sees(card, "Einmalpasswort");
    await assertGerman(page);
    await press(page, "Fertig");
    await stepTo(page, "/system/events");
    await sees(page.locator(".timeline"), /jana/);
    await assertGerman(page);
    await assertEveryLook(page, "events in German");
  });
});
