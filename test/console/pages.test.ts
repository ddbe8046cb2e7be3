import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { until } from "../../lab/basics/until.ts";
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

const atHome = /^\d things need (you|an administrator)\.$/;

const headings: Partial<Record<ConsolePath, RegExp | string>> = {
  "/": atHome,
  "/setup": "Set up this device",
  "/users": "Users",
  "/updates": "Updates",
  "/account": "Your account",
};

/** The roles to which a page offers a control, by the contract, on a device without a time server and a repository. */
const offers: [path: ConsolePath, kind: "button" | "link", name: string | RegExp, roles: Role[]][] = [
  ["/users", "button", "Add user", ["admin"]],
  ["/system", "link", "Users", ["admin"]],
  ["/system", "link", "Settings", ["admin", "operator", "readonly"]],
  ["/system", "link", "Events", ["admin", "operator"]],
  ["/system", "link", "Open the time settings", ["admin", "operator"]],
  ["/system", "button", "Set the device's clock to this browser's time", ["admin"]],
  ["/updates", "button", "Check now", ["admin", "operator"]],
  ["/account", "button", "Create token", ["admin", "operator", "readonly"]],
];

describe("the console's pages", () => {
  const { agent, browser } = lightConsoleOf();

  for (const role of ["admin", "operator", "readonly"] as const) {
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
          for (const [at, kind, name, roles] of here.sort(
            (a, b) => Number(b[3].includes(role)) - Number(a[3].includes(role)),
          )) {
            const one = page.getByRole(kind, { name, exact: true });
            if (roles.includes(role)) await one.first().waitFor();
            else assert.equal(await one.count(), 0, `${name} at ${at} for ${role}`);
          }
        });
      }

      it("goes back and forward through them", async () => {
        await page.goto("/updates");
        await whole(page);
        await page.getByRole("link", { name: "System", exact: true }).click();
        await page.getByRole("link", { name: "Settings", exact: true }).click();
        await page.waitForURL("**/system/settings");
        await page.goBack();
        await page.waitForURL("**/system");
        await page.goBack();
        await page.getByRole("heading", { name: "Updates", level: 1 }).waitFor();
        await page.goForward();
        await page.getByRole("heading", { name: "System", level: 1 }).waitFor();
        assert.equal(new URL(page.url()).pathname, "/system");
      });
    });
  }

  it("speaks German when it is told to, and goes on doing so", async () => {
    const page = await browser.signedIn(agent, "admin", "/system/settings");
    await page.getByLabel("Contact").fill("typed");
    await page.getByRole("button", { name: "Your account: root-admin" }).click();
    await page.getByRole("menuitem", { name: "Deutsch" }).click();
    await page.getByRole("heading", { name: "Gerät", level: 2 }).waitFor();
    assert.equal(await page.locator("html").getAttribute("lang"), "de");
    assert.equal(await page.getByLabel("Ansprechpartner").inputValue(), "typed", "nothing typed is lost");
    await page.getByRole("button", { name: "Verwerfen" }).click();
    // The needs come last.
    const needs = page.getByText("Der Uhr wird nicht vertraut.");
    await needs.waitFor();
    // The machine's names come of a slower read.
    const host = page.locator(".setting-text bdi", {
      hasText: (await agent.call("GET", "/api/system/facts", { local: true })).json.hostname,
    });
    await host.waitFor();
    const inPlace = await page.locator(".frame").innerText();
    await page.reload();
    await page.getByRole("heading", { name: "Gerät", level: 2 }).waitFor();
    await needs.waitFor();
    await host.waitFor();
    assert.equal(await page.locator(".frame").innerText(), inPlace);
    await page.goto("/system");
    await whole(page);
    assert.equal(await page.locator("html").getAttribute("lang"), "de");
  });
});
