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
  type ConsoleWindow,
  endOfConsole,
  signIn,
  startBrowser,
  type TestBrowser,
  untilFocused,
  untilThereAre,
  type WindowOfRole,
  windowsOfRoles,
} from "../../lab/console/browser.ts";
import { layOutEarly } from "../../lab/console/early-layout.ts";
import { startLightConsole } from "../../lab/console/light/light-browser.ts";
import { assertFits, axe, brokenText, picture } from "../../lab/console/page-checks.ts";

/** The most lines that may be drawn, of however many. */
const mostDrawn = 90;

const hostile = `<script>document.title='broken'</script><img src=x onerror="document.title='broken'">`;

/** The next answer of such an address, which waits until it is let go. */
async function heldAnswer(
  page: Page,
  address: string,
): Promise<{ readonly asked: Promise<unknown>; letGo(): void }> {
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(
    address,
    async (route) => {
      await held;
      await route.continue();
    },
    { times: 1 },
  );
  return { asked: page.waitForRequest(address), letGo };
}

/** The lines fill three pages usually, and six in `make test-all`; only a part of them is drawn at a time. */
const kept = counted({ usual: 600, all: 1_200 });

/** Lines of a run before this one, as the agent keeps them where there is no journal. */
function keptLines(): string {
  const time = (second: number) => new Date(Date.UTC(2026, 9, 1) + second * 1_000).toISOString();
  const many = Array.from({ length: kept }, (_, index) => ({
    time: time(index),
    severity: "notice",
    message: `kept line ${index}`,
  }));
  const last = [
    { time: time(2_000), severity: "error", message: `${hostile} \u001b[2J\u202eexe` },
    { time: time(2_000), severity: "warning", message: `${"W".repeat(64)} שלום עולם 🙂🙂 مرحبا` },
    { time: time(2_001), severity: "warning", message: "a member says it", detail: `${hostile}\u009b` },
  ];
  return [...many, ...last].map((line) => `\n${JSON.stringify(line)}`).join("");
}

/** Requests of the device itself, each of which is a line for administrators. */
async function knock({ port, socket }: RunningAgent, paths: readonly string[]): Promise<void> {
  // No more than the agent takes on one connection.
  for (let from = 0; from < paths.length; from += 50) {
    const some = paths.slice(from, from + 50);
    const requests = some.map(
      (path) => `POST /${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n`,
    );
    const options = { port, socketPath: socket, expect: some.length };
    const { answers } = await sendRaw(requests.join(""), options);
    assert.equal(answers.length, some.length, "each was answered");
  }
}

const log = (page: Page) => page.getByRole("log");
const drawn = (page: Page, text: string) => log(page).locator("summary", { hasText: text });
const ofLevel = (page: Page, level: string) =>
  page.locator(".log-facets").getByRole("button", { name: new RegExp(`^${level} and worse`) });

