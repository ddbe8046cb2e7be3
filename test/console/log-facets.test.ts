import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startAgentWithJournal } from "../../lab/agents/agent-with-journal.ts";
import { startBrowser, type TestBrowser, untilDrawn, untilFocused } from "../../lab/console/browser.ts";
import { lightConsoleOf } from "../../lab/console/light/light-browser.ts";
import { assertFits, axe, brokenText, picture } from "../../lab/console/page-checks.ts";
import { type Fields, ownFields } from "../../lab/host/journal.ts";
import { levelsOf, unitsOf } from "../../src/console/system/logs/log-facets.ts";

const longName = "modbus-gateway-with-a-very-long-name.service";

const units = {
  "steward.service": { notice: 300 },
  "nginx.service": { err: 2, crit: 1, info: 50 },
  "pump.service": { warning: 4, info: 6 },
};

describe("the levels that are offered", () => {
  it("are those that tell lines apart, each with the lines of graver ones", () => {
    const chosen = { unit: "", priority: "" };
    const expected = [
      ...[
        { level: "crit", count: 1 },
        { level: "err", count: 3 },
      ],
      ...[
        { level: "warning", count: 7 },
        { level: "notice", count: 307 },
      ],
    ];
    assert.deepEqual(levelsOf(units, chosen), expected, "all lines are of info and worse");
    assert.deepEqual(levelsOf({}, chosen), []);
    assert.deepEqual(levelsOf({ "a.service": { notice: 1 } }, chosen), []);
  });

  it("are those of the chosen unit, and the chosen level whatever it has", () => {
    const expected = [{ level: "warning", count: 4 }];
    assert.deepEqual(levelsOf(units, { unit: "pump.service", priority: "" }), expected);
    assert.deepEqual(levelsOf(units, { unit: "steward.service", priority: "err" }), [
      { level: "err", count: 0 },
    ]);
    assert.deepEqual(levelsOf(units, { unit: "gone.service", priority: "" }), []);
  });
});

describe("the units that are offered", () => {
  const found = (unit: string, priority: string) =>
    unitsOf(units, { unit, priority }).map((one) => `${one.unit} ${one.count} ${one.errors}`);

  it("have those with errors first, then those with most lines", () => {
    assert.deepEqual(found("", ""), ["nginx.service 53 3", "steward.service 300 0", "pump.service 10 0"]);
  });

  it("have the lines of the chosen level, in the same order, but for those without any", () => {
    assert.deepEqual(found("", "notice"), ["nginx.service 3 3", "steward.service 300 0", "pump.service 4 0"]);
    assert.deepEqual(found("pump.service", "err"), ["nginx.service 3 3", "pump.service 0 0"]);
    assert.deepEqual(found("gone.service", "err"), ["nginx.service 3 3", "gone.service 0 0"]);
  });
});

const of = (unit: string, PRIORITY: string, MESSAGE: string): Fields => ({
  ...{ _SYSTEMD_UNIT: unit, PRIORITY, MESSAGE, SYSLOG_IDENTIFIER: "program", _PID: "12" },
});

/** The services of a small device, two of which have errors. */
const entries: readonly Fields[] = [
  ...Array.from({ length: 60 }, (_, index) => ownFields({ severity: "notice", message: `kept ${index}` })),
  ...Array.from({ length: 9 }, (_, index) => of("nginx.service", "6", `GET /${index}`)),
  of("nginx.service", "3", "upstream refused the connection"),
  of("nginx.service", "2", "no upstream is left"),
  of("pump.service", "4", "pressure is high"),
  of("pump.service", "5", "pressure is right"),
  of(longName, "3", "bus is down"),
];

