import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, beforeEach, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { rootsHand } from "../../lab/agents/roots-hand.ts";
import { heldPort } from "../../lab/basics/held-ports.ts";
import { consoleOf, fill, press, sees, untilShown, type WindowOptions } from "../../lab/console/browser.ts";
import { downloaded } from "../../lab/console/launch.ts";
import { lightConsoleOf } from "../../lab/console/light/light-browser.ts";
import { assertFits } from "../../lab/console/page-checks.ts";
import { makeRescueToken } from "../../src/accounts/sign-in/rescue-token.ts";
import { createUptime } from "../../src/host/linux/uptime.ts";

describe("HTTPS, switched on in the console", () => {
  const root = rootsHand();
  const { agent, browser, looks } = lightConsoleOf(async () => {
    root.agent = await startAgentInProcess({
      helper: root.helper,
      arguments: ["--host-file", root.hostFile],
    });
    return root.agent;
  });
  before(async () => {
    root.port = await heldPort();
  });
  beforeEach(() => root.decide({}));

  const box = (page: Page) => page.getByRole("region", { name: "HTTPS" });
  const open = async (options: WindowOptions = {}, role: "admin" | "readonly" = "admin") => {
    const page = await browser.signedIn(agent, role, "/system/device", options);
    await box(page).waitFor();
    return page;
  };

  it("is on with one click at the device, with links, the fingerprint, and what a browser will say", async () => {
    const page = await open();
    await sees(box(page), "other computers and phones on the network");
    looks.keep(page, "https-off", assertFits);
    await press(box(page), "Switch HTTPS on");
    await sees(box(page), "Browsers warn at the first visit");
    const { urls, certificate } = await agent.read("/api/system/tls");
    await untilShown(box(page).getByRole("link", { name: urls[0], exact: true }));
    assert.equal(await box(page).getByRole("link").first().getAttribute("href"), urls[0]);
    await sees(box(page), certificate.fingerprint);
    looks.keep(page, "https-on", assertFits);
  });

  it("asks for root's token behind a proxy, in German too, and says what is wrong with another", async () => {
    const page = await open({ language: "de", width: 390 });
    await page.route("**/api/system/tls", (route) =>
      route.continue({ headers: { ...route.request().headers(), via: "1.1 proxy" } }),
    );
    await press(box(page), "HTTPS einschalten");
    await sees(box(page), "steward setup-token --rescue", "nicht auf dem Gerät selbst geöffnet");
    looks.keep(page, "https-token-de", assertFits);
    await fill(box(page), { "Einrichtungs-Token": "abcde-fghjk-mnpqr-stuvw" });
    await press(box(page), "HTTPS einschalten");
    await untilShown(box(page).locator(".error"));
    assert.deepEqual(root.orders, []);
    const { token, text } = makeRescueToken(createUptime()());
    writeFileSync(join(agent.runDirectory, "rescue-token"), text);
    await fill(box(page), { "Einrichtungs-Token": token });
    await press(box(page), "HTTPS einschalten");
    await sees(box(page), "Browser warnen beim ersten Besuch");
    looks.keep(page, "https-on-de", assertFits);
  });

  it("offers nothing where root has decided, or to who may not, and names the command", async () => {
    await root.decide({ https: { enabled: false } });
    for (const role of ["admin", "readonly"] as const) {
      const page = await open({}, role);
      await sees(box(page), "steward tls enable");
      assert.equal(await box(page).getByRole("button").count(), 0);
    }
    await root.decide({});
    const page = await open({}, "readonly");
    await sees(box(page), "steward tls enable");
    assert.equal(await box(page).getByRole("button").count(), 0);
  });

  it("shows why it does not listen where another program has the port", async () => {
    const { port } = root;
    root.port = agent.port;
    const page = await open();
    await press(box(page), "Switch HTTPS on");
    await sees(box(page), String(agent.port));
    root.port = port;
  });
});

describe("the certificate of HTTPS, in a browser on the device", () => {
  const root = rootsHand();
  const { agent, browser } = consoleOf(async () => {
    root.agent = await startAgentInProcess({
      helper: root.helper,
      arguments: ["--host-file", root.hostFile],
    });
    return root.agent;
  });

  it("is a file in which openssl finds the fingerprint of the page", async () => {
    root.port = await heldPort();
    const page = await browser.signedIn(agent, "admin", "/system/device");
    await press(page, "Switch HTTPS on");
    const { name, text } = await downloaded(page, () => press(page, "Certificate: Download"));
    assert.equal(name, "steward-certificate.pem");
    const said = execFileSync("openssl", ["x509", "-noout", "-fingerprint", "-sha256"], { input: text });
    await sees(page, said.toString().trim().split("=")[1] ?? "nothing");
  });
});
