import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { changeSettings, signIn, signInByForm } from "../../lab/console/browser.ts";
import { lightConsoleOf } from "../../lab/console/light/light-browser.ts";
import { assertReads } from "../../lab/console/page-checks.ts";
import type { Status } from "../../src/contract/types.ts";

/** A need of each level, of users that are named, and one that this page does not know. */
const needs = [
  {
    ...{ code: "disk", level: "failing", detail: "It is full." },
    facts: { check: "disk", reason: "disk_read_only", path: "/var" },
  },
  { code: "clock", level: "attention", facts: { word: "not_in_sync" }, detail: "It is wrong." },
  {
    code: "users_locked",
    level: "attention",
    facts: { count: 2, users: ["<b>ana</b>", "אבג"] },
    detail: "No.",
  },
  { code: "of_a_newer_agent", level: "attention", facts: {}, detail: "the agent's own sentence" },
];

/** Answers the status with something else in some of its members. */
async function answerWith(page: Page, members: object): Promise<void> {
  await page.route("**/api/status", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), ...members } });
  });
}

describe("the page at the beginning", () => {
  const { agent, browser, looks } = lightConsoleOf();

  const status = async (): Promise<Status> => (await agent.call("GET", "/api/status", { local: true })).json;
  const tile = (page: Page, title: string) =>
    page.locator(".tile", { has: page.getByRole("heading", { name: title, level: 2 }) });

  it("is where a sign-in leads to, and says what needs a person as the command line does, with one way to each", async () => {
    const { page } = await browser.open(agent);
    await signInByForm(page, "admin");
    const { needs: told, latest, people } = await status();
    assert.ok(told.length > 1, "nothing needs a person");
    await page.getByRole("heading", { name: `${told.length} things need you.`, level: 1 }).waitFor();
    assert.equal(new URL(page.url()).pathname, "/");
    await page.waitForFunction((count) => document.title.startsWith(`(${count}) Home · `), told.length);
    const items = page.locator(".needs > li");
    assert.equal(await page.locator(".banner").count(), 0, "the list says it");
    assert.equal(await items.count(), told.length);
    // All but one lead to where they are settled, and that one is settled here.
    assert.equal(await items.getByRole("link").count(), told.length - 1);
    assert.match(await tile(page, "People").innerText(), new RegExp(`${people?.accounts} users`));
    await page.locator(".latest").getByText("root-admin signed in").waitFor();
    assert.equal(await page.locator(".latest > li").count(), latest?.length);
    await page.getByRole("link", { name: "All events" }).click();
    await page.waitForURL("**/system/events");
    await page.locator(".frame-head .device").click();
    await page.getByRole("heading", { name: /things need you/ }).waitFor();
    const naming = items.filter({ hasText: "Give this device a name" });
    await naming.getByRole("button", { name: "Name it" }).click();
    await naming.getByText("This is needed").waitFor();
    await naming.getByLabel("Device name").fill("Branch Hamburg");
    looks.draw(page, "home-naming");
    await naming.getByLabel("Device name").press("Enter");
    await page.locator(".frame-head").getByText("Branch Hamburg").waitFor();
    await naming.waitFor({ state: "detached" });
  });

  it("has a need's cause, its names as they are, and the agent's sentence where it knows none", async () => {
    const { page } = await browser.open(agent);
    await answerWith(page, { state: "failing", needs });
    await signIn(page, "admin");
    const items = page.locator(".needs > li");
    await items.nth(0).getByText("The disk at").waitFor();
    assert.match(
      await items.nth(0).innerText(),
      /^The disk cannot be written to\s+The disk at \/var is read-only\./,
    );
    assert.match(await items.nth(2).innerText(), /<b>ana<\/b>/);
    assert.match(await items.nth(3).innerText(), /^The agent's own sentence\.$/);
    await page.locator(".verdict.wrong").waitFor();
    assert.equal(await tile(page, "Host").locator(".badge").innerText(), "failing");
    assert.equal(await tile(page, "Clock").locator(".badge").innerText(), "unknown");
    for (const language of ["en", "de"]) {
      await page.evaluate((one) => localStorage.setItem("steward-language", one), language);
      await page.reload();
      await items.nth(3).waitFor();
      for (const [width, scheme] of [
        [1280, "light"],
        [1280, "dark"],
        [360, "dark"],
        [360, "light"],
        [320, "light"],
      ] as const) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme: scheme });
        const isAsked = language === "de" && width !== 320;
        looks[isAsked ? "keep" : "draw"](page, `home-needs-${language}-${width}-${scheme}`, assertReads);
      }
    }
    await page.locator(".needs").getByRole("link", { name: "Entsperren" }).click();
    await page.waitForURL("**/users?state=locked");
  });

  it("says that all is well where nothing needs a person", async () => {
    const { page } = await browser.open(agent);
    await changeSettings(agent, { device: { name: "Branch" } });
    const { clock, updates, host } = await status();
    const summary = { ...updates?.summary, code: "nothing_newer" };
    const at = new Date(Date.now() - 7_200_000).toISOString();
    const kinds = [{ ...updates?.kinds[0], installed: "0.9.0" }, updates?.kinds[1]];
    await answerWith(page, {
      ...{ state: "ok", needs: [] },
      clock: {
        ...clock,
        word: "in_sync",
        offset_seconds: 0.0004,
        uncertainty_seconds: 0.0006,
        source: "ntp1",
      },
      updates: { ...updates, summary, kinds, last_check: { at, outcome: "ok", code: null, detail: null } },
      host: { ...host, uptime_seconds: 41 * 86_400, temperature_celsius: 41 },
    });
    await signIn(page, "admin");
    await page.getByRole("heading", { name: "All is well.", level: 1 }).waitFor();
    await page.getByText(/^up 41 days · Steward \d/).waitFor();
    assert.equal(await page.locator(".needs").count(), 0);
    assert.match(await tile(page, "Clock").innerText(), /in sync\s+within 1\sms\s+by ntp1/);
    assert.match(
      await tile(page, "Updates").innerText(),
      /up to date\s+rules 0\.9\.0\s+service .*\s+checked 2 hours ago/,
    );
    assert.match(await tile(page, "Host").innerText(), /41\s°C/);
    await page.getByText("Root on the device changed settings").waitFor();
    for (const time of await page.locator(".latest time").allInnerTexts())
      assert.match(time, /\d:\d\d/, "times that can be told apart");
    looks.draw(page, "home-well-light");
    await page.setViewportSize({ width: 360, height: 740 });
    looks.draw(page, "home-well-phone");
  });

  it("shows a reader what their role may see, and an operator no user but their own account", async () => {
    for (const [role, hasEvents] of [
      ["operator", true],
      ["readonly", false],
    ] as const) {
      const page = await browser.signedIn(agent, role);
      await page.getByRole("heading", { name: /need an administrator/, level: 1 }).waitFor();
      await tile(page, "Your account").getByText("no second factor").waitFor();
      assert.equal(await tile(page, "People").count(), 0);
      assert.equal(await page.locator(".latest").count(), hasEvents ? 1 : 0, role);
      assert.equal(await page.getByRole("link", { name: "Logs" }).count(), hasEvents ? 0 : 1, role);
      looks.keep(page, `home-${role}`);
    }
  });
});
