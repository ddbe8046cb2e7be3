import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { endOfConsole, signIn, type TestBrowser, untilShown } from "../../lab/console/browser.ts";
import { startLightConsole } from "../../lab/console/light/light-browser.ts";
import type { RootOrder } from "../../src/host/ports.ts";

/** The clicks of a task that begins at Home; entries into fields are not counted. */
class Clicks {
  count = 0;

  async on(control: Locator): Promise<void> {
    await control.click();
    this.count += 1;
  }
}

describe("the clicks that a task takes from Home", () => {
  const ending = endOfConsole();
  const orders: RootOrder[] = [];
  let agent: RunningAgent;
  let browser: TestBrowser;
  before(async () => {
    const helper = { ask: async (order: RootOrder) => void orders.push(order), absence: () => null };
    const names = {
      timeZone: async () => "UTC",
      hasTimeZone: async () => true,
      adoptHostName: () => undefined,
      adoptTimeZone: () => undefined,
    };
    ({ agent, browser } = await startLightConsole(ending, () => startAgentInProcess({ names, helper })));
  });

  const home = async (): Promise<Page> => {
    const { page } = await browser.open(agent);
    await signIn(page, "admin");
    return page;
  };

  it("are 3 for another time zone", async () => {
    const page = await home();
    const clicks = new Clicks();
    await clicks.on(page.getByRole("link", { name: "System", exact: true }));
    await clicks.on(page.getByRole("link", { name: "This device" }));
    const zone = page.getByRole("combobox", { name: "Time zone" });
    await zone.fill("Berlin (Europe)");
    await untilShown(page.getByRole("option", { name: "Berlin (Europe)", selected: true }));
    await clicks.on(page.getByRole("button", { name: "Save" }));
    await untilShown(page.getByText("Saved", { exact: true }));
    assert.deepEqual(orders, [{ word: "time-zone", zone: "Europe/Berlin" }]);
    assert.equal(clicks.count, 3);
  });
});
