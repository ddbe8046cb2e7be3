import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { sendRaw } from "../../lab/agents/raw-http.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { counted } from "../../lab/basics/counts.ts";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { until } from "../../lab/basics/until.ts";
import {
  endOfConsole,
  press,
  sees,
  signIn,
  startBrowser,
  type TestBrowser,
  untilFocused,
  untilThereAre,
  type WindowOfRole,
  windowsOfRoles,
} from "../../lab/console/browser.ts";
import { startLightConsole } from "../../lab/console/light/light-browser.ts";
import {
  assertFits,
  assertReads,
  assertSound,
  holdAnswers,
  layOutEarly,
} from "../../lab/console/page-checks.ts";

/** The most lines that may be drawn, of however many. */
const mostDrawn = 90;

const hostile = `<script>document.title='broken'</script><img src=x onerror="document.title='broken'">`;

/** The lines fill three pages usually, and six in `make test-all`; only a part of them is drawn at a time. */
const kept = counted({ usual: 600, all: 1_200 });

/** Lines of a run before this one, as the agent keeps them where there is no journal. */
function keptLines(): string {
  const line = (second: number, severity: string, message: string, more: object = {}) =>
    `\n${JSON.stringify({ time: new Date(Date.UTC(2026, 9, 1) + second * 1_000), severity, message, ...more })}`;
  return [
    ...Array.from({ length: kept }, (_, index) => line(index, "notice", `kept line ${index}`)),
    line(2_000, "error", `${hostile} \u001b[2J\u202eexe`),
    line(2_000, "warning", `${"W".repeat(64)} שלום עולם 🙂🙂 مرحبا`),
    line(2_001, "warning", "a member says it", { detail: `${hostile}\u009b` }),
  ].join("");
}

/** Requests of the device itself, each of which is a line for administrators; no more than one connection takes. */
async function knock({ port, socket }: RunningAgent, paths: readonly string[]): Promise<void> {
  const requests = paths.map(
    (path) => `POST /${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n`,
  );
  const options = { port, socketPath: socket, expect: paths.length };
  const { answers } = await sendRaw(requests.join(""), options);
  assert.equal(answers.length, paths.length, "each was answered");
}

const log = (page: Page) => page.getByRole("log");
const lines = (page: Page) => log(page).locator("summary");
const drawn = (page: Page, text: string) => log(page).locator("summary", { hasText: text });
const facts = (page: Page) => page.locator(".log-facts");
const text = (page: Page) => page.getByLabel("Text");
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const ofLevel = (page: Page, level: string) =>
  page.locator(".log-facets").getByRole("button", { name: new RegExp(`^${level} and worse`) });

