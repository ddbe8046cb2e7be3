import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page, Route } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { until } from "../../lab/basics/until.ts";
import { endOfConsole, signIn, startBrowser, type TestBrowser } from "../../lab/console/browser.ts";
import { startLightConsole } from "../../lab/console/light/light-browser.ts";
import { assertReads, axe, picture } from "../../lab/console/page-checks.ts";
import { startWeekAgent } from "../../lab/console/week.ts";
import type { History } from "../../src/contract/types.ts";

/** A device that is well, whose own answers do not say so on every machine that runs the tests. */
async function answerWell(page: Page): Promise<void> {
  await page.route("**/api/status", async (route) => {
    const response = await route.fetch();
    const { clock, updates, host, ...others } = await response.json();
    const known = { word: "in_sync", offset_seconds: 0.0004, uncertainty_seconds: 0.0006, source: "ntp1" };
    const checked = {
      at: new Date(Date.now() - 7_200_000).toISOString(),
      outcome: "ok",
      code: null,
      detail: null,
    };
    const size_bytes = 32e9;
    const json = {
      ...{ ...others, state: "ok", needs: [], device_name: "Branch Hamburg" },
      clock: { ...clock, ...known },
      updates: { ...updates, summary: { ...updates.summary, code: "nothing_newer" }, last_check: checked },
      host: {
        ...{ ...host, uptime_seconds: 41 * 86_400, temperature_celsius: 41 },
        disk: { ...host.disk, size_bytes, available_bytes: 0.24 * size_bytes },
      },
    };
    await route.fulfill({ response, json });
  });
}

const line = (page: Page, title: string) =>
  page.locator(".tile", { has: page.getByRole("heading", { name: title, level: 2 }) }).locator(".week");

