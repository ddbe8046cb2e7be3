import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { fill, names, press, sees, untilShown, untilThereAre } from "../../lab/console/browser.ts";
import { lightConsoleOf } from "../../lab/console/light/light-browser.ts";
import { assertFits, assertReads } from "../../lab/console/page-checks.ts";
import { wholeTable } from "../../src/cli/command-table.ts";
import * as de from "../../src/console/catalogue/languages/de/problems.ts";
import * as en from "../../src/console/catalogue/languages/en/problems.ts";
import { sections } from "../../src/console/problems/documents.ts";
import { commands, places, type Remedy } from "../../src/console/problems/remedies.ts";
import { errorCodes } from "../../src/contract/error-codes.ts";
import { consolePaths } from "../../src/contract/schemas/console.ts";
import { problemTitles } from "../../src/contract/words/en/problems.ts";

const { commands: commandTable } = await wholeTable();

const codes = Object.keys(errorCodes) as (keyof typeof errorCodes)[];

describe("the words for an error", () => {
  for (const [tag, { causes, remedies }] of Object.entries({ en, de }))
    it(`are a cause and a button for each code (${tag})`, () => {
      assert.deepEqual(Object.keys(causes).sort(), [...codes].sort());
      for (const code of codes) {
        assert.match(causes[code], /^[A-ZÄÖÜ].*\.$/, code);
        const remedy: Remedy = errorCodes[code].remedy;
        // "Try again" is a text of every page.
        if (["entry", "retry"].includes(remedy) || remedy in commands) continue;
        assert.ok((remedies as Record<string, string>)[remedy], `${code}: no button for ${remedy}`);
      }
    });

  it("lead to places that the console has, to commands that the command line has, and each to one section of a document", () => {
    const paths: readonly string[] = consolePaths;
    for (const place of Object.values(places)) assert.ok(paths.includes(place.split("#")[0] ?? ""), place);
    const names = commandTable.map(({ path }) => `steward ${path.join(" ")}`);
    for (const command of Object.values(commands))
      assert.ok(
        names.some((name) => command.startsWith(name)),
        command,
      );
    for (const section of Object.keys(sections)) {
      const [file = "", anchor] = section.split("#");
      const html = readFileSync(join(import.meta.dirname, "../../dist/console/docs", file), "utf8");
      assert.match(html, new RegExp(`<h[23] id="${anchor}"`), section);
    }
    const named = Object.values(sections).flat();
    assert.deepEqual([...new Set(named)], named);
  });
});

describe("a problem on a page", () => {
  const { agent, browser, looks } = lightConsoleOf();

  /** As the agent would say it, until the route is taken away: a page may read again at any moment what it shows. */
  const refuse = (page: Page, path: string, code: keyof typeof errorCodes = "request_timeout") => {
    const { status } = errorCodes[code];
    const about = { type: `/problems/${code}`, title: problemTitles[code], status, code };
    const json = { ...about, detail: "The agent's own words.", request_id: "0123456789abcdef" };
    const contentType = "application/problem+json";
    return page.route(path, (route) => route.fulfill({ status, contentType, json }));
  };
  const problem = (page: Page) => page.locator("main .problem");
  const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });

  /** Lets the agent answer these paths, and presses the button before an answer can mend the page without it. */
  const tryAgain = async (page: Page, ...paths: readonly string[]) => {
    const button = problem(page).getByRole("button", { name: "Try again" });
    await untilShown(button);
    // All of this is one turn of the event loop, and an answer needs another.
    for (const path of paths) await page.unroute(path);
    await button.click();
  };

  it("is told once for all that failed alike, and its one button reads all of it again", async () => {
    const page = await browser.signedIn(agent, "admin", "/users");
    const refused = ["**/api/auth/sessions*", "**/api/tokens*"];
    for (const path of refused) await refuse(page, path);
    await link(page, names.readonly).click();
    await sees(problem(page), "The connection to the device is slow");
    assert.equal(await problem(page).count(), 1);
    assert.equal(await problem(page).getByRole("button").count(), 1);
    // The other section says that there is nothing of it, and neither is still being loaded.
    await sees(page, "This could not be loaded.");
    await untilThereAre(0, page.locator("main .skeleton"));
    const request = problem(page).getByText("0123456789abcdef");
    assert.equal(await request.isVisible(), false);
    await problem(page).getByText("Technical details").click();
    assert.equal(await request.isVisible(), true);
    await page.setViewportSize({ width: 360, height: 740 });
    looks.keep(page, "problem-phone", assertReads);
    await tryAgain(page, ...refused);
    await problem(page).waitFor({ state: "detached" });
    await sees(page, "API tokens");
    await link(page, "System").click();
    for (const [tab, path, address, read] of [
      ["Events", "/system/events", "**/api/events?*", page.getByText(/^\d+ events$/)],
      ["Logs", "/system/logs", "**/api/logs?*", page.getByText(/^\d+ lines/)],
      ["Settings", "/system/settings", "**/api/system", page.getByLabel("Minimum password length")],
    ] as const) {
      await refuse(page, address);
      await link(page, tab).click();
      await page.waitForURL(`**${path}`);
      await tryAgain(page, address);
      await untilShown(read);
      assert.equal(await problem(page).count(), 0, tab);
    }
  });

  it("leaves no section that could not be loaded looking as if it were loading, or as if there were nothing", async () => {
    const page = await browser.signedIn(agent, "admin", "/account");
    await refuse(page, "**/api/system/facts");
    await link(page, "System").click();
    const host = page.getByRole("region", { name: "Host" });
    await sees(host, "This could not be loaded.");
    await untilThereAre(0, host.locator(".skeleton"));
    await refuse(page, "**/api/updates/history*");
    await link(page, "Updates").click();
    const fold = page.getByRole("region", { name: "History" }).locator(".fold-summary");
    await sees(fold, "This could not be loaded.");
  });

  it("leads to where it can be mended, in the language of the page, and names the command that only root can run", async () => {
    const look = { width: 360, height: 740, scheme: "dark", language: "de" } as const;
    const page = await browser.signedIn(agent, "admin", "/users", look);
    const add = "Benutzer anlegen";
    await press(page, add);
    const sheet = page.getByRole("dialog", { name: add });
    await fill(sheet, { Benutzername: "ben" });
    await refuse(page, "**/api/users", "state_damaged");
    await press(sheet, add);
    await sees(sheet, "Bis die gespeicherten Daten repariert sind", "steward doctor");
    await sheet.getByRole("button", { name: "Befehl kopieren" }).waitFor();
    const help = sheet.getByRole("link", { name: "Hilfe zu diesem Problem (englisch)" });
    assert.equal(await help.getAttribute("href"), "/docs/state.html#damage");
    await page.unroute("**/api/users");
    await refuse(page, "**/api/users", "internal_error");
    await press(sheet, add);
    await untilShown(sheet.getByRole("link", { name: "Zum Protokoll" }));
    assert.equal(await sheet.locator(".problem").count(), 1);
    assert.equal(await help.count(), 0, "no document is about this one");
    looks.keep(page, "problem-link-de", assertFits);
    assert.equal(await sheet.getByLabel("Benutzername").inputValue(), "ben");
  });
});
