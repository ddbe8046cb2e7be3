import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { runSteward, startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { checkEvent } from "../../lab/agents/answer-rules.ts";
import { samplesOf } from "../../lab/basics/metrics-samples.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import { names, sees, untilThereAre } from "../../lab/console/browser.ts";
import { lightConsoleOf } from "../../lab/console/light/light-browser.ts";
import { passingTime } from "../../lab/simulated/test-time.ts";
import { isSetupNeed } from "../../src/contract/need-areas.ts";
import type { AuditEvent, Need, Status } from "../../src/contract/types.ts";
import { emptyJournal, releaseJournalText } from "../../src/releases/release-journal.ts";

/** A device whose installer has undone a release; in no net, so that nothing tells the time; with an account that is locked. */
describe("a device with three faults", () => {
  const time = passingTime();
  const { agent, browser } = lightConsoleOf(async () => {
    const releases = scratchDirectory();
    const setAside = [
      {
        ...{ id: "1".repeat(32), name: "base", version: "1.3.0", at: "2026-11-20T10:00:00.000Z" },
        ...({ why: "failed", reason: "It did not become healthy.", until: null } as const),
      },
    ];
    const slots = { ...emptyJournal.slots, rules: { good: [], trial: null, setAside } };
    writeFileSync(join(releases, "journal.json"), releaseJournalText({ ...emptyJournal, slots }));
    const places = ["--releases", releases, "--trust", join(releases, "trust")];
    return startAgentInProcess({ time, arguments: places });
  });
  let page: Page;
  before(async () => {
    await lockOperator();
    page = await browser.signedIn(agent, "admin", "/", { isKept: true });
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

  const status = (): Promise<Status> => agent.read("/api/status");
  const codesOf = (needs: readonly Pick<Need, "code">[]): string[] => needs.map(({ code }) => code).sort();
  const codes = async (): Promise<string[]> => codesOf((await status()).needs);
  const typed = (...words: string[]) => runSteward(["--socket", agent.socket, ...words]);

  /** Needs that have begun and not ended, by the events. */
  const open = async (): Promise<string[]> => {
    const { items } = await agent.read("/api/events?after=0&limit=200&group=device");
    const found = new Map<string, string>();
    for (const event of items as AuditEvent[]) {
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

  it("gives the same answer on the command line, in the metrics, in the events, on Home and on the pages of its parts", async () => {
    await minutesLater();
    const { needs, state } = await status();
    const expected = codesOf(needs);
    for (const code of ["clock", "update_failed", "users_locked"])
      assert.ok(expected.includes(code), `${code} is not among ${expected.join(", ")}`);

    const asJson = await typed("-o", "json", "status");
    assert.deepEqual([asJson.code, codesOf(JSON.parse(asJson.stdout).needs)], [10, expected]);
    const { stdout } = await typed("status");
    const listed = [...stdout.matchAll(/^\* (?:FAILING )?([a-z ]+):/gm)].map(([, code = ""]) => code);
    assert.deepEqual(listed.map((code) => code.replaceAll(" ", "_")).sort(), expected);
    assert.match(stdout, new RegExp(`^[^\\n]+: ${state}, ${expected.length} things need attention\\n`));
    for (const row of ["clock", "updates", "people"])
      assert.match(stdout, new RegExp(`^${row} +needs attention; `, "m"));

    const { text } = await agent.call("GET", "/api/metrics", { local: true });
    const samples = [...samplesOf(text)].filter(
      ([name, value]) => name.startsWith("steward_need{") && value === 1,
    );
    const measured = samples.map(([name]) => /code="(\w+)"/.exec(name)?.[1]).sort();
    assert.deepEqual(measured, expected);

    assert.deepEqual(await open(), expected);

    await page.goto("/");
    const warned = codesOf(needs.filter((need) => !isSetupNeed(need)));
    await page.getByRole("heading", { name: `${warned.length} things need you.`, level: 1 }).waitFor();
    assert.equal(await page.locator(".needs:not(.to-do) > li").count(), warned.length);
    assert.equal(await page.locator(".to-do > li").count(), expected.length - warned.length);
    await sees(page.locator(".needs > li h3"), "Rules 1.3.0 failed on this device");
    for (const [title, state] of [
      ["Clock", "attention"],
      ["Updates", "attention"],
      ["Users", "attention"],
      // That it has no name yet is no fault.
      ["Host", "good"],
    ] as const) {
      const tile = page.locator(".tile", { has: page.getByRole("heading", { name: title, level: 2 }) });
      assert.equal(await tile.locator(`.badge.${state}`).count(), 1, title);
    }
    for (const [path, part] of [
      ["/updates", ".updates-state"],
      ["/system", ".clock-head"],
    ] as const) {
      await page.goto(path);
      await page.locator(`${part} .badge.attention`).first().waitFor();
      assert.equal(await page.locator(`${part} .badge.good`).count(), 0);
    }
  });

  it("has one fault less everywhere once an administrator has seen to it", async () => {
    for (const words of [
      ["update", "dismiss"],
      ["user", "unlock", names.operator],
    ])
      assert.equal((await typed(...words)).code, 0);
    const left = await codes();
    assert.doesNotMatch(left.join(), /update_failed|users_locked/);
    await minutesLater();
    assert.deepEqual(await open(), left);
    await page.goto("/");
    await untilThereAre(left.length, page.locator(".needs > li"));
    await sees(page, "Done: Rules 1.3.0 failed on this device");
  });
});
