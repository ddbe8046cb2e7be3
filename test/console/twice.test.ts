import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { endOfConsole, type TestBrowser } from "../../lab/console/browser.ts";
import { startLightConsole } from "../../lab/console/light/light-browser.ts";
import { answerWith } from "../../lab/console/page-checks.ts";
import { putTexts } from "../../src/console/catalogue/words.ts";

describe("the hour that a clock shows twice", () => {
  const ending = endOfConsole();
  const zone = process.env.TZ;
  let agent: RunningAgent;
  let browser: TestBrowser;
  before(async () => {
    ({ agent, browser } = await startLightConsole(ending));
  });
  after(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  for (const [of, name, times] of [
    [
      "Berlin",
      "Europe/Berlin",
      {
        "2026-10-24T23:59:59Z": "",
        "2026-10-25T00:30:00Z": " CEST",
        "2026-10-25T01:30:00Z": " CET",
        "2026-10-25T02:00:00Z": "",
      },
    ],
    [
      "Berlin, where an hour is left out",
      "Europe/Berlin",
      { "2026-03-29T00:30:00Z": "", "2026-03-29T01:30:00Z": "" },
    ],
    [
      "New York",
      "America/New_York",
      {
        "2026-11-01T04:59:59Z": "",
        "2026-11-01T05:30:00Z": " GMT-4",
        "2026-11-01T06:30:00Z": " GMT-5",
        "2026-11-01T07:00:00Z": "",
      },
    ],
    [
      "Lord Howe, where it is half an hour",
      "Australia/Lord_Howe",
      { "2026-04-04T14:45:00Z": " GMT+11", "2026-04-04T15:15:00Z": " GMT+10:30" },
    ],
    ["UTC", "UTC", { "2026-10-25T00:30:00Z": "", "2026-10-25T01:30:00Z": "" }],
  ] as const)
    it(`is told apart by its zone in ${of}`, async () => {
      process.env.TZ = name;
      putTexts("en-GB", {});
      const { absoluteTime, zoneOfTwice } = await import("../../src/console/catalogue/formats.ts");
      for (const [at, said] of Object.entries(times)) {
        assert.equal(zoneOfTwice(new Date(at)), said, at);
        assert.ok(absoluteTime(new Date(at)).endsWith(said), at);
      }
    });

  it("is that in the lists of events and of the log", async () => {
    process.env.TZ = "Europe/Berlin";
    const page = await browser.signedIn(agent, "admin", "/", { language: "de" });
    const at = ["2026-10-25T01:30:00.123Z", "2026-10-25T00:30:00.123Z"];
    const atThese = ({ items }: { items: object[] }) => ({
      items: items.slice(0, 2).map((item, index) => ({ ...item, time: at[index] })),
    });
    for (const [path, address, list] of [
      ["/system/events", "**/api/events?*", ".timeline-run time"],
      ["/system/logs", "**/api/logs?*", ".log time"],
    ] as const) {
      await answerWith(page, address, atThese);
      await page.goto(path);
      await page.locator(list).nth(1).waitFor();
      const said = (await page.locator(list).allTextContents()).join();
      assert.match(said, /MEZ/, path);
      assert.match(said, /MESZ/, path);
    }
  });
});
