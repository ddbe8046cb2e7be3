import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startAgentWithJournal } from "../../lab/agents/agent-with-journal.ts";
import { press, startBrowser, untilDrawn } from "../../lab/console/browser.ts";
import { lightConsoleOf } from "../../lab/console/light/light-browser.ts";
import { assertReads, assertSound } from "../../lab/console/page-checks.ts";
import { type Fields, ownFields } from "../../lab/host/journal.ts";
import { levelsOf, unitsOf } from "../../src/console/system/logs/log-facets.ts";

const units = {
  "steward.service": { notice: 300 },
  "nginx.service": { err: 2, crit: 1, info: 50 },
  "pump.service": { warning: 4, info: 6 },
};

describe("the facets that are offered", () => {
  // All lines are of info and worse; each level has the lines of graver ones.
  for (const [name, given, unit, priority, expected] of [
    ["those that tell lines apart", units, "", "", ["crit 1", "err 3", "warning 7", "notice 307"]],
    ["none of nothing", {}, "", "", []],
    ["none of one level", { "a.service": { notice: 1 } }, "", "", []],
    ["those of the chosen unit", units, "pump.service", "", ["warning 4"]],
    ["the chosen one whatever it has", units, "steward.service", "err", ["err 0"]],
    ["none of a unit that is gone", units, "gone.service", "", []],
  ] as const)
    it(`are of levels ${name}`, () => {
      const found = levelsOf(given, { unit, priority }).map(({ level, count }) => `${level} ${count}`);
      assert.deepEqual(found, expected);
    });

  for (const [name, unit, priority, expected] of [
    ["with errors first, then with most lines", "", "", ["nginx 53 3", "steward 300 0", "pump 10 0"]],
    ["with lines of the chosen level", "", "notice", ["nginx 3 3", "steward 300 0", "pump 4 0"]],
    ["without any but the chosen one", "pump.service", "err", ["nginx 3 3", "pump 0 0"]],
    ["and one that is gone but chosen", "gone.service", "err", ["nginx 3 3", "gone 0 0"]],
  ] as const)
    it(`are of units ${name}`, () => {
      const found = unitsOf(units, { unit, priority });
      const texts = found.map((one) => `${one.unit.replace(".service", "")} ${one.count} ${one.errors}`);
      assert.deepEqual(texts, expected);
    });
});

const longName = "modbus-gateway-with-a-very-long-name.service";

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

  const open = (query = ""): Promise<Page> => browser.signedIn(agent, "readonly", `/system/logs${query}`);
  const facets = (page: Page) => page.locator(".log-facets");
  const chips = (page: Page) => facets(page).locator("button").allInnerTexts();
  const lines = (page: Page) => page.getByRole("log").locator("summary .log-text").allInnerTexts();
  const untilCounted = (page: Page, count: string | RegExp) =>
    page.getByText(count, { exact: true }).waitFor();
  const long = "modbus-gateway-with-a-very-long-name 1";

  it("count levels and services of all lines, those with errors first, and show a service's errors by one click, which another takes back", async () => {
    const page = await open();
    const errors = facets(page).getByRole("button", { name: "nginx: 2 errors" });
    await errors.waitFor();
    assert.deepEqual(await chips(page), [
      ...["critical and worse 1", "error and worse 3", "warning and worse 4", "notice and worse 65"],
      ...["nginx 11", "2", long, "1", "steward 60", "pump 2"],
    ]);
    await page.getByText(/^Counted at \d\d?:\d\d/).waitFor();
    await errors.click();
    await page.waitForURL(/\?unit=nginx\.service&priority=err$/);
    await untilCounted(page, "2 lines");
    assert.deepEqual(await lines(page), ["upstream refused the connection", "no upstream is left"]);
    assert.equal(await errors.getAttribute("aria-pressed"), "true");
    assert.deepEqual(await chips(page), ["critical and worse 1", "error and worse 2", "nginx 2", "2", long]);
    await errors.click();
    await page.waitForURL(/\/system\/logs$/);
    await untilCounted(page, /^7\d lines$/);
    const asked = page.waitForRequest("**/api/logs/counts");
    await press(page, "Count again");
    await asked;
  });

  it("narrow by a level and a service, in the page's address, and keep the other filters", async () => {
    const page = await open("?q=pressure");
    await press(facets(page), "warning and worse 1");
    await press(facets(page), "pump 1");
    await page.waitForURL(/\?q=pressure&priority=warning&unit=pump\.service$/);
    await untilCounted(page, "1 line");
    assert.deepEqual(await lines(page), ["pressure is high"]);
    await page.getByLabel("Text").fill("nothing has this");
    await page.getByText("No line matches").waitFor();
    await press(facets(page), "pump 0");
    await press(facets(page), "warning and worse 0");
    await facets(page).locator("button").first().waitFor({ state: "detached" });
  });

  it("leave the newest line in sight in a lower window, and are sound by light, by night and on a phone, in German too", async () => {
    const chromium = await startBrowser(ending);
    const look = { height: 1400, width: 1440, language: "de-DE" };
    const page = await chromium.signedIn(agent, "readonly", "/system/logs", look);
    const log = page.getByRole("log");
    await log.getByText("bus is down").waitFor();
    const last = facets(page).getByRole("button", { name: /^pump/ });
    await last.waitFor();
    // In one look: lines come and go between two.
    const [times, services] = await log.evaluate((box) =>
      ["time", ".log-unit"].map((part) => [...box.querySelectorAll(part)].map((one) => one.clientHeight)),
    );
    assert.deepEqual(times, services, "a service is on one line");
    const heightOf = async () => (await log.boundingBox())?.height ?? 0;
    const before = await heightOf();
    await page.setViewportSize({ width: 1440, height: 1000 });
    assert.ok((await heightOf()) < before, "the log takes what is left of the window");
    await untilDrawn(page);
    // At once, for the next line that comes would bring it into sight too.
    assert.ok(await log.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight < 24));
    for (const [name, colorScheme, width] of [
      ["light", "light", 1440],
      ["dark", "dark", 1024],
      ["phone", "light", 320],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await assertSound(page, `log-facets-${name}`);
    }
    await assertReads(page);
    await last.focus();
    const { x, width } = (await last.boundingBox()) ?? { x: -1, width: 0 };
    assert.ok(x >= 0 && x + width <= 320, "the keyboard brings a chip into sight");
  });
});
