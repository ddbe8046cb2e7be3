import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { untilShown, untilThereAre } from "../../lab/console/browser.ts";
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
        if (remedy === "entry" || remedy in commands) continue;
        assert.ok((remedies as Record<string, string>)[remedy], `${code}: no button for ${remedy}`);
      }
    });

  it("lead to places that the console has, and to commands that the command line has", () => {
    const paths: readonly string[] = consolePaths;
    for (const place of Object.values(places)) assert.ok(paths.includes(place.split("#")[0] ?? ""), place);
    const names = commandTable.map(({ path }) => path.join(" "));
    for (const command of Object.values(commands))
      assert.ok(
        names.some((name) => command.startsWith(`steward ${name}`)),
        command,
      );
  });
});

describe("the documents about errors", () => {
  it("have the sections that problems lead to, each code in one of them", () => {
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
  const refuse = (page: Page, path: string, code: keyof typeof errorCodes) =>
    page.route(path, (route) =>
      route.fulfill({
        status: errorCodes[code].status,
        contentType: "application/problem+json",
        json: {
          type: `/problems/${code}`,
          title: problemTitles[code],
          status: errorCodes[code].status,
          code,
          detail: "The agent's own words.",
          request_id: "0123456789abcdef",
        },
      }),
    );

  /** Lets the agent answer these paths, and presses the button before an answer can mend the page without it. */
  const tryAgain = async (page: Page, ...paths: readonly string[]) => {
    const button = page.locator("main .problem").getByRole("button", { name: "Try again" });
    await untilShown(button);
    // All of this is one turn of the event loop, and an answer needs another.
    for (const path of paths) await page.unroute(path);
    await button.click();
  };

  it("is told once for all that failed alike, and its one button reads all of it again", async () => {
    const page = await browser.signedIn(agent, "admin", "/updates");
    const refused = ["**/api/auth/sessions*", "**/api/tokens*"];
    for (const path of refused) await refuse(page, path, "request_timeout");
    await page.getByRole("button", { name: "Your account: root-admin" }).click();
    await page.getByRole("menuitem", { name: "Your account" }).click();
    const problem = page.locator("main .problem");
    await untilShown(problem.getByText("The connection to the device is slow"));
    assert.equal(await problem.count(), 1);
    assert.equal(await problem.getByRole("button").count(), 1);
    // The other section says that there is nothing of it, and neither is still being loaded.
    await untilShown(page.getByText("This could not be loaded."));
    await untilThereAre(0, page.locator("main .skeleton"));
    assert.equal(await problem.getByText("0123456789abcdef").isVisible(), false);
    await problem.getByText("Technical details").click();
    assert.equal(await problem.getByText("0123456789abcdef").isVisible(), true);
    looks.keep(page, "problem-wide");
    await page.setViewportSize({ width: 360, height: 740 });
    looks.draw(page, "problem-phone", assertReads);
    await tryAgain(page, ...refused);
    await problem.waitFor({ state: "detached" });
    await untilShown(page.getByText("No API tokens").or(page.getByRole("heading", { name: "API tokens" })));
    await page.getByRole("link", { name: "System", exact: true }).click();
    for (const [tab, path, address, read] of [
      ["Events", "/system/events", "**/api/events?*", page.getByText(/^\d+ events$/)],
      ["Logs", "/system/logs", "**/api/logs?*", page.getByText(/^\d+ lines/)],
      [
        "Settings",
        "/system/settings",
        "**/api/system",
        page.getByRole("heading", { name: "Device", level: 2 }),
      ],
    ] as const) {
      await refuse(page, address, "request_timeout");
      await page.getByRole("link", { name: tab, exact: true }).click();
      await page.waitForURL(`**${path}`);
      await tryAgain(page, address);
      await untilShown(read);
      assert.equal(await problem.count(), 0, tab);
    }
  });

  it("leaves no section that could not be loaded looking as if it were loading, or as if there were nothing", async () => {
    const page = await browser.signedIn(agent, "admin", "/account");
    await refuse(page, "**/api/system/facts", "request_timeout");
    await page.getByRole("link", { name: "System", exact: true }).click();
    const host = page.getByRole("region", { name: "Host" });
    await untilShown(host.getByText("This could not be loaded.").first());
    await untilThereAre(0, host.locator(".skeleton"));
    await refuse(page, "**/api/updates/history*", "request_timeout");
    await page.getByRole("link", { name: "Updates", exact: true }).click();
    const history = page.getByRole("region", { name: "History" });
    await untilShown(history.locator(".fold-summary", { hasText: "This could not be loaded." }));
  });

  it("leads to where it can be mended, in the language of the page, and names the command that only root can run", async () => {
    const page = await browser.signedIn(agent, "admin", "/users", {
      width: 360,
      height: 740,
      scheme: "dark",
    });
    await page.evaluate(() => localStorage.setItem("steward-language", "de"));
    await page.reload();
    await page.getByRole("button", { name: "Benutzer anlegen" }).click();
    const sheet = page.getByRole("dialog", { name: "Benutzer anlegen" });
    await sheet.getByLabel("Benutzername").fill("ben");
    await refuse(page, "**/api/users", "state_damaged");
    await sheet.getByRole("button", { name: "Benutzer anlegen" }).click();
    await untilShown(sheet.getByText("Bis die gespeicherten Daten repariert sind"));
    await sheet.getByText("steward doctor", { exact: true }).waitFor();
    await sheet.getByRole("button", { name: "Befehl kopieren" }).waitFor();
    const help = sheet.getByRole("link", { name: "Hilfe zu diesem Problem (englisch)" });
    assert.equal(await help.getAttribute("href"), "/docs/state.html#damage");
    looks.draw(page, "problem-command-de");
    await page.unroute("**/api/users");
    await refuse(page, "**/api/users", "internal_error");
    await sheet.getByRole("button", { name: "Benutzer anlegen" }).click();
    await untilShown(sheet.getByRole("link", { name: "Zum Protokoll" }));
    assert.equal(await sheet.locator(".problem").count(), 1);
    assert.equal(await help.count(), 0, "no document is about this one");
    looks.draw(page, "problem-link-de", assertFits);
    assert.equal(await sheet.getByLabel("Benutzername").inputValue(), "ben");
  });
});
