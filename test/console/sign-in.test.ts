import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { goodPassword } from "../../lab/agents/checked-agent.ts";
import { type CodedUser, codedUser } from "../../lab/agents/coded-user.ts";
import { startTimedAgentInProcess, type TimedAgent } from "../../lab/agents/faked-time.ts";
import { wrongCodeOf } from "../../lab/basics/authenticator.ts";
import { until } from "../../lab/basics/until.ts";
import {
  addUsers,
  changeSettings,
  endOfConsole,
  names,
  passwords,
  sees,
  signInByForm,
  startBrowser,
  untilFocused,
  type WindowOptions,
} from "../../lab/console/browser.ts";
import { lightBrowser } from "../../lab/console/light/light-browser.ts";
import { answerWith, assertReads } from "../../lab/console/page-checks.ts";
import { standingTime } from "../../lab/simulated/test-time.ts";

const tenMinutes = 600;
/** Seconds. */
const longestLock = 15 * 60;
const canary = "<img src=x onerror=alert(1)>";
const knownTime = { trust: "trusted", state: "synchronised", synchronised: true } as const;

function form(page: Page) {
  return {
    username: page.getByLabel("User name"),
    password: page.getByLabel("Password", { exact: true }),
    code: page.getByLabel("Code", { exact: true }),
    recoveryCode: page.getByLabel("Recovery code", { exact: true }),
    submit: page.getByRole("button", { name: "Sign in" }),
    useRecoveryCode: page.getByRole("button", { name: "Use a recovery code" }),
  };
}

/** Up to the code. */
async function givePassword(page: Page, username: string): Promise<void> {
  await page.goto("/");
  const { username: name, password, code } = form(page);
  await name.fill(username);
  await password.fill(goodPassword);
  await password.press("Enter");
  await code.waitFor();
}

/** Lets so much time pass for the page, and waits until this text says so. */
async function untilTicked(page: Page, text: Locator, milliseconds: number): Promise<void> {
  const before = await text.innerText();
  await page.clock.runFor(milliseconds);
  await until("the page has looked at its clock", async () => (await text.innerText()) !== before);
}

const untilIn = (page: Page) => page.locator(".frame").waitFor();

