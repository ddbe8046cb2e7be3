import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { until } from "../../lab/basics/until.ts";
import {
  endOfConsole,
  press,
  sees,
  signIn,
  startBrowser,
  type TestBrowser,
  type WindowOptions,
} from "../../lab/console/browser.ts";
import { lightBrowser, startLightConsole } from "../../lab/console/light/light-browser.ts";
import { answerWith, assertReads, axe, holdAnswers, picture } from "../../lab/console/page-checks.ts";
import { startWeekAgent, week } from "../../lab/console/week.ts";
import { historySeriesNames } from "../../src/contract/figures/history.ts";
import type { History, Status } from "../../src/contract/types.ts";

const day = 86_400_000;

const boxOf = async (place: Locator) => (await place.boundingBox()) ?? assert.fail(`${place} has no box`);
const isNear = (one: number, other: number, about: string) =>
  assert.ok(Math.abs(one - other) < 2, `${about}: ${one}, and not ${other}`);

const nothing = Object.fromEntries(historySeriesNames.map((name) => [name, null]));

/** By light and by night, from a phone to a desk, and in forced colours. */
async function assertLooks(page: Page, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1440, 390, 320]) {
      await page.setViewportSize({ width, height: 844 });
      await assertReads(page);
    }
    assert.deepEqual(await axe(page), [], `${name}, ${colorScheme}`);
    await picture(page, `${name}-${colorScheme}`);
  }
  await page.emulateMedia({ forcedColors: "active" });
  // Chromium says the colours of before.
  assert.deepEqual(await axe(page, ["color-contrast"]), [], `${name}, forced colours`);
}

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

  const see = async (options: WindowOptions = {}, role: "admin" | "readonly" = "admin") => {
    const { page } = await browser.open(agent, options);
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
  const said = async (page: Page) => (await time(page).getAttribute("aria-valuetext")) ?? "";
  const lane = (page: Page, hasText: string) => page.locator(".history-lanes li", { hasText });
  const band = (place: Page | Locator) => place.locator(".plot-band:not(.marked)");
  const line = (place: Locator) => place.locator(".plot-line:not(.worst)");
  const read = (): Promise<History> => agent.read("/api/history?hours=168");
  /** The place of a time in days before now, in CSS pixels of the window. */
  const placeOf = async (page: Page, days: number): Promise<number> => {
    const { x, width } = await boxOf(page.locator(".plot-field"));
    const share = (now - days * day - Date.parse((await read()).start)) / (7 * day + 300_000);
    return x + share * width;
  };

  it("shows when each fault began and ended, as a bar at that time and in words, and the time without power as a gap", async () => {
    const { page } = await see();
    const begin = new Date(now - week.diskLow * day);
    const clock = begin.toLocaleTimeString("en-US", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
    const disk = lane(page, "The disk needs space");
    await sees(disk, new RegExp(clock));
    const field = await boxOf(page.locator(".plot-field"));
    const bar = await boxOf(band(disk));
    isNear(bar.x, await placeOf(page, week.diskLow), "the bar begins");
    isNear(bar.x + bar.width, field.x + field.width, "it lasts");
    const wrong = await boxOf(band(lane(page, "The clock is not trusted")));
    isNear(wrong.x + wrong.width, await placeOf(page, week.clockStepped - 0.01), "it was over");
    for (const [row, days] of [
      ["Restarts", week.restarted],
      ["Clock set", week.clockStepped],
    ] as const) {
      const tick = await boxOf(line(lane(page, row)));
      isNear(tick.x + tick.width / 2, await placeOf(page, days), row);
    }
    // A step is 300 s of a week: less than a pixel.
    const gap = await boxOf(band(page.locator(".history-marks")));
    isNear(gap.x, await placeOf(page, week.powerLost), "the gap begins");
    isNear(gap.x + gap.width, await placeOf(page, week.powerBack), "the gap ends");
    assert.ok(gap.height > 0.9 * field.height, "it is behind all of them");
    const plots = await page.locator(".history-plot").all();
    assert.equal(plots.length, 5);
    for (const plot of plots) {
      const path = (await line(plot).getAttribute("d")) ?? "";
      assert.equal(path.split("M").length - 1, 2, "the line has two parts");
    }
  });

  it("says the figures and the events of the time under the pointer, in one line through all plots", async () => {
    const { page, calls } = await see();
    const asked = calls.length;
    const { start, series } = await read();
    const plot = page.locator(".history-plot").last();
    await plot.scrollIntoViewIfNeeded();
    const [x, box] = [await placeOf(page, week.hot), await boxOf(plot)];
    await page.mouse.move(x, box.y + box.height - 20);
    const step = Math.floor((now - week.hot * day - Date.parse(start)) / 300_000);
    const near = series.temperature_celsius.mean.slice(step - 3, step + 4).map((one) => one?.toFixed(1));
    const shown = /^[\d.]+/.exec(await plot.locator("strong").innerText())?.[0] ?? "";
    assert.ok(near.includes(Number(shown).toFixed(1)), `${shown} is none of ${near}`);
    const [cursor, field] = [
      await boxOf(page.locator(".plot-cursor")),
      await boxOf(page.locator(".plot-field")),
    ];
    isNear(cursor.x, x, "the line");
    assert.ok(cursor.height > 0.9 * field.height, "it is through all of them");
    await page.mouse.move(await placeOf(page, week.updateUndone), box.y + 60);
    await sees(page.locator(".plot-head"), "Rules 2.5.0 was undone");
    assert.equal(calls.length, asked, "nothing is asked for meanwhile");
  });

  it("is moved by a finger, which still scrolls the page, and by the arrow keys, and says all figures to a screen reader", async () => {
    const { page } = await see({ width: 390, height: 844, isTouched: true });
    const plot = page.locator(".history-plot").first();
    await plot.scrollIntoViewIfNeeded();
    const box = await boxOf(plot);
    const [newest] = (await said(page)).split(";");
    await page.touchscreen.tap(box.x + box.width / 3, box.y + box.height - 20);
    await until("it is there", async () => !(await said(page)).startsWith(`${newest};`));
    const action = await page.locator(".plot-field").evaluate((one) => getComputedStyle(one).touchAction);
    assert.equal(action, "pan-y");
    await time(page).focus();
    await page.keyboard.press("End");
    assert.equal((await said(page)).split(";")[0], newest);
    await page.keyboard.press("ArrowLeft");
    const [moment, ...figures] = (await said(page)).split("; ");
    assert.notEqual(moment, newest);
    const named = figures.map((one) => one.split(":")[0]);
    assert.deepEqual(named, ["Clock", "Disk in use", "Memory in use", "Load", "Temperature"]);
    await page.keyboard.press("Home");
    const head = await page.locator(".plot-head strong").innerText();
    assert.equal(head, (await said(page)).split(";")[0]);
  });

  it("is of a day when that is chosen, without another reading of the events, and as a table; without events for a reader", async () => {
    const { page, calls } = await see();
    const eventsRead = () => calls.filter((one) => one.includes("events?")).length;
    assert.equal(eventsRead(), 4, calls.join());
    await press(page, "24 hours");
    await until("it is read", () => calls.some((one) => one.endsWith("hours=24")));
    await page.getByText("As a table").click();
    await until("a row an hour", async () => (await page.getByRole("row").count()) === 25);
    assert.equal(new URL(page.url()).search, "?span=day");
    assert.equal(eventsRead(), 4);
    await press(page, "7 days");
    await page.getByRole("cell", { name: "Rules 2.5.0 was undone" }).waitFor();
    await assertLooks(page, "history");
    const reader = await see({}, "readonly");
    assert.equal(await reader.page.locator(".history-lanes").count(), 0);
    assert.doesNotMatch(reader.calls.join(), /\/events/);
  });
});

