import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { heldPort } from "../../lab/basics/held-ports.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import { endOfConsole, type TestBrowser, untilFocused, untilShown } from "../../lab/console/browser.ts";
import { startLightConsole } from "../../lab/console/light/light-browser.ts";
import { assertFits } from "../../lab/console/page-checks.ts";
import type { Role } from "../../src/contract/types.ts";
import type { HostIdentity, RootOrder } from "../../src/host/ports.ts";

describe("the console's view of the machine", () => {
  const ending = endOfConsole();
  const { looks } = ending;
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
  const scratch = scratchDirectory();
  let zone = "UTC";
  const names = {
    timeZone: async () => zone,
    timeZoneFault: () => null,
    timeZoneTrouble: () => null,
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
    const hostFile = join(scratch, "etc/steward.json");
    mkdirSync(dirname(hostFile), { mode: 0o755 });
    const plan = { unit: "pump.service", health: { command: ["/usr/bin/true"] } };
    const named = { log_units: ["pump-web.service", "pump.service"], update: { rules: plan } };
    writeFileSync(hostFile, JSON.stringify({ product: "pump-7", ...named }));
    const listen = ["--host-file", hostFile, "--listen", `127.0.0.1:${await heldPort()}`];
    const helper = { ask: async (order: RootOrder) => void orders.push(order), absence: () => null };
    const start = () => startAgentInProcess({ identity, names, helper, arguments: listen });
    ({ agent, browser } = await startLightConsole(ending, start));
  });

  const opened = async (role: Role = "admin", address = "/system/device"): Promise<Page> => {
    const page = await browser.signedIn(agent, role, address);
    await page.getByRole("region", { name: "Identity" }).getByText("Time zone").waitFor();
    return page;
  };

  const named = (body: object) => agent.call("PUT", "/api/system", { body: { device: body }, local: true });

  it("changes the host name and the time zone", async () => {
    const page = await opened();
    const form = page.getByRole("region", { name: "Identity" });
    looks.keep(page, "machine", assertFits);
    await untilShown(form.locator("[type=submit][aria-disabled=true]"));
    await form.getByLabel("Host name").fill("-edge");
    await form.getByRole("button", { name: "Save" }).click();
    await untilShown(form.getByText("1 to 63 letters, digits and hyphens", { exact: false }));
    await form.getByLabel("Host name").fill("pump-7");
    const zone = form.getByRole("combobox", { name: "Time zone" });
    await zone.click();
    await untilShown(form.getByRole("option", { name: "UTC", selected: true }));
    await zone.fill("no such zone");
    await untilShown(form.locator(".combobox").getByText("No match").last());
    await form.getByRole("button", { name: "Save" }).click();
    await untilShown(form.locator(".error"));
    assert.equal(await zone.inputValue(), "no such zone");
    await zone.fill("eur ber");
    await untilShown(form.getByRole("option", { name: "Berlin (Europe)", selected: true }));
    looks.keep(page, "machine-zones", assertFits);
    await page.keyboard.press("Escape");
    await form.getByRole("listbox").waitFor({ state: "detached" });
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await until("it is chosen", async () => (await zone.inputValue()) === "Berlin (Europe)");
    await form.getByRole("button", { name: "Save" }).click();
    await untilShown(page.getByText("Saved", { exact: true }));
    assert.deepEqual(orders.splice(0), [
      { word: "host-name", name: "pump-7" },
      { word: "time-zone", zone: "Europe/Berlin" },
    ]);
    await page.getByRole("link", { name: "Overview" }).click();
    const host = page.getByRole("region", { name: "Host" });
    await untilShown(host.getByText("pump-7"));
    await untilShown(host.getByText("Europe/Berlin"));
  });

  it("changes name and place with one button, and keeps what was typed until it is discarded", async () => {
    const page = await opened("operator");
    const form = page.getByRole("region", { name: "Identity" });
    await form.getByLabel("Device name").fill(" Pump house ");
    await form.getByLabel("Location").fill("typed\u0007");
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("button", { name: "Stay" }).click();
    await form.getByRole("button", { name: "Save" }).click();
    await untilShown(form.getByText("One line of text"));
    await form.getByRole("button", { name: "Discard" }).click();
    assert.equal(await form.getByLabel("Location").inputValue(), "");
    await form.getByLabel("Device name").fill(" Pump house ");
    await form.getByLabel("Location").fill("Hall 3");
    await form.getByRole("button", { name: "Save" }).click();
    await untilShown(page.getByText("Saved", { exact: true }));
    const { json } = await agent.call("GET", "/api/system", { local: true });
    assert.deepEqual([json.device.name, json.device.location], ["Pump house", "Hall 3"]);
    // The operating system's names are for administrators to change.
    assert.equal(await form.getByRole("combobox").count(), 0);
    await untilShown(form.locator("dd", { hasText: "Europe/Berlin" }));
    await named({ name: "", location: "" });
  });

  it("shows beside an entry that others have changed the same, and saves over it only then", async () => {
    const page = await opened();
    const form = page.getByRole("region", { name: "Identity" });
    await form.getByLabel("Location").fill("mine");
    await named({ location: "theirs" });
    await untilShown(form.getByText(/changed this in the meantime: .?theirs/));
    await form.getByRole("button", { name: "Save" }).click();
    await untilShown(page.getByText("Saved", { exact: true }));
    const { json } = await agent.call("GET", "/api/system", { local: true });
    assert.equal(json.device.location, "mine");
    await named({ location: "" });
  });

  it("gives the keyboard to the field that the settings lead to", async () => {
    const page = await browser.signedIn(agent, "admin", "/system/settings?open=clock");
    await page.getByRole("link", { name: "Change under “This device”" }).click();
    await page.waitForURL("**/system/device?open=time_zone");
    await untilFocused(page.getByRole("combobox", { name: "Time zone" }));
  });

  it("restarts it, and waits until another boot answers", async () => {
    const page = await opened();
    await page.getByRole("button", { name: "Restart" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Restart" }).click();
    await untilShown(page.getByText("is restarting"));
    assert.deepEqual(orders.splice(0), [{ word: "reboot" }]);
    boots += 1;
    await untilShown(page.getByText("The device has restarted."));
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  it("says that a device that is switched off has to be switched on by hand", async () => {
    const page = await opened();
    await page.getByRole("button", { name: "Switch off" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Switch off" }).click();
    await untilShown(page.getByText("has to be switched on by hand"));
    assert.deepEqual(orders.splice(0), [{ word: "power-off" }]);
  });

  for (const role of ["operator", "readonly"] as const)
    it(`shows the role ${role} what it is, and no button that only administrators may press`, async () => {
      const page = await opened(role, "/system/device?open=reset");
      await untilShown(page.getByRole("region", { name: "HTTPS" }).getByText("steward tls enable"));
      await untilShown(page.locator("dd", { hasText: "pump-7" }));
      const services = page.getByRole("region", { name: "Services of the product" });
      await services.waitFor();
      const lines = await services.locator("dl > div").allInnerTexts();
      // A systemd that runs here knows no such service.
      for (const [at, unit] of ["pump.service", "pump-web.service"].entries())
        assert.match(
          lines[at] ?? "",
          new RegExp(`^${unit}\\s+(unknown|not installed)\\s*Logs: ${unit}\\s*$`),
        );
      assert.equal(lines.length, 2);
      const [lan] = (await agent.call("GET", "/api/system/facts", { local: true })).json.network.interfaces;
      if (lan) await untilShown(page.getByRole("region", { name: "Network" }).getByText(lan.addresses[0]));
      for (const name of ["Restart", "Switch off", "Make a backup", "Download", "Factory reset"])
        assert.equal(await page.getByRole("button", { name }).count(), 0, name);
      assert.equal(await page.getByRole("dialog").count(), 0);
      looks.keep(page, `machine-${role}`, assertFits);
    });

  // Behind all others: no user is left to sign in.
  it("resets it when its name has been typed, and goes on at the first run", async () => {
    const page = await opened();
    await page.getByRole("button", { name: "Factory reset" }).click();
    const dialog = page.getByRole("dialog");
    const verb = dialog.getByRole("button", { name: "Factory reset" });
    await verb.and(page.locator("[aria-disabled=true]")).waitFor();
    looks.keep(page, "machine-reset");
    await dialog.getByRole("textbox").fill("pump-7");
    await verb.click();
    await untilShown(page.getByLabel("Setup token"));
    const { json } = await agent.call("GET", "/api/console");
    assert.equal(json.setup_required, true);
  });
});
