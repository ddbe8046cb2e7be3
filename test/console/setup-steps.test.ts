import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import {
  addUsers,
  changeSettings,
  endOfConsole,
  press,
  sees,
  startBrowser,
  untilFocused,
  untilShown,
  untilThereAre,
} from "../../lab/console/browser.ts";
import { lightBrowser } from "../../lab/console/light/light-browser.ts";
import { assertAboveKeyboard, assertReads, smallTargets } from "../../lab/console/page-checks.ts";
import { createAuthority } from "../../lab/host/certificates.ts";
import { startChronyd } from "../../lab/host/chronyd.ts";
import { startHostileServer } from "../../lab/host/hostile-time-server.ts";
import { DeviceClock } from "../../src/clock/loop/clock.ts";
import { readOfferedServers } from "../../src/host/linux/clock/offered-servers.ts";
import { hostClockOptions } from "../../src/programs/agent/wire-clock.ts";

/** 64 characters without a blank, and what would be markup. */
const badName = `<b>Straßenverkehrszulassungsordnung</b>${"x".repeat(25)}`;

/** The port at which a plain server is asked whether it offers NTS (RFC 8915 §6). */
const keyExchangePort = 4460;

type Plan = Parameters<typeof hostClockOptions>[0];
type ClockOptions = ReturnType<typeof hostClockOptions>;

/** An agent that only observes these servers, with a user of each role. */
async function startObserving(
  servers: readonly string[],
  openOptions: (plan: Plan) => ClockOptions,
): Promise<RunningAgent> {
  const file = join(scratchDirectory(), "settings.json");
  writeFileSync(file, JSON.stringify({ time: { mode: "observe", servers } }));
  const agent = await startAgentInProcess({
    environment: { STEWARD_INITIAL_SETTINGS: file },
    openClock: (plan) => new DeviceClock(openOptions(plan)),
  });
  await addUsers(agent, ["admin", "operator"]);
  return agent;
}

describe("the authenticated time of the first run", () => {
  const ending = endOfConsole();
  const { looks } = ending;
  const browser = lightBrowser(ending);
  const answers = { trusted: "127.0.0.1", strange: "::1" };
  let agent: RunningAgent;
  const tick = (page: Page) => page.getByLabel("Server 1: use authenticated time (NTS)");
  const first = (page: Page) => page.getByLabel("Server 1", { exact: true });

  before(async () => {
    const authority = createAuthority(scratchDirectory());
    const chronyd = await startChronyd({ nts: authority.certify(answers.trusted) });
    ending.after(() => chronyd.stop());
    const servers = [`${answers.trusted}:${chronyd.port}`, `[${answers.strange}]:${chronyd.port}`];
    agent = await startObserving(servers, (plan) => {
      const keyExchange = { ...plan.keyExchange, caFile: authority.path, own: process.getuid?.() };
      const options = hostClockOptions({ ...plan, keyExchange });
      // chronyd listens at a free port instead of the usual one.
      const portOf = (port: number) => (port === keyExchangePort ? (chronyd.ntsPort ?? 0) : port);
      return {
        ...options,
        openAssociation: (driver) => (server) =>
          options.openAssociation(driver)({ ...server, port: portOf(server.port) }),
      };
    });
    ending.after(() => agent.dispose());
  });

  it("is offered where a server has it, asked for by one click, and shown to work, or why not", async () => {
    const page = await browser.signedIn(agent, "admin", "/setup?step=device");
    await sees(page, "2 of 2 answer");
    await untilShown(tick(page));
    assert.equal(await tick(page).isChecked(), false);
    // The other's certificate is bad.
    assert.equal(await page.getByLabel(/use authenticated time/).count(), 1);
    looks.keep(page, "setup-offered");
    await tick(page).check();
    await sees(page, /^answers within .*, authenticated$/);
    assert.equal(await page.getByText(/, authenticated$/).count(), 1);
    assert.equal(await first(page).inputValue(), answers.trusted);
    await page.evaluate(() => localStorage.setItem("steward-language", "de"));
    await page.reload();
    await sees(page, /^antwortet in .*, authentifiziert$/);
    looks.keep(page, "setup-authenticated-de", assertReads);
    await press(page, /^(Weiter|Fertigstellen)$/);
    await until("it is stored", async () => {
      const [server] = (await agent.read("/api/system")).time.servers;
      return server.host === answers.trusted && server.nts === true;
    });
    const strange = { host: `[${answers.strange}]`, nts: true };
    await changeSettings(agent, { time: { servers: [strange] } });
    const again = await browser.signedIn(agent, "admin", "/setup?step=device");
    await sees(again, "certificate: for another name");
    assert.equal(await tick(again).isChecked(), true);
    await tick(again).uncheck();
    assert.equal(await first(again).inputValue(), strange.host);
  });
});