describe("the week on a tile of Home", () => {
  const ending = endOfConsole();
  let [hot, filling]: RunningAgent[] = [];
  let browser: TestBrowser;
  before(async () => {
    hot = await startWeekAgent(ending);
    filling = await startWeekAgent(ending, undefined, (days) => ({ disk_used_ratio: 0.76 - 0.02 * days }));
    browser = await startBrowser(ending);
  });

  const see = async (agent: RunningAgent | undefined, options: Parameters<TestBrowser["open"]>[1] = {}) => {
    assert.ok(agent !== undefined);
    const { page } = await browser.open(agent, options);
    const calls: string[] = [];
    page.on("request", (request) => calls.push(new URL(request.url()).pathname));
    if (agent === filling) await answerWell(page);
    await signIn(page, "admin");
    await page.locator(".week-line").nth(1).waitFor();
    return { page, calls };
  };

  it("is a line with the gap of the time without power, a dot at its end, and its extreme in words", async () => {
    const { page, calls } = await see(hot);
    const query = "/api/history?hours=168&step_seconds=1800";
    const history: History = (await hot?.call("GET", query, { local: true }))?.json;
    const { worst } = history.series.temperature_celsius;
    const most = Math.max(...worst.map((heat) => heat ?? 0));
    const at = Date.parse(history.start) + (worst.indexOf(most) + 0.5) * 1_800_000;
    const weekday = new Date(at).toLocaleDateString("en", { weekday: "long" });
    assert.equal(await line(page, "Host").innerText(), `highest ${most}\u00a0°C on ${weekday}`);
    assert.match(await line(page, "Clock").innerText(), /^up to 3.2\ss behind on \w+day$/);
    for (const title of ["Clock", "Host"]) {
      const path = (await line(page, title).locator(".plot-line:not(.worst)").getAttribute("d")) ?? "";
      assert.equal(path.split("M").length - 1, 2, "the line has two parts");
      const [field, dot] = [
        await line(page, title).locator(".week-line").boundingBox(),
        await line(page, title).locator(".worst").boundingBox(),
      ];
      assert.ok(field !== null && dot !== null);
      assert.ok(Math.abs(dot.x + dot.width / 2 - field.x - field.width) < 2, "the last point is now");
    }
    assert.equal(calls.filter((one) => one === "/api/history").length, 1);
  });

  it("says when the disk will be full, where it fills steadily", async () => {
    const { page } = await see(filling);
    assert.equal(await line(page, "Host").innerText(), "Disk: full in about 12 days");
    const german = await see(filling, { language: "de" });
    assert.equal(await line(german.page, "Gerät").innerText(), "Datenträger: voll in etwa 12 Tagen");
  });

  it("leads to the history, as the rest of its tile leads to the tile's page", async () => {
    const { page } = await see(hot);
    await line(page, "Host").locator(".week-line").click();
    await page.waitForURL("**/system/history");
    await page.locator(".plot").first().waitFor();
    await page.goBack();
    await line(page, "Host").locator("a").focus();
    const outlined = () =>
      page.locator(".tile").evaluateAll((all) => all.map((one) => getComputedStyle(one).outlineStyle));
    assert.deepEqual(new Set(await outlined()), new Set(["none"]), "the line has the keyboard, not the tile");
    const box = await line(page, "Host").boundingBox();
    assert.ok(box !== null);
    await page.mouse.click(box.x + 40, box.y + box.height + 8);
    await page.waitForURL((url) => url.pathname === "/system");
  });

  it("moves nothing when it comes", async () => {
    for (const width of [1440, 390]) {
      const { page } = await browser.open(hot as RunningAgent, { width, height: 844 });
      let letGo: (value?: unknown) => void = () => undefined;
      const held = new Promise((resolve) => {
        letGo = resolve;
      });
      await page.route("**/api/history?*", (route) => held.then(() => route.continue()));
      await signIn(page, "admin");
      const place = () => page.locator(".tiles + *").boundingBox();
      await page.locator(".week").first().waitFor({ state: "attached" });
      await page.locator(".tiles + *").waitFor();
      const first = await place();
      letGo();
      await page.locator(".week-line").nth(1).waitFor();
      assert.deepEqual(await place(), first, `${width} pixels`);
    }
  });

  it("is left out where its file is gone, and the page is whole without it", async () => {
    const { page } = await browser.open(hot as RunningAgent);
    let refused = 0;
    const gone = (route: Route) => {
      refused += 1;
      return route.fulfill({ status: 404 });
    };
    await page.route("**/assets/history-*.js", gone);
    await signIn(page, "admin");
    await page.locator(".verdict").waitFor();
    await until("it was asked for", () => refused > 0);
    assert.equal(await page.locator(".tile").count(), 4);
    assert.equal(await page.locator(".week-line").count(), 0);
    assert.equal(await page.getByText("Something went wrong").count(), 0);
  });

  for (const scheme of ["light", "dark"] as const)
    it(`fits windows of 320 to 1440 pixels, ${scheme}, and axe-core finds nothing`, async () => {
      for (const [name, agent] of [
        ["hot", hot],
        ["filling", filling],
      ] as const) {
        const { page } = await see(agent, { scheme, language: scheme === "dark" ? "de" : "en" });
        for (const width of [1440, 1280, 390, 360, 320]) {
          await page.setViewportSize({ width, height: 844 });
          await assertReads(page);
          await picture(page, `home-week-${name}-${scheme}-${width}`);
        }
        assert.deepEqual(await axe(page), []);
        await page.emulateMedia({ forcedColors: "active" });
        // Chromium says the colours of before.
        assert.deepEqual(await axe(page, ["color-contrast"]), []);
        await picture(page, `home-week-${name}-${scheme}-forced`);
        await page.emulateMedia({ forcedColors: "none", media: "print" });
        await picture(page, `home-week-${name}-${scheme}-print`);
      }
    });
});

describe("the week on a tile of a device that is new", () => {
  const ending = endOfConsole();

  it("is a word until there are figures", async () => {
    const { agent, browser } = await startLightConsole(ending, () => startAgentInProcess());
    const page = await browser.signedIn(agent, "admin");
    for (const title of ["Clock", "Host"]) await line(page, title).getByText("No readings yet.").waitFor();
  });
});
