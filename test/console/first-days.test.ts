import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { adminName, adminPassword, type RunningAgent } from "../../lab/agents/running-agent.ts";
import { codeOf, wrongCodeOf } from "../../lab/basics/authenticator.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import {
  addUsers,
  type ConsoleEnding,
  changeSettings,
  endOfConsole,
  fill,
  press,
  sees,
  signIn,
  untilShown,
} from "../../lab/console/browser.ts";
import { lightBrowser } from "../../lab/console/light/light-browser.ts";
import { answerWith } from "../../lab/console/page-checks.ts";
import { startHostileServer } from "../../lab/host/hostile-time-server.ts";
import type { AuditEvent, Need, Status } from "../../src/contract/types.ts";

/** All that a person sees on Home: its frame, its links to documents, and what only a screen reader says. */
const mostWords = 110;

const broken: Need = {
  ...{ code: "receiver_failing", level: "attention", detail: "It fails.", remedy: null },
  facts: { name: "ops", detail: "The connection was refused." },
};

/**
 * A row: the needs beside those of the agent, what is declared as not needed here, the sentence at the head, the steps that
 * are left, and the warnings. The device has a trusted clock, one administrator and no second factor.
 */
const rows = [
  [
    "new",
    [],
    [],
    "All is well.",
    ["Set up a second factor: root-admin", "Name this device", "Set up updates", "Set up notifications"],
    [],
  ],
  [
    "with all done",
    [],
    ["second_factor_advised", "updates_not_set_up", "no_receiver"],
    "All is well.",
    [],
    [],
  ],
  [
    "with one thing broken",
    [broken],
    ["updates_not_set_up"],
    "One thing needs you.",
    ["Set up a second factor: root-admin", "Set up notifications"],
    ["Messages do not reach ops"],
  ],
] as const;

/** An agent whose clock is right by three servers of this computer. */
async function startWithClock(ending: ConsoleEnding): Promise<RunningAgent> {
  const running = await Promise.all(
    [1, 2, 3].map(() => startHostileServer(({ send, reply }) => send(reply()))),
  );
  for (const server of running) ending.after(() => server.close());
  const servers = running.map(({ port }) => `127.0.0.1:${port}`);
  const file = join(scratchDirectory(), "settings.json");
  writeFileSync(file, JSON.stringify({ time: { mode: "observe", servers } }));
  const agent = await startAgentInProcess({ environment: { STEWARD_INITIAL_SETTINGS: file } });
  ending.after(() => agent.dispose());
  const status = (): Promise<Status> => agent.read("/api/status");
  await until("the clock is trusted", async () => (await status()).clock.word === "in_sync");
  return agent;
}

describe("Home of a device", () => {
  const ending = endOfConsole();
  const browser = lightBrowser(ending);
  let agent: RunningAgent;

  before(async () => {
    agent = await startWithClock(ending);
    await addUsers(agent, ["admin"]);
  });

  for (const [name, needs, not_needed, sentence, left, warnings] of rows)
    it(`says each thing once, and warns of what broke: ${name}`, async () => {
      const device = { not_needed: [...not_needed], ...(name !== "new" && { name: "Branch Hamburg" }) };
      await changeSettings(agent, { device });
      const { page } = await browser.open(agent);
      await answerWith(page, "**/api/status", (status) => ({ needs: [...needs, ...status.needs] }));
      await signIn(page, "admin");
      await untilShown(page.getByRole("heading", { name: sentence, level: 1 }));
      const texts = (place: string) => page.locator(place).allInnerTexts();
      assert.deepEqual(await texts(".to-do > li"), left);
      assert.deepEqual(await texts(".needs:not(.to-do) h3"), warnings);
      assert.equal(
        await page.getByRole("heading", { name: `Finish setting up (${left.length})` }).count(),
        left.length > 0 ? 1 : 0,
      );
      const amber = ":is(.attention, .wrong, .banner, .need-count)";
      assert.equal((await page.locator(amber).count()) > 0, warnings.length > 0, "amber");
      const text = await page.locator("body").innerText();
      const words = text.match(/[\p{L}\p{N}][^\s]*/gu) ?? [];
      assert.ok(words.length <= mostWords, `${words.length} words: ${text}`);
      const lines = text.split("\n").filter((line) => /[a-z]{3}.* /.test(line));
      assert.deepEqual(
        lines.filter((line, at) => lines.indexOf(line) !== at),
        [],
        "a sentence is there twice",
      );
      assert.doesNotMatch(text, /\+g/, "the version is the one that people know");
    });
});

