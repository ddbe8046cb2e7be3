import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import {
  addUsers,
  changeSettings,
  endOfConsole,
  signIn,
  startBrowser,
  untilFocused,
  untilShown,
  untilThereAre,
} from "../../lab/console/browser.ts";
import { lightBrowser } from "../../lab/console/light/light-browser.ts";
import { assertAboveKeyboard, assertFits, assertReads, smallTargets } from "../../lab/console/page-checks.ts";
import { createAuthority } from "../../lab/host/certificates.ts";
import { type Chronyd, startChronyd } from "../../lab/host/chronyd.ts";
import { startHostileServer } from "../../lab/host/hostile-time-server.ts";
import { DeviceClock } from "../../src/clock/loop/clock.ts";
import { readOfferedServers } from "../../src/host/linux/clock/offered-servers.ts";
import { hostClockOptions } from "../../src/programs/agent/wire-clock.ts";

/** 64 characters without a blank, and what would be markup. */
const badName = `<b>Straßenverkehrszulassungsordnung</b>${"x".repeat(25)}`;

/** The port at which a plain server is asked whether it offers NTS (RFC 8915 §6). */
const keyExchangePort = 4460;

describe("the authenticated time of the first run", () => {
  const ending = endOfConsole();
  const { looks } = ending;
  const browser = lightBrowser(ending);
  const answers = { trusted: "127.0.0.1", strange: "::1" };
  let agent: RunningAgent;
  let chronyd: Chronyd;

  before(async () => {
    const directory = scratchDirectory();
    const authority = createAuthority(directory);
    chronyd = await startChronyd({ nts: authority.certify(answers.trusted) });
    ending.after(() => chronyd.stop());
    const file = join(directory, "settings.json");
    const servers = [`${answers.trusted}:${chronyd.port}`, `[${answers.strange}]:${chronyd.port}`];
    writeFileSync(file, JSON.stringify({ time: { mode: "observe", servers } }));
    agent = await startAgentInProcess({
      environment: { STEWARD_INITIAL_SETTINGS: file },
      openClock: (plan) => {
        const keyExchange = { ...plan.keyExchange, caFile: authority.path, own: process.getuid?.() };
        const options = hostClockOptions({ ...plan, keyExchange });
        return new DeviceClock({
          ...options,
          // chronyd listens at a free port instead of the usual one.
          openAssociation: (driver) => (server) =>
            options.openAssociation(driver)({
              ...server,
              ...(server.port === keyExchangePort && { port: chronyd.ntsPort ?? 0 }),
            }),
        });
      },
    });
    ending.after(() => agent.dispose());
    await addUsers(agent, ["admin"]);
  });

  it("is offered where a server has it, asked for by one click, and shown to work", async () => {
    const page = await browser.signedIn(agent, "admin", "/setup?step=device");
    const tick = page.getByLabel("Server 1: use authenticated time (NTS)");
    await untilShown(page.getByText("2 of 2 answer"));
    await untilShown(tick);
    assert.equal(await tick.isChecked(), false);
    assert.equal(
      await page.getByLabel(/use authenticated time/).count(),
      1,
      "the other's certificate is bad",
    );
    looks.keep(page, "setup-offered");
    await tick.check();
    await untilShown(page.getByText(/^answers within .*, authenticated$/));
    assert.equal(await page.getByText(/, authenticated$/).count(), 1);
    assert.equal(await page.getByLabel("Server 1", { exact: true }).inputValue(), answers.trusted);
    looks.keep(page, "setup-authenticated");
    await page.evaluate(() => localStorage.setItem("steward-language", "de"));
    await page.reload();
    await untilShown(page.getByText(/^antwortet in .*, authentifiziert$/));
    looks.keep(page, "setup-authenticated-de", assertReads);
    await page.getByRole("button", { name: /^(Weiter|Fertigstellen)$/ }).click();
    await until("it is stored", async () => {
      const { json } = await agent.call("GET", "/api/system", { local: true });
      return JSON.stringify(json.time.servers[0]) === JSON.stringify({ host: answers.trusted, nts: true });
    });
  });

  it("says why it does not work where it was set before", async () => {
    const server = { host: `[${answers.strange}]`, nts: true };
    await changeSettings(agent, { time: { servers: [server] } });
    const page = await browser.signedIn(agent, "admin", "/setup?step=device");
    await untilShown(page.getByText("certificate: for another name"));
    const tick = page.getByLabel("Server 1: use authenticated time (NTS)");
    assert.equal(await tick.isChecked(), true);
    await tick.uncheck();
    assert.equal(await page.getByLabel("Server 1", { exact: true }).inputValue(), server.host);
  });
});

