import assert from "node:assert/strict";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { until } from "../../lab/basics/until.ts";
import { addUsers, endOfConsole, signIn, untilShown } from "../../lab/console/browser.ts";
import { lightBrowser } from "../../lab/console/light/light-browser.ts";
import { assertReads, looks } from "../../lab/console/page-checks.ts";
import { change, openLog, refusal } from "../../lab/state/event-directory.ts";
import { agentEvent } from "../../src/journal/events/event.ts";

const day = 86_400_000;
const minute = 60_000;

/** Days of the record before today. */
const days = 21;

describe("the timeline of a device that runs for weeks", () => {
  const ending = endOfConsole();
  const { looks: kept } = ending;
  let agent: RunningAgent;
  before(async () => {
    const stateDirectory = join(await temporaryDirectory(ending), "state");
    const first = await startAgentInProcess({ stateDirectory });
    ending.after(() => first.dispose());
    await first.stop();
    await addWeeks(join(stateDirectory, "events"));
    agent = await startAgentInProcess({ stateDirectory });
    ending.after(() => agent.dispose());
    await addUsers(agent);
  });

  /** Each day a change for each third of the day, an update, and three refused sign-ins; a clock that went back. */
  async function addWeeks(directory: string): Promise<void> {
    const midnight = new Date().setHours(0, 0, 0, 0);
    const clock = { at: 0 };
    const { events } = await openLog(ending, {
      directory,
      now: () => new Date(clock.at),
      refusalKinds: 1_000,
    });
    for (let age = days; age > 0; age -= 1) {
      // Two days before this one the clock went back by five hours.
      for (let third = 0; third < 1 + (age % 3); third += 1) {
        clock.at = midnight - age * day + (8 + 3 * third) * 60 * minute;
        await events.record(change(`user-${age}-${third}`, { enabled: true }));
      }
      for (let time = 0; time < age % 4; time += 1) {
        clock.at += 20 * minute;
        events.refuse(refusal(`192.0.2.${4 * age + time}`), "invalid_credentials");
      }
      if (age === 2) clock.at -= 5 * 60 * minute;
      if (age % 5 === 2)
        await events.record(agentEvent("clock.source_changed", { from: null, to: `ntp${age}` }));
    }
    await events.close();
  }

  it("has a bar and a head for each day, folds what repeats with its span, and marks where the clock went back", async () => {
    const { page } = await lightBrowser(ending).open(agent, {});
    await signIn(page, "admin", "/system/events");
    const bars = page.getByRole("slider", { name: "Events over time" });
    await until("a bar for each of 30 days", async () => (await bars.getAttribute("max")) === "29");
    const heads = page.locator(".timeline-day h3");
    await until("all days are read", async () => (await heads.count()) > 3);
    await page.locator(".timeline-back").getByText("Here the clock was set back, by 5 h at least").waitFor();
    // Day 3 has three refusals, twenty minutes apart.
    await untilShown(
      page
        .locator(".run-times")
        .getByText(/^3 ×, \d\d:\d\d – \d\d:\d\d$/)
        .first(),
    );
    assert.ok((await page.locator(".timeline-run .badge.attention").count()) > 2, "refusals are marked");
    for (const [look, colorScheme, width] of looks) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      kept.keep(page, `events-weeks-${look}`, assertReads);
    }
  });
});