describe("the steps of the first run behind the sign-in", () => {
  const ending = endOfConsole();
  const { looks } = ending;
  const browser = lightBrowser(ending);
  let agent: RunningAgent;
  let servers: string[];
  /** The file in which systemd-networkd says what the network offers. */
  const networkState = join(scratchDirectory(), "networkd");
  const needs = async (): Promise<string[]> =>
    (await agent.read("/api/status")).needs.map(({ code }: { code: string }) => code);
  const settings = () => agent.read("/api/system");
  const stepIs = (page: Page, name: string) =>
    untilShown(page.locator('.steps [aria-current="step"]').getByText(name, { exact: true }));
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  /** At the step about the device. */
  const openDevice = async (options = {}): Promise<Page> => {
    const page = await browser.signedIn(agent, "admin", "/setup", options);
    await stepIs(page, "Second factor");
    await press(page, "Later");
    await stepIs(page, "Device");
    await sees(page, "3 of 4 answer");
    return page;
  };

  before(async () => {
    const running = await Promise.all(
      [1, 2, 3, 4].map(() => startHostileServer(({ send, reply }) => send(reply()))),
    );
    const [silent, ...answering] = running;
    for (const server of answering) ending.after(() => server.close());
    await silent?.close();
    servers = [...answering, silent].map((server) => `127.0.0.1:${server?.port}`);
    agent = await startObserving(servers, (plan) => ({
      ...hostClockOptions(plan),
      readOfferedServers: () => readOfferedServers(networkState),
    }));
    ending.after(() => agent.dispose());
  });

  it("offer the time servers of the network, and ask those that are chosen", async () => {
    const page = await openDevice();
    assert.equal(await page.getByText("Use the network's").count(), 0, "it offers none");
    writeFileSync(networkState, "OPER_STATE=routable\nNTP=127.0.0.1 127.0.0.2\n");
    await page.reload();
    await stepIs(page, "Device");
    const choice = button(page, "Use the network's: 127.0.0.1, 127.0.0.2");
    await sees(page, "3 of 4 answer");
    await choice.click();
    await sees(page, "0 of 2 answer");
    assert.equal(await page.getByLabel("Server 1").inputValue(), "127.0.0.1");
    assert.equal(await choice.count(), 0, "they are chosen");
  });

  it("ask the time servers live, keep what was typed over a reload, and leave nothing unsaid", async () => {
    const page = await openDevice({ width: 360, height: 760 });
    await sees(page, "3 of 4 answer. 3 agree on the time.", "no answer");
    await untilThereAre(3, page.getByText(/^answers within/));
    const [name, last] = [page.getByLabel("Device name"), page.getByLabel("Server 4")];
    await name.fill(badName);
    looks.keep(page, "setup-device-phone", assertReads);
    await page.reload();
    await stepIs(page, "Device");
    await until("the name is there again", async () => (await name.inputValue()) === badName);
    await last.fill(servers[0] ?? "");
    await last.press("Tab");
    await sees(page, "3 of 3 answer");
    await last.fill("not a server!");
    await name.focus();
    await untilShown(page.locator(".setup-servers .error"));
    await press(page, "Remove not a server!");
    await sees(page, "3 of 3 answer");
    await name.fill("Werk 7");
    await changeSettings(agent, { device: { name: "<i>Werk 8</i>" } });
    await press(page, "Continue");
    await sees(page, "Another administrator has just saved: <i>Werk 8</i>.");
    assert.equal(await name.inputValue(), "Werk 7");
    await press(page, "Continue");
    await stepIs(page, "Updates");
    const { device, time } = await settings();
    assert.deepEqual([device.name, time.servers], ["Werk 7", servers.slice(0, 3)]);
    await sees(page, "steward update trust install FILE");
    looks.keep(page, "setup-updates-phone");
  });

  it("are asked for no more where they are not needed, and end on Home", async () => {
    const advised = ["second_factor_advised", "updates_not_set_up"];
    const asked = (await needs()).filter((code) => code !== "clock");
    assert.deepEqual(asked, [...advised, "no_receiver"]);
    await changeSettings(agent, { device: { not_needed: ["no_receiver"] } });
    const page = await browser.signedIn(agent, "admin", "/setup", { language: "de" });
    await page.getByRole("img", { name: /QR-Code/ }).waitFor();
    await press(page, "Hier nicht nötig");
    await stepIs(page, "Updates");
    await press(page, "Hier nicht nötig");
    await untilFocused(page.getByRole("heading", { name: "Dieses Gerät ist eingerichtet" }));
    await sees(page, "Nur auf diesem Computer: HTTPS ist aus");
    assert.equal(await page.locator(".steps > .done").count(), 4);
    // Nothing was left for later, and there are no recovery codes.
    assert.equal(await page.getByText(/^Für später|Wiederherstellungscodes/).count(), 0);
    looks.keep(page, "setup-done-de");
    await press(page, "Zur Startseite");
    await page.waitForURL((url) => url.pathname !== "/setup");
    assert.deepEqual((await settings()).device.not_needed, ["no_receiver", ...advised]);
    // The clock needs some polls of the servers that were kept.
    await sees(page, "Alles ist in Ordnung.");
    assert.deepEqual(await needs(), []);
  });

  it("end with a sheet to print, also where some were left for later, and not before the second factor that is required", async () => {
    await changeSettings(agent, { device: { not_needed: [] } });
    const page = await browser.signedIn(agent, "admin", "/setup?step=updates");
    await press(page, "Later");
    for (const step of [() => undefined, () => page.reload()]) {
      await step();
      await sees(page, "Left for later: Second factor, Updates. Home reminds you.");
    }
    await changeSettings(agent, { security: { require_2fa: "all" } });
    await page.goto("/setup?step=done");
    await sees(page, "This device requires a second factor.");
    await changeSettings(agent, { security: { require_2fa: "none" } });
  });

  it("keep each field of a small phone above its keyboard", async () => {
    const look = { width: 320, height: 568, isTouched: true };
    const page = await (await startBrowser(ending)).signedIn(agent, "admin", "/setup?step=factor", look);
    for (const [step, shown, least] of [
      ["factor", page.getByText("Scan or type the key instead"), 1],
      ["device", page.getByText("answers within").first(), 5],
      ["updates", page.getByLabel("Channel"), 3],
    ] as const) {
      await page.goto(`/setup?step=${step}`);
      await untilShown(shown);
      await assertAboveKeyboard(page, least);
      if (step === "factor") assert.deepEqual(await smallTargets(page), []);
    }
  });

  it("are for administrators", async () => {
    const page = await browser.signedIn(agent, "operator", "/setup?step=device");
    await page.waitForURL((url) => url.pathname !== "/setup");
  });
});
