import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { until } from "../../lab/basics/until.ts";
import { consoleOf, signInWithoutStepUp, untilFocused } from "../../lab/console/browser.ts";
import { lightBrowser } from "../../lab/console/light/light-browser.ts";
import { assertFits, axe, picture, stepTo } from "../../lab/console/page-checks.ts";
import { settings } from "../../src/console/catalogue/languages/en/settings.ts";
import { sectionNames } from "../../src/console/system/settings/sections.ts";

/** By name in the address. */
const { groups: titles } = settings;

const path = "/system/settings";

describe("the sections of the settings", () => {
  const { agent, browser, ending } = consoleOf();
  const light = lightBrowser(ending);
  const change = (body: unknown) => agent.call("PUT", "/api/system", { body, local: true });
  const stored = async () => (await agent.call("GET", "/api/system", { local: true })).json;
  const open = async (address = path): Promise<Page> => {
    const { page } = await light.open(agent);
    await signInWithoutStepUp(agent, page, "admin", address);
    await page.locator(".settings-group.open").waitFor();
    return page;
  };
  const list = (page: Page) => page.getByRole("navigation", { name: "Settings" });
  const current = (page: Page) => list(page).locator("[aria-current]");
  const isOpen = async (page: Page, title: string): Promise<void> => {
    await page.getByRole("heading", { name: title, level: 2, exact: true }).waitFor();
    assert.equal((await current(page).innerText()).replace(/ \d+ unsaved$/, ""), title);
    assert.equal(await page.locator(".settings-group.open").count(), 1);
  };

  it("are shown by their address, one at a time, with the keyboard on their head", async () => {
    const page = await open();
    await isOpen(page, "Device");
    for (const name of sectionNames) {
      await page.goto(`${path}?open=${name}`);
      await isOpen(page, titles[name]);
      await untilFocused(page.getByRole("heading", { name: titles[name], level: 2 }));
    }
  });

  it("are found by the anchors that groups had, and the first is shown for a name that none has", async () => {
    for (const [address, title] of [
      ["#time", "Time servers"],
      ["#security", "Sign-in"],
      ["?open=nowhere", "Device"],
      ["?open=toString", "Device"],
      ["#/device/name", "Device"],
    ] as const) {
      await isOpen(await open(`${path}${address}`), title);
    }
  });

  it("are steps for Back and Forward", async () => {
    const page = await open();
    for (const title of ["Console", "Clock"]) await list(page).getByRole("link", { name: title }).click();
    await isOpen(page, "Clock");
    await page.goBack();
    await isOpen(page, "Console");
    await page.goBack();
    await isOpen(page, "Device");
    await page.goForward();
    await isOpen(page, "Console");
  });

  it("keep what is typed while others are open, count what is not saved, and are saved together", async () => {
    const page = await open();
    await page.getByLabel("Location").fill("cellar");
    await page.getByLabel("Contact").fill("Ana");
    await list(page).getByRole("link", { name: "Console" }).click();
    await page.getByLabel("Text on the sign-in page").fill("Pump house");
    const counts = async (): Promise<string[]> =>
      (await list(page).getByRole("link").allInnerTexts()).filter((text) => text.endsWith("unsaved"));
    assert.deepEqual(await counts(), ["Device 2 unsaved", "Console 1 unsaved"]);
    const options = await page.locator(".settings-choice option").allInnerTexts();
    assert.deepEqual(
      [options[0], options[1], options[8]],
      ["Device · 2 unsaved", "Reminders", "Console · 1 unsaved"],
    );
    await list(page).getByRole("link", { name: "Notifications" }).click();
    await page.getByText("3 unsaved changes").waitFor();
    await list(page).getByRole("link", { name: "Device" }).click();
    assert.equal(await page.getByLabel("Location").inputValue(), "cellar");
    await page.getByLabel("Contact").fill("");
    assert.deepEqual(await counts(), ["Device 1 unsaved", "Console 1 unsaved"]);
    await list(page).getByRole("link", { name: "Notifications" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await until("all is saved", async () => (await stored()).device.location === "cellar");
    assert.equal((await stored()).console.banner, "Pump house");
    await until("nothing is unsaved", async () => (await counts()).length === 0);
    await change({ device: { location: "" }, console: { banner: "" } });
  });

  it("open for a field that another user has changed too, which gets the keyboard from the closed dialog", async () => {
    const page = await browser.signedIn(agent, "admin", `${path}?open=console`);
    await page.getByLabel("Text on the sign-in page").fill("mine");
    await change({ console: { banner: "theirs" } });
    await list(page).getByRole("link", { name: "Device" }).click();
    await page.locator(".toast", { hasText: "Text on the sign-in page" }).waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await isOpen(page, "Console");
    await untilFocused(page.getByLabel("Text on the sign-in page"));
    assert.equal(await page.getByLabel("Text on the sign-in page").inputValue(), "mine");
    await change({ console: { banner: "" } });
  });

  it("are chosen from a menu above them in a narrow window, which keeps the keyboard", async () => {
    const page = await browser.signedIn(agent, "admin", path, { width: 320, height: 640 });
    const menu = page.getByRole("combobox", { name: "Section", exact: true });
    await menu.focus();
    assert.equal(await list(page).isVisible(), false);
    await page.keyboard.press("ArrowDown");
    await page.getByRole("heading", { name: "Reminders", level: 2 }).waitFor();
    await page.waitForURL("**/system/settings?open=reminders");
    await untilFocused(menu);
    await menu.selectOption("time");
    await page.getByRole("button", { name: "Add a server" }).waitFor();
    assert.deepEqual(await axe(page), []);
    await assertFits(page);
    await picture(page, "settings-menu");
    await page.goBack();
    await page.getByRole("heading", { name: "Reminders", level: 2 }).waitFor();
    assert.equal(await menu.inputValue(), "reminders");
    await page.setViewportSize({ width: 901, height: 640 });
    assert.deepEqual([await menu.isVisible(), await list(page).isVisible()], [false, true]);
    assert.deepEqual(await axe(page), []);
  });

  it("are no higher than a window of 1440 × 900, as a device is delivered", async () => {
    const schema = (await agent.call("GET", "/api/system/schema", { local: true })).json;
    await change({ time: { servers: schema.properties.time.properties.servers.default } });
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
    }
  });

  it("are all on paper", async () => {
    const page = await browser.signedIn(agent, "admin", `${path}?open=console`);
    await page.getByRole("heading", { name: "Console", level: 2 }).waitFor();
    const heads = page.locator(".settings h2");
    const shown = async (): Promise<number> =>
      (await Promise.all((await heads.all()).map((one) => one.isVisible()))).filter(Boolean).length;
    assert.equal(await shown(), 1);
    await page.emulateMedia({ media: "print" });
    assert.equal(await shown(), sectionNames.length);
    await page.emulateMedia({ media: "screen" });
  });
});
