import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { until } from "../../lab/basics/until.ts";
import {
  addUsers,
  press,
  sees,
  signIn,
  signInByForm,
  signInWithoutStepUp,
  startBrowser,
  untilFocused,
} from "../../lab/console/browser.ts";
import { lightConsoleOf } from "../../lab/console/light/light-browser.ts";
import { answerWith, assertFits, assertSound, stepTo } from "../../lab/console/page-checks.ts";
import { asRoot, writeHostFile } from "../../lab/host/host-file-of-root.ts";

const banner = (page: Page, text: RegExp) => page.locator(".banners").getByText(text);
const heading = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 });
const link = (page: Page, name: string | RegExp) => page.getByRole("link", { name, exact: true });
const account = (page: Page) => page.getByRole("button", { name: /^Your account/ });
const untilTitled = (page: Page, title: RegExp) =>
  until(`${title} is the title`, async () => title.test(await page.title()));

describe("the console around its pages", () => {
  const { agent, browser, ending, looks } = lightConsoleOf();

  it("goes to the head of the section that was chosen, and names it in the title", async () => {
    const { page } = await browser.open(agent);
    await signInByForm(page, "admin", "/users");
    await untilFocused(heading(page, "Users"));
    await link(page, "Updates").press("Enter");
    await untilFocused(heading(page, "Updates"));
    await untilTitled(page, /^\(\d\) Updates · /);
    await page.goBack();
    await untilFocused(heading(page, "Users"));
    await untilTitled(page, /^\(\d\) Users · /);
  });

  it("opens the account's menu, steps through it by the keyboard and comes back", async () => {
    const page = await browser.signedIn(agent, "admin", "/updates");
    await account(page).focus();
    for (const [key, focused] of [
      ["ArrowDown", "Your account"],
      ["ArrowUp", "Sign out"],
      ["ArrowDown", "Your account"],
      ["d", "Deutsch"],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByRole("menu").waitFor();
      assert.equal(await page.evaluate(() => document.activeElement?.textContent), focused);
    }
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "detached" });
    await untilFocused(account(page));
  });

  it("says above every page that the clock is not to be trusted, and leads to it", async () => {
    const page = await browser.signedIn(agent, "operator", "/updates");
    await banner(page, /The clock is not trusted\./).waitFor();
    await link(page, "Correct the clock").click();
    await heading(page, "System").waitFor();
    assert.equal(await banner(page, /is not trusted/).count(), 0, "the page says it itself");
  });

  it("says that few recovery codes are left, and leads to the account", async () => {
    const { page } = await browser.open(agent);
    const two_factor = { enabled: true, enrolled_at: null, recovery_codes_remaining: 1 };
    await answerWith(page, "**/api/auth/login", ({ user }) => ({ user: { ...user, two_factor } }));
    await signInByForm(page, "operator", "/updates");
    await banner(page, /You have one recovery code left/).waitFor();
    await link(page, "Create new ones").click();
    await heading(page, "Your account").waitFor();
  });

  it("says what does not work, and only counts what can wait: in the head, in the title and in the icon", async () => {
    const { page } = await browser.open(agent);
    const full = {
      ...{ code: "disk", level: "failing", detail: "It is full." },
      facts: { check: "disk", reason: "disk_read_only", path: "/var" },
    };
    const locked = { code: "users_locked", level: "attention", facts: { count: 2 }, detail: "No." };
    for (const [state, needs, home, title, mark] of [
      ["failing", [full, locked], /^Home: .*, 2 need a person$/, /^\(2\) Users · /, "#d12c2c"],
      ["attention", [locked], /^Home: .*, 1 needs a person$/, /^\(1\) Users · /, "#e8a317"],
      ["ok", [], /^Home/, /^Users · /, ""],
    ] as const) {
      await answerWith(page, "**/api/status", { state, needs });
      await (page.url() === "about:blank" ? signIn(page, "admin", "/users") : page.reload());
      await link(page, home).first().waitFor();
      await untilTitled(page, title);
      // The icon has only this mark over its blue: red, amber or none.
      await until(`the icon has ${mark}`, async () => {
        const icon = decodeURIComponent((await page.locator("link[rel=icon]").getAttribute("href")) ?? "");
        return icon.match(/#[0-9a-f]{6}/g)?.join("") === `#1d5bb8${mark}`;
      });
      const isFull = state === "failing";
      if (isFull)
        await banner(page, /The disk cannot be written to\. The disk at \/var is read-only/).waitFor();
      assert.equal(await page.locator(".banner").count(), isFull ? 1 : 0);
    }
    assert.equal(await page.locator(".need-count").count(), 0);
  });

  it("leads from Home to updates whose root of trust cannot be read", asRoot, async () => {
    const hostFile = writeHostFile({});
    ending.after(async () => hostFile.remove());
    writeFileSync(join(dirname(hostFile.path), "update-root.json"), "{");
    const blocked = await startAgentInProcess({ arguments: ["--host-file", hostFile.path] });
    ending.after(() => blocked.dispose());
    await addUsers(blocked, ["admin"]);
    const page = await browser.signedIn(blocked, "admin", undefined, { width: 360, height: 740 });
    await page.getByRole("heading", { name: "The updates need attention", level: 3 }).waitFor();
    looks.keep(page, "frame-home-phone", assertFits);
    await link(page, "Show the updates").click();
    await heading(page, "Updates").waitFor();
  });

  it("speaks another language before the sign-in when asked to, and remembers it", async () => {
    const fresh = await startAgentInProcess();
    ending.after(() => fresh.dispose());
    const { page } = await browser.open(fresh, { width: 320, height: 640 });
    await page.goto("/");
    await press(page, "Deutsch");
    await heading(page, "Dieses Gerät einrichten").waitFor();
    await page.locator("html[lang=de]").waitFor();
    looks.keep(page, "frame-first-run-phone-de", assertFits);
    await page.reload();
    await heading(page, "Dieses Gerät einrichten").waitFor();
  });

  describe("in a browser", () => {
    let page: Page;
    before(async () => {
      // In one window: signed in without a step-up, and with a clock that goes on until a test stops it.
      const chromium = await startBrowser(ending);
      ({ page } = await chromium.open(agent, { now: Date.now(), isKept: true }));
      await signInWithoutStepUp(agent, page, "admin", "/updates");
    });

    it("begins with a link to the content, unseen until one is there", async () => {
      await page.reload();
      await heading(page, "Updates").waitFor();
      const skip = link(page, "Skip to the content");
      const isCut = () => skip.evaluate((one) => getComputedStyle(one).clipPath !== "none");
      assert.equal(await isCut(), true, "it is seen before one is there");
      await page.keyboard.press("Tab");
      await untilFocused(skip);
      assert.equal(await isCut(), false, "it is not seen when one is there");
      await page.keyboard.press("Enter");
      await untilFocused(page.locator("main"));
      assert.equal(new URL(page.url()).pathname, "/updates");
    });

    it("says of an address that is none that it is, and leads to Home", async () => {
      await page.goto("/nope");
      await heading(page, "Page not found").waitFor();
      await sees(page, "There is no page at /nope.");
      await assertSound(page, "no-page");
      await page.goto("/system/nope");
      await heading(page, "Page not found").waitFor();
      assert.equal(await page.locator(".tabs").count(), 0);
      await link(page, "Go to Home").click();
      await page.locator(".verdict").waitFor();
    });

    it("gives the keyboard back to each dialog that is below another, and at last to the page", async () => {
      await stepTo(page, "/users");
      await page.getByRole("button", { name: "Add user" }).press("Enter");
      const sheet = page.getByRole("dialog", { name: "Add user" });
      const name = sheet.getByLabel("User name");
      await untilFocused(name);
      await name.fill("bob");
      await name.press("Enter");
      const question = page.getByRole("dialog", { name: "Confirm that it is you" });
      await untilFocused(question.getByLabel("Password", { exact: true }));
      // The browser closes a dialog without asking the page where Escape comes twice with nothing between.
      await page.keyboard.press("Escape");
      await question.waitFor({ state: "detached" });
      await untilFocused(name);
      const leaving = page.getByRole("dialog", { name: "Unsaved changes" });
      await page.keyboard.press("Escape");
      await press(leaving, "Stay");
      await untilFocused(name);
      await page.keyboard.press("Escape");
      await press(leaving, "Leave without saving");
      await sheet.waitFor({ state: "detached" });
      await untilFocused(page.getByRole("button", { name: "Add user" }));
    });

    it("has an unbroken line beside the sections in forced colours, where their own borders have the page's colour", async () => {
      const over = (): string[] => {
        const nav = document.querySelector(".sections") as HTMLElement;
        const head = nav.closest("header") as HTMLElement;
        const [low, high] = [head.getBoundingClientRect().bottom - 1, nav.getBoundingClientRect().top];
        return [...nav.querySelectorAll("a:not([aria-current])")].flatMap((one) => {
          const { top, bottom, height } = one.getBoundingClientRect();
          const isOver = getComputedStyle(nav).position === "fixed" ? top < high + 1 : bottom > low;
          return height > 0 && isOver ? [one.textContent ?? ""] : [];
        });
      };
      await page.emulateMedia({ forcedColors: "active" });
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 800 });
        assert.deepEqual(await page.evaluate(over), [], `${width}`);
      }
      await page.emulateMedia({ forcedColors: "none" });
    });

    it("has the sections as a bar at the foot of a phone, high enough for a thumb, and its menu within the window", async () => {
      await page.setViewportSize({ width: 320, height: 480 });
      const sections = page.getByRole("navigation", { name: "Sections" });
      for (const name of ["Home", "Users", "System", "Updates"]) {
        const { y = 0, height = 0 } = (await sections.getByRole("link", { name }).boundingBox()) ?? {};
        assert.ok(height >= 44 && Math.abs(y + height - 480) <= 12, `${name}: ${height} high from ${y}`);
      }
      await account(page).click();
      const { x, y, width, height } = (await page.getByRole("menu").boundingBox()) ?? assert.fail("no menu");
      assert.ok(
        x >= 0 && x + width <= 320 && y >= 0 && y + height <= 480,
        `${x}, ${y}: ${width} × ${height}`,
      );
    });

    it("says nothing at first of a device that is away, so that a quick restart passes unseen, and then until it is back", async () => {
      await page.setViewportSize({ width: 1280, height: 800 });
      await stepTo(page, "/updates");
      const said = page.getByText("The device does not answer");
      await page.clock.pauseAt(Date.now() + 60_000);
      await page.route("**/api/**", (route) => route.abort());
      const failed = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/api/console"));
      await link(page, "Users").click();
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
