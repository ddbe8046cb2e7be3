import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Locator, Page, Route } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { heldUdpPort } from "../../lab/basics/held-ports.ts";
import { until } from "../../lab/basics/until.ts";
import {
  changeSettings,
  confirmPassword,
  endOfConsole,
  press,
  sees,
  signIn,
  signInWithoutStepUp,
  type TestBrowser,
  type WindowOptions,
} from "../../lab/console/browser.ts";
import { startLightConsole } from "../../lab/console/light/light-browser.ts";
import { assertReads } from "../../lab/console/page-checks.ts";
import { type StandingTime, standingTime } from "../../lab/simulated/test-time.ts";
import { ordinaryServer } from "../../lab/simulated/time-network.ts";
import type { Role } from "../../src/contract/types.ts";
import { checkNames } from "../../src/contract/words/en/findings.ts";
import { openHostClock } from "../../src/programs/agent/wire-clock.ts";

const route = "/api/system/time-sync";
const minutes = 60_000;

/** Three that are right, and one that is three seconds ahead. */
const servers = [0, 0, 0, 3].map((offsetSeconds, index) => ({
  ...ordinaryServer,
  ...{ address: `192.0.2.${index + 1}`, offsetSeconds },
}));
const names = servers.map(({ address }) => address);
const [, , third = "", liar = ""] = names;

const sync = (page: Page) => page.getByRole("button", { name: "Sync now" });
const reselect = (page: Page) => page.getByRole("button", { name: "Choose sources again" });
const byBrowser = (page: Page) =>
  page.getByRole("button", { name: "Set the device's clock to this browser's time" });
const sources = (page: Page) => page.locator(".clock-table");
const rowOf = (page: Page, host: string) => sources(page).getByRole("row").filter({ hasText: host });
const force = (place: Page | Locator) => place.getByRole("button", { name: "Correct it anyway" });
const bars = (page: Page) => page.locator(".clock-bars");
const inWords = async (page: Page) => (await bars(page).getAttribute("aria-label")) ?? "";

/** The reason that a button cannot be used, as a screen reader says it. */
const reasonOf = (button: Locator): Promise<string> =>
  button.evaluate((element) => {
    const id = element.getAttribute("aria-describedby") ?? "";
    return (element.ownerDocument.getElementById(id)?.textContent ?? "").trim();
  });

/** A badge: a state's word behind its shape. */
const badge = (place: Page | Locator, text: string | RegExp) => place.locator(".badge", { hasText: text });

/** Opens the fold with the intervals, the table and the figures. */
const unfold = (page: Page) => page.locator(".clock-details > summary").click();

/** Lets the requests for a measurement go when each page has made its own: they share one round, and one answer. */
async function together(pages: readonly Page[], ask: (page: Page) => Promise<void>): Promise<void> {
  const held: Route[] = [];
  for (const page of pages) {
    await page.route("**/time-sync/sync", (request) => void held.push(request), { times: 1 });
    await ask(page);
  }
  await until("each page has asked", () => held.length === pages.length);
  for (const request of held) void request.continue();
}

/** On a desk and on a phone all text can be read. */
async function reads(drawn: Page): Promise<void> {
  for (const width of [1280, 320]) {
    await drawn.setViewportSize({ width, height: 740 });
    await assertReads(drawn);
  }
}

