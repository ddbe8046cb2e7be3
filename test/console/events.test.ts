import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { until } from "../../lab/basics/until.ts";
import {
  changeSettings,
  endOfConsole,
  press,
  sees,
  untilThereAre,
  type WindowOfRole,
  windowsOfRoles,
} from "../../lab/console/browser.ts";
import { startLightConsole } from "../../lab/console/light/light-browser.ts";
import { answerWith } from "../../lab/console/page-checks.ts";
import type { AuditEvent, Role } from "../../src/contract/types.ts";

const hostile = `<img src=x onerror="document.title='broken'">`;

describe("the console's events", () => {
  const ending = endOfConsole();
  const { looks } = ending;
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

  const open = async (role: Role, query = ""): Promise<Page> =>
    (await windowOf(role, `/system/events${query}`)).page;
  const rows = (page: Page) => page.locator(".timeline-run");
  const refused = (page: Page) => rows(page).filter({ hasText: "A sign-in was refused" });
  const detail = (page: Page) => page.locator(".timeline .event-detail");
  const sentences = (page: Page) => rows(page).locator(".run-text > :first-child").allInnerTexts();
  const chip = (page: Page, name: RegExp) => page.locator(".chips").getByRole("button", { name });
  const only = (page: Page, sentence: RegExp) =>
    until(`only ${sentence}`, async () => {
      const all = await sentences(page);
      return all.length > 0 && all.every((one) => sentence.test(one));
    });
  const queryOf = (page: Page) => new URL(page.url()).search;

  it("shows what happens as it happens, the newest first, and opens it in place", async () => {
    const page = await open("admin");
    await rows(page).first().waitFor();
    await changeSettings(agent, { device: { name: "edge-7" } });
    await sees(rows(page).first(), "Root on the device changed settings");
    await chip(page, /^Settings 1$/).waitFor();
    await page.locator(".timeline > .timeline-day").first().getByRole("heading", { level: 3 }).waitFor();
    const opener = rows(page).first().getByRole("button");
    await opener.click();
    assert.equal(await opener.getAttribute("aria-expanded"), "true");
    await sees(detail(page), "Device name");
    assert.equal(await detail(page).locator("pre").isVisible(), false, "JSON is shown only on demand");
    await detail(page).getByText("Technical details").click();
    await sees(detail(page), '"device.name"');
    const alike = detail(page).getByRole("link", { name: "Only events of the kind “Settings changed”" });
    assert.equal(await alike.getAttribute("href"), "/system/events?type=settings.changed");
    looks.keep(page, "events-opened");
  });

  it("shows a refusal with its reason, and hostile text as text", async () => {
    const page = await open("admin");
    const row = refused(page).first();
    await sees(row, "User name or password is wrong");
    await row.locator(".badge.attention").waitFor();
    await row.getByRole("button").click();
    await detail(page).waitFor();
    assert.equal(await detail(page).locator("img").count(), 0);
    looks.keep(page, "events-hostile", async (drawn) => assert.doesNotMatch(await drawn.title(), /broken/));
  });

  it("filters by a type that a link names, and says so in a chip that takes it back", async () => {
    const page = await open("admin", "?type=user.created");
    await untilThereAre(3, rows(page));
    await only(page, / added | made .* an administrator$/);
    const added = chip(page, /^User added 3$/);
    assert.equal(await added.getAttribute("aria-pressed"), "true");
    await chip(page, /^Settings \d+$/).click();
    await sees(rows(page).first(), "Root on the device changed settings");
    assert.match(page.url(), /type=settings/);
    await page.goBack();
    await sees(rows(page).first(), " added ");
    await added.click();
    await until("nothing is chosen", () => !queryOf(page).includes("user.created"));
  });

  it("holds back what comes while it is paused", async () => {
    const page = await open("operator", "?type=settings.changed");
    // As if another event came each time between the list and its count.
    await answerWith(page, /\/api\/events\?/, ({ total }) => ({ total: total + 1 }));
    await page.reload();
    await rows(page).first().waitFor();
    await press(page, "Pause");
    // Another change of the name would only be counted for a minute.
    await changeSettings(agent, { console: { language: "de" } });
    await page.getByRole("button", { name: "Follow · 1 new" }).waitFor();
    assert.equal(await page.locator(".run-times").count(), 0);
    await press(page, "Follow · 1 new");
    // It reads the same, so that it is in the same line.
    await sees(page.locator(".run-times"), /^2 ×/);
  });

  it("filters by who, name, outcome, group and time, all in an address that can be handed on", async () => {
    const page = await open("admin");
    await rows(page).first().waitFor();
    await page.getByLabel("Who").selectOption("root on the device");
    await chip(page, /^Users \d+$/).click();
    await page.getByLabel("Name").fill("ANA");
    await until("it is in the address", () => queryOf(page) === "?who=local-root&type=users&name=ANA");
    // Without the name there were three.
    await untilThereAre(1, rows(page));
    await only(page, / added ana$/);
    await chip(page, /^Users 1$/).click();
    await page.getByLabel("Who").selectOption("all");
    await page.getByLabel("Name").fill("");
    await chip(page, /^Refused \d+$/).click();
    await only(page, /^A sign-in was refused$/);
    await page.goto(`/system/events${queryOf(page)}&since=1h`);
    await only(page, /^A sign-in was refused$/);
    await page.getByLabel("Since").selectOption("a time …");
    await page.getByLabel("Until when").fill("2026-01-01T00:00");
    await sees(page, "No event matches these filters.");
    await page.goto("/system/events?who=nobody&type=shoe.lost&outcome=odd");
    await rows(page).nth(3).waitFor();
  });

  it("names the user whose id a link asks for", async () => {
    const { items } = await agent.read("/api/users");
    const { id } =
      items.find(({ username }: { username: string }) => username === "ana") ?? assert.fail("no ana");
    const page = await open("admin", `?name=${id}`);
    await only(page, /ana/);
    await until("it is named", async () => (await page.getByLabel("Name").inputValue()) === "ana");
    assert.equal(queryOf(page), `?name=${id}`);
    await page.getByLabel("Name").fill("");
    await until("all are there", () => queryOf(page) === "");
  });

  it("begins where the record does, and says on how many lines its events are", async () => {
    const page = await open("admin");
    const foot = page.locator(".list-foot [role=status]");
    const whole = await agent.read("/api/events?limit=200");
    await sees(foot, new RegExp(`^${whole.total} events`));
    // Two changes of one setting that read the same are one line.
    await changeSettings(agent, { device: { location: "Hall 2" } });
    await changeSettings(agent, { device: { contact: "Ana" } });
    await sees(page.locator(".run-times").first(), /^[23] ×/);
    const lines = await rows(page).count();
    const { total } = await agent.read("/api/events?limit=1");
    assert.ok(lines < total, `${lines} lines of ${total} events`);
    await sees(foot, `${total} events on ${lines} lines`);
    const bars = Number(await page.getByRole("slider", { name: "Events over time" }).getAttribute("max")) + 1;
    assert.ok(bars > 9 && bars < 16, `${bars} bars of a minute each show a device that is a minute old`);
    const offered = await page.getByLabel("Since").locator("option").allInnerTexts();
    assert.deepEqual(offered, ["everything", "a time …"]);
    await page.goto("/system/events?since=7d");
    await page
      .getByLabel("Since")
      .locator("option", { hasText: "a week ago" })
      .waitFor({ state: "attached" });
  });

  it("says the events of a bar, narrows to its time, and shows all times again", async () => {
    // Bars of days do not move on as those of minutes would.
    const page = await open("admin", "?since=30d");
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
    const { total } = await agent.read("/api/events?limit=1");
    const sum = all.reduce((known, one) => known + Number(counted.exec(one)?.[1]), 0);
    assert.ok(sum >= total, `${all} are not ${total}`);
    assert.ok(
      all.some((one) => counted.exec(one)?.[2] !== undefined),
      `${all}`,
    );
    await bars.fill((await bars.getAttribute("max")) ?? "");
    await press(page, "Show only these");
    const { searchParams } = new URL(page.url());
    const [since = "", end = ""] = [searchParams.get("since"), searchParams.get("until")].map(String);
    assert.match(end, /:59\.999Z$/, "the next bar begins behind it");
    assert.ok(Date.parse(end) > Date.parse(since), `${since} to ${end}`);
    await until("other bars", async () => !all.includes(await words()));
    await press(page, "Show all times");
    await until("all times", () => queryOf(page) === "");
  });

  it("marks where the clock was set back, and shows an operator no security events of others, and a reader none", async () => {
    const page = await open("operator");
    await rows(page).first().waitFor();
    assert.equal(await rows(page).filter({ hasText: " added " }).filter({ hasNotText: "ana" }).count(), 0);
    const later = (event: AuditEvent) => new Date(Date.parse(event.time) + 5 * 3_600_000).toISOString();
    const moved = (event: AuditEvent, at: number) => (at < 1 ? event : { ...event, time: later(event) });
    await answerWith(page, /\/api\/events\?/, ({ items }) => ({ items: items.map(moved) }));
    await page.reload();
    await sees(page, /^Here the clock was set back, by [45]\sh at least$/);
    const reader = await open("readonly");
    await reader.getByRole("heading", { name: "Logs" }).waitFor();
  });
});
