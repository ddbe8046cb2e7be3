import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { heldPort } from "../../lab/basics/held-ports.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import { changeSettings, fill, press, sees, untilFocused, untilShown } from "../../lab/console/browser.ts";
import { lightConsoleOf } from "../../lab/console/light/light-browser.ts";
import { assertFits } from "../../lab/console/page-checks.ts";
import type { Role } from "../../src/contract/types.ts";
import type { HostIdentity, RootOrder } from "../../src/host/ports.ts";

describe("the console's view of the machine", () => {
  const orders: RootOrder[] = [];
  let [hostname, zone, boots] = ["edge", "UTC", 1];
  const identity: HostIdentity = {
    ...{ deviceId: "a".repeat(32), isLasting: true, os: "Linux", kernel: "6", arch: "x64" },
    get bootId() {
      return `boot-${boots}`;
    },
    get hostname() {
      return hostname;
    },
  };
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
  const { agent, browser, looks } = lightConsoleOf(async () => {
    const hostFile = join(scratchDirectory(), "etc/steward.json");
    mkdirSync(dirname(hostFile), { mode: 0o755 });
    const plan = { unit: "pump.service", health: { command: ["/usr/bin/true"] } };
    const named = { log_units: ["pump-web.service", "pump.service"], update: { rules: plan } };
    writeFileSync(hostFile, JSON.stringify({ product: "pump-7", ...named }));
    const listen = ["--host-file", hostFile, "--listen", `127.0.0.1:${await heldPort()}`];
    const helper = {
      ask: async (order: RootOrder) => void orders.push(order),
      mayBeAsked: true,
      absence: () => null,
    };
    return startAgentInProcess({ identity, names, helper, arguments: listen });
  });

  const form = (page: Page) => page.getByRole("region", { name: "Identity" });
  const open = async (role: Role = "admin", query = ""): Promise<Page> => {
    const page = await browser.signedIn(agent, role, `/system/device${query}`);
    await sees(form(page), "Time zone");
    return page;
  };
  const device = async () => (await agent.read("/api/system")).device;
  const change = (body: object) => changeSettings(agent, { device: body });
  const saved = async (page: Page) => {
    await press(form(page), "Save");
    await page.getByText("Saved", { exact: true }).waitFor();
  };

  it("changes the host name and the time zone", async () => {
    const page = await open();
    looks.keep(page, "machine", assertFits);
    await untilShown(form(page).locator("[type=submit][aria-disabled=true]"));
    await fill(form(page), { "Host name": "-edge" });
    await press(form(page), "Save");
    await sees(form(page), /1 to 63 letters, digits and hyphens/);
    await fill(form(page), { "Host name": "pump-7" });
    const field = form(page).getByRole("combobox", { name: "Time zone" });
    const chosen = (name: string) => untilShown(form(page).getByRole("option", { name, selected: true }));
    await field.click();
    await chosen("UTC");
    await field.fill("no such zone");
    await untilShown(form(page).locator(".combobox").getByText("No match").last());
    await press(form(page), "Save");
    await untilShown(form(page).locator(".error"));
    assert.equal(await field.inputValue(), "no such zone");
    await field.fill("eur ber");
    await chosen("Berlin (Europe)");
    looks.keep(page, "machine-zones", assertFits);
    await page.keyboard.press("Escape");
    await form(page).getByRole("listbox").waitFor({ state: "detached" });
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await until("it is chosen", async () => (await field.inputValue()) === "Berlin (Europe)");
    await saved(page);
    assert.deepEqual(orders.splice(0), [
      { word: "host-name", name: "pump-7" },
      { word: "time-zone", zone: "Europe/Berlin" },
    ]);
    await page.getByRole("link", { name: "Overview" }).click();
    await sees(page.getByRole("region", { name: "Host" }), "pump-7", "Europe/Berlin");
  });

  it("changes name and place with one button, and keeps what was typed until it is discarded", async () => {
    const page = await open("operator");
    const place = form(page).getByLabel("Location");
    await fill(form(page), { "Device name": " Pump house ", Location: "typed\u0007" });
    await page.getByRole("link", { name: "Overview" }).click();
    await press(page, "Stay");
    await press(form(page), "Save");
    await sees(form(page), "One line of text");
    await press(form(page), "Discard");
    assert.equal(await place.inputValue(), "");
    await fill(form(page), { "Device name": " Pump house ", Location: "Hall 3" });
    await saved(page);
    await page.locator(".frame-head .device", { hasText: "Pump house" }).waitFor();
    const { name, location } = await device();
    assert.deepEqual([name, location], ["Pump house", "Hall 3"]);
    // The operating system's names are for administrators to change.
    assert.equal(await form(page).getByRole("combobox").count(), 0);
    await untilShown(form(page).locator("dd", { hasText: "Europe/Berlin" }));
  });

  it("shows beside an entry that others have changed the same, and saves over it only then", async () => {
    const page = await open();
    await fill(form(page), { Location: "mine" });
    await change({ location: "theirs" });
    await sees(form(page), /changed this in the meantime: .?theirs/);
    await saved(page);
    assert.equal((await device()).location, "mine");
    await change({ name: "", location: "" });
  });

  it("gives the keyboard to the field that the settings lead to", async () => {
    const page = await browser.signedIn(agent, "admin", "/system/settings?open=clock");
    await page.getByRole("link", { name: "Change on This device" }).click();
    await page.waitForURL("**/system/device?open=time_zone");
    await untilFocused(page.getByRole("combobox", { name: "Time zone" }));
  });

  it("restarts it, waits until another boot answers, and says that one that is off is switched on by hand", async () => {
    const page = await open();
    for (const [verb, said, word] of [
      ["Restart", "is restarting", "reboot"],
      ["Switch off", "has to be switched on by hand", "power-off"],
    ] as const) {
      await press(page, verb);
      await press(page.getByRole("dialog"), verb);
      await sees(page, said);
      assert.deepEqual(orders.splice(0), [{ word }]);
      if (verb === "Switch off") continue;
      boots += 1;
      await sees(page, "The device has restarted.");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
  });

  for (const role of ["operator", "readonly"] as const)
    it(`shows the role ${role} what it is, and no button that only administrators may press`, async () => {
      const page = await open(role, "?open=network");
      await sees(page.getByRole("region", { name: "HTTPS" }), "steward tls enable");
      await untilShown(page.locator("dd", { hasText: "pump-7" }));
      const services = page.getByRole("region", { name: "Services of the product" });
      await services.waitFor();
      const lines = await services.locator("dl > div").allInnerTexts();
      // A systemd that runs here knows no such service.
      const state = "\\s+(unknown|not installed)\\s*Logs: ";
      const expected = ["pump.service", "pump-web.service"].map((unit) => `${unit}${state}${unit}\\s*`);
      assert.match(lines.join("\n"), new RegExp(`^${expected.join("\n")}$`));
      const [lan] = (await agent.read("/api/system/facts")).network.interfaces;
      if (lan) await sees(page.getByRole("region", { name: "Network" }), lan.addresses[0]);
      for (const name of ["Restart", "Switch off", "Make a backup", "Download", "Factory reset"])
        assert.equal(await page.getByRole("button", { name }).count(), 0, name);
      assert.equal(await page.getByText("Restore or reset").count(), 0, "the fold that has it");
      assert.equal(await page.getByRole("dialog").count(), 0);
      looks.keep(page, `machine-${role}`, assertFits);
    });

  // Behind all others: no user is left to sign in.
  it("resets it when its name has been typed, and goes on at the first run", async () => {
    const page = await open("admin", "?open=restore");
    await press(page, "Factory reset");
    const dialog = page.getByRole("dialog");
    const verb = dialog.getByRole("button", { name: "Factory reset" });
    await verb.and(page.locator("[aria-disabled=true]")).waitFor();
    looks.keep(page, "machine-reset");
    await dialog.getByRole("textbox").fill("pump-7");
    await verb.click();
    await untilShown(page.getByLabel("Setup token"));
    assert.equal((await agent.call("GET", "/api/console")).json.setup_required, true);
  });
});
