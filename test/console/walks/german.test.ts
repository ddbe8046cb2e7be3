import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { adminName, adminPassword, type RunningAgent } from "../../../lab/agents/running-agent.ts";
import { sampled } from "../../../lab/basics/counts.ts";
import { type ConsoleWindow, endOfConsole, startBrowser, untilShown } from "../../../lab/console/browser.ts";
import { picture, stepTo, whole } from "../../../lab/console/page-checks.ts";
import { assertEveryLook } from "../../../lab/console/walks/looks.ts";
import { assertOrdered } from "../../../lab/console/walks/reading.ts";
import { startAgent } from "../../../lab/state/state-directory.ts";

/** A German compound of 42 letters, without a place to break. */
const compound = "Donaudampfschifffahrtsgesellschaftskapitän";

describe("a person whose browser speaks German, at a device that speaks English", () => {
  const ending = endOfConsole();
  let agent: RunningAgent;
  let window: ConsoleWindow;
  let page: Page;

  before(async () => {
    agent = await startAgent(ending);
    window = await (await startBrowser(ending)).open(agent, { language: "de-AT", width: 320, height: 640 });
    ({ page } = window);
  });

  it("is greeted in German by the first run, and nowhere in English", async () => {
    const token = readFileSync(join(agent.runDirectory, "setup-token"), "utf8").trim();
    await page.goto(`/#setup=${token}`);
    await untilShown(page.getByRole("heading", { name: "Dieses Gerät einrichten", level: 1 }));
    assert.equal(await page.locator("html").getAttribute("lang"), "de");
    await assertEveryLook(page, "the first run");
    await picture(page, "walk-german-first-run");
  });

  it("reads in German why a password is refused", async () => {
    await page.getByLabel("Benutzername").fill(adminName);
    await page.getByLabel("Passwort", { exact: true }).fill("zu kurz");
    await page.getByLabel("Passwort", { exact: true }).press("Enter");
    await untilShown(page.locator(".error").filter({ hasText: "zu kurz" }));
    await assertEveryLook(page, "a refused password");
    await page.getByLabel("Passwort", { exact: true }).fill(adminPassword);
    await page.getByLabel("Passwort", { exact: true }).press("Enter");
    await untilShown(page.getByText("Später"));
  });

  it("leaves the rest for later, and finds it on Home", async () => {
    for (let step = 0; step < 4; step += 1) {
      const later = page
        .getByRole("button", { name: "Später" })
        .or(page.getByRole("link", { name: "Später" }));
      await untilShown(later.or(page.getByRole("button", { name: "Zur Startseite" })).first());
      if ((await later.count()) === 0) break;
      await later.click();
    }
    // The last screen is the device's sheet, with what was left.
    await page.getByRole("button", { name: "Zur Startseite" }).click();
    await untilShown(page.locator(".needs"));
    assert.equal(await page.locator("html").getAttribute("lang"), "de");
    await assertEveryLook(page, "Home");
    await picture(page, "walk-german-home");
  });

  it("gives the device a long German name, which breaks no page at 320 pixels", async () => {
    await page.goto("/system/settings");
    await whole(page);
    assert.equal(await page.locator("html").getAttribute("lang"), "de");
    await page.getByLabel("Gerätename").fill(compound);
    await page.getByRole("button", { name: "Speichern", exact: true }).click();
    await untilShown(page.locator(".frame-head").getByText(compound));
    const paths = ["/", "/users", "/system", "/system/settings", "/updates", "/account"];
    const looked = sampled(paths, { oneIn: 2 });
    for (const path of paths) {
      await stepTo(page, path);
      await assertOrdered(page);
      assert.equal(await page.locator("html").getAttribute("lang"), "de", path);
      if (looked.includes(path)) await assertEveryLook(page, path);
    }
    await picture(page, "walk-german-compound");
  });
});