/** A device that is well, whose own answers do not say so on every machine that runs the tests. */
function well({ clock, updates, host }: Status): object {
  const at = new Date(Date.now() - 7_200_000).toISOString();
  const last_check = { at, outcome: "ok", code: null, detail: null };
  const size_bytes = 32e9;
  const known = { word: "in_sync", offset_seconds: 0.0004, uncertainty_seconds: 0.0006, source: "ntp1" };
  return {
    ...{ state: "ok", needs: [], device_name: "Branch Hamburg", clock: { ...clock, ...known } },
    updates: { ...updates, summary: { ...updates?.summary, code: "nothing_newer" }, last_check },
    host: {
      ...{ ...host, uptime_seconds: 41 * 86_400, temperature_celsius: 41 },
      disk: { ...host.disk, size_bytes, available_bytes: 0.24 * size_bytes },
    },
  };
}

describe("the history of a young device", () => {
  const ending = endOfConsole();

  it("has the thumb of its time where the line is, though each step is wide", async () => {
    const agent = await startWeekAgent(ending, undefined, (days) => (days * 1_440 < 22 ? {} : nothing));
    const { page } = await (await startBrowser(ending)).open(agent, { width: 1440 });
    await signIn(page, "admin", "/system/history");
    const [slider, line] = [
      await boxOf(page.getByRole("slider", { name: "Time" })),
      page.locator(".plot-cursor"),
    ];
    // The thumb is 16 pixels wide, and at its end for the last step and at its begin for the first.
    for (const [key, x] of [
      ["End", slider.x + slider.width - 8],
      ["Home", slider.x + 8],
    ] as const) {
      await page.getByRole("slider", { name: "Time" }).press(key);
      const { x: left, width } = await boxOf(line);
      isNear(left + width / 2, x, key);
    }
    await assertReads(page);
    await picture(page, "history-young");
  });

  const browser = lightBrowser(ending);

  /** One that has had readings for so many minutes. */
  const see = async (minutes: number): Promise<Page> => {
    const agent = await startWeekAgent(ending, undefined, (days) => (days * 1_440 < minutes ? {} : nothing));
    const page = await browser.signedIn(agent, "admin", "/system/history");
    await page.locator(".plot").first().waitFor();
    return page;
  };
  const steps = async (page: Page) =>
    Number(await page.getByRole("slider", { name: "Time" }).getAttribute("max")) + 1;
  const marks = (page: Page) => page.locator(".plot-field .scale text").allInnerTexts();

  it("shows minutes, says where its readings begin, and offers no span from before", async () => {
    const page = await see(22);
    assert.ok([3, 4, 5].includes(await steps(page)), `${await steps(page)} steps of five minutes`);
    const times = await marks(page);
    assert.ok(times.length > 1 && times.every((one) => /^\d\d?:\d[05]|^\w{3} \d+$/.test(one)), times.join());
    await sees(page, /There are no readings before \w{3}, \w{3} \d+, \d\d:\d\d/);
    assert.equal(await page.getByRole("button", { name: "7 days" }).count(), 0);
    assert.equal(
      await page.locator(".history-lanes li", { hasText: "Clock set" }).count(),
      0,
      "it was days before",
    );
  });

  it("offers the last day of some, and shows no empty week before the first reading", async () => {
    const page = await see(2 * 1_440);
    assert.equal(await page.getByRole("button", { name: "7 days" }).count(), 1);
    assert.ok(Math.abs((await steps(page)) - 576) < 3, `${await steps(page)} steps`);
    const empty = await see(0);
    await sees(empty, "The first readings appear after five minutes.");
    assert.equal(await steps(empty), 1);
    assert.doesNotMatch(await empty.locator("main").innerText(), /no readings before|lighter line/);
  });
});

