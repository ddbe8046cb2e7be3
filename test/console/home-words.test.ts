import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import { addUsers, changeSettings, endOfConsole, signIn, untilShown } from "../../lab/console/browser.ts";
import { lightBrowser } from "../../lab/console/light/light-browser.ts";
import { answerWith } from "../../lab/console/page-checks.ts";
import { startHostileServer } from "../../lab/host/hostile-time-server.ts";
import type { Need, Status } from "../../src/contract/types.ts";

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

describe("Home of a device", () => {
  const ending = endOfConsole();
  const browser = lightBrowser(ending);
  let agent: RunningAgent;

  before(async () => {
    const running = await Promise.all(
      [1, 2, 3].map(() => startHostileServer(({ send, reply }) => send(reply()))),
    );
    for (const server of running) ending.after(() => server.close());
    const servers = running.map(({ port }) => `127.0.0.1:${port}`);
    const file = join(scratchDirectory(), "settings.json");
    writeFileSync(file, JSON.stringify({ time: { mode: "observe", servers } }));
    agent = await startAgentInProcess({ environment: { STEWARD_INITIAL_SETTINGS: file } });
    ending.after(() => agent.dispose());
    await addUsers(agent, ["admin"]);
    const status = (): Promise<Status> => agent.read("/api/status");
    await until("the clock is trusted", async () => (await status()).clock.word === "in_sync");
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
