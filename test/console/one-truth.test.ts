import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { runSteward, startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { checkEvent } from "../../lab/agents/answer-rules.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { samplesOf } from "../../lab/basics/metrics-samples.ts";
import { until } from "../../lab/basics/until.ts";
import { endOfConsole, names, signIn } from "../../lab/console/browser.ts";
import { startLightConsole } from "../../lab/console/light/light-browser.ts";
import { passingTime } from "../../lab/simulated/test-time.ts";
import type { AuditEvent, Need, Status } from "../../src/contract/types.ts";
import { emptyJournal, releaseJournalText } from "../../src/releases/release-journal.ts";

const failedId = "1".repeat(32);

/** A device whose installer has undone a release; in no net, so that nothing tells the time; with an account that is locked. */
describe("a device with three faults", () => {
  const ending = endOfConsole();
  const time = passingTime();
  let agent: RunningAgent;
  let page: Page;

  before(async () => {
    const releases = mkdtempSync(join(tmpdir(), "steward-releases-"));
    ending.after(async () => rmSync(releases, { recursive: true, force: true }));
    const failed = { id: failedId, name: "base", version: "1.3.0", at: "2026-11-20T10:00:00.000Z" };
    const setAside = [
      { ...failed, why: "failed", reason: "It did not become healthy.", until: null } as const,
    ];
    const slots = { ...emptyJournal.slots, rules: { good: [], trial: null, setAside } };
    writeFileSync(join(releases, "journal.json"), releaseJournalText({ ...emptyJournal, slots }));
    const start = () =>
      startAgentInProcess({ time, arguments: ["--releases", releases, "--trust", join(releases, "trust")] });
    const { agent: started, browser } = await startLightConsole(ending, start);
    agent = started;
    await lockOperator();
    ({ page } = await browser.open(agent));
    await signIn(page, "admin");
  });

  /** Each lock is twice as long as the one before: one that outlasts the test. */
  const lockOperator = async (): Promise<void> => {
    for (let tries = 0; tries < 60; tries += 1) {
      const body = { username: names.operator, password: `wrong ${tries}` };
      const { status, headers } = await agent.call("POST", "/api/auth/login", { body });
      const seconds = Number(headers["retry-after"] ?? 0);
      if (status === 429 && seconds > 600) return;
      time.pass(seconds);
    }
    assert.fail("no lock is longer than ten minutes");
  };

  const status = async (): Promise<Status> => (await agent.call("GET", "/api/status", { local: true })).json;
  const codes = async (): Promise<string[]> => codesOf((await status()).needs);
  const codesOf = (needs: readonly Pick<Need, "code">[]): string[] => needs.map(({ code }) => code).sort();
  const typed = (...words: string[]) => runSteward(["--socket", agent.socket, ...words]);

  /** Needs that have begun and not ended, by the events. */
  const open = async (): Promise<string[]> => {
    const { json } = await agent.call("GET", "/api/events?after=0&limit=200&group=device", { local: true });
    const found = new Map<string, string>();
    for (const event of json.items as AuditEvent[]) {
      const { type, details } = event;
      if (type.startsWith("need.")) checkEvent(event);
      const { need = "", reason = "" } = details as { need?: string; reason?: string };
      if (type === "need.began") found.set(`${need} ${reason}`, need);
      if (type === "need.ended") found.delete(`${need} ${reason}`);
    }
    return [...found.values()].sort();
  };
  /** Long enough for two looks, and too short for a lock to end. */
  const minutesLater = async (): Promise<void> => {
    for (let minutes = 0; minutes < 3; minutes += 1) {
      time.pass(60);
      await open();
    }
    await until("the events tell of it", async () => `${await open()}` === `${await codes()}`);
  };

  it("has them, among others", async () => {
    const found = await codes();
    for (const code of ["clock", "update_failed", "users_locked"])
      assert.ok(found.includes(code), `${code} is not among ${found.join(", ")}`);
  });

  it("gives the same answer on the command line, in the metrics, in the events and on Home", async () => {
    await minutesLater();
    const { needs, state } = await status();
    const expected = codesOf(needs);

    const asJson = await typed("-o", "json", "status");
    assert.deepEqual([asJson.code, codesOf(JSON.parse(asJson.stdout).needs)], [10, expected]);
    const asText = await typed("status");
    const listed = [...asText.stdout.matchAll(/^\* (?:FAILING )?([a-z ]+):/gm)].map(([, code = ""]) => code);
    assert.deepEqual(listed.map((code) => code.replaceAll(" ", "_")).sort(), expected);
    assert.match(
      asText.stdout,
      new RegExp(`^[^\\n]+: ${state}, ${expected.length} things need attention\\n`),
    );
    for (const row of ["clock", "updates", "people"])
      assert.match(asText.stdout, new RegExp(`^${row} +needs attention; `, "m"));

    const { text } = await agent.call("GET", "/api/metrics", { local: true });
    const samples = [...samplesOf(text)].filter(
      ([name, value]) => name.startsWith("steward_need{") && value === 1,
    );
    const measured = samples.map(([name]) => /code="(\w+)"/.exec(name)?.[1]).sort();
    assert.deepEqual(measured, expected);

    assert.deepEqual(await open(), expected);

    await page.goto("/");
    await page.getByRole("heading", { name: `${expected.length} things need you.`, level: 1 }).waitFor();
    assert.equal(await page.locator(".needs > li").count(), expected.length);
    const heads = await page.locator(".needs > li h3").allInnerTexts();
    assert.ok(heads.includes("base 1.3.0 failed on this device"), heads.join("; "));
    for (const [tile, reason] of [
      ["Clock", "The clock is not trusted"],
      ["Updates", "base 1.3.0 failed on this device"],
      ["People", `Locked users: ${names.operator}`],
    ] as const) {
      const box = page.locator(".tile", { has: page.getByRole("heading", { name: tile, level: 2 }) });
      assert.match(await box.innerText(), new RegExp(reason));
      assert.equal(await box.locator(".badge.attention").count(), 1, tile);
    }
    assert.equal(await page.locator(".tile .badge.good").count(), 0, "the device has no name either");
  });

  it("is told in the same colour on the pages of its parts", async () => {
    await page.goto("/updates");
    await page.locator(".updates-state .badge.attention").waitFor();
    assert.equal(await page.locator(".updates-state .badge.good").count(), 0);
    const card = page.getByRole("article", { name: "Rules" });
    assert.equal(await card.locator(".badge.good").count(), 0);
    assert.equal(await card.getByText("Up to date.").count(), 0);
    await page.goto("/system");
    await page.locator(".clock-head .badge.attention").first().waitFor();
    await page.locator(".facts-checks .badge.attention").first().waitFor();
    assert.equal(await page.locator(".clock-head .badge.good, .facts-checks .badge.good").count(), 0);
  });

  it("has one fault less everywhere once an administrator has seen to it", async () => {
    assert.equal((await typed("update", "dismiss")).code, 0);
    assert.equal((await typed("user", "unlock", names.operator)).code, 0);
    const left = await codes();
    assert.ok(!left.includes("update_failed") && !left.includes("users_locked"), left.join(", "));
    await minutesLater();
    assert.deepEqual(await open(), left);
    await page.goto("/");
    await page.locator(".needs > li").first().waitFor();
    await until(
      "Home has them no more",
      async () => (await page.locator(".needs > li").count()) === left.length,
    );
    await page.getByText("Done: base 1.3.0 failed on this device").waitFor();
  });
});
