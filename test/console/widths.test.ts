import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { consolePaths } from "../../src/contract/schemas/console.ts";
import { counted, sampled } from "../counts.ts";
import type { RunningAgent } from "../running-agent.ts";
import { endOfConsole, signIn, startConsole, type TestBrowser } from "./browser.ts";
import { assertFits, brokenText, whole } from "./page-checks.ts";

/** CSS pixels, of windows from a phone to a desk, and on both sides of each width at which the pages change their look. */
const widths = counted({
  usual: [1440, 875, 801, 641, 640, 360, 320],
  all: [1440, 1280, 1024, 900, 875, 801, 800, 768, 720, 700, 660, 641, 640, 480, 360, 320],
});

/** Of 15, 27 and 64 characters, the most that there may be, without a place to break. */
const deviceNames = ["hamburg-nord-07", "hamburg-branch-warehouse-07", "edge".repeat(16)];

/** Of 31 letters, and no place to break. */
const longName = `a${"nna".repeat(10)}`;

describe("the console in windows of any width", () => {
  const ending = endOfConsole();
  let agent: RunningAgent;
  let browser: TestBrowser;
  before(async () => {
    ({ agent, browser } = await startConsole(ending));
    const body = {
      username: longName,
      display_name: "Beauftragte".repeat(5),
      role: "operator",
    };
    assert.equal((await agent.call("POST", "/api/users", { body, local: true })).status, 201);
  });

  const change = async (body: unknown): Promise<void> => {
    const { status, text } = await agent.call("PUT", "/api/system", { body, local: true });
    assert.equal(status, 200, text);
  };

  /** With letters twice as large, as a person sets them in the browser. */
  const assertReadsLarge = async (page: Page, about: string): Promise<void> => {
    const debug = await page.context().newCDPSession(page);
    await debug.send("Page.setFontSizes", { fontSizes: { standard: 32 } });
    await page.setViewportSize({ width: 1280, height: 800 });
    const size = await page.evaluate(() => getComputedStyle(document.documentElement).fontSize);
    assert.equal(size, "32px", "the letters are as they were");
    assert.deepEqual(await brokenText(page), [], `${about}, letters of 200 %`);
    await assertFits(page);
    await debug.send("Page.setFontSizes", { fontSizes: { standard: 16 } });
    await debug.detach();
  };

  /** In each width; 640 is also a window of 1280 at a zoom of 200 %. */
  const assertReads = async (page: Page, about: string): Promise<void> => {
    const found: string[] = [];
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      found.push(...(await brokenText(page)).map((one) => `${width}: ${one}`));
      await assertFits(page);
    }
    assert.deepEqual(found, [], about);
  };

  // The longer texts; the walks read the English ones in windows of six widths.
  for (const language of counted({ usual: ["de"], all: ["en", "de"] })) {
    it(`sets no word one letter a line for a device with a long name, on its pages (${language})`, async () => {
      const { page, complaints } = await browser.open(agent);
      await change({ device: { name: deviceNames[2] } });
      await signIn(page, "admin", "/account");
      await page.evaluate((one) => localStorage.setItem("steward-language", one), language);
      // The walks read most of them in six widths.
      for (const path of sampled(consolePaths, { oneIn: 3 })) {
        await page.goto(path);
        await whole(page);
        await assertReads(page, path);
        await assertReadsLarge(page, path);
      }
      for (const name of deviceNames) {
        await change({ device: { name } });
        await page.goto("/system/logs");
        await page.locator(".frame-head").getByText(name).waitFor();
        await assertReads(page, name);
      }
      assert.deepEqual(complaints, []);
    });
  }

  it("sets no word one letter a line in the sheets of users with the longest names", async () => {
    const { page } = await browser.open(agent);
    await signIn(page, "admin", "/account");
    for (const [language, add, role] of counted({
      usual: [["de", "Benutzer anlegen", "Administrator"]],
      all: [
        ["en", "Add user", "Administrator"],
        ["de", "Benutzer anlegen", "Administrator"],
      ],
    } as const)) {
      await page.evaluate((one) => localStorage.setItem("steward-language", one), language);
      await page.goto("/users");
      await page.getByRole("button", { name: add }).click();
      const sheet = page.getByRole("dialog", { name: add });
      await sheet.getByLabel(role).check();
      await assertReads(page, add);
      await page.goto("/users");
      await page.getByRole("link", { name: longName }).click();
      await page.getByRole("dialog", { name: longName }).locator(".facts").waitFor();
      await assertReads(page, longName);
    }
  });

  it("tells why a setting is refused in words, not in a red column of letters", async () => {
    const { page } = await browser.open(agent, { width: 360, height: 740 });
    await signIn(page, "admin", "/system/settings");
    for (const [language, label, save] of counted({
      usual: [["de", "Abmelden bei Inaktivität", "Speichern"]],
      all: [
        ["en", "Sign out after inactivity", "Save"],
        ["de", "Abmelden bei Inaktivität", "Speichern"],
      ],
    } as const)) {
      await page.evaluate((one) => localStorage.setItem("steward-language", one), language);
      await page.reload();
      await page.getByLabel(label).fill("nonsense".repeat(8));
      await page.getByRole("button", { name: save, exact: true }).click();
      await page.locator(".problem").waitFor();
      await assertReads(page, language);
      const { height = 0 } = (await page.locator(".problem").boundingBox()) ?? {};
      assert.ok(height < 200, `the box is ${height} pixels high at 320`);
    }
  });
});
