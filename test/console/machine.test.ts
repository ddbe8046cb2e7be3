import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { heldPort } from "../../lab/basics/held-ports.ts";
import { until } from "../../lab/basics/until.ts";
import {
  endOfConsole,
  signIn,
  startBrowser,
  type TestBrowser,
  untilShown,
} from "../../lab/console/browser.ts";
import { startLightConsole } from "../../lab/console/light/light-browser.ts";
import { Looks } from "../../lab/console/light/looks.ts";
import { assertFits } from "../../lab/console/page-checks.ts";
import type { HostIdentity, RootOrder } from "../../src/host/ports.ts";

describe("the console's view of the machine", () => {
  const ending = endOfConsole();
  const looks = new Looks();
  const orders: RootOrder[] = [];
  let hostname = "edge";
  let boots = 1;
  const identity: HostIdentity = {
    ...{ deviceId: "a".repeat(32), isLasting: true, os: "Linux", kernel: "6", arch: "x64" },
    get bootId() {
      return `boot-${boots}`;
    },
    get hostname() {
      return hostname;
    },
  };
  let zone = "UTC";
  const names = {
    timeZone: async () => zone,
    hasTimeZone: async () => true,
    adoptHostName: (name: string) => {
      hostname = name;
    },
    adoptTimeZone: (name: string) => {
      zone = name;
    },
  };
  let agent: RunningAgent;
  let browser: TestBrowser;
  before(async () => {
    const listen = ["--listen", `127.0.0.1:${await heldPort()}`];
    const helper = { ask: async (order: RootOrder) => void orders.push(order), absence: () => null };
    const start = () => startAgentInProcess({ identity, names, helper, arguments: listen });
    ({ agent, browser } = await startLightConsole(ending, start));
  });

  const manage = async (): Promise<Page> => {
    const { page } = await browser.open(agent);
    await signIn(page, "admin", "/system");
    await page.getByRole("button", { name: "Manage" }).click();
    await page.getByRole("dialog").getByLabel("Host name").waitFor();
    return page;
  };

  it("changes the host name and the time zone", async () => {
    const page = await manage();
    const dialog = page.getByRole("dialog");
    looks.keep(page, "machine", async (drawn) => {
      await assertFits(drawn);
      const box = await drawn.getByRole("button", { name: "Factory reset" }).boundingBox();
      const height = drawn.viewportSize()?.height ?? 0;
      assert.ok(box !== null && box.y + box.height < height, "what can be done with it is in view");
    });
    await dialog.getByLabel("Host name").fill("-edge");
    await dialog.getByRole("button", { name: "Save" }).click();
    await untilShown(dialog.getByText("1 to 63 letters, digits and hyphens", { exact: false }));
    await dialog.getByLabel("Host name").fill("pump-7");
    const zone = dialog.getByRole("combobox", { name: "Time zone" });
    await zone.click();
    await untilShown(dialog.getByRole("option", { name: "UTC", selected: true }));
    await zone.fill("no such zone");
    await untilShown(dialog.locator(".combobox").getByText("No match").last());
    await dialog.getByRole("button", { name: "Save" }).click();
    await untilShown(dialog.locator(".error"));
    assert.equal(await zone.inputValue(), "no such zone");
    await zone.fill("eur ber");
    await untilShown(dialog.getByRole("option", { name: "Berlin (Europe)", selected: true }));
    looks.keep(page, "machine-zones", assertFits);
    await page.keyboard.press("Escape");
    await dialog.getByRole("listbox").waitFor({ state: "detached" });
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await until("it is chosen", async () => (await zone.inputValue()) === "Berlin (Europe)");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual(orders.splice(0), [
      { word: "host-name", name: "pump-7" },
      { word: "time-zone", zone: "Europe/Berlin" },
    ]);
    const host = page.getByRole("region", { name: "Host" });
    await untilShown(host.getByText("pump-7"));
    await untilShown(host.getByText("Europe/Berlin"));
  });

  it("restarts it, and waits until another boot answers", async () => {
    const page = await manage();
    await page.getByRole("dialog").getByRole("button", { name: "Restart" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Restart" }).click();
    await untilShown(page.getByText("is restarting"));
    assert.deepEqual(orders.splice(0), [{ word: "reboot" }]);
    boots += 1;
    await untilShown(page.getByText("The device has restarted."));
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  it("says that a device that is switched off has to be switched on by hand", async () => {
    const page = await manage();
    await page.getByRole("dialog").getByRole("button", { name: "Switch off" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Switch off" }).click();
    await untilShown(page.getByText("has to be switched on by hand"));
    assert.deepEqual(orders.splice(0), [{ word: "power-off" }]);
  });

  it("is for administrators alone", async () => {
    const { page } = await browser.open(agent);
    await signIn(page, "operator", "/system");
    await page.getByRole("region", { name: "Host" }).locator("dd", { hasText: "pump-7" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Manage" }).count(), 0);
  });

  // Behind all others: no user is left to sign in.
  it("resets it when its name has been typed, and goes on at the first run", async () => {
    const page = await manage();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Factory reset" }).click();
    const verb = dialog.getByRole("button", { name: "Factory reset" });
    await verb.and(page.locator("[aria-disabled=true]")).waitFor();
    looks.keep(page, "machine-reset");
    await dialog.getByRole("textbox").fill("pump-7");
    await verb.click();
    await untilShown(page.getByLabel("Setup token"));
    const { json } = await agent.call("GET", "/api/console");
    assert.equal(json.setup_required, true);
  });

  it("is sound to look at in a browser, in each state above", async () =>
    looks.judge(await startBrowser(ending)));
});