describe("the console's clock", () => {
  const ending = endOfConsole();
  const { looks } = ending;
  let agent: RunningAgent;
  let browser: TestBrowser;
  let time: StandingTime;
  /** The clock is stopped. The agent ends once its simulated servers have answered, so time must pass at the end. */
  const start = async (open = (own: StandingTime) => own.servedClock(servers)): Promise<void> => {
    const own = standingTime();
    time = own;
    ({ agent, browser } = await startLightConsole(ending, async () => {
      const started = await startAgentInProcess({ time: own, openClock: open(own) });
      return { ...started, dispose: () => own.passUntil(started.dispose()) };
    }));
  };
  const see = async (role: Role, options: WindowOptions = {}): Promise<Page> => {
    const { page } = await browser.open(agent, options);
    // Only administrators are asked for the password; a page that is open hears what that changes of the settings.
    if (role === "admin") await signInWithoutStepUp(agent, page, role, "/system");
    else await signIn(page, role, "/system");
    await page.locator(".clock-head").waitFor();
    return page;
  };
  const setTime = (change: object) => changeSettings(agent, { time: change });
  const untilIs = (what: string, isSo: (clock: Record<string, unknown>) => boolean) =>
    time.passUntil(until(`it is ${what}`, async () => isSo(await agent.read(route))));

  describe("where no source is asked for the time", { concurrency: false }, () => {
    before(async () => {
      await start();
      await untilIs("known that there is no source", ({ state }) => state !== "acquiring");
      // One without a name would need a person, and one without a receiver of messages too.
      await changeSettings(agent, { device: { name: "vm", not_needed: ["no_receiver"] } });
    });

    it("names the fault, the ways out, and what does not work because of it", async () => {
      const page = await see("admin");
      await page.getByRole("heading", { name: "While the clock is not trusted" }).waitFor();
      await sees(page, "Correct codes from an authenticator may be refused.");
      assert.equal(await sync(page).count(), 0, "no server can be asked");
      assert.equal(await byBrowser(page).getAttribute("aria-disabled"), null);
      looks.keep(page, "clock-no-sources-light");
      await unfold(page);
      assert.equal(await reselect(page).getAttribute("aria-disabled"), "true");
      assert.match(await reasonOf(reselect(page)), /No time servers are set/);
      await page.getByRole("link", { name: "Open the time settings" }).click();
      await page.waitForURL("**/system/settings?open=time");
    });

    it("does not offer the time of a browser whose clock is before what has passed for certain", async () => {
      const page = await see("admin", { now: Date.parse("2015-01-01T12:00:00Z") });
      await sees(page, /The clock of this browser says .*2015.*, which is long past/);
      assert.equal(await byBrowser(page).count(), 0);
    });

    it("shows the host: whether it is well, how full it is, and behind a fold what runs on it", async () => {
      const page = await see("readonly");
      const host = page.getByRole("region", { name: "Host" });
      const { hostname, memory, disks } = await agent.read("/api/system/facts");
      await host.getByText(hostname, { exact: true }).waitFor();
      const meter = (name: string | RegExp) => host.getByRole("meter", { name });
      assert.equal(Number(await meter("Memory").getAttribute("max")), memory.total_bytes);
      const sizes = disks.map(({ size_bytes }: { size_bytes: number }) => size_bytes);
      const isListed = sizes.includes((await agent.read("/api/status")).host.disk.size_bytes);
      assert.equal(await meter(/^Disk \//).count(), sizes.length);
      assert.equal(await meter("Disk of the stored state").count(), isListed ? 0 : 1);
      const { checks } = await agent.read("/api/health");
      await badge(host, `All ${checks.length} checks passed`).waitFor();
      const { node, device_id } = await agent.read("/api/version");
      assert.equal(await host.getByText(device_id, { exact: true }).isVisible(), false);
      await host.locator("summary").click();
      const said = checks.map(({ name }: { name: string }) => checkNames[name] ?? name);
      await sees(host, [...new Set(said)].join(", "), node, device_id);
    });

    it("takes the time of a browser ten minutes ahead, after the password, as it is then", async () => {
      const page = await see("admin", { now: time.nowSeconds() * 1_000 + 10 * minutes });
      // A page reads again what an event changed at the moment of its opening, at which both clocks are stopped.
      time.pass(2);
      await page.clock.runFor(2_000);
      await page.reload();
      await badge(page.locator(".frame-head"), "Clock: unknown").waitFor();
      await badge(page, /checks passed/).waitFor();
      await sees(page, "This browser is 10 min ahead of the device.");
      await byBrowser(page).click();
      const dialog = page.getByRole("dialog", { name: "Set the clock to your browser's time" });
      await sees(dialog, "10 min ahead");
      looks.keep(page, "clock-by-browser");
      await press(dialog, "Set the clock");
      await page.getByRole("dialog", { name: "Confirm that it is you" }).waitFor();
      // While the password is typed, time goes on.
      await page.clock.fastForward(5 * minutes);
      await confirmPassword(page, "admin");
      await dialog.waitFor({ state: "detached" });
      // No source has ever confirmed it: this is not "in sync", and not green.
      for (const place of [page.locator("main"), page.locator(".frame-head")]) {
        await badge(place, "set by hand").and(place.locator(".unknown")).waitFor();
        assert.equal(await place.getByText(/in sync|synchronised$/).count(), 0);
      }
      await sees(page, "This browser and the device agree to within 2 s.");
      await page.getByRole("heading", { name: "While the clock is not" }).waitFor({ state: "detached" });
      const { server_time, source, last_step } = await agent.read(route);
      const apart = Date.parse(server_time) - (await page.evaluate(() => Date.now()));
      assert.ok(Math.abs(apart) < minutes, `the device is ${apart} ms ahead of the browser that set it`);
      assert.deepEqual([source.type, last_step], ["manual", null], "the host's own clock was never set");
    });
  });

  it("says why there is no answer from a server that is silent, and what to do", async () => {
    await start(() => openHostClock);
    await setTime({ servers: [`127.0.0.1:${await heldUdpPort()}`] });
    const page = await see("operator");
    await sync(page).click();
    const said = page.getByText("No time source gives a usable answer");
    await until("it is told", async () => {
      // Three times between a packet and the end of the time for its answer.
      time.pass(0.3);
      return said.isVisible();
    });
    const wrong = page.locator(".clock-top").getByText("None of the time servers gives");
    await wrong.waitFor({ state: "detached" });
    await sees(page, "Check the network and the time settings");
    await sees(bars(page), "unreachable: no time server runs there");
    await unfold(page);
    await badge(sources(page), "unreachable").waitFor();
  });

  describe("with three good servers and one that is three seconds ahead", { concurrency: false }, () => {
    before(() => start());

    it("counts the answers while it is measured, and says what came of it", async () => {
      const page = await see("operator");
      await setTime({ servers: names });
      const counters = async () => (await agent.read(route)).counters;
      // All of the start's burst, a round of four exchanges with each and three rounds of one: a measurement that is asked
      // for meanwhile would be one of them.
      const exchanges = 7 * names.length;
      await time.passUntil(until("they are measured", async () => (await counters()).exchanges >= exchanges));
      const { samples } = await counters();
      await page.reload();
      await unfold(page);
      await reselect(page).click();
      await sees(page, /^Asking 4 sources, answers so far: \d+$/);
      assert.equal(await reselect(page).getAttribute("aria-busy"), "true");
      assert.equal(await reasonOf(sync(page)), "The clock is being measured");
      await until("a server has answered", async () => {
        time.pass(0.1);
        return (await counters()).samples > samples;
      });
      await sees(page, /answers so far: [1-9]\d*$/);
      await time.passUntil(sees(page, /^Measured: the clock is .* (behind|ahead), ±\s/));
      await until("it is not busy", async () => (await reselect(page).getAttribute("aria-busy")) === null);
      await sync(page).click();
      await sees(page, "Too many requests");
    });

    it("says in a sentence how it is, and in words, picture and table that three agree, and why one is wrong", async () => {
      const page = await see("admin");
      await badge(page.locator(".clock-head"), /^In sync, within \d[\d.,]*\sms\.$/).waitFor();
      await badge(page.locator(".frame-head"), "Clock: in sync").waitFor();
      assert.match(await inWords(page), /^3 sources agree that this device is .* (behind|ahead)/);
      assert.match(await inWords(page), new RegExp(`${liar}, wrong, 3\\ss ahead of this device`));
      assert.equal(await sources(page).isVisible(), false, "the table is behind the fold");
      await unfold(page);
      const why = "ignored because it disagrees with the majority";
      await badge(rowOf(page, liar), "wrong").waitFor();
      await sees(rowOf(page, liar), "3 s later, ± ", why);
      await sees(bars(page), `wrong: ${why} · 3 s ahead of this device`);
      assert.equal(await page.locator(".clock-bars .wrong .shape").count(), 1, "crosses");
      // The line of a time that is beyond the picture.
      const line = page.locator(".clock-bars .wrong .plot-line:not(.worst)");
      assert.equal(await line.getAttribute("d"), "M1000.0,100.00 1000.0,0.00");
      const agreed = page.locator(".clock-bars .plot-marks .plot-band:not(.marked)");
      assert.match((await agreed.getAttribute("d")) ?? "", /^M.*Z$/);
      assert.match(await reasonOf(byBrowser(page)), /already correct/);
      looks.keep(page, "clock-sources", reads);
    });
  });

  it("marks each source that is authenticated, says why one is not, and Home's tile says that the time is", async () => {
    const certificate = { validFromSeconds: 0, validToSeconds: 4_102_444_800, failure: null };
    const plans = [null, null, "nts_unknown_authority"].map((failure, index) => ({
      ...ordinaryServer,
      ...{ address: names[index] ?? "", nts: { ...certificate, failure } },
    }));
    await start((own) => own.servedClock(plans));
    await setTime({ servers: plans.map(({ address }) => ({ host: address, nts: true })) });
    await untilIs("trusted", ({ trust, authenticated }) => trust === "trusted" && authenticated === true);
    const page = await see("operator");
    await unfold(page);
    for (const host of names.slice(0, 2)) await badge(rowOf(page, host), /, authenticated$/).waitFor();
    await badge(rowOf(page, third), /^unreachable$/).waitFor();
    await sees(bars(page), "certificate: unknown authority");
    assert.match(await inWords(page), /192\.0\.2\.1, [a-z, ]+, authenticated, /);
    looks.keep(page, "clock-authenticated");
    await page.evaluate(() => localStorage.setItem("steward-language", "de"));
    await page.reload();
    await unfold(page);
    await badge(sources(page), /, authentifiziert$/)
      .first()
      .waitFor();
    looks.keep(page, "clock-authenticated-de", reads);
    await page.goto("/");
    const tile = page.locator(".tile", { has: page.getByRole("heading", { name: "Uhr", level: 2 }) });
    await sees(tile, /^auf .* genau, authentifiziert$/);
    looks.keep(page, "home-authenticated-de", reads);
  });

  it("makes a correction beyond the panic threshold for an administrator who is asked, and for no other user", async () => {
    await start();
    // Once it is in service: a step that is requested at the start is believed.
    await setTime({ servers: names.slice(0, 1) });
    await untilIs("in service", ({ trust }) => trust === "accepted");
    const [page, operator] = [await see("admin"), await see("operator")];
    await setTime({ servers: [liar], panic_threshold: "1s" });
    await together([operator, page], (each) => sync(each).click());
    for (const each of [operator, page]) await time.passUntil(sees(each, "too large a correction"));
    await sees(operator, "An administrator can correct it anyway.");
    assert.equal(await force(operator).count(), 0, "force for an operator");
    await force(page).click();
    const dialog = page.getByRole("dialog", { name: "Make a correction larger than allowed" });
    await sees(dialog, "this device is 3 s behind");
    looks.keep(page, "clock-force");
    await force(dialog).click();
    await confirmPassword(page, "admin");
    await time.passUntil(badge(page, "trusted without a majority").waitFor());
    await dialog.waitFor({ state: "detached" });
    assert.equal(await page.getByText("too large a correction").count(), 0);
  });
});