describe("the console's log", () => {
  const ending = endOfConsole();
  let agent: RunningAgent;
  let browser: TestBrowser;
  let windowOf: WindowOfRole;
  before(async () => {
    const stateDirectory = await temporaryDirectory(ending);
    await writeFile(join(stateDirectory, "log.jsonl"), keptLines());
    const start = () => startAgentInProcess({ stateDirectory });
    ({ agent, browser } = await startLightConsole(ending, start));
    windowOf = windowsOfRoles(browser, agent);
  });

  /** The log in the window that all tests of a role share. */
  const open = async (role: "admin" | "readonly", query = ""): Promise<ConsoleWindow> => {
    const window = await windowOf(role, `/system/logs${query}`);
    await window.page.getByRole("heading", { name: "Logs" }).waitFor();
    return window;
  };

  it("shows a reader none of who did what", async () => {
    const { page } = await open("readonly");
    await drawn(page, "listening").last().waitFor();
    await page.getByText("system journal cannot be read").waitFor();
    assert.equal(await drawn(page, "POST /api").count(), 0);
    assert.equal(await log(page).getAttribute("aria-live"), "off");
  });

  it("shows hostile lines as text, in lines and in what they open to", async () => {
    const { page } = await open("admin", "?q=script");
    const line = drawn(page, "<script>").first();
    await line.waitFor();
    assert.match(await line.innerText(), /<script>.*onerror.*\\x1b\[2J\\x\{202e\}exe/);
    await knock(agent, ["<script>document.title='broken'</script>"]);
    await drawn(page, "POST /<script>document.title='broken'</script>").waitFor();
    await page.getByLabel("Text").fill("a member says");
    await drawn(page, "a member says it").click();
    const facts = page.locator(".log-facts");
    await facts.getByText("Cursor").waitFor();
    assert.match(await facts.innerText(), /"detail": "<script>.*\\x9b"/);
    assert.equal(await log(page).locator("script, img").count(), 0);
    assert.doesNotMatch(await page.title(), /broken/);
  });

  it("says which units may be read where the address names another", async () => {
    const { page } = await open("readonly", "?unit=nginx.service");
    await page.getByText("Only the log of steward.service, steward-….service can be read here.").waitFor();
    await page.locator(".log-facets").getByRole("button", { name: "nginx 0" }).click();
    await drawn(page, "onerror").waitFor();
  });

  it("filters by level, text and time, in the page's address", async () => {
    const { page } = await open("readonly");
    await ofLevel(page, "error").click();
    await page.waitForURL(/\?priority=err$/);
    await drawn(page, "onerror").waitFor();
    await untilThereAre(1, log(page).locator("summary"));
    await ofLevel(page, "error").click();
    await page.getByLabel("Text").fill("LISTENING");
    await drawn(page, "listening").waitFor();
    await page.getByLabel("Text").fill("kept line 5");
    await drawn(page, "kept line 5").first().waitFor();
    await page.getByLabel("Since", { exact: true }).selectOption("15m");
    await page.getByText("No line matches").waitFor();
    await page.getByLabel("Since", { exact: true }).selectOption("T");
    await page.getByLabel("Since when").fill("2026-09-30T00:00");
    await drawn(page, "kept line 5").first().waitFor();
  });

  it("keeps a filter that changes while text is typed", async () => {
    const { page } = await open("readonly");
    await drawn(page, `kept line ${kept - 1}`).waitFor();
    await page.getByLabel("Text").evaluate((field) => {
      (field as HTMLInputElement).value = "onerror";
      field.dispatchEvent(new Event("input", { bubbles: true }));
    });
    // The moment after the last key has not passed.
    await ofLevel(page, "error").click();
    await page.waitForURL(/\?priority=err&q=onerror$/);
    await untilThereAre(1, log(page).locator("summary"));
    assert.equal(await page.getByLabel("Text").inputValue(), "onerror");
  });

  it("filters requests by how they ended and by their user, for those who see requests", async () => {
    const { page } = await open("admin", "?q=asked-for");
    await page.getByText("No line matches").waitFor();
    const ask = (id: string) => agent.call("POST", `/api/users/${id}/unlock`, { local: true });
    await ask("asked-for");
    await drawn(page, "asked-for").waitFor();
    const [requests, user] = [page.getByLabel("Requests"), page.getByRole("combobox", { name: "User" })];
    await requests.selectOption("failed (4xx, 5xx)");
    await page.waitForURL("**status=failed**");
    await drawn(page, "asked-for").waitFor();
    await ask("asked-for-again");
    await drawn(page, "asked-for-again").waitFor();
    await user.fill("root-admin");
    await user.press("Enter");
    await page.getByText("No line matches").waitFor();
    await user.fill("local-root");
    await user.press("Enter");
    await page.getByText("2 lines", { exact: true }).waitFor();
    await requests.selectOption("with a fault here (5xx)");
    await page.getByText("No line matches").waitFor();
    const reader = await open("readonly");
    await reader.page.getByLabel("Text").waitFor();
    assert.equal(await reader.page.getByLabel("Requests").count(), 0);
  });

  it("loses nothing while it is paused", async () => {
    const { page } = await open("admin", "?q=pause-");
    await page.getByText("No line matches").waitFor();
    await knock(agent, ["pause-0"]);
    await drawn(page, "pause-0").waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await knock(
      agent,
      Array.from({ length: 17 }, (_, index) => `pause-${index + 1}`),
    );
    const resume = page.getByRole("button", { name: "Follow · 17 new" });
    await resume.waitFor();
    assert.equal(await log(page).locator("summary").count(), 1);
    await resume.click();
    await page.getByText("18 lines", { exact: true }).waitFor();
    const texts = await log(page).locator(".log-text").allInnerTexts();
    assert.deepEqual(
      texts,
      Array.from({ length: 18 }, (_, index) => `POST /pause-${index}`),
    );
    await page.getByRole("button", { name: "Pause" }).waitFor();
  });

  describe("in a browser", () => {
    let chromium: TestBrowser;
    /** An administrator's, for one test after another. */
    let window: ConsoleWindow;
    before(async () => {
      chromium = await startBrowser(ending);
      window = await chromium.open(agent, { isKept: true });
    });

    const isAtEnd = (page: Page) =>
      log(page).evaluate((place) => place.scrollHeight - place.scrollTop - place.clientHeight < 24);
    const looks = ["dark", "phone"] as const;
    const look = async (name: (typeof looks)[number]): Promise<void> => {
      await window.page.emulateMedia({ colorScheme: name === "dark" ? "dark" : "light" });
      await window.page.setViewportSize(
        name === "dark" ? { width: 1280, height: 800 } : { width: 320, height: 740 },
      );
    };

    it("begins at its end, reads older lines on demand and keeps its place", async () => {
      const page = await chromium.signedIn(agent, "readonly", "/system/logs");
      await drawn(page, "listening").last().waitFor();
      await until("it begins at its end", () => isAtEnd(page));
      assert.deepEqual(await axe(page), []);
      await picture(page, "logs-light");
      await page.getByLabel("Text").fill("kept line");
      await untilThereAre(0, drawn(page, "listening"));
      await drawn(page, `kept line ${kept - 1}`).waitFor();
      const older = page.getByRole("button", { name: "Load older lines" });
      for (let count = 400; count <= kept; count += 200) {
        const answer = await heldAnswer(page, "**/api/logs?*cursor=*");
        // Near the beginning; the first line is to stay where it is.
        await log(page).evaluate((place) => place.scrollTo(0, 60));
        const text = `kept line ${kept + 200 - count}`;
        const placeOf = () => drawn(page, text).evaluate((one) => one.getBoundingClientRect().top);
        await answer.asked;
        const before = await placeOf();
        answer.letGo();
        await page.getByText(`${count} lines`, { exact: true }).waitFor();
        assert.ok(
          Math.abs((await placeOf()) - before) < 2,
          `${text} was at ${before}, is at ${await placeOf()}`,
        );
      }
      assert.equal(await older.count(), 0);
      assert.equal(await drawn(page, "kept line 0").count(), 0, "what is out of sight is drawn");
      await log(page).focus();
      await page.keyboard.press("Home");
      await untilFocused(drawn(page, "kept line 0"));
      await page.keyboard.press("ArrowDown");
      await untilFocused(drawn(page, "kept line 1").first());
      await log(page).evaluate((place) => place.scrollTo(0, place.scrollHeight / 2));
      await drawn(page, `kept line ${kept / 2}`).waitFor();
      await untilFocused(drawn(page, "kept line 1").first());
      assert.ok((await log(page).locator("summary").count()) < mostDrawn);
      await page.getByRole("button", { name: "Follow" }).click();
      await drawn(page, `kept line ${kept - 1}`).waitFor();
      await until("it is at its end", () => isAtEnd(page));
    });

    it("keeps its place while lines are exchanged, however the browser lays them out", async () => {
      const { page } = await chromium.open(agent);
      await layOutEarly(page);
      await signIn(page, "readonly", "/system/logs");
      await drawn(page, "listening").last().waitFor();
      await until("it begins at its end", () => isAtEnd(page));
      const middle = await log(page).evaluate((place) => {
        place.scrollTop = Math.round(place.scrollHeight / 2);
        return place.scrollTop;
      });
      await page.getByRole("button", { name: "Follow" }).waitFor();
      assert.equal(await log(page).evaluate((place) => place.scrollTop), middle);
    });

    it("pauses when one scrolls away from the end or opens a line by the keyboard, and goes on at the end", async () => {
      await signIn(window.page, "admin", "/system/logs");
      const { page } = window;
      await drawn(page, "POST /api").last().waitFor();
      await log(page).hover();
      await page.mouse.wheel(0, -600);
      await page.getByRole("button", { name: "Follow" }).waitFor();
      await knock(agent, ["behind-your-back"]);
      await page.getByRole("button", { name: "Follow · 1 new" }).waitFor();
      assert.equal(await drawn(page, "behind-your-back").count(), 0);
      await page.mouse.wheel(0, 100_000);
      await drawn(page, "behind-your-back").waitFor();
      await page.getByRole("button", { name: "Pause" }).waitFor();
      await until("the newest is in sight", () => isAtEnd(page));
      // The drawing of other lines leads back from some places, but not from each.
      for (const step of [2, 8, 14, 20]) {
        await log(page).evaluate((place, by) => place.scrollBy(0, -by), step);
        await until("the last line is whole again", () =>
          log(page).evaluate((place) => place.scrollHeight - place.scrollTop - place.clientHeight < 1),
        );
      }
      await log(page).focus();
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("Enter");
      await page.locator(".log-facts").waitFor();
      await page.getByRole("button", { name: "Follow" }).waitFor();
      await page.keyboard.press("Tab");
      await untilFocused(page.getByRole("button", { name: "Copy this line" }));
      // A line that is open stays so under other filters: in the tests that come there would be two.
      await page.locator("details[open] > summary").press("Enter");
      await untilThereAre(0, page.locator("details[open]"));
      // A line stays open in any other filter, for the tests that come too.
      await page.keyboard.press("Shift+Tab");
      await page.keyboard.press("Enter");
      await untilThereAre(0, page.locator(".log-facts"));
    });

    it("copies a hostile line as it is shown", async () => {
      const { page, context } = window;
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      await ofLevel(page, "warning").click();
      await drawn(page, "a member says it").click();
      await untilThereAre(0, drawn(page, "POST /api"));
      const facts = page.locator(".log-facts", { hasText: "detail" });
      await facts.getByRole("button", { name: "Copy this line" }).dblclick();
      await page.locator(".toast", { hasText: "Copied" }).waitFor();
      assert.deepEqual(await axe(page), []);
      assert.doesNotMatch(await page.title(), /broken/);
      await drawn(page, "a member says it").click();
      await untilThereAre(0, facts);
      const field = page.getByLabel("Text");
      await field.press("Control+v");
      const copied = "2026-10-01T00:33:21.000Z steward.service warning: a member says it";
      await until("it is pasted", async () => (await field.inputValue()) === copied);
      await field.fill("");
      await page.waitForURL(/\?priority=warning$/);
    });

    it("is sound to look at: by night, and on a phone", async () => {
      const { page } = window;
      await drawn(page, "WWW").waitFor();
      for (const name of looks) {
        await look(name);
        await picture(page, `logs-hostile-${name}`);
        await assertFits(page);
      }
      await ofLevel(page, "warning").click();
      const line = drawn(page, "POST /api/auth/login").last();
      await line.waitFor();
      for (const name of looks) {
        await look(name);
        assert.deepEqual(await brokenText(page), [], name);
        await picture(page, `logs-closed-${name}`);
      }
      assert.equal(await page.locator(".log-facts").count(), 0, "a line is open already");
      assert.equal(await page.locator("details[open]").count(), 0, "a line is open already");
      await line.click();
      await page.locator(".log-facts").waitFor();
      for (const name of looks) {
        await look(name);
        assert.deepEqual(await axe(page), [], name);
        await picture(page, `logs-${name}`);
        await assertFits(page);
      }
    });

    it("keeps many lines that come at once, and draws those in sight", async () => {
      const all = counted({ usual: 400, all: 10_000 });
      const { page } = window;
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.getByLabel("Text").fill("flood-");
      await page.getByText("No line matches").waitFor();
      await knock(
        agent,
        Array.from({ length: all }, (_, index) => `flood-${index}`),
      );
      await drawn(page, `flood-${all - 1}`).waitFor();
      await page.getByText(`${all} lines`, { exact: true }).waitFor();
      await until("the newest is in sight", () => isAtEnd(page));
      const texts = await log(page).locator(".log-text").allInnerTexts();
      assert.ok(texts.length < mostDrawn, `${texts.length} lines are drawn`);
      const last = Array.from(
        { length: texts.length },
        (_, place) => `POST /flood-${all - texts.length + place}`,
      );
      assert.deepEqual(texts, last);
      await log(page).focus();
      await page.keyboard.press("Home");
      await untilFocused(drawn(page, "flood-0"));
    });
  });
});
