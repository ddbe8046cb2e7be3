import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { until } from "../../lab/basics/until.ts";
import { press, sees } from "../../lab/console/browser.ts";
import { lightConsoleOf } from "../../lab/console/light/light-browser.ts";
import { whole } from "../../lab/console/page-checks.ts";
import { consolePaths } from "../../src/contract/schemas/console.ts";
import type { Role } from "../../src/contract/types.ts";

type ConsolePath = (typeof consolePaths)[number];

/** A link to a page that a role may not see leads to another: by role, from where to where. */
const elsewhere: Record<Role, Partial<Record<ConsolePath, ConsolePath>>> = {
  admin: {},
  operator: { "/setup": "/", "/users": "/system" },
  readonly: { "/setup": "/", "/users": "/system", "/system/events": "/system/logs" },
};

const headings: Partial<Record<ConsolePath, RegExp | string>> = {
  "/": /^(One thing needs|\d things need) (you|an administrator)\.$/,
  "/setup": "Set up this device",
  "/users": "Users",
  "/updates": "Updates",
  "/account": "Your account",
};

const operators: readonly Role[] = ["admin", "operator"];
const all: readonly Role[] = [...operators, "readonly"];

/** The roles to which a page offers a control, by the contract, on a device without a time server and a repository. */
const offers: readonly (readonly [ConsolePath, "button" | "link", name: string, readonly Role[]])[] = [
  ["/users", "button", "Add user", ["admin"]],
  ["/system", "link", "Settings", all],
  ["/system", "link", "Users", ["admin"]],
  ["/system", "link", "Events", operators],
  ["/system", "link", "Open the time settings", operators],
  ["/system", "button", "Set the device's clock to this browser's time", ["admin"]],
  ["/updates", "button", "Check now", operators],
  ["/account", "button", "Change password", all],
];

describe("the console's pages", () => {
  const { agent, browser } = lightConsoleOf();

  for (const role of all)
    describe(`for the role ${role}`, () => {
      let page: Page;
      before(async () => {
        page = await browser.signedIn(agent, role, "/", { isKept: true });
      });

      for (const path of consolePaths) {
        const there = elsewhere[role][path] ?? path;
        it(`${path} can be linked to and leads to ${there}`, async () => {
          await page.goto(path);
          await whole(page);
          assert.equal(new URL(page.url()).pathname, there);
          const name = headings[there] ?? "System";
          await page.getByRole("heading", { name, exact: true, level: 1 }).waitFor();
          const here = offers.filter(([at]) => at === there);
          // Some controls depend on the device's state: wait until it has come.
          if (here.length > 0) await until("needs", async () => /^\(\d\)/.test(await page.title()));
          const isOffered = (roles: readonly Role[]) => Number(roles.includes(role));
          for (const [, kind, name, roles] of here.sort((a, b) => isOffered(b[3]) - isOffered(a[3]))) {
            const one = page.getByRole(kind, { name, exact: true });
            if (isOffered(roles)) await one.first().waitFor();
            else assert.equal(await one.count(), 0, `${name} at ${there} for ${role}`);
          }
        });
      }
    });

  it("are gone through back and forward", async () => {
    const page = await browser.signedIn(agent, "readonly", "/updates");
    for (const name of ["System", "Settings"]) await page.getByRole("link", { name, exact: true }).click();
    for (const [step, path] of [
      [() => undefined, "/system/settings"],
      [() => page.goBack(), "/system"],
      [() => page.goBack(), "/updates"],
      [() => page.goForward(), "/system"],
    ] as const) {
      await step();
      await until(path, () => new URL(page.url()).pathname === path);
      await page.getByRole("heading", { name: headings[path] ?? "System", level: 1 }).waitFor();
    }
  });

  it("speak German when they are told to, and go on doing so", async () => {
    const page = await browser.signedIn(agent, "admin", "/system/settings?open=console");
    await page.getByLabel("Text on the sign-in page").fill("typed");
    await press(page, "Your account: root-admin");
    await page.getByRole("menuitem", { name: "Deutsch" }).click();
    const untilGerman = async () => {
      await page.getByRole("heading", { name: "Wie sieht die Konsole aus?", level: 2 }).waitFor();
      // The needs come last.
      await sees(page, "Der Uhr wird nicht vertraut.");
      assert.equal(await page.locator("html").getAttribute("lang"), "de");
      return page.locator(".frame").innerText();
    };
    await page.getByRole("heading", { name: "Wie sieht die Konsole aus?", level: 2 }).waitFor();
    assert.equal(
      await page.getByLabel("Text auf der Anmeldeseite").inputValue(),
      "typed",
      "nothing typed is lost",
    );
    await press(page, "Verwerfen");
    const inPlace = await untilGerman();
    await page.reload();
    assert.equal(await untilGerman(), inPlace);
  });
});
