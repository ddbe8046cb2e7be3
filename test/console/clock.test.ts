import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Locator, Page, Route } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { heldUdpPort } from "../../lab/basics/held-ports.ts";
import { until } from "../../lab/basics/until.ts";
import {
  type ConsoleWindow,
  changeSettings,
  confirmPassword,
  endOfConsole,
  signIn,
  signInWithoutStepUp,
  type TestBrowser,
  untilShown,
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
const liar = names[3] ?? "";

const sync = (page: Page) => page.getByRole("button", { name: "Sync now" });
const reselect = (page: Page) => page.getByRole("button", { name: "Choose sources again" });
const byBrowser = (page: Page) =>
  page.getByRole("button", { name: "Set the device's clock to this browser's time" });
const sources = (page: Page) => page.getByRole("table", { name: "Sources" });
const force = (place: Page | Locator) => place.getByRole("button", { name: "Correct it anyway" });
const bars = (page: Page) => page.locator(".clock-bars");

/** The line of a time that is beyond the picture. */
const atTheHighEnd = "M1000.0,100.00 1000.0,0.00";

/** The reason that a button cannot be used, as a screen reader says it. */
const reasonOf = async (button: Locator): Promise<string> =>
  button.evaluate((element) => {
    const id = element.getAttribute("aria-describedby") ?? "";
    return (element.ownerDocument.getElementById(id)?.textContent ?? "").trim();
  });

/** A badge: a state's word behind its shape. */
const badge = (place: Page | Locator, text: string | RegExp) => place.locator(".badge", { hasText: text });

async function see(
  browser: TestBrowser,
  agent: RunningAgent,
  role: Role,
  options: WindowOptions = {},
): Promise<ConsoleWindow> {
  const opened = await browser.open(agent, options);
  // Only administrators are asked for the password; a page that is open hears what that changes of the settings.
  if (role === "admin") await signInWithoutStepUp(agent, opened.page, role, "/system");
  else await signIn(opened.page, role, "/system");
  await opened.page.locator(".clock-head").waitFor();
  return opened;
}

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

/** In each of these widths all text can be read. */
const reads =
  (...widths: number[]) =>
  async (drawn: Page): Promise<void> => {
    for (const width of widths) {
      await drawn.setViewportSize({ width, height: 740 });
      await assertReads(drawn);
    }
  };

const setTime = (agent: RunningAgent, time: object) => changeSettings(agent, { time });

describe("the console's clock", () => {
  const ending = endOfConsole();
  const { looks } = ending;
  /** The clock is stopped. The agent ends once its simulated servers have answered, so time must pass at the end. */
  const start = (
    time: StandingTime,
    openClock = time.servedClock(servers),
  ): Promise<{ agent: RunningAgent; browser: TestBrowser }> =>
    startLightConsole(ending, async () => {
      const agent = await startAgentInProcess({ time, openClock });
      return { ...agent, dispose: () => time.passUntil(agent.dispose()) };
    });

  describe("where no source is asked for the time", { concurrency: false }, () => {
    const time = standingTime();
    let agent: RunningAgent;
    let browser: TestBrowser;
    before(async () => {
      ({ agent, browser } = await start(time));
      await time.passUntil(
        until("it has found that there is no source", async () => {
          const { json } = await agent.call("GET", route, { local: true });
          return json.state !== "acquiring";
        }),
      );
      // One without a name would need a person, and one without a receiver of messages too.
      const device = { name: "vm", not_needed: ["no_receiver"] };
      await changeSettings(agent, { device });
    });

    it("names the fault, the ways out, and what does not work because of it", async () => {
      const { page } = await see(browser, agent, "admin");
      await page.getByRole("heading", { name: "While the clock is not trusted" }).waitFor();
      await page.getByText("Correct codes from an authenticator may be refused.").waitFor();
      assert.equal(await sync(page).count(), 0, "no server can be asked");
      assert.equal(await byBrowser(page).getAttribute("aria-disabled"), null);
      looks.keep(page, "clock-no-sources-light");
      await unfold(page);
      assert.equal(await reselect(page).getAttribute("aria-disabled"), "true");
      assert.match(await reasonOf(reselect(page)), /No time servers are set/);
      await page.getByRole("link", { name: "Open the time settings" }).click();
      await page.waitForURL("**/system/settings?open=time");
    });
    it("shows the host: whether it is well, how full it is, and behind a fold what runs on it", async () => {
      const { page } = await see(browser, agent, "readonly");
      const host = page.getByRole("region", { name: "Host" });
      const { json: facts } = await agent.call("GET", "/api/system/facts", { local: true });
      await host.getByText(facts.hostname, { exact: true }).waitFor();
      const memory = host.getByRole("meter", { name: "Memory" });
      assert.equal(Number(await memory.getAttribute("max")), facts.memory.total_bytes);
      const { json: status } = await agent.call("GET", "/api/status", { local: true });
      const sizes = facts.disks.map(({ size_bytes }: { size_bytes: number }) => size_bytes);
      const isListed = sizes.includes(status.host.disk.size_bytes);
      assert.equal(await host.getByRole("meter", { name: /^Disk \// }).count(), sizes.length);
      assert.equal(
        await host.getByRole("meter", { name: "Disk of the stored state" }).count(),
        isListed ? 0 : 1,
      );
      const { json: found } = await agent.call("GET", "/api/health", { local: true });
      await badge(host, `All ${found.checks.length} checks passed`).waitFor();
      const { json: version } = await agent.call("GET", "/api/version", { local: true });
      assert.equal(await host.getByText(version.device_id, { exact: true }).isVisible(), false);
      await host.locator("summary").click();
      const names = found.checks.map(({ name }: { name: string }) => checkNames[name] ?? name);
      await host.getByText([...new Set(names)].join(", ")).waitFor();
      for (const text of [version.node, version.device_id])
        await host.getByText(text, { exact: true }).waitFor();
      looks.draw(page, "host-details");
    });
    it("takes the time of a browser ten minutes ahead, after the password, as it is then", async () => {
      const { page } = await see(browser, agent, "admin", { now: time.nowSeconds() * 1_000 + 10 * minutes });
      // A page reads again what an event changed at the moment of its opening, at which both clocks are stopped.
      time.pass(2);
      await page.clock.runFor(2_000);
      await page.reload();
      await badge(page.locator(".frame-head"), "Clock: unknown").waitFor();
      await badge(page, /checks passed/).waitFor();
      await page.getByText("This browser is 10 min ahead of the device.").waitFor();
      await byBrowser(page).click();
      const dialog = page.getByRole("dialog", { name: "Set the clock to your browser's time" });
      await dialog.getByText("10 min ahead").waitFor();
      looks.keep(page, "clock-by-browser");
      await dialog.getByRole("button", { name: "Set the clock" }).click();
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
      await page.getByText("This browser and the device agree to within 2 s.").waitFor();
      await page.getByRole("heading", { name: "While the clock is not" }).waitFor({ state: "detached" });
      const { json } = await agent.call("GET", route, { local: true });
      const apart = Date.parse(json.server_time) - (await page.evaluate(() => Date.now()));
      assert.ok(Math.abs(apart) < minutes, `the device is ${apart} ms ahead of the browser that set it`);
      assert.equal(json.source.type, "manual");
      assert.equal(json.last_step, null, "the host's own clock was never set");
    });
  });

  it("says why there is no answer from a server that is silent, and what to do", async () => {
    const time = standingTime();
    const { agent, browser } = await start(time, openHostClock);
    await setTime(agent, { servers: [`127.0.0.1:${await heldUdpPort()}`] });
    const { page } = await see(browser, agent, "operator");
    await sync(page).click();
    const told = page.getByText("No time source gives a usable answer");
    await until("it is told", async () => {
      // Three times between a packet and the end of the time for its answer.
      time.pass(0.3);
      return told.isVisible();
    });
    await page
      .locator(".clock-top")
      .getByText("None of the time servers gives")
      .waitFor({ state: "detached" });
    await page.getByText("Check the network and the time settings").first().waitFor();
    await bars(page).getByText("unreachable: no time server runs there").waitFor();
    await unfold(page);
    await badge(sources(page), "unreachable").waitFor();
  });

  it("divides a server's name that is as long as a name can be rather than leave the window", async () => {
    const time = standingTime();
    const { agent, browser } = await start(time);
    const name = `${"zeitserver".repeat(7).slice(0, 63)}.invalid`;
    await setTime(agent, { servers: [name] });
    const { page } = await see(browser, agent, "admin", { width: 320, height: 740 });
    await unfold(page);
    await time.passUntil(sources(page).getByText(name).waitFor());
    looks.draw(page, "clock-long-name", reads(1280, 360, 320));
  });

  describe("with three good servers and one that is three seconds ahead", { concurrency: false }, () => {
    const time = standingTime();
    let agent: RunningAgent;
    let browser: TestBrowser;
    before(async () => {
      ({ agent, browser } = await start(time));
    });

    it("counts the answers while it is measured, and says what came of it", async () => {
      const { page } = await see(browser, agent, "operator");
      await setTime(agent, { servers: names });
      const counters = async () => (await agent.call("GET", route, { local: true })).json.counters;
      // All of the start's burst, a round of four exchanges with each and three rounds of one: a measurement that is asked
      // for meanwhile would be one of them.
      const exchanges = 7 * names.length;
      await time.passUntil(until("they are measured", async () => (await counters()).exchanges >= exchanges));
      const { samples } = await counters();
      await page.reload();
      await unfold(page);
      await reselect(page).click();
      await page.getByText(/^Asking 4 sources, answers so far: \d+$/).waitFor();
      assert.equal(await reselect(page).getAttribute("aria-busy"), "true");
      assert.equal(await reasonOf(sync(page)), "The clock is being measured");
      await until("a server has answered", async () => {
        time.pass(0.1);
        return (await counters()).samples > samples;
      });
      await page.getByText(/answers so far: [1-9]\d*$/).waitFor();
      await time.passUntil(page.getByText(/^Measured: the clock is .* (behind|ahead), ±\s/).waitFor());
      await until("it is not busy", async () => (await reselect(page).getAttribute("aria-busy")) === null);
      await sync(page).click();
      await page.getByText("Too many requests").waitFor();
    });
    it("says in a sentence how it is, and in a picture that three agree and one is three seconds ahead", async () => {
      const { page } = await see(browser, agent, "operator");
      await badge(page.locator(".clock-head"), /^In sync, within \d[\d.,]*\sms\.$/).waitFor();
      await badge(page.locator(".frame-head"), "Clock: in sync").waitFor();
      const words = (await bars(page).getAttribute("aria-label")) ?? "";
      assert.match(words, /^3 sources agree that this device is .* (behind|ahead)/);
      assert.match(words, new RegExp(`${liar}, wrong, 3\\ss ahead of this device`));
      assert.equal(await sources(page).count(), 0, "the table is behind the fold");
    });
    it("crosses the false one, with the reason in words, in the picture and in the table", async () => {
      const { page } = await see(browser, agent, "admin");
      await unfold(page);
      const row = sources(page).getByRole("row").filter({ hasText: liar });
      await row.getByText("3 s later, ± ").waitFor();
      await badge(row, "wrong").waitFor();
      await row.getByText("ignored because it disagrees with the majority").waitFor();
      await bars(page)
        .getByText("wrong: ignored because it disagrees with the majority · 3 s ahead of this device")
        .waitFor();
      assert.equal(await page.locator(".clock-bars .wrong .shape").count(), 1, "crosses");
      const line = page.locator(".clock-bars .wrong .plot-line:not(.worst)");
      assert.equal(await line.getAttribute("d"), atTheHighEnd);
      const agreed = page.locator(".clock-bars .plot-marks .plot-band:not(.marked)");
      assert.match((await agreed.getAttribute("d")) ?? "", /^M.*Z$/);
      assert.match(await reasonOf(byBrowser(page)), /already correct/);
      looks.keep(page, "clock-sources-light");
    });
    it("is in the dark and on a phone as good as in the light", async () => {
      const dark = await see(browser, agent, "admin", { scheme: "dark" });
      looks.keep(dark.page, "clock-dark");
      const phone = await see(browser, agent, "readonly", { width: 360, height: 740 });
      looks.draw(phone.page, "clock-phone");
      await unfold(phone.page);
      await sources(phone.page).waitFor();
      looks.keep(phone.page, "clock-sources-phone", reads(700, 320, 360));
    });
  });

  describe("where two servers are authenticated and the certificate of a third is not believed", {
    concurrency: false,
  }, () => {
    const time = standingTime();
    const certificate = { validFromSeconds: 0, validToSeconds: 4_102_444_800, failure: null };
    const plans = [null, null, "nts_unknown_authority"].map((failure, index) => ({
      ...ordinaryServer,
      ...{ address: names[index] ?? "", nts: { ...certificate, failure } },
    }));
    let agent: RunningAgent;
    let browser: TestBrowser;
    before(async () => {
      ({ agent, browser } = await start(time, time.servedClock(plans)));
      await setTime(agent, { servers: plans.map(({ address }) => ({ host: address, nts: true })) });
      await time.passUntil(
        until("it is trusted", async () => {
          const { json } = await agent.call("GET", route, { local: true });
          return json.trust === "trusted" && json.authenticated;
        }),
      );
    });

    it("marks each source that is, says why one is not, and Home's tile says that the time is", async () => {
      const { page } = await see(browser, agent, "operator");
      await unfold(page);
      const stateIn = (host = "", text = "") =>
        badge(sources(page).getByRole("row").filter({ hasText: host }), new RegExp(text)).waitFor();
      for (const host of names.slice(0, 2)) await stateIn(host, ", authenticated$");
      await stateIn(names[2], "^unreachable$");
      await bars(page).getByText("certificate: unknown authority").waitFor();
      assert.match(
        (await bars(page).getAttribute("aria-label")) ?? "",
        /192\.0\.2\.1, [a-z, ]+, authenticated, /,
      );
      looks.keep(page, "clock-authenticated");
      await page.evaluate(() => localStorage.setItem("steward-language", "de"));
      await page.reload();
      await unfold(page);
      await untilShown(badge(page.locator(".clock-table"), /, authentifiziert$/).first());
      looks.keep(page, "clock-authenticated-de", reads(1280, 320));
      await page.goto("/");
      const tile = page.locator(".tile", { has: page.getByRole("heading", { name: "Uhr", level: 2 }) });
      await tile.getByText(/^auf .* genau, authentifiziert$/).waitFor();
      looks.keep(page, "home-authenticated-de", reads(1280, 320));
      await page.evaluate(() => localStorage.setItem("steward-language", "en"));
      await page.reload();
      await page.getByText(/^within .*, authenticated$/).waitFor();
      looks.draw(page, "home-authenticated");
    });
  });

  describe("where a correction beyond the panic threshold is wanted", { concurrency: false }, () => {
    const time = standingTime();
    let agent: RunningAgent;
    let browser: TestBrowser;
    before(async () => {
      ({ agent, browser } = await start(time));
      // Once it is in service: a step that is requested at the start is believed.
      await setTime(agent, { servers: names.slice(0, 1) });
      await time.passUntil(
        until("it is in service", async () => {
          const { json } = await agent.call("GET", route, { local: true });
          return json.trust === "accepted";
        }),
      );
    });

    it("makes it for an administrator who is asked, and for no other user", async () => {
      const { page } = await see(browser, agent, "admin");
      const operator = await see(browser, agent, "operator");
      await setTime(agent, { servers: [liar], panic_threshold: "1s" });
      await together([operator.page, page], (each) => sync(each).click());
      for (const each of [operator.page, page])
        await time.passUntil(each.getByText("too large a correction").waitFor());
      await operator.page.getByText("An administrator can correct it anyway.").waitFor();
      assert.equal(await force(operator.page).count(), 0, "force for an operator");
      looks.draw(page, "clock-panic-light");
      await force(page).click();
      const dialog = page.getByRole("dialog", { name: "Make a correction larger than allowed" });
      await dialog.getByText("this device is 3 s behind").waitFor();
      looks.keep(page, "clock-force");
      await force(dialog).click();
      await confirmPassword(page, "admin");
      await time.passUntil(badge(page, "trusted without a majority").waitFor());
      await dialog.waitFor({ state: "detached" });
      assert.equal(await page.getByText("too large a correction").count(), 0);
    });
  });
});
