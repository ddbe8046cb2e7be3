import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { until } from "../../lab/basics/until.ts";
import {
  type ConsoleWindow,
  changeSettings,
  endOfConsole,
  untilThereAre,
  type WindowOfRole,
  windowsOfRoles,
} from "../../lab/console/browser.ts";
import { startLightConsole } from "../../lab/console/light/light-browser.ts";
import type { AuditEvent, Role } from "../../src/contract/types.ts";

const hostile = `<img src=x onerror="document.title='broken'">`;

describe("the console's events", () => {
  const ending = endOfConsole();
  const { looks: kept } = ending;
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
  const rows = (page: Page) => page.locator(".timeline-run");
  const sentences = (page: Page) => rows(page).locator(".run-text > :first-child").allInnerTexts();
  const chip = (page: Page, name: RegExp) => page.locator(".chips").getByRole("button", { name });

  it("shows what happens as it happens, the newest first, and opens it in place", async () => {
    const { page } = await open("admin");
    await rows(page).first().waitFor();
    await rename("edge-7");
    await rows(page).first().getByText("Root on the device changed settings").waitFor();
    await chip(page, /^Settings 1$/).waitFor();
    await page.locator(".timeline > .timeline-day").first().getByRole("heading", { level: 3 }).waitFor();
    const opener = rows(page).first().getByRole("button");
    await opener.click();
    assert.equal(await opener.getAttribute("aria-expanded"), "true");
    const detail = page.locator(".timeline .event-detail");
    await detail.waitFor();
    await detail.getByText("Device name").waitFor();
    assert.equal(await detail.locator("pre").isVisible(), false, "JSON is shown only on demand");
    await detail.getByText("Technical details").click();
    await detail.getByText('"device.name"').waitFor();
    const only = detail.getByRole("link", { name: "Only events of the kind “Settings changed”" });
    assert.equal(await only.getAttribute("href"), "/system/events?type=settings.changed");
    kept.keep(page, "events-opened");
  });

  it("shows a refusal with its reason, and hostile text as text", async () => {
    const { page } = await open("admin");
    const refused = rows(page).filter({ hasText: "A sign-in was refused" });
    await refused.first().waitFor();
    assert.match(await refused.first().innerText(), /User name or password is wrong/);
    await refused.first().locator(".badge.attention").waitFor();
    await refused.first().getByRole("button").click();
    const detail = page.locator(".timeline .event-detail");
    await detail.waitFor();
    assert.equal(await detail.locator("img").count(), 0);
    kept.keep(page, "events-hostile", async (drawn) => assert.doesNotMatch(await drawn.title(), /broken/));
  });

  it("filters by a type that a link names, and says so in a chip that takes it back", async () => {
    const { page } = await open("admin", "?type=user.created");
    await rows(page).first().waitFor();
    await untilThereAre(3, rows(page));
    assert.ok(
      (await sentences(page)).every((one) => / added | made .* an administrator$/.test(one)),
      `${await sentences(page)}`,
    );
    const added = chip(page, /^User added 3$/);
    assert.equal(await added.getAttribute("aria-pressed"), "true");
    await chip(page, /^Settings \d+$/).click();
    await rows(page).first().getByText("Root on the device changed settings").waitFor();
    assert.match(page.url(), /type=settings/);
    await page.goBack();
    await rows(page).first().getByText(" added ").waitFor();
    await added.click();
    await until("nothing is chosen", () => !new URL(page.url()).search.includes("user.created"));
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
    await page.getByRole("button", { name: "Pause" }).click();
    // Another change of the name would only be counted for a minute.
    await changeSettings(agent, { console: { language: "de" } });
    await page.getByRole("button", { name: "Follow · 1 new" }).waitFor();
    assert.equal(await page.locator(".run-times").count(), 0);
    await page.getByRole("button", { name: "Follow · 1 new" }).click();
    // It reads the same, so that it is in the same line.
    await page.locator(".run-times").getByText(/^2 ×/).waitFor();
  });

  it("filters by who, name, outcome, group and time, all in an address that can be handed on", async () => {
    const { page } = await open("admin");
    await rows(page).first().waitFor();
    await page.getByLabel("Who").selectOption("root on the device");
    await chip(page, /^Users \d+$/).click();
    await page.getByLabel("Name").fill("ANA");
    const only = (sentence: RegExp) =>
      until(`only ${sentence}`, async () => {
        const all = await sentences(page);
        return all.length > 0 && all.every((one) => sentence.test(one));
      });
    const address = "?who=local-root&type=users&name=ANA";
    await until("the name is in the address", () => new URL(page.url()).search === address);
    // Without the name there were three.
    await untilThereAre(1, rows(page));
    await only(/ added ana$/);
    await chip(page, /^Users 1$/).click();
    await page.getByLabel("Who").selectOption("all");
    await page.getByLabel("Name").fill("");
    await chip(page, /^Refused \d+$/).click();
    await only(/^A sign-in was refused$/);
    await page.getByLabel("Since").selectOption("an hour ago");
    await page.reload();
    await only(/^A sign-in was refused$/);
    await page.getByLabel("Since").selectOption("a span of times …");
    await page.getByLabel("Until when").fill("2026-01-01T00:00");
    await page.getByText("No event matches these filters.").waitFor();
    await page.goto("/system/events?who=nobody&type=shoe.lost&outcome=odd");
    await rows(page).nth(3).waitFor();
  });

  it("takes a link to what was not refused, as the field for the outcome had it", async () => {
    const { page } = await open("admin", "?outcome=success");
    await rows(page).first().waitFor();
    assert.equal(await chip(page, /^Done \d+$/).getAttribute("aria-pressed"), "true");
    assert.equal(await rows(page).filter({ hasText: "A sign-in was refused" }).count(), 0);
    await chip(page, /^Done \d+$/).click();
    await rows(page).filter({ hasText: "A sign-in was refused" }).first().waitFor();
  });

  it("says the events of a bar, narrows to its time, and shows all times again", async () => {
    const { page } = await open("admin");
    await rows(page).first().waitFor();
    const bars = page.getByRole("slider", { name: "Events over time" });
    const words = async () => (await bars.getAttribute("aria-valuetext")) ?? "";
    const counted = /: (\d+) events?(, \d+ refused)?$/;
    const all: string[] = [];
    for (let bar = Number(await bars.getAttribute("max")); bar >= 0; bar -= 1) {
      await bars.fill(String(bar));
      await until("it says it", async () => !all.includes(await words()));
      all.push(await words());
    }
    const { total } = (await agent.call("GET", "/api/events?limit=1", { local: true })).json;
    const sum = all.reduce((known, one) => known + Number(counted.exec(one)?.[1]), 0);
    assert.ok(sum >= total, `${all} are not ${total}`);
    assert.ok(
      all.some((one) => counted.exec(one)?.[2] !== undefined),
      `${all}`,
    );
    await bars.fill((await bars.getAttribute("max")) ?? "");
    await page.getByRole("button", { name: "Show only these" }).click();
    const { searchParams } = new URL(page.url());
    const [since = "", end = ""] = [searchParams.get("since"), searchParams.get("until")].map(String);
    assert.match(end, /:59\.999Z$/, "the next bar begins behind it");
    assert.ok(Date.parse(end) > Date.parse(since), `${since} to ${end}`);
    await until("other bars", async () => !all.includes(await words()));
    await page.getByRole("button", { name: "Show all times" }).click();
    await until("all times", () => new URL(page.url()).search === "");
  });

  it("marks where the clock was set back, and by how much at least", async () => {
    const { page } = await open("admin");
    await page.route(/\/api\/events\?/, async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      const later = (event: AuditEvent) => new Date(Date.parse(event.time) + 5 * 3_600_000).toISOString();
      const moved = (event: AuditEvent, at: number) => (at < 2 ? event : { ...event, time: later(event) });
      await route.fulfill({ response, json: { ...json, items: json.items.map(moved) } });
    });
    await page.reload();
    await page.getByText(/^Here the clock was set back, by [45]\sh at least$/).waitFor();
  });

  it("shows an operator no security events of others, and a reader none at all", async () => {
    const { page } = await open("operator");
    await rows(page).first().waitFor();
    assert.equal(await rows(page).filter({ hasText: " added " }).filter({ hasNotText: "ana" }).count(), 0);
    const reader = await open("readonly");
    await reader.page.getByRole("heading", { name: "Logs" }).waitFor();
  });
});
