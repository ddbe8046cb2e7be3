import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { startAgentWithJournal } from "../../lab/agents/agent-with-journal.ts";
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
      timeZoneFault: () => null,
      timeZoneTrouble: () => null,
      adoptHostName: () => undefined,
      adoptTimeZone: () => undefined,
    };
    ({ agent, browser } = await startLightConsole(ending, () => startAgentInProcess({ names, helper })));
  });

  const home = async (): Promise<Page> => {
    const page = await browser.signedIn(agent, "admin");
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

  it("are 5 for five people, and one more to print their cards", async () => {
    const page = await home();
    const clicks = new Clicks();
    await clicks.on(page.getByRole("link", { name: "Users", exact: true }));
    await clicks.on(page.getByRole("button", { name: "Add user" }));
    await clicks.on(page.getByRole("button", { name: "Add several …" }));
    await page.getByLabel("Lines", { exact: true }).fill("ann,Ann\nbob,Bob,operator\ncay\ndan\neli,Eli");
    await clicks.on(page.getByRole("button", { name: "Add 5 people" }));
    await untilShown(page.getByRole("dialog", { name: "Access for 5 people" }));
    assert.equal(await page.locator(".paper").count(), 5);
    // A document without a browser has no printer.
    await untilShown(page.getByRole("button", { name: "Print" }));
    await clicks.on(page.getByRole("button", { name: "Done" }));
    await untilShown(page.getByRole("link", { name: "eli", exact: true }));
    assert.equal(clicks.count, 5);
  });

  describe("with a colleague", () => {
    const password = "five quite unrelated words here";
    before(async () => {
      const body = { username: "colleague", role: "operator", password };
      assert.equal((await agent.call("POST", "/api/users", { body, local: true })).status, 201);
      const { json } = await agent.call("POST", "/api/auth/login", {
        body: { username: "colleague", password },
      });
      const token = json.access_token;
      const settings = { device: { contact: "the colleague" } };
      assert.equal((await agent.call("PUT", "/api/system", { token, body: settings })).status, 200);
    });

    const colleague = async (clicks: Clicks): Promise<Page> => {
      const page = await home();
      await clicks.on(page.getByRole("link", { name: "Users", exact: true }));
      await clicks.on(page.getByRole("link", { name: "colleague" }));
      return page;
    };

    it("are 2 to what they did in the last week", async () => {
      const clicks = new Clicks();
      const page = await colleague(clicks);
      await untilShown(
        page.getByRole("region", { name: "Last seven days" }).getByText("colleague changed settings"),
      );
      assert.equal(clicks.count, 2);
    });

    it("are 4 for another password", async () => {
      const clicks = new Clicks();
      const page = await colleague(clicks);
      await clicks.on(page.getByRole("button", { name: "Reset password" }));
      const question = page.getByRole("dialog", { name: "Reset password: colleague" });
      await clicks.on(question.getByRole("button", { name: "Reset password" }));
      await untilShown(page.getByText("colleague", { exact: true }).last());
      assert.equal(clicks.count, 4);
    });

    it("are 3 to disable them", async () => {
      const clicks = new Clicks();
      const page = await colleague(clicks);
      await clicks.on(page.getByRole("button", { name: "Disable" }));
      await untilShown(page.locator(".facts").getByText("disabled"));
      assert.equal(clicks.count, 3);
    });
  });

  describe("with a service", () => {
    let opened: () => Promise<Page>;
    before(async () => {
      const line = { _SYSTEMD_UNIT: "pump.service" };
      const entries = [
        { ...line, PRIORITY: "3", MESSAGE: "the pump is dry" },
        { ...line, PRIORITY: "6", MESSAGE: "the pump runs" },
      ];
      const start = () => startAgentWithJournal(ending, entries, ["pump.service"]);
      const logged = await startLightConsole(ending, start);
      opened = async () => {
        const { page } = await logged.browser.open(logged.agent);
        await signIn(page, "admin");
        return page;
      };
    });

    it("are 3 for its errors", async () => {
      const page = await opened();
      const clicks = new Clicks();
      await clicks.on(page.getByRole("link", { name: "System", exact: true }));
      await clicks.on(page.getByRole("link", { name: "Logs", exact: true }));
      await clicks.on(page.getByRole("button", { name: "pump: 1 error" }));
      await untilShown(page.getByText("1 line", { exact: true }));
      await untilShown(page.getByRole("log").getByText("the pump is dry"));
      assert.equal(clicks.count, 3);
    });

    it("are 3 for its log, by way of its state", async () => {
      const page = await opened();
      const clicks = new Clicks();
      await clicks.on(page.getByRole("link", { name: "System", exact: true }));
      await clicks.on(page.getByRole("link", { name: "This device" }));
      await clicks.on(page.getByRole("link", { name: "Logs: pump.service" }));
      await untilShown(page.getByRole("button", { name: /^pump 2$/, pressed: true }));
      await untilShown(page.getByRole("log").getByText("the pump runs"));
      assert.equal(clicks.count, 3);
    });
  });
});
