import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { until } from "../../lab/basics/until.ts";
import {
  changeSettings,
  confirmPassword,
  consoleOf,
  press,
  sees,
  signInWithoutStepUp,
  untilFocused,
} from "../../lab/console/browser.ts";
import { lightBrowser } from "../../lab/console/light/light-browser.ts";
import { assertSound, picture, stepTo } from "../../lab/console/page-checks.ts";
import { settings } from "../../src/console/catalogue/languages/en/settings.ts";
import { sectionNames } from "../../src/console/system/settings/sections.ts";

/** By name in the address. */
const { groups: titles } = settings;

const path = "/system/settings";

describe("the sections of the settings", () => {
  const { agent, browser, ending } = consoleOf();
  const light = lightBrowser(ending);
  const stored = () => agent.read("/api/system");
  const open = async (address = path): Promise<Page> => {
    const { page } = await light.open(agent);
    await signInWithoutStepUp(agent, page, "admin", address);
    await page.locator(".settings-group.open").waitFor();
    return page;
  };
  const list = (page: Page) => page.getByRole("navigation", { name: "Settings" });
  const heading = (page: Page, name: string) => page.getByRole("heading", { name, level: 2, exact: true });
  const banner = (page: Page) => page.getByLabel("Text on the sign-in page");
  const goTo = (page: Page, name: string) => list(page).getByRole("link", { name }).click();
  const isOpen = async (page: Page, title: string): Promise<void> => {
    await heading(page, title).waitFor();
    const current = await list(page).locator("[aria-current]").innerText();
    assert.equal(current.replace(/ \d+ unsaved$/, ""), title);
    assert.equal(await page.locator(".settings-group.open").count(), 1);
  };

  it("are shown by their address or the anchor that a group had, one at a time, with the keyboard on their head", async () => {
    const page = await open();
    await isOpen(page, titles.security);
    for (const name of sectionNames) {
      await page.goto(`${path}?open=${name}`);
      await isOpen(page, titles[name]);
      await untilFocused(heading(page, titles[name]));
    }
    for (const [address, title] of [
      ["#time", titles.time],
      ["#console", titles.console],
      ["?open=nowhere", titles.security],
      ["?open=toString", titles.security],
      ["#/device/name", titles.security],
    ] as const)
      await isOpen(await open(`${path}${address}`), title);
  });

  it("are steps for Back and Forward", async () => {
    const page = await open();
    for (const title of [titles.console, titles.clock]) await goTo(page, title);
    await isOpen(page, titles.clock);
    for (const [step, title] of [
      [() => page.goBack(), titles.console],
      [() => page.goBack(), titles.security],
      [() => page.goForward(), titles.console],
    ] as const) {
      await step();
      await isOpen(page, title);
    }
  });

  it("keep what is typed while others are open, count what is not saved, and are saved together", async () => {
    const page = await open(`${path}?open=console`);
    const colour = page.getByLabel("Colour");
    await banner(page).fill("Pump house");
    await colour.selectOption("teal");
    await goTo(page, titles.security);
    await page.getByLabel("Minimum password length").fill("16");
    const counts = async (): Promise<string[]> =>
      (await list(page).getByRole("link").allInnerTexts()).filter((text) => text.endsWith("unsaved"));
    assert.deepEqual(await counts(), [`${titles.security} 1 unsaved`, `${titles.console} 2 unsaved`]);
    const options = await page.locator(".settings-choice option").allInnerTexts();
    const chosen = [options[0], options[1], options[7]];
    assert.deepEqual(chosen, [
      `${titles.security} · 1 unsaved`,
      titles.sessions,
      `${titles.console} · 2 unsaved`,
    ]);
    await goTo(page, titles.notifications);
    await sees(page, "3 unsaved changes");
    await goTo(page, titles.console);
    assert.equal(await banner(page).inputValue(), "Pump house");
    await colour.selectOption("blue");
    assert.deepEqual(await counts(), [`${titles.security} 1 unsaved`, `${titles.console} 1 unsaved`]);
    await goTo(page, titles.notifications);
    await press(page, "Save");
    await confirmPassword(page, "admin");
    await until("all is saved", async () => (await stored()).console.banner === "Pump house");
    assert.equal((await stored()).security.password_min_length, 16);
    await until("nothing is unsaved", async () => (await counts()).length === 0);
    await changeSettings(agent, { security: { password_min_length: 15 }, console: { banner: "" } });
  });

  it("open for a field that another user has changed too, which gets the keyboard from the closed dialog", async () => {
    const page = await browser.signedIn(agent, "admin", `${path}?open=console`);
    await banner(page).fill("mine");
    await changeSettings(agent, { console: { banner: "theirs" } });
    await goTo(page, titles.security);
    await sees(page.locator(".toast"), "Text on the sign-in page");
    await press(page, "Save");
    await press(page.getByRole("dialog"), "Cancel");
    await isOpen(page, titles.console);
    await untilFocused(banner(page));
    assert.equal(await banner(page).inputValue(), "mine");
    await changeSettings(agent, { console: { banner: "" } });
  });

  it("are chosen from a menu above them in a narrow window, which keeps the keyboard", async () => {
    const page = await browser.signedIn(agent, "admin", path, { width: 320, height: 640 });
    const menu = page.getByRole("combobox", { name: "Section", exact: true });
    await menu.focus();
    assert.equal(await list(page).isVisible(), false);
    await page.keyboard.press("ArrowDown");
    await heading(page, titles.sessions).waitFor();
    await page.waitForURL("**/system/settings?open=sessions");
    await untilFocused(menu);
    await menu.selectOption("time");
    await page.getByRole("button", { name: "Add a server" }).waitFor();
    await assertSound(page, "settings-menu");
    await page.goBack();
    await heading(page, titles.sessions).waitFor();
    assert.equal(await menu.inputValue(), "sessions");
    await page.setViewportSize({ width: 901, height: 640 });
    assert.deepEqual([await menu.isVisible(), await list(page).isVisible()], [false, true]);
    await assertSound(page);
  });

  it("are no higher than a window of 1440 × 900, as a device is delivered, and all on paper", async () => {
    const schema = await agent.read("/api/system/schema");
    const { servers } = schema.properties.time.properties;
    await changeSettings(agent, { time: { servers: servers.default } });
    for (const language of ["en", "de"]) {
      const page = await browser.signedIn(agent, "admin", path, { width: 1440, height: 900, language });
      await page.locator(".frame .banner").waitFor();
      for (const name of sectionNames) {
        await stepTo(page, `${path}?open=${name}`);
        await page.locator(`nav a[href$="=${name}"][aria-current]`).waitFor();
        const { bottom, end } = await page.evaluate(() => {
          const boxOf = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
          const bar = boxOf(".save-bar:not(.idle)");
          return { bottom: boxOf(".settings-group.open")?.bottom ?? Infinity, end: bar?.top ?? innerHeight };
        });
        assert.ok(
          bottom <= end && end <= 900,
          `${name} (${language}) ends at ${bottom}, the window at ${end}`,
        );
        await picture(page, `settings-${name}-${language}`);
      }
      const heads = await page.locator(".settings h2").all();
      const shown = async (): Promise<number> =>
        (await Promise.all(heads.map((one) => one.isVisible()))).filter(Boolean).length;
      assert.equal(await shown(), 1);
      await page.emulateMedia({ media: "print" });
      assert.equal(await shown(), sectionNames.length);
    }
  });
});