describe("the week on a tile of Home", () => {
  const ending = endOfConsole();
  let [hot, filling] = [] as unknown as [RunningAgent, RunningAgent];
  let browser: TestBrowser;
  before(async () => {
    hot = await startWeekAgent(ending);
    filling = await startWeekAgent(ending, undefined, (days) => ({ disk_used_ratio: 0.76 - 0.02 * days }));
    browser = await startBrowser(ending);
  });

  const line = (page: Page, title: string) =>
    page.locator(".tile", { has: page.getByRole("heading", { name: title, level: 2 }) }).locator(".week");
  const see = async (agent: RunningAgent, options: WindowOptions = {}) => {
    const { page } = await browser.open(agent, options);
    const calls: string[] = [];
    page.on("request", (request) => calls.push(new URL(request.url()).pathname));
    if (agent === filling) await answerWith(page, "**/api/status", well);
    await signIn(page, "admin");
    await page.locator(".week-line").nth(1).waitFor();
    return { page, calls };
  };

  it("is a line with the gap of the time without power, a dot at its end, and its extreme in words", async () => {
    const { page, calls } = await see(hot);
    const history: History = await hot.read("/api/history?hours=168&step_seconds=1800");
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
        await boxOf(line(page, title).locator(".week-line")),
        await boxOf(line(page, title).locator(".worst")),
      ];
      isNear(dot.x + dot.width / 2, field.x + field.width, "the last point is now");
    }
    assert.equal(calls.filter((one) => one === "/api/history").length, 1);
    await assertLooks(page, "home-week-hot");
  });

  it("says when the disk will be full, where it fills steadily, and leaves no room on a new device", async () => {
    const { page } = await see(filling);
    assert.equal(await line(page, "Host").innerText(), "Disk: full in about 12 days");
    const german = (await see(filling, { language: "de" })).page;
    assert.equal(await line(german, "Gerät").innerText(), "Datenträger: voll in etwa 12 Tagen");
    await assertLooks(german, "home-week-filling");
    const fresh = await startLightConsole(ending, () => startAgentInProcess());
    const empty = await fresh.browser.signedIn(fresh.agent, "admin");
    await empty.locator(".week > [hidden]").nth(1).waitFor({ state: "attached" });
    assert.equal(await empty.locator(".week a").count(), 0);
  });

  it("leads to the history, as the rest of its tile leads to the tile's page", async () => {
    const { page } = await see(hot);
    await line(page, "Host").locator(".week-line").click();
    await page.waitForURL("**/system/history");
    await page.locator(".plot").first().waitFor();
    await page.goBack();
    await line(page, "Host").locator("a").focus();
    const outlined = await page
      .locator(".tile")
      .evaluateAll((all) => all.map((one) => getComputedStyle(one).outlineStyle));
    assert.deepEqual(new Set(outlined), new Set(["none"]), "the line has the keyboard, not the tile");
    const { x, y, height } = await boxOf(line(page, "Host"));
    await page.mouse.click(x + 40, y + height + 8);
    await page.waitForURL((url) => url.pathname === "/system");
  });

  it("moves nothing when it comes, and is left out where its file is gone", async () => {
    for (const width of [1440, 390]) {
      const { page } = await browser.open(hot, { width, height: 844 });
      const letGo = await holdAnswers(page, "**/api/history?*");
      await signIn(page, "admin");
      const place = () => boxOf(page.locator(".tiles + *"));
      await page.locator(".week").first().waitFor({ state: "attached" });
      const first = await place();
      letGo();
      await page.locator(".week-line").nth(1).waitFor();
      assert.deepEqual(await place(), first, `${width} pixels`);
    }
    const { page } = await browser.open(hot);
    await page.route("**/assets/history-*.js", (route) => route.fulfill({ status: 404 }));
    const refused = page.waitForResponse("**/assets/history-*.js");
    await signIn(page, "admin");
    await page.locator(".verdict").waitFor();
    await refused;
    assert.equal(await page.locator(".tile").count(), 3, "updates are not set up");
    assert.equal(await page.locator(".week-line").count(), 0);
    assert.equal(await page.getByText("Something went wrong").count(), 0);
  });
});