describe("the console's sign-in", () => {
  const ending = endOfConsole();
  const { looks } = ending;
  const browser = lightBrowser(ending);
  let agent: TimedAgent;
  let ana: CodedUser;
  before(async () => {
    agent = await startTimedAgentInProcess({ clock: knownTime });
    ending.after(() => agent.dispose());
    await addUsers(agent, ["admin", "readonly"]);
    await changeSettings(agent, { console: { banner: canary } });
    ana = await codedUser(agent, "ana");
  });

  const open = async (options: WindowOptions = {}) => {
    const { page } = await browser.open(agent, options);
    await page.goto("/");
    return { page, ...form(page) };
  };

  /** At the code of a user. */
  const openAt = async (username = "ana") => {
    const opened = await open();
    await givePassword(opened.page, username);
    return opened;
  };

  it("leads to Home, and keeps the access token out of the browser's stores", async () => {
    const { page } = await open();
    await page.getByText(canary).waitFor();
    looks.keep(page, "sign-in-banner");
    await signInByForm(page, "admin");
    await page.locator(".verdict h1").waitFor();
    const stored = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    );
    assert.doesNotMatch(stored, /eyJ|str_/);
    assert.match(stored, /steward-refresh-binding/);
  });

  it("says before anything fails what to do where one cannot sign in, for each way to be kept out, and that the agent is in rescue", async () => {
    const { page } = await open();
    await page.getByText("Cannot sign in?").click();
    for (const way of [/^Forgotten password/, /^Lost authenticator/, /^Too many wrong attempts/])
      await page.getByText(way).waitFor();
    await page.getByText("steward user rescue NAME", { exact: true }).waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    looks.keep(page, "sign-in-help-phone", assertReads);
    await answerWith(page, "**/api/console", { rescue: true });
    await page.reload();
    await page.getByText("The stored state of this device is damaged").waitFor();
    looks.keep(page, "sign-in-rescue");
  });

  it("has what password managers look for", async () => {
    const { page, username } = await open();
    await username.waitFor();
    const names = await page
      .locator("form input")
      .evaluateAll((inputs) =>
        inputs.map((input) => ["name", "type", "autocomplete"].map((name) => input.getAttribute(name))),
      );
    assert.deepEqual(names, [
      ["username", "text", "username"],
      ["password", "password", "current-password"],
    ]);
  });

  it("asks for the code, which has the keyboard at once, and takes a pasted one with a blank in it", async () => {
    const { page, code } = await openAt();
    await untilFocused(code);
    assert.equal(await code.getAttribute("autocomplete"), "one-time-code");
    const next = ana.nextCode();
    await page.keyboard.insertText(`${next.slice(0, 3)} ${next.slice(3)}`);
    await page.keyboard.press("Enter");
    await untilIn(page);
  });

  it("goes back from the code to the name, with all that was typed, and leaves no step behind", async () => {
    const { page } = await (await startBrowser(ending)).open(agent);
    await page.goto("/updates");
    await page.goto("/");
    await givePassword(page, "ana");
    const { username, submit, code } = form(page);
    await page.goBack();
    await username.waitFor();
    assert.equal(await username.inputValue(), "ana");
    await submit.click();
    await code.fill(ana.nextCode());
    await submit.click();
    await untilIn(page);
    await page.goBack();
    await page.getByRole("heading", { name: "Updates", level: 1 }).waitFor();
  });

  it("says why a code is refused and what one is, of either kind, and stays", async () => {
    const { page, code, recoveryCode, submit, useRecoveryCode } = await openAt();
    await code.fill(wrongCodeOf(ana.secret));
    await submit.click();
    await sees(page, "This code is not accepted", "Wait for the next code");
    await untilFocused(code);
    assert.equal(await page.getByText("belongs to another time").count(), 0);
    await code.fill("K7QM-2F9X-0TRB-1WHD");
    await submit.click();
    await page.getByText("A code has six digits").waitFor();
    await useRecoveryCode.click();
    await recoveryCode.fill("755224");
    await submit.click();
    await page.getByText("A recovery code has 16 letters and digits").waitFor();
    await untilFocused(recoveryCode);
  });

  it("explains a code of another time, by the time that the device says", async () => {
    agent.knowClock({ trust: "none", state: "unsynchronised", synchronised: false });
    const { page, code, submit } = await openAt();
    await code.fill(ana.codeAhead(180));
    await submit.click();
    await page.getByText(/belongs to another time: .* The device says .*202/).waitFor();
    looks.keep(page, "sign-in-code-of-another-time");
    agent.knowClock(knownTime);
  });

  it("takes a recovery code instead, once", async () => {
    const [given = ""] = ana.recoveryCodes;
    for (const [text, isTaken] of [
      [given.toLowerCase(), true],
      [given, false],
    ] as const) {
      const { page, recoveryCode, submit, useRecoveryCode } = await openAt();
      await useRecoveryCode.click();
      await recoveryCode.fill(text);
      await submit.click();
      if (isTaken) await untilIn(page);
      else await page.getByRole("alert").getByText("This recovery code is not accepted").waitFor();
    }
  });

  it("leads on to another authenticator when the lost one is removed, and the session lasts", async () => {
    const bob = await codedUser(agent, "bob");
    const { page, recoveryCode, submit, useRecoveryCode } = await openAt("bob");
    await useRecoveryCode.click();
    await page.getByLabel("I have lost my authenticator").check();
    await recoveryCode.fill(bob.recoveryCodes[0] ?? "");
    await submit.click();
    await untilIn(page);
    await page.getByText("Your lost authenticator and its recovery codes").waitFor();
    await page.getByRole("button", { name: "Set up a second factor" }).waitFor();
    looks.keep(page, "account-lost-light", async (drawn) => {
      const box = await drawn.getByRole("button", { name: "Set up a second factor" }).boundingBox();
      assert.ok((box?.y ?? 800) < 400, "it is in sight without scrolling");
    });
    assert.equal((await agent.read(`/api/users/${bob.id}`)).two_factor.enabled, false);
    await page.reload();
    await untilIn(page);
    const { total } = await agent.read(`/api/auth/sessions?user_id=${bob.id}`);
    assert.equal(total, 1, "the session of the removal is left over");
  });

  it("counts down to the next try after too many", async (test) => {
    // A quarter of an hour, which ends when the test lets it pass.
    const time = standingTime();
    const locking = await startAgentInProcess({ time });
    test.after(() => locking.dispose());
    await addUsers(locking, ["admin"]);
    for (let tries = 0; tries < 10; tries += 1) {
      time.pass(longestLock);
      const body = { username: names.admin, password: "not that one, no" };
      assert.equal((await locking.call("POST", "/api/auth/login", { body })).status, 401);
    }
    const { page } = await browser.open(locking, { now: Date.now() });
    await page.goto("/");
    const { username, password, submit } = form(page);
    await username.fill(names.admin);
    await password.fill(passwords.admin);
    await submit.click();
    await page
      .getByRole("timer")
      .getByText(/Try again in 1[45]:\d\d/)
      .waitFor();
    assert.equal(await submit.getAttribute("aria-disabled"), "true");
    await page.clock.fastForward((longestLock + 1) * 1_000);
    await page.waitForFunction(() => document.querySelector("[role=timer]") === null);
    assert.equal(await submit.getAttribute("aria-disabled"), null);
    time.pass(longestLock);
    await submit.click();
    await untilIn(page);
  });

  const said = (page: Page) => page.getByText(/The clock of this device says .*, the one of your browser/);

  it("says both times where the browser's is ten minutes behind, and keeps them right while the page stays open", async () => {
    const now = (agent.nowSeconds() - tenMinutes) * 1_000;
    const { page } = await open({ now, scheme: "dark", width: 360, height: 740 });
    await said(page).waitFor();
    const ahead = agent.nowSeconds() - (await page.evaluate(() => Date.now())) / 1_000;
    const assertSaid = async () => {
      const text = await said(page).innerText();
      const [, device = "", own = ""] = /says (.*), the one of your browser says (.*)\./.exec(text) ?? [];
      const difference = (Date.parse(device) - Date.parse(own)) / 1_000;
      // Both are said to the second.
      assert.ok(Math.abs(difference - ahead) <= 1, `"${text}", and the device is ${ahead} s ahead`);
    };
    await assertSaid();
    await untilTicked(page, said(page), 50_000);
    await assertSaid();
    looks.keep(page, "sign-in-clock-dark-phone");
  });

  for (const [what, behindSeconds, synchronised, isBrowsers] of [
    ["in doubt, both may be wrong", tenMinutes, false, false],
    ["in sync, the browser's is wrong", tenMinutes, true, true],
    ["in doubt, a browser's before what has passed for certain is wrong", 4 * 365 * 86_400, false, true],
  ] as const)
    it(`judges the browser's clock before the device's: where that is ${what}`, async () => {
      const now = (agent.nowSeconds() - behindSeconds) * 1_000;
      const floor_at = new Date((agent.nowSeconds() - 86_400) * 1_000).toISOString();
      const { page } = await browser.open(agent, { now });
      await answerWith(page, "**/api/console", { synchronised, floor_at });
      await page.goto("/");
      await said(page).waitFor();
      const sentences = [
        "Codes depend on the clock of this device",
        "The clock of this computer or phone is wrong",
      ];
      for (const [index, sentence] of sentences.entries())
        assert.equal(await page.getByText(sentence).count(), index === Number(isBrowsers) ? 1 : 0, sentence);
    });

  it("says that a password that was pasted begins or ends with a space, and nothing while one is typed", async () => {
    const { page } = await browser.open(agent, {});
    await page.goto("/");
    const { password } = form(page);
    const hint = page.getByText("It begins or ends with a space.");
    await password.fill(`${goodPassword} `);
    await hint.waitFor();
    await password.fill(goodPassword);
    await hint.waitFor({ state: "detached" });
    await password.fill("");
    await page.reload();
    for (const typed of ["a", "a ", "a b"]) {
      await password.fill(typed);
      assert.equal(await hint.count(), 0, typed);
    }
  });

  it("says nothing of clocks that agree, and takes it back when the device's is mended", async () => {
    const { page } = await browser.open(agent, { now: agent.nowSeconds() * 1_000 });
    agent.stepClock(tenMinutes);
    await page.goto("/");
    await said(page).waitFor();
    // Once the text has ticked, it also listens for the focus.
    await untilTicked(page, said(page), 1_000);
    agent.stepClock(-tenMinutes);
    // A user who has mended something comes back to the page.
    await page.evaluate(() => void dispatchEvent(new Event("focus")));
    await said(page).waitFor({ state: "detached" });
  });
});
