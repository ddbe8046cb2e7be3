import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { until } from "../../lab/basics/until.ts";
import {
  endOfConsole,
  signIn,
  startBrowser,
  type TestBrowser,
  untilShown,
} from "../../lab/console/browser.ts";
import { assertReads, axe, picture } from "../../lab/console/page-checks.ts";
import { startWeekAgent, week } from "../../lab/console/week.ts";
import type { History } from "../../src/contract/types.ts";

const day = 86_400_000;

describe("the history of a device, drawn", () => {
  const ending = endOfConsole();
  let agent: RunningAgent;
  let browser: TestBrowser;
  let now: number;
  before(async () => {
    now = Date.now();
    agent = await startWeekAgent(ending, now / 1_000);
    browser = await startBrowser(ending);
  });

  const see = async (options: Parameters<TestBrowser["open"]>[1] & { role?: "admin" | "readonly" } = {}) => {
    const { role = "admin", ...look } = options;
    const { page } = await browser.open(agent, look);
    const calls: string[] = [];
    page.on("request", (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.startsWith("/api/")) calls.push(pathname + search);
    });
    await signIn(page, role, "/system/history");
    await page.locator(".plot").first().waitFor();
    return { page, calls };
  };

  const time = (page: Page) => page.getByRole("slider", { name: "Time" });

  /** The place of a time in days before now, in CSS pixels of the window. */
  const placeOf = async (page: Page, days: number) => {
    const { start } = await read();
    const box = await page.locator(".plot-field").boundingBox();
    assert.ok(box !== null);
    const share = (now - days * day - Date.parse(start)) / (7 * day + 300_000);
    return { x: box.x + share * box.width, width: box.width, left: box.x };
  };

  const read = async (): Promise<History> =>
    (await agent.call("GET", "/api/history?hours=168", { local: true })).json;

  it("shows when each fault began and ended, as a bar at that time and in words", async () => {
    const { page } = await see();
    const begin = new Date(now - week.diskLow * day).toLocaleString("en-US", {
      ...{ weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" },
      hourCycle: "h23",
    });
    const disk = page.locator(".history-lanes li", { hasText: "The disk needs space" });
    const said = (await disk.innerText()).replaceAll(/\s+/g, " ");
    assert.ok(said.includes(begin.replace(/^.*?(?=\d\d:)/, "")), `${said} does not say ${begin}`);
    const bar = await disk.locator(".plot-band:not(.marked)").boundingBox();
    const { x, left, width } = await placeOf(page, week.diskLow);
    assert.ok(bar !== null && Math.abs(bar.x - x) < 2, `the bar begins at ${bar?.x}, and not at ${x}`);
    assert.ok(Math.abs(bar.x + bar.width - left - width) < 2, "it lasts");
    const clock = page.locator(".history-lanes li", { hasText: "The clock is not trusted" });
    const wrong = await clock.locator(".plot-band:not(.marked)").boundingBox();
    const end = await placeOf(page, week.clockStepped - 0.01);
    assert.ok(wrong !== null && Math.abs(wrong.x + wrong.width - end.x) < 2, "it was over then");
    for (const [row, days] of [
      ["Restarts", week.restarted],
      ["Clock set", week.clockStepped],
    ] as const) {
      const tick = page.locator(".history-lanes li", { hasText: row }).locator(".plot-line:not(.worst)");
      const box = await tick.boundingBox();
      const { x } = await placeOf(page, days);
      assert.ok(box !== null && Math.abs(box.x + box.width / 2 - x) < 2, row);
    }
  });

  it("shows the time without power as a gap in every line", async () => {
    const { page } = await see();
    const plots = page.locator(".history-plot");
    assert.equal(await plots.count(), 5);
    const [low, high] = [await placeOf(page, week.powerLost), await placeOf(page, week.powerBack)];
    // A step is 300 s of a week: less than a pixel.
    const gap = await page.locator(".history-marks .plot-band:not(.marked)").boundingBox();
    assert.ok(gap !== null && Math.abs(gap.x - low.x) < 2 && Math.abs(gap.x + gap.width - high.x) < 2);
    const field = await page.locator(".plot-field").boundingBox();
    assert.ok(field !== null && gap.height > 0.9 * field.height, "it is behind all of them");
    for (const plot of await plots.all()) {
      const path = (await plot.locator(".plot-line:not(.worst)").getAttribute("d")) ?? "";
      assert.equal(path.split("M").length - 1, 2, "the line has two parts");
    }
  });

  it("says the figures and the events of the time under the pointer, in one line through all plots", async () => {
    const { page, calls } = await see();
    const asked = calls.length;
    const { start, series } = await read();
    const { x } = await placeOf(page, week.hot);
    await page.locator(".history-plot").last().scrollIntoViewIfNeeded();
    const box = await page.locator(".history-plot").last().boundingBox();
    assert.ok(box !== null);
    await page.mouse.move(x, box.y + box.height - 20);
    const step = Math.floor((now - week.hot * day - Date.parse(start)) / 300_000);
    const near = series.temperature_celsius.mean.slice(step - 3, step + 4).map((one) => one?.toFixed(1));
    const heat = page.locator(".history-plot").last().locator("strong");
    const shown = /^[\d.]+/.exec(await heat.innerText())?.[0] ?? "";
    assert.ok(near.includes(Number(shown).toFixed(1)), `${shown} is none of ${near}`);
    const cursor = await page.locator(".plot-cursor").boundingBox();
    const field = await page.locator(".plot-field").boundingBox();
    assert.ok(cursor !== null && field !== null && Math.abs(cursor.x - x) < 2);
    assert.ok(cursor.height > 0.9 * field.height, "it is through all of them");
    const undone = await placeOf(page, week.updateUndone);
    await page.mouse.move(undone.x, box.y + 60);
    await untilShown(page.locator(".plot-head", { hasText: "pump-rules 2.5.0 was undone" }));
    assert.equal(calls.length, asked, "nothing is asked for meanwhile");
  });

  it("is moved by a finger, which still scrolls the page", async () => {
    const { page } = await see({ width: 390, height: 844, isTouched: true });
    const plot = page.locator(".history-plot").first();
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox();
    assert.ok(box !== null);
    const before = await time(page).getAttribute("aria-valuetext");
    await page.touchscreen.tap(box.x + box.width / 3, box.y + box.height - 20);
    await until("it is there", async () => (await time(page).getAttribute("aria-valuetext")) !== before);
    const action = await page.locator(".plot-field").evaluate((one) => getComputedStyle(one).touchAction);
    assert.equal(action, "pan-y");
    assert.deepEqual(await axe(page), []);
  });

  it("is moved by the arrow keys, and says all figures to a screen reader", async () => {
    const { page } = await see();
    await time(page).focus();
    const said = async () => (await time(page).getAttribute("aria-valuetext")) ?? "";
    const [newest] = (await said()).split(";");
    await page.keyboard.press("ArrowLeft");
    const [moment, ...figures] = (await said()).split("; ");
    assert.notEqual(moment, newest);
    assert.deepEqual(
      figures.map((one) => one.split(":")[0]),
      ["Clock", "Disk in use", "Memory in use", "Load", "Temperature"],
    );
    await page.keyboard.press("End");
    assert.equal((await said()).split(";")[0], newest);
    await page.keyboard.press("Home");
    const head = page.locator(".plot-head strong");
    assert.equal(await head.innerText(), (await said()).split(";")[0]);
  });

  it("is of a day when that is chosen, without another reading of the events, and as a table", async () => {
    const { page, calls } = await see();
    const week = calls.filter((one) => /history|events\?/.test(one));
    assert.equal(week.length, 5, week.join());
    await page.getByRole("button", { name: "24 hours" }).click();
    await until("it is read", () => calls.some((one) => one.endsWith("hours=24")));
    await page.getByText("As a table").click();
    await until("a row an hour", async () => (await page.getByRole("row").count()) === 25);
    assert.equal(new URL(page.url()).search, "?span=day");
    assert.equal(calls.filter((one) => one.includes("events?")).length, 4);
    await page.getByRole("button", { name: "7 days" }).click();
    await untilShown(page.getByRole("cell", { name: "pump-rules 2.5.0 was undone" }));
    assert.deepEqual(await axe(page), []);
  });

  it("asks for no event for a reader, who may not see them", async () => {
    const { page, calls } = await see({ role: "readonly" });
    assert.equal(await page.locator(".history-lanes").count(), 0);
    assert.equal(await page.locator(".history-plot").count(), 5);
    assert.deepEqual(
      calls.filter((one) => one.includes("/events")),
      [],
    );
  });

  for (const scheme of ["light", "dark"] as const)
    it(`fits windows of 320 to 1440 pixels, ${scheme}, and axe-core finds nothing`, async () => {
      const { page } = await see({ scheme });
      for (const width of [1440, 390, 320]) {
        await page.setViewportSize({ width, height: 844 });
        await assertReads(page);
        await picture(page, `history-${scheme}-${width}`);
      }
      assert.deepEqual(await axe(page), []);
      await page.emulateMedia({ forcedColors: "active" });
      // Chromium says the colours of before.
      assert.deepEqual(await axe(page, ["color-contrast"]), []);
      await picture(page, `history-${scheme}-forced`);
    });
});
