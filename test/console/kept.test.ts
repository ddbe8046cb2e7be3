import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { consoleOf, signInByForm, untilShown } from "../../lab/console/browser.ts";

/** In the page, before its own scripts: a browser that keeps nothing, in the ways that there are. */
const storages: Readonly<Record<string, () => void>> = {
  "forbids its storage, as Chromium does where all site data is blocked": () => {
    for (const name of ["localStorage", "sessionStorage"])
      Object.defineProperty(globalThis, name, {
        get: () => {
          throw new DOMException("Access is denied for this document.", "SecurityError");
        },
      });
  },
  "has no storage, as Firefox without dom.storage.enabled": () => {
    for (const name of ["localStorage", "sessionStorage"])
      Object.defineProperty(globalThis, name, { value: null });
  },
  "has a full storage": () => {
    // Firefox runs it in the empty page before, which has no storage.
    if (origin === "null") return;
    for (const storage of [localStorage, sessionStorage])
      for (let length = 4 * 1024 * 1024; length >= 1; length = Math.floor(length / 2))
        try {
          for (let part = 0; part < 8; part += 1) storage.setItem(`${length}-${part}`, "x".repeat(length));
        } catch {
          // Full for this length.
        }
  },
};

const heading = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 });

describe("the console in a browser that keeps nothing", () => {
  const { agent, browser } = consoleOf();

  for (const [what, storage] of Object.entries(storages))
    it(`is whole where it ${what}`, async () => {
      const { page } = await browser.open(agent);
      await page.addInitScript(storage);
      await signInByForm(page, "admin", "/users");
      await untilShown(heading(page, "Users"));
      await page.getByRole("button", { name: /^Your account/ }).click();
      await page.getByRole("menu").getByText("Deutsch").click();
      await untilShown(heading(page, "Benutzer"));
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: /^Ihr Konto/ }).click();
      await page.getByRole("menu").getByText("Dunkel").click();
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
      await page.keyboard.press("Escape");
      await page.getByRole("link", { name: "Updates" }).click();
      await untilShown(heading(page, "Updates"));
      await page.getByRole("button", { name: /^Ihr Konto/ }).click();
      await page.getByRole("menu").getByText("Abmelden").click();
      await untilShown(page.getByLabel("Passwort"));
    });
});