describe("the console's log", () => {
  const ending = endOfConsole();
  let agent: RunningAgent;
  let windowOf: WindowOfRole;
  before(async () => {
    const stateDirectory = await temporaryDirectory(ending);
    await writeFile(join(stateDirectory, "log.jsonl"), keptLines());
    const started = await startLightConsole(ending, () => startAgentInProcess({ stateDirectory }));
    ({ agent } = started);
    windowOf = windowsOfRoles(started.browser, agent);
  });

  /** The log in the window that all tests of a role share. */
  const open = async (role: "admin" | "readonly", query = ""): Promise<Page> => {
    const { page } = await windowOf(role, `/system/logs${query}`);
    await page.getByRole("heading", { name: "Logs" }).waitFor();
    return page;
  };

  it("shows a reader none of who did what", async () => {
    const page = await open("readonly");
    await drawn(page, "listening").last().waitFor();
    await sees(page, "system journal cannot be read");
    assert.equal(await drawn(page, "POST /api").count(), 0);
    assert.equal(await log(page).getAttribute("aria-live"), "off");
    assert.equal(await page.getByLabel("Requests").count(), 0);
  });

  it("shows hostile lines as text, in lines and in what they open to", async () => {
    const page = await open("admin", "?q=script");
    const line = drawn(page, "<script>").first();
    await line.waitFor();
    assert.match(await line.innerText(), /<script>.*onerror.*\\x1b\[2J\\x\{202e\}exe/);
    await knock(agent, ["<script>document.title='broken'</script>"]);
    await drawn(page, "POST /<script>document.title='broken'</script>").waitFor();
    await text(page).fill("a member says");
    await drawn(page, "a member says it").click();
    await sees(facts(page), "Cursor");
    assert.match(await facts(page).innerText(), /"detail": "<script>.*\\x9b"/);
    assert.equal(await log(page).locator("script, img").count(), 0);
    assert.doesNotMatch(await page.title(), /broken/);
  });

  it("says which units may be read where the address names another", async () => {
    const page = await open("readonly", "?unit=nginx.service");
    await sees(page, "Only the log of steward.service, steward-….service can be read here.");
    await page.locator(".log-facets").getByRole("button", { name: "nginx 0" }).click();
    await drawn(page, "onerror").waitFor();
  });

  it("filters by level, text and time, in the page's address, and keeps a filter that changes while text is typed", async () => {
    const page = await open("readonly");
    await drawn(page, `kept line ${kept - 1}`).waitFor();
    await text(page).evaluate((field) => {
      (field as HTMLInputElement).value = "onerror";
      field.dispatchEvent(new Event("input", { bubbles: true }));
    });
    // The moment after the last key has not passed.
    await ofLevel(page, "error").click();
    await page.waitForURL(/\?priority=err&q=onerror$/);
    await untilThereAre(1, lines(page));
    assert.equal(await text(page).inputValue(), "onerror");
    await ofLevel(page, "error").click();
    for (const [sought, found] of [
      ["LISTENING", "listening"],
      ["kept line 5", "kept line 5"],
    ] as const) {
      await text(page).fill(sought);
      await drawn(page, found).first().waitFor();
    }
    await page.getByLabel("Since", { exact: true }).selectOption("15m");
    await sees(page, "No line matches");
    await page.getByLabel("Since", { exact: true }).selectOption("T");
    await page.getByLabel("From when").fill("2026-09-30T00:00");
    await drawn(page, "kept line 5").first().waitFor();
  });

  it("filters requests by how they ended and by their user, for those who see requests", async () => {
    const page = await open("admin", "?q=asked-for");
    await sees(page, "No line matches");
    for (const id of ["asked-for", "asked-for-again"])
      await agent.call("POST", `/api/users/${id}/unlock`, { local: true });
    await page.getByLabel("Requests").selectOption("failed (4xx, 5xx)");
    await page.waitForURL("**status=failed**");
    await drawn(page, "asked-for-again").waitFor();
    const user = page.getByRole("combobox", { name: "User" });
    for (const [name, said] of [
      ["root-admin", "No line matches"],
      ["local-root", "2 lines"],
    ] as const) {
      await user.fill(name);
      await user.press("Enter");
      await sees(page, said);
    }
    await page.getByLabel("Requests").selectOption("with a fault here (5xx)");
    await sees(page, "No line matches");
  });

  it("has no requests of this page's own session until they are asked for, but those of others", async () => {
    const page = await open("admin");
    await open("readonly");
    await drawn(page, "POST /api/auth/login").filter({ hasText: "log-reader" }).last().waitFor();
    const own = drawn(page, "POST /api/auth/").filter({ hasText: "root-admin" });
    assert.equal(await own.count(), 0);
    const requests = page.getByLabel("Requests");
    assert.equal(await requests.locator("option").first().innerText(), "not this browser's");
    await requests.selectOption("all");
    await page.waitForURL("**status=all**");
    await own.first().waitFor();
    await requests.selectOption("not this browser's");
    await drawn(page, "listening").last().waitFor();
    await untilThereAre(0, own);
    // A user's requests are all there once they are asked for.
    const user = page.getByRole("combobox", { name: "User" });
    await user.fill("root-admin");
    await user.press("Enter");
    await own.first().waitFor();
    await user.fill("");
    await user.press("Enter");
  });

  it("loses nothing while it is paused", async () => {
    const page = await open("admin", "?q=pause-");
    await sees(page, "No line matches");
    const paths = Array.from({ length: 18 }, (_, index) => `pause-${index}`);
    await knock(agent, paths.slice(0, 1));
    await drawn(page, "pause-0").waitFor();
    await press(page, "Pause");
    await knock(agent, paths.slice(1));
    await button(page, "Follow · 17 new").waitFor();
    assert.equal(await lines(page).count(), 1);
    await press(page, "Follow · 17 new");
    await sees(page, "18 lines");
    const shown = await log(page).locator(".log-text").allInnerTexts();
    assert.deepEqual(
      shown,
      paths.map((path) => `POST /${path}`),
    );
    await button(page, "Pause").waitFor();
  });

  describe("in a browser", () => {
    let browser: TestBrowser;
    /** An administrator's, for one test after another. */
    let page: Page;
    before(async () => {
      browser = await startBrowser(ending);
      ({ page } = await browser.open(agent, { isKept: true }));
      await signIn(page, "admin", "/system/logs");
    });

    const toEnd = (place: Page) =>
      log(place).evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
    const untilAtEnd = (place: Page, within = 24) =>
      until("it is at its end", async () => (await toEnd(place)) < within);

    it("begins at its end, reads older lines on demand and keeps its place", async () => {
      const reader = await browser.signedIn(agent, "readonly", "/system/logs");
      await drawn(reader, "listening").last().waitFor();
      await untilAtEnd(reader);
      await assertSound(reader, "logs-light");
      await text(reader).fill("kept line");
      await untilThereAre(0, drawn(reader, "listening"));
      await drawn(reader, `kept line ${kept - 1}`).waitFor();
      for (let count = 400; count <= kept; count += 200) {
        const asked = reader.waitForRequest("**/api/logs?*cursor=*");
        const letGo = await holdAnswers(reader, "**/api/logs?*cursor=*", 1);
        // Near the beginning; the first line is to stay where it is.
        await log(reader).evaluate((place) => place.scrollTo(0, 60));
        const first = drawn(reader, `kept line ${kept + 200 - count}`);
        const placeOf = () => first.evaluate((one) => one.getBoundingClientRect().top);
        await asked;
        const before = await placeOf();
        letGo();
        await sees(reader, `${count} lines`);
        assert.ok(Math.abs((await placeOf()) - before) < 2, `it was at ${before}, is at ${await placeOf()}`);
      }
      assert.equal(await button(reader, "Load older lines").count(), 0);
      assert.equal(await drawn(reader, "kept line 0").count(), 0, "what is out of sight is drawn");
      await log(reader).focus();
      await reader.keyboard.press("Home");
      await untilFocused(drawn(reader, "kept line 0"));
      await reader.keyboard.press("ArrowDown");
      await untilFocused(drawn(reader, "kept line 1").first());
      await log(reader).evaluate((place) => place.scrollTo(0, place.scrollHeight / 2));
      await drawn(reader, `kept line ${kept / 2}`).waitFor();
      await untilFocused(drawn(reader, "kept line 1").first());
      assert.ok((await lines(reader).count()) < mostDrawn);
      await press(reader, "Follow");
      await drawn(reader, `kept line ${kept - 1}`).waitFor();
      await untilAtEnd(reader);
    });

    it("keeps its place while lines are exchanged, however the browser lays them out", async () => {
      const { page: reader } = await browser.open(agent);
      await layOutEarly(reader);
      await signIn(reader, "readonly", "/system/logs");
      await drawn(reader, "listening").last().waitFor();
      await untilAtEnd(reader);
      const middle = await log(reader).evaluate((place) => {
        place.scrollTop = Math.round(place.scrollHeight / 2);
        return place.scrollTop;
      });
      await button(reader, "Follow").waitFor();
      assert.equal(await log(reader).evaluate((place) => place.scrollTop), middle);
    });

    it("pauses when one scrolls away from the end or opens a line by the keyboard, and goes on at the end", async () => {
      await drawn(page, "POST /api").last().waitFor();
      await log(page).hover();
      await page.mouse.wheel(0, -600);
      await button(page, "Follow").waitFor();
      await knock(agent, ["behind-your-back"]);
      await button(page, "Follow · 1 new").waitFor();
      assert.equal(await drawn(page, "behind-your-back").count(), 0);
      await page.mouse.wheel(0, 100_000);
      await drawn(page, "behind-your-back").waitFor();
      await button(page, "Pause").waitFor();
      await untilAtEnd(page);
      // The drawing of other lines leads back from some places, but not from each.
      for (const step of [2, 8, 14, 20]) {
        await log(page).evaluate((place, by) => place.scrollBy(0, -by), step);
        await untilAtEnd(page, 1);
      }
      await log(page).focus();
      for (const key of ["ArrowUp", "ArrowUp", "Enter"]) await page.keyboard.press(key);
      await facts(page).waitFor();
      await button(page, "Follow").waitFor();
      await page.keyboard.press("Tab");
      await untilFocused(button(page, "Copy this line"));
      // A line that is open stays so under other filters, also in the tests that come.
      await page.locator("details[open] > summary").press("Enter");
      await untilThereAre(0, page.locator("details[open]"));
    });

    it("copies a hostile line as it is shown", async () => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await ofLevel(page, "warning").click();
      await untilThereAre(0, drawn(page, "POST /api"));
      await drawn(page, "a member says it").click();
      await facts(page).getByRole("button", { name: "Copy this line" }).click();
      await page.locator(".toast", { hasText: "Copied" }).waitFor();
      assert.doesNotMatch(await page.title(), /broken/);
      await drawn(page, "a member says it").click();
      await untilThereAre(0, facts(page));
      await text(page).press("Control+v");
      const copied = "2026-10-01T00:33:21.000Z steward.service warning: a member says it";
      await until("it is pasted", async () => (await text(page).inputValue()) === copied);
      await text(page).fill("");
      await page.waitForURL(/\?priority=warning$/);
    });

    it("is sound to look at: by night, and on a phone", async () => {
      const inEach = async (judge: (name: string) => Promise<void>): Promise<void> => {
        for (const [name, colorScheme, width] of [
          ["dark", "dark", 1280],
          ["phone", "light", 320],
        ] as const) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: 740 });
          await judge(name);
        }
      };
      await drawn(page, "WWW").waitFor();
      await inEach(() => assertFits(page));
      await ofLevel(page, "warning").click();
      const line = drawn(page, "POST /api/auth/login").last();
      await line.waitFor();
      await inEach(() => assertReads(page));
      await line.click();
      await facts(page).waitFor();
      await inEach((name) => assertSound(page, `logs-${name}`));
    });
  });
});