describe("the steps of the first run behind the sign-in", () => {
  const ending = endOfConsole();
  const { looks } = ending;
  const browser = lightBrowser(ending);
  let agent: RunningAgent;
  let servers: string[];
  /** The file in which systemd-networkd says what the network offers. */
  let networkState: string;
  const needs = async (): Promise<string[]> =>
    (await agent.call("GET", "/api/status", { local: true })).json.needs.map(
      ({ code }: { code: string }) => code,
    );
  const settings = async () => (await agent.call("GET", "/api/system", { local: true })).json;
  const stepIs = (page: Page, name: string) =>
    untilShown(page.locator('.steps [aria-current="step"]').getByText(name, { exact: true }));
  const stepLeft = (page: Page, names: string) =>
    untilShown(page.getByText(`Left for later: ${names}. Home reminds you.`));
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

  before(async () => {
    const running = await Promise.all(
      [1, 2, 3, 4].map(() => startHostileServer(({ send, reply }) => send(reply()))),
    );
    const [silent, ...answering] = running;
    for (const server of answering) ending.after(() => server.close());
    await silent?.close();
    servers = [...answering, silent].map((server) => `127.0.0.1:${server?.port}`);
    const file = join(await temporaryDirectory(ending), "settings.json");
    writeFileSync(file, JSON.stringify({ time: { mode: "observe", servers } }));
    networkState = join(dirname(file), "networkd");
    agent = await startAgentInProcess({
      environment: { STEWARD_INITIAL_SETTINGS: file },
      openClock: (plan) =>
        new DeviceClock({
          ...hostClockOptions(plan),
          readOfferedServers: () => readOfferedServers(networkState),
        }),
    });
    ending.after(() => agent.dispose());
    await addUsers(agent, ["admin", "operator"]);
  });

  it("offer the time servers of the network, and ask those that are chosen", async () => {
    const page = await browser.signedIn(agent, "admin", "/setup");
    await stepIs(page, "Second factor");
    await button(page, "Later").click();
    await stepIs(page, "Device");
    await untilShown(page.getByText("3 of 4 answer"));
    assert.equal(await page.getByText("Use the network's").count(), 0, "it offers none");
    writeFileSync(networkState, "OPER_STATE=routable\nNTP=127.0.0.1 127.0.0.2\n");
    await page.reload();
    await stepIs(page, "Device");
    const choice = button(page, "Use the network's: 127.0.0.1, 127.0.0.2");
    await untilShown(page.getByText("3 of 4 answer"));
    await choice.click();
    await untilShown(page.getByText("0 of 2 answer"));
    assert.equal(await page.getByLabel("Server 1").inputValue(), "127.0.0.1");
    assert.equal(await choice.count(), 0, "they are chosen");
  });

  it("ask the time servers live, keep what was typed over a reload, and leave nothing unsaid", async () => {
    const page = await browser.signedIn(agent, "admin", "/setup", { width: 360, height: 760 });
    await stepIs(page, "Second factor");
    await button(page, "Later").click();
    await stepIs(page, "Device");
    await untilShown(page.getByText("3 of 4 answer. 3 agree on the time."));
    await page.getByText("no answer").waitFor();
    await untilThereAre(3, page.getByText(/^answers within/));
    const name = page.getByLabel("Device name");
    await name.fill(badName);
    looks.keep(page, "setup-device-phone", assertReads);
    await page.getByRole("combobox", { name: "Time zone" }).click();
    await untilShown(page.getByRole("option", { name: "Zurich (Europe)" }));
    looks.keep(page, "setup-zones-phone", assertFits);
    await page.keyboard.press("Escape");
    await page.reload();
    await stepIs(page, "Device");
    await until("the name is there again", async () => (await name.inputValue()) === badName);
    await page.getByLabel("Server 4").fill(servers[0] ?? "");
    await page.getByLabel("Server 4").press("Tab");
    await untilShown(page.getByText("3 of 3 answer"));
    await page.getByLabel("Server 4").fill("not a server!");
    await name.focus();
    await untilShown(page.locator(".setup-servers .error"));
    await page.getByRole("button", { name: "Remove not a server!" }).click();
    await untilShown(page.getByText("3 of 3 answer"));
    await name.fill("Werk 7");
    await changeSettings(agent, { device: { name: "<i>Werk 8</i>" } });
    await button(page, "Continue").click();
    await untilShown(page.getByText("Another administrator has just saved: <i>Werk 8</i>."));
    assert.equal(await name.inputValue(), "Werk 7");
    await button(page, "Continue").click();
    await stepIs(page, "Updates");
    const { device, time } = await settings();
    assert.deepEqual([device.name, time.servers], ["Werk 7", servers.slice(0, 3)]);
    await page.locator(".device").getByText("Werk 7").waitFor();
    await page.getByText("steward update trust install FILE").waitFor();
    looks.keep(page, "setup-updates-phone");
  });

  it("are asked for no more where they are not needed, and end on Home", async () => {
    const { page } = await browser.open(agent, { language: "de" });
    assert.deepEqual(
      (await needs()).filter((code) => code !== "clock"),
      ["second_factor_advised", "updates_not_set_up", "no_receiver"],
    );
    await changeSettings(agent, { device: { not_needed: ["no_receiver"] } });
    await signIn(page, "admin", "/setup");
    await page.getByRole("img", { name: /QR-Code/ }).waitFor();
    looks.draw(page, "setup-factor-de");
    await button(page, "Hier nicht nötig").click();
    await stepIs(page, "Updates");
    looks.draw(page, "setup-updates-de");
    await button(page, "Hier nicht nötig").click();
    await untilFocused(page.getByRole("heading", { name: "Dieses Gerät ist eingerichtet" }));
    await untilShown(page.getByText("nicht installiert"));
    await untilShown(page.getByText("Die Adresse dieser Seite gilt nur auf diesem Computer."));
    assert.equal(await page.locator(".steps > .done").count(), 4);
    assert.equal(await page.getByText(/^Für später/).count(), 0, "nothing was left");
    assert.equal(await page.getByText(/Wiederherstellungscodes/).count(), 0, "there are none");
    looks.keep(page, "setup-done-de");
    await button(page, "Zur Startseite").click();
    await page.waitForURL((url) => url.pathname !== "/setup");
    const { not_needed } = (await settings()).device;
    assert.deepEqual(not_needed, ["no_receiver", "second_factor_advised", "updates_not_set_up"]);
    // The clock needs some polls of the servers that were kept.
    await untilShown(page.getByText("Alles ist in Ordnung."));
    assert.deepEqual(await needs(), []);
  });

  it("end with a sheet to print, also where some were left for later, and not before the second factor that is required", async () => {
    const { page } = await browser.open(agent);
    await changeSettings(agent, { device: { not_needed: [] } });
    await signIn(page, "admin", "/setup?step=updates");
    await button(page, "Later").click();
    await stepLeft(page, "Second factor, Updates");
    await page.reload();
    await stepLeft(page, "Second factor, Updates");
    await changeSettings(agent, { security: { require_2fa: "all" } });
    await page.goto("/setup?step=done");
    await untilShown(page.getByText("This device requires a second factor."));
    await changeSettings(agent, { security: { require_2fa: "none" } });
  });

  it("keep each field of a small phone above its keyboard", async () => {
    const chromium = await startBrowser(ending);
    const page = await chromium.signedIn(agent, "admin", "/setup?step=factor", {
      width: 320,
      height: 568,
      isTouched: true,
    });
    await untilShown(page.getByText("Scan or type the key instead"));
    await assertAboveKeyboard(page, 1);
    assert.deepEqual(await smallTargets(page), []);
    await page.goto("/setup?step=device");
    await untilShown(page.getByText("answers within").first());
    await assertAboveKeyboard(page, 5);
    await page.goto("/setup?step=updates");
    await untilShown(page.getByLabel("Channel"));
    await assertAboveKeyboard(page, 3);
  });

  it("are for administrators", async () => {
    const page = await browser.signedIn(agent, "operator", "/setup?step=device");
    await page.waitForURL((url) => url.pathname !== "/setup");
  });
});
