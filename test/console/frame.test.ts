import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { type InProcessOptions, startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { until } from "../../lab/basics/until.ts";
import {
  addUsers,
  signIn,
  signInByForm,
  signInWithoutStepUp,
  startBrowser,
  type TestBrowser,
  untilFocused,
} from "../../lab/console/browser.ts";
import { letFramesBeHeld } from "../../lab/console/held-frames.ts";
import { lightConsoleOf } from "../../lab/console/light/light-browser.ts";
import { assertFits, axe, picture, stepTo } from "../../lab/console/page-checks.ts";
import { asRoot, writeHostFile } from "../../lab/host/host-file-of-root.ts";

/** Answers a read of the agent's with something else in some of its members. */
async function answerWith(page: Page, path: string, members: object): Promise<void> {
  await page.route(`**${path}`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), ...members } });
  });
}

const banner = (page: Page, text: RegExp) => page.locator(".banners").getByText(text);

describe("the console around its pages", () => {
  let chromium: TestBrowser;
  const { agent, browser, ending, looks } = lightConsoleOf();
  before(async () => {
    chromium = await startBrowser(ending);
  });

  async function startAgent(options: InProcessOptions = {}): Promise<RunningAgent> {
    const started = await startAgentInProcess(options);
    ending.after(() => started.dispose());
    return started;
  }

  describe("the console's frame", () => {
    describe("driven by the keyboard", () => {
      it("goes to the head of the section that was chosen, and names it in the title", async () => {
        const { page } = await browser.open(agent);
        await signInByForm(page, "admin", "/users");
        await page.locator("h1:focus").getByText("Users").waitFor();
        await page.getByRole("link", { name: "Updates", exact: true }).press("Enter");
        const head = page.getByRole("heading", { name: "Updates", level: 1 });
        await head.and(page.locator(":focus")).waitFor();
        // The number of needs comes with the status, which may be later than the page.
        await page.waitForFunction(() => /^\(\d\) Updates · /.test(document.title));
        await page.goBack();
        await page.locator("h1:focus").getByText("Users").waitFor();
        await page.waitForFunction(() => /^\(\d\) Users · /.test(document.title));
      });

      it("opens the account's menu, steps through it and comes back", async () => {
        const page = await browser.signedIn(agent, "admin", "/updates");
        const button = page.getByRole("button", { name: /^Your account/ });
        const focused = () => page.evaluate(() => document.activeElement?.textContent);
        await button.focus();
        await page.keyboard.press("ArrowDown");
        await page.getByRole("menu").waitFor();
        assert.equal(await focused(), "Your account");
        await page.keyboard.press("ArrowUp");
        assert.equal(await focused(), "Sign out");
        await page.keyboard.press("ArrowDown");
        assert.equal(await focused(), "Your account");
        await page.keyboard.press("d");
        assert.equal(await focused(), "Deutsch");
        await page.keyboard.press("Escape");
        await page.getByRole("menu").waitFor({ state: "detached" });
        await untilFocused(button);
      });
    });

    describe("at an address that is none", () => {
      it("says so as a page of its own, and leads to Home", async () => {
        const page = await chromium.signedIn(agent, "admin", "/nope");
        await page.getByRole("heading", { name: "Page not found", level: 1 }).waitFor();
        await page.getByText("There is no page at /nope.").waitFor();
        assert.deepEqual(await axe(page), []);
        await picture(page, "no-page");
        await page.goto("/system/nope");
        await page.getByRole("heading", { name: "Page not found", level: 1 }).waitFor();
        assert.equal(await page.locator(".tabs").count(), 0);
        await page.getByRole("link", { name: "Go to Home" }).click();
        await page.locator(".verdict").waitFor();
      });
    });

    describe("while the device is away", () => {});

    describe("above every page", () => {
      it("says that the clock is not to be trusted, and leads to it", async () => {
        const page = await browser.signedIn(agent, "operator", "/updates");
        await banner(page, /The clock is not trusted\./).waitFor();
        await page.getByRole("link", { name: "Correct the clock" }).click();
        await page.getByRole("heading", { name: "System", level: 1 }).waitFor();
        assert.equal(await banner(page, /is not trusted/).count(), 0, "the page says it itself");
      });

      it("says that few recovery codes are left, and leads to the account", async () => {
        const { page } = await browser.open(agent);
        await page.route("**/api/auth/login", async (route) => {
          const response = await route.fetch();
          const answer = await response.json();
          answer.user.two_factor = { enabled: true, enrolled_at: null, recovery_codes_remaining: 1 };
          await route.fulfill({ response, json: answer });
        });
        await signInByForm(page, "operator", "/updates");
        await banner(page, /You have one recovery code left/).waitFor();
        await page.getByRole("link", { name: "Create new ones" }).click();
        await page.getByRole("heading", { name: "Your account", level: 1 }).waitFor();
      });

      it("says what does not work, and only counts what can wait: in the head, in the title and in the icon", async () => {
        const { page } = await browser.open(agent);
        const full = {
          ...{ code: "disk", level: "failing", detail: "It is full." },
          facts: { check: "disk", reason: "disk_read_only", path: "/var" },
        };
        const locked = { code: "users_locked", level: "attention", facts: { count: 2 }, detail: "No." };
        /** Waits until the icon has only this mark over its blue: red, amber or none. */
        const untilIconIs = (mark: string) =>
          until(`the icon has ${mark}`, async () => {
            const icon = (await page.locator("link[rel=icon]").getAttribute("href")) ?? "";
            return (
              decodeURIComponent(icon)
                .match(/#[0-9a-f]{6}/g)
                ?.join("") === `#1d5bb8${mark}`
            );
          });
        const needing = async (state: string, needs: object[]) => {
          await answerWith(page, "/api/status", { state, needs });
          await (page.url() === "about:blank" ? signIn(page, "admin", "/users") : page.reload());
          await page.getByRole("heading", { name: "Users", level: 1 }).waitFor();
        };
        await needing("failing", [full, locked]);
        await banner(page, /The disk cannot be written to\. The disk at \/var is read-only\./).waitFor();
        assert.equal(await page.locator(".banner").count(), 1);
        await page.getByRole("link", { name: /^Home: .*, 2 need a person$/ }).waitFor();
        await page.waitForFunction(() => /^\(2\) Users · /.test(document.title));
        await untilIconIs("#d12c2c");
        await needing("attention", [locked]);
        await page.getByRole("link", { name: /^Home: .*, 1 needs a person$/ }).waitFor();
        assert.equal(await page.locator(".banner").count(), 0);
        await untilIconIs("#e8a317");
        await needing("ok", []);
        await untilIconIs("");
        assert.equal(await page.locator(".need-count").count(), 0);
        await page.waitForFunction(() => document.title.startsWith("Users · "));
      });

      it("leads from Home to updates whose root of trust cannot be read", asRoot, async () => {
        const hostFile = writeHostFile({});
        ending.after(async () => hostFile.remove());
        writeFileSync(join(dirname(hostFile.path), "update-root.json"), "{");
        const blocked = await startAgent({ arguments: ["--host-file", hostFile.path] });
        await addUsers(blocked, ["admin"]);
        const page = await browser.signedIn(blocked, "admin", undefined, { width: 360, height: 740 });
        await page.getByRole("heading", { name: "The updates need attention", level: 3 }).waitFor();
        looks.draw(page, "frame-home-phone", assertFits);
        await page.getByRole("link", { name: "Show the updates" }).click();
        await page.getByRole("heading", { name: "Updates", level: 1 }).waitFor();
      });
    });
  });

  describe("the console before the sign-in", () => {
    let fresh: RunningAgent;
    before(async () => {
      fresh = await startAgent();
    });

    it("speaks another language when asked to, and remembers it", async () => {
      const { page } = await browser.open(fresh, { width: 320, height: 640 });
      await page.goto("/");
      await page.getByRole("button", { name: "Deutsch" }).click();
      await page.getByRole("heading", { name: "Dieses Gerät einrichten" }).waitFor();
      await page.locator("html[lang=de]").waitFor();
      looks.draw(page, "frame-first-run-phone-de", assertFits);
      await page.reload();
      await page.getByRole("heading", { name: "Dieses Gerät einrichten" }).waitFor();
    });
  });

  describe("the console's frame in a browser", () => {
    let page: Page;
    before(async () => {
      // In one window: signed in without a step-up, and with a clock that goes on until a test stops it.
      ({ page } = await chromium.open(agent, { now: Date.now(), isKept: true }));
      await signInWithoutStepUp(agent, page, "admin", "/updates");
    });

    it("begins with a link to the content, unseen until one is there", async () => {
      await page.reload();
      await page.getByRole("heading", { name: "Updates", level: 1 }).waitFor();
      const skip = page.getByRole("link", { name: "Skip to the content" });
      const isCut = () => skip.evaluate((link) => getComputedStyle(link).clipPath !== "none");
      assert.equal(await isCut(), true, "it is seen before one is there");
      await page.keyboard.press("Tab");
      await untilFocused(skip);
      assert.equal(await isCut(), false, "it is not seen when one is there");
      await page.keyboard.press("Enter");
      await page.locator("main:focus").waitFor();
      assert.equal(new URL(page.url()).pathname, "/updates");
    });

    it("has nothing that axe finds in either scheme, and keeps its policy", async () => {
      const button = page.getByRole("button", { name: /^Your account/ });
      await button.click();
      await page.getByRole("menu").waitFor();
      for (const colorScheme of ["dark", "light"] as const) {
        await page.emulateMedia({ colorScheme });
        assert.deepEqual(await axe(page), [], colorScheme);
      }
      await button.click();
      await page.getByRole("menu").waitFor({ state: "detached" });
    });

    it("gives the keyboard back to each dialog that is below another, and at last to the page", async () => {
      await stepTo(page, "/users");
      await page.getByRole("button", { name: "Add user" }).press("Enter");
      const sheet = page.getByRole("dialog", { name: "Add user" });
      const name = sheet.getByLabel("User name");
      await name.and(page.locator(":focus")).waitFor();
      await name.fill("bob");
      await name.press("Enter");
      const question = page.getByRole("dialog", { name: "Confirm that it is you" });
      await question.getByLabel("Password", { exact: true }).and(page.locator(":focus")).waitFor();
      // The browser closes a dialog without asking the page where Escape comes twice with nothing between.
      await page.keyboard.press("Escape");
      await question.waitFor({ state: "detached" });
      await name.and(page.locator(":focus")).waitFor();
      await page.keyboard.press("Escape");
      const leaving = page.getByRole("dialog", { name: "Unsaved changes" });
      await leaving.getByRole("button", { name: "Stay" }).click();
      await untilFocused(name);
      await page.keyboard.press("Escape");
      await leaving.getByRole("button", { name: "Leave without saving" }).click();
      await sheet.waitFor({ state: "detached" });
      await page.locator("button:focus").getByText("Add user").waitFor();
    });

    it("gives the keyboard back from a sheet that is closed before the frame after a removed button", async () => {
      const { page } = await chromium.open(agent);
      await letFramesBeHeld(page);
      await signIn(page, "admin", "/users");
      const opener = page.getByRole("button", { name: "Add user" });
      await opener.press("Enter");
      const sheet = page.getByRole("dialog");
      await untilFocused(sheet.getByLabel("User name"));
      await page.evaluate("holdFrames()");
      await sheet.getByRole("button", { name: "Add several" }).press("Enter");
      await untilFocused(sheet.locator("textarea"));
      await page.keyboard.press("Escape");
      await untilFocused(opener);
    });

    it("has the sections as a bar at the foot of a phone, high enough for a thumb, and its menu within the window", async () => {
      await page.setViewportSize({ width: 320, height: 480 });
      for (const name of ["Home", "Users", "System", "Updates"]) {
        const box = await page
          .getByRole("navigation", { name: "Sections" })
          .getByRole("link", { name })
          .boundingBox();
        assert.ok(box !== null && box.height >= 44, `${name} is ${box?.height} high`);
        assert.ok(Math.abs(box.y + box.height - 480) <= 12, `${name} ends at ${box.y + box.height}`);
      }
      await page.getByRole("button", { name: /^Your account/ }).click();
      const box = await page.getByRole("menu").boundingBox();
      assert.ok(box !== null, "there is no menu");
      assert.ok(box.x >= 0 && box.x + box.width <= 320, `from ${box.x} to ${box.x + box.width}`);
      assert.ok(box.y >= 0 && box.y + box.height <= 480, `from ${box.y} to ${box.y + box.height}`);
    });

    it("says nothing at first of a device that is away, so that a quick restart passes unseen, and then until it is back", async () => {
      await page.setViewportSize({ width: 1280, height: 800 });
      await stepTo(page, "/updates");
      const said = page.getByText("The device does not answer");
      await page.clock.pauseAt(Date.now() + 60_000);
      await page.route("**/api/**", (route) => route.abort());
      const failed = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/api/console"));
      await page.getByRole("link", { name: "Users", exact: true }).click();
      await page.clock.runFor(100);
      await failed;
      await page.clock.runFor(600);
      assert.equal(await said.count(), 0);
      await page.clock.runFor(700);
      await said.waitFor();
      await page.unroute("**/api/**");
      await page.clock.resume();
      await said.waitFor({ state: "detached" });
    });
  });
});
