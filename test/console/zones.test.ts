import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import {
  consoleOf,
  endOfConsole,
  sees,
  signIn,
  type TestBrowser,
  untilThereAre,
  type WindowOptions,
} from "../../lab/console/browser.ts";
import { startLightConsole } from "../../lab/console/light/light-browser.ts";
import { answerWith, assertSound } from "../../lab/console/page-checks.ts";

const note = (page: Page) => page.locator("main p.hint", { hasText: /time zone|Zeitzone/ });
const titles = (page: Page, times: string) =>
  page
    .locator(times)
    .evaluateAll((all) => all.map((one) => [one.getAttribute("datetime"), one.getAttribute("title")]));

/** A device in a time zone without summer time, five and a half hours before UTC. */
const inKolkata = (page: Page, time_zone = "Asia/Kolkata") =>
  answerWith(page, "**/api/status", { time_zone });

describe("a browser in another time zone than the device", () => {
  const ending = endOfConsole();
  const zone = process.env.TZ;
  let agent: RunningAgent;
  let browser: TestBrowser;
  before(async () => {
    // Without summer time as well, seven hours behind UTC.
    process.env.TZ = "America/Phoenix";
    ({ agent, browser } = await startLightConsole(ending, () => startAgentInProcess()));
  });
  after(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  const see = async (path: string, timeZone?: string, options: WindowOptions = {}): Promise<Page> => {
    const { page } = await browser.open(agent, options);
    await inKolkata(page, timeZone);
    await signIn(page, "admin", path);
    return page;
  };

  for (const [path, times] of [
    ["/system/events", ".timeline-run time"],
    ["/system/logs", ".log time"],
    ["/users", "main time"],
    ["/account?open=sessions", ".entries time"],
  ] as const)
    it(`is told both times by each time of ${path}, and whose the clock times are`, async () => {
      const page = await see(path);
      // The status names the zone, and may come behind the list.
      await page.locator(`${times}[title*="="]`).first().waitFor();
      const all = await titles(page, times);
      for (const [at, title] of all) {
        const said = (timeZone: string) =>
          new Date(at ?? "").toLocaleString("en-US", {
            timeZone,
            dateStyle: "medium",
            timeStyle: "medium",
            hourCycle: "h23",
          });
        assert.equal(title, `${said("America/Phoenix")} = ${said("Asia/Kolkata")} (Asia/Kolkata)`);
      }
      const isOfClockTimes = path.startsWith("/system");
      await untilThereAre(isOfClockTimes ? 1 : 0, note(page));
      const words = "Times are in this browser's time zone, UTC-7; the device is in Asia/Kolkata, UTC+5:30.";
      if (isOfClockTimes) assert.equal(await note(page).innerText(), words);
    });

  it("is told so in its language, and in an exported event by RFC 3339", async () => {
    const page = await see("/system/events", undefined, { language: "de" });
    await sees(
      note(page),
      "Zeiten in der Zeitzone dieses Browsers, UTC-7; die des Geräts ist Asia/Kolkata, UTC+5:30.",
    );
    const { items } = await agent.read("/api/events?limit=1");
    assert.match(items[0]?.time ?? "", /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  it("is told nothing more where the offset is the same, or the browser does not know the zone", async () => {
    for (const timeZone of ["America/Hermosillo", "Mars/Olympus_Mons"]) {
      const page = await see("/system/events", timeZone);
      await page.locator(".timeline-run time").first().waitFor();
      assert.equal(await note(page).count(), 0, timeZone);
      for (const [, title] of await titles(page, ".timeline-run time")) assert.doesNotMatch(title ?? "", /=/);
    }
  });
});

describe("a browser of Chromium in another time zone", () => {
  const { agent, browser } = consoleOf();

  it("says so on a phone and at a desk, by day and by night", async () => {
    for (const [path, width, scheme, language] of [
      ["/system/events", 390, "light", "en"],
      ["/system/logs", 1440, "dark", "de"],
    ] as const) {
      const { page } = await browser.open(agent, {
        width,
        height: 844,
        scheme,
        language,
        timeZone: "America/St_Johns",
      });
      await inKolkata(page);
      await signIn(page, "admin", path);
      await sees(note(page), "UTC-");
      await page.locator("main time").first().waitFor();
      await assertSound(page, `zones-${width}`);
    }
  });
});
