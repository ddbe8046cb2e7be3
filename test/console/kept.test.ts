import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { adminName, adminPassword } from "../../lab/agents/running-agent.ts";
import { consoleOf, fill, press, signInByForm, untilShown } from "../../lab/console/browser.ts";

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
  const { ending, agent, browser } = consoleOf();

  it("sets a new device up, and is signed out where the page is loaded again", async () => {
    const fresh = await startAgentInProcess();
    ending.after(() => fresh.dispose());
    const { page } = await browser.open(fresh);
    await page.addInitScript(Object.values(storages)[0] as () => void);
    await page.goto(`/#setup=${readFileSync(join(fresh.runDirectory, "setup-token"), "utf8").trim()}`);
    await fill(page, { "User name": adminName, Password: adminPassword });
    await press(page, "Create the administrator");
    for (const step of ["A second factor for your account", "This device and its clock", "Updates"]) {
      await untilShown(page.getByRole("heading", { name: step, level: 2 }));
      await press(page, "Later");
    }
    await press(page, "Go to Home");
    await page.locator(".frame").waitFor();
    await page.reload();
    await untilShown(page.getByLabel("Password", { exact: true }));
  });

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