const newPassword = "nine calm herons by the river";

/** The mishaps of a careful person: a code mistyped and put right, a sign-in that was left, a page loaded again. */
describe("the record of a person who does everything right", () => {
  const ending = endOfConsole();
  const browser = lightBrowser(ending);
  let agent: RunningAgent;
  let page: Page;
  let secret = "";
  before(async () => {
    agent = await startWithClock(ending);
    ({ page } = await browser.open(agent, { isKept: true }));
  });

  const refused = async (): Promise<string[]> => {
    const { items } = await agent.read("/api/events?outcome=refused");
    return (items as AuditEvent[]).map(({ type, code, actor }) => `${type} ${code} ${actor.name}`);
  };

  it("is that of a first run with a mistyped code", async () => {
    await page.goto(`/#setup=${readFileSync(join(agent.runDirectory, "setup-token"), "utf8").trim()}`);
    await fill(page, { "User name": adminName, Password: adminPassword });
    await press(page, "Create the administrator");
    secret = ((await page.locator("pre").first().textContent()) ?? "").replaceAll(/\s/g, "");
    const code = page.getByLabel("Code", { exact: true });
    await code.fill(wrongCodeOf(secret));
    await press(page, "Switch on");
    await sees(page, "This is not the current code of this key");
    await code.fill(codeOf(secret));
    await press(page, "Switch on");
    await page.getByLabel("I have saved these codes").check();
    await press(page, "Done");
    await page.getByLabel("Device name").fill("Branch Hamburg");
    await press(page, "Continue");
    await press(page, "Not needed here");
    await press(page, "Go to Home");
    await page.locator(".verdict").waitFor();
  });

  it("is that of a day's use", async () => {
    const other = (await browser.open(agent)).page;
    await other.goto("/");
    await fill(other, { "User name": adminName, Password: adminPassword });
    await press(other, "Sign in");
    await untilShown(other.getByLabel("Code", { exact: true }));
    await other.goto("/");
    await page.reload();
    await page.locator(".frame").waitFor();
    await page.goto("/account");
    await fill(page, { "Current password": adminPassword, "New password": newPassword });
    await press(page, "Change password");
    await sees(page, "Password changed");
    await page.reload();
    await page.locator(".frame").waitFor();
  });

  it("has no refusal on Home, in Events or in History, nor in the answer of the agent", async () => {
    assert.deepEqual(await refused(), []);
    await page.goto("/");
    await page.locator(".verdict").waitFor();
    assert.doesNotMatch(await page.locator("main").innerText(), /refused|not allowed|wrong/i);
    await page.goto("/system/events");
    await page.locator(".timeline-run").first().waitFor();
    const lines = await page.locator(".run-text").allInnerTexts();
    assert.ok(lines.length > 4, `${lines}`);
    assert.doesNotMatch(lines.join("\n"), /refused|not allowed|wrong|usr_/i);
    assert.equal(await page.locator(".timeline-run .badge").count(), 0);
    await page.goto("/system/history");
    await page.getByRole("heading", { name: "History" }).waitFor();
    await page.locator(".skeleton").waitFor({ state: "detached" });
    assert.equal(await page.getByText("Refused sign-ins").count(), 0);
  });

  it("shows a refusal that there is on all three", async () => {
    const body = { username: adminName, password: "a guess of a stranger" };
    await agent.call("POST", "/api/auth/login", { body });
    const said = `A sign-in as ${adminName} was refused`;
    await page.goto("/");
    await sees(page.locator(".latest > .attention"), said);
    await page.goto("/system/events");
    const line = page.locator(".timeline-run", { hasText: said });
    await line.locator(".badge.attention").waitFor();
    await page.goto("/system/history");
    await sees(page, "Refused sign-ins");
  });
});