describe("the facets of the log", () => {
  const start = () => startAgentWithJournal(ending, entries, ["nginx.service", "pump.service", longName]);
  const { agent, browser, ending } = lightConsoleOf(start);
  let chromium: TestBrowser;

  const chips = (page: Page) => page.locator(".log-facets button").allInnerTexts();
  const lines = (page: Page) => page.getByRole("log").locator("summary .log-text").allInnerTexts();
  const chip = (page: Page, name: string | RegExp) =>
    page.locator(".log-facets").getByRole("button", { name });

  it("count levels and services of all lines, those with errors first", async () => {
    const page = await browser.signedIn(agent, "readonly", "/system/logs");
    await chip(page, "error and worse 3").waitFor();
    assert.deepEqual(await chips(page), [
      ...["critical and worse 1", "error and worse 3", "warning and worse 4", "notice and worse 65"],
      ...["nginx 11", "2", "modbus-gateway-with-a-very-long-name 1", "1", "steward 60", "pump 2"],
    ]);
    await page.getByText(/^Counted at \d\d?:\d\d/).waitFor();
  });

  it("show the errors of a service by one click, which another takes back", async () => {
    const page = await browser.signedIn(agent, "readonly", "/system/logs");
    const errors = chip(page, "nginx: 2 errors");
    await errors.click();
    await page.waitForURL(/\?unit=nginx\.service&priority=err$/);
    await page.getByText("2 lines", { exact: true }).waitFor();
    assert.deepEqual(await lines(page), ["upstream refused the connection", "no upstream is left"]);
    assert.equal(await errors.getAttribute("aria-pressed"), "true");
    assert.deepEqual(await chips(page), [
      ...["critical and worse 1", "error and worse 2"],
      ...["nginx 2", "2", "modbus-gateway-with-a-very-long-name 1"],
    ]);
    await errors.click();
    await page.waitForURL(/\/system\/logs$/);
    await page.getByText(/^7\d lines$/).waitFor();
  });

  it("narrow by a level and a service, in the page's address, and keep the other filters", async () => {
    const page = await browser.signedIn(agent, "readonly", "/system/logs?q=pressure");
    await chip(page, "warning and worse 1").click();
    await chip(page, "pump 1").click();
    await page.waitForURL(/\?q=pressure&priority=warning&unit=pump\.service$/);
    await page.getByText("1 line", { exact: true }).waitFor();
    assert.deepEqual(await lines(page), ["pressure is high"]);
    await page.getByLabel("Text").fill("nothing has this");
    await page.getByText("No line matches").waitFor();
    await chip(page, "pump 0").click();
    await chip(page, "warning and worse 0").click();
    await page.locator(".log-facets button").first().waitFor({ state: "detached" });
  });

  it("count again when they are asked to", async () => {
    const page = await browser.signedIn(agent, "readonly", "/system/logs");
    const again = page.getByRole("button", { name: "Count again" });
    await again.waitFor();
    const asked = page.waitForRequest("**/api/logs/counts");
    await again.click();
    await asked;
  });

  it("and a lower window, as a phone's keyboard makes it, leave the newest line in sight", async () => {
    chromium = await startBrowser(ending);
    const page = await chromium.signedIn(agent, "readonly", "/system/logs", { height: 1400 });
    const log = page.getByRole("log");
    await log.getByText("bus is down").waitFor();
    await chip(page, "nginx: 2 errors").waitFor();
    const heightOf = async () => (await log.boundingBox())?.height ?? 0;
    const before = await heightOf();
    await page.setViewportSize({ width: 1280, height: 1000 });
    assert.ok((await heightOf()) < before, "the log takes what is left of the window");
    await untilDrawn(page);
    // At once, for the next line that comes would bring it into sight too.
    assert.ok(await log.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight < 24));
  });

  it("are beside lines whose time is on one line and whose service can be read, in German too", async () => {
    const page = await chromium.signedIn(agent, "readonly", "/system/logs", {
      language: "de-DE",
      width: 1440,
    });
    const log = page.getByRole("log");
    await log.getByText("bus is down").waitFor();
    // In one look: lines come and go between two.
    const [times, services] = await log.evaluate((box) =>
      ["time", ".log-unit"].map((part) => [...box.querySelectorAll(part)].map((one) => one.clientHeight)),
    );
    assert.deepEqual(times, services, "a service is on one line");
    await page.setViewportSize({ width: 320, height: 740 });
    assert.deepEqual(await brokenText(page), []);
  });

  it("are sound to look at: by light, by night, and on a phone, where each row scrolls", async () => {
    const page = await chromium.signedIn(agent, "readonly", "/system/logs");
    await chip(page, "nginx: 2 errors").waitFor();
    for (const [look, colorScheme, width] of [
      ["light", "light", 1440],
      ["dark", "dark", 1024],
      ["phone", "light", 320],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      assert.deepEqual(await axe(page), [], look);
      await assertFits(page);
      await picture(page, `log-facets-${look}`);
    }
    const last = chip(page, /^pump/);
    await last.focus();
    await untilFocused(last);
    const { x, width } = (await last.boundingBox()) ?? { x: -1, width: 0 };
    assert.ok(x >= 0 && x + width <= 320, "the keyboard brings a chip into sight");
  });
});
