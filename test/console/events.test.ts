import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { until } from "../../lab/basics/until.ts";
import {
  type ConsoleWindow,
  endOfConsole,
  startBrowser,
  untilThereAre,
  type WindowOfRole,
  windowsOfRoles,
} from "../../lab/console/browser.ts";
import { startLightConsole } from "../../lab/console/light/light-browser.ts";
import { Looks } from "../../lab/console/light/looks.ts";
import { assertReads, looks } from "../../lab/console/page-checks.ts";
import type { Role } from "../../src/contract/types.ts";

const hostile = `<img src=x onerror="document.title='broken'">`;

describe("the console's events", () => {
  const ending = endOfConsole();
  const kept = new Looks();
  let agent: RunningAgent;
  let windowOf: WindowOfRole;
  before(async () => {
    const started = await startLightConsole(ending);
    ({ agent } = started);
    windowOf = windowsOfRoles(started.browser, agent);
    // The first refusal is recorded at once, later ones when a minute is over.
    const body = { username: hostile, password: "not the password" };
    assert.equal((await agent.call("POST", "/api/auth/login", { body })).status, 401);
  });

  const open = (role: Role, query = ""): Promise<ConsoleWindow> => windowOf(role, `/system/events${query}`);
  const rename = (name: string) =>
    agent.call("PUT", "/api/system", { body: { device: { name } }, local: true });
  const rows = (page: Page) => page.locator("tbody > tr[aria-rowindex]:not(.row-details)");
  const titles = (page: Page) => rows(page).locator(".row-opener").allInnerTexts();

  it("shows what happens as it happens, the newest first, and opens it in place", async () => {
    const { page, complaints } = await open("admin");
    await rows(page).first().waitFor();
    await rename("edge-7");
    await rows(page).first().getByText("Settings changed").waitFor();
    assert.match(await rows(page).first().innerText(), /root on the device/);
    const opener = rows(page).first().getByRole("button");
    await opener.click();
    assert.equal(await opener.getAttribute("aria-expanded"), "true");
    const detail = page.locator(".row-details .event-detail");
    await detail.waitFor();
    // A click anywhere in the row does the same.
    await rows(page).first().locator("td.of-who").click();
    await detail.waitFor({ state: "detached" });
    await rows(page).first().locator("td.of-outcome").click();
    await detail.getByText("Root on the device changed settings").waitFor();
    await detail.getByText("Device name").waitFor();
    assert.equal(await detail.locator("pre").isVisible(), false, "JSON is shown only on demand");
    await detail.getByText("Technical details").click();
    await detail.getByText('"device.name"').waitFor();
    kept.keep(page, "events-opened");
    assert.deepEqual(complaints, []);
  });

  it("shows a refusal with its reason, and hostile text as text", async () => {
    const { page, complaints } = await open("admin");
    const refused = rows(page).filter({ hasText: "Sign-in refused" });
    await refused.first().waitFor();
    assert.match(await refused.first().innerText(), /User name or password is wrong/);
    await refused.first().getByRole("button").click();
    const detail = page.locator(".row-details .event-detail");
    await detail.waitFor();
    assert.equal(await detail.locator("img").count(), 0);
    kept.keep(page, "events-hostile", async (drawn) => assert.doesNotMatch(await drawn.title(), /broken/));
    assert.deepEqual(complaints, []);
  });

  it("filters by type, in the page's address, also what comes", async () => {
    const { page } = await open("admin", "?type=user.created");
    await rows(page).first().waitFor();
    await untilThereAre(3, rows(page));
    assert.deepEqual([...new Set(await titles(page))], ["User added"]);
    await rename("edge-8");
    await page.getByLabel("What", { exact: true }).selectOption("settings.changed");
    await rows(page).first().getByText("Settings changed").waitFor();
    assert.match(page.url(), /type=settings\.changed/);
    await page.goBack();
    await rows(page).first().getByText("User added").waitFor();
  });

  it("holds back what comes while it is paused", async () => {
    const { page } = await open("operator", "?type=settings.changed");
    // As if another event came each time between the list and its count.
    await page.route(/\/api\/events\?/, async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      await route.fulfill({ response, json: { ...json, total: json.total + 1 } });
    });
    await page.reload();
    await rows(page).first().waitFor();
    const before = await rows(page).count();
    await page.getByRole("button", { name: "Pause" }).click();
    await rename("edge-9");
    await page.getByRole("button", { name: "Follow · 1 new" }).waitFor();
    assert.equal(await rows(page).count(), before);
    await page.getByRole("button", { name: "Follow · 1 new" }).click();
    await rows(page).nth(before).waitFor();
  });

  it("filters by who, name, outcome, group and time, all in an address that can be handed on", async () => {
    const { page } = await open("admin");
    await rows(page).first().waitFor();
    await page.getByLabel("Who").selectOption("root on the device");
    await page.getByLabel("What", { exact: true }).selectOption("Users: all");
    await page.getByLabel("Name").fill("ANA");
    const only = (title: string) =>
      until(`only ${title}`, async () => [...new Set(await titles(page))].join() === title);
    const address = "?who=local-root&type=users&name=ANA";
    await until("the name is in the address", () => new URL(page.url()).search === address);
    // Without the name there were three.
    await untilThereAre(1, rows(page));
    await only("User added");
    await page.getByLabel("Who").selectOption("all");
    await page.getByLabel("What", { exact: true }).selectOption("everything");
    await page.getByLabel("Name").fill("");
    await page.getByLabel("Outcome").selectOption("refused");
    await only("Sign-in refused");
    await page.getByLabel("Since").selectOption("an hour ago");
    await page.reload();
    await only("Sign-in refused");
    await page.getByLabel("Since").selectOption("a span of times …");
    await page.getByLabel("Until when").fill("2026-01-01T00:00");
    await page.getByText("No event matches these filters.").waitFor();
    await page.goto("/system/events?who=nobody&type=shoe.lost&outcome=odd");
    await rows(page).nth(3).waitFor();
  });

  it("shows an operator no security events of others, and a reader none at all", async () => {
    const { page } = await open("operator");
    await rows(page).first().waitFor();
    assert.equal(await rows(page).filter({ hasText: "User added" }).filter({ hasNotText: "ana" }).count(), 0);
    const reader = await open("readonly");
    await reader.page.getByRole("heading", { name: "Logs" }).waitFor();
  });

  it("is sound to look at: by light, by night, and on a phone", async () => {
    const { page, complaints } = await open("admin", "?type=sign_in.succeeded");
    await rows(page).first().getByRole("button").click();
    await page.locator(".event-detail").waitFor();
    for (const [look, colorScheme, width] of looks) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      kept.keep(page, `events-${look}`, assertReads);
    }
    assert.deepEqual(complaints, []);
    await kept.judge(await startBrowser(ending));
  });
});
