import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { counted, sampled } from "../../lab/basics/counts.ts";
import { until } from "../../lab/basics/until.ts";
import { consoleOf, names, passwords, signIn, untilFocused } from "../../lab/console/browser.ts";
import { zoomText } from "../../lab/console/firefox.ts";
import { isFirefox } from "../../lab/console/launch.ts";
import { assertFits, axe, brokenText, stepTo } from "../../lab/console/page-checks.ts";
import { tabTo } from "../../lab/console/walks/hands.ts";
import { consolePaths } from "../../src/contract/schemas/console.ts";
import type { Role } from "../../src/contract/types.ts";

/** CSS pixels, of windows from a phone to a desk, and on both sides of each width at which the pages change their look. */
const widths = counted({
  usual: [1440, ...sampled([875, 801, 641, 640, 360], { oneIn: 2 }), 320],
  all: [1440, 1280, 1024, 900, 875, 801, 800, 768, 720, 700, 660, 641, 640, 480, 360, 320],
});

/** Names of 15, 27 and 64 characters; 64 is the most, and the longest has no place to break. */
const deviceNames = ["hamburg-nord-07", "hamburg-branch-warehouse-07", "edge".repeat(16)];

/** A name of 31 letters, without a place to break. */
const longName = `a${"nna".repeat(10)}`;

const german = ["de", "Benutzer anlegen", "Administrator", "Abmelden bei Inaktivität", "Speichern"] as const;

type ConsolePath = (typeof consolePaths)[number];

type Look = "light" | "dark" | "dark at 360 px";

const everyLook: readonly Look[] = ["light", "dark", "dark at 360 px"];

/** Pages that a reader is not shown. */
const notForReaders: readonly ConsolePath[] = ["/setup", "/users", "/system/events"];

interface Visitor {
  readonly role: Role;
  readonly language: "en" | "de";
  /** The looks in which axe-core checks each page. */
  readonly looks: readonly Look[];
}

/**
 * Usually an administrator's pages by light, in the longer texts, and a reader's by night: what an operator sees is a part
 * of the former.
 */
const visitors = counted<readonly Visitor[]>({
  usual: [
    { role: "admin", language: "de", looks: ["light"] },
    { role: "readonly", language: "en", looks: ["dark at 360 px"] },
  ],
  all: (["admin", "operator", "readonly"] as const).flatMap((role) =>
    (["en", "de"] as const).map((language) => ({ role, language, looks: everyLook })),
  ),
});

/** Pages that a reader does not see: an administrator's, by night as well. */
const looksAt = ({ role, looks }: Visitor, path: ConsolePath): readonly Look[] =>
  role === "admin" && notForReaders.includes(path) ? [...looks, "dark at 360 px"] : looks;

describe("the console in windows of any width", () => {
  const send = async (method: string, path: string, body: unknown): Promise<void> => {
    const { status, text } = await agent.call(method, path, { body, local: true });
    assert.ok(status < 300, text);
  };
  const { agent, browser } = consoleOf();
  before(async () => {
    const longest = { username: longName, display_name: "Beauftragte".repeat(5), role: "operator" };
    await send("POST", "/api/users", longest);
  });

  const nameDevice = (name: string | undefined) => send("PUT", "/api/system", { device: { name } });

  /** With letters twice as large, as a person sets them in the browser. */
  const assertReadsLarge = async (page: Page, about: string): Promise<void> => {
    await setLetters(page, 32);
    await page.setViewportSize({ width: 1280, height: 800 });
    const size = await page.evaluate(() => getComputedStyle(document.documentElement).fontSize);
    assert.equal(size, "32px", "the letters are as they were");
    assert.deepEqual(await brokenText(page), [], `${about}, letters of 200 %`);
    await assertFits(page);
    await setLetters(page, 16);
  };

  /** In each width; 640 is also a window of 1280 at a zoom of 200 %. */
  const assertReads = async (page: Page, about: string): Promise<void> => {
    const found: string[] = [];
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      found.push(...(await brokenText(page)).map((one) => `${width}: ${one}`));
      await assertFits(page);
    }
    assert.deepEqual(found, [], about);
  };

  const assertLooks = async (page: Page, about: string, looks: readonly Look[]): Promise<void> => {
    for (const look of looks) {
      const isNarrow = look === "dark at 360 px";
      await page.setViewportSize(isNarrow ? { width: 360, height: 740 } : { width: 1280, height: 800 });
      await page.emulateMedia({ colorScheme: look === "light" ? "light" : "dark" });
      assert.deepEqual(await axe(page), [], `${about}: ${look}`);
    }
    await page.setViewportSize({ width: 360, height: 740 });
    await assertFits(page);
    await page.emulateMedia({ colorScheme: "light" });
  };

  for (const visitor of visitors) {
    const { role, language } = visitor;
    it(`fits a phone, sets no word one letter a line and has no fault that axe-core finds, on its pages for the role ${role} (${language})`, async () => {
      const { page } = await browser.open(agent, { language });
      await nameDevice(deviceNames[2]);
      await signIn(page, role, "/account");
      const paths = consolePaths.filter((path) => role !== "readonly" || !notForReaders.includes(path));
      // The walks read most of them in six widths, and ask axe-core about them.
      for (const path of sampled(paths, { oneIn: 4 })) {
        if (role === "operator" && (path === "/setup" || path === "/users")) continue;
        await stepTo(page, path);
        await assertLooks(page, path, looksAt(visitor, path));
        if (role !== "admin") continue;
        await assertReads(page, path);
        await assertReadsLarge(page, path);
      }
    });
  }

  it("sets no word one letter a line for a device with a name of any length", async () => {
    const page = await browser.signedIn(agent, "admin", "/account", { language: "de" });
    for (const name of deviceNames) {
      await nameDevice(name);
      await page.goto("/system/logs");
      await page.locator(".frame-head").getByText(name).waitFor();
      await assertReads(page, name);
    }
  });

  it("sets no word one letter a line in the sheet and on the page of a user with the longest name, and none where a setting is refused", async () => {
    const page = await browser.signedIn(agent, "admin", "/users");
    for (const [language, add, role, label, save] of counted({
      usual: [german],
      all: [["en", "Add user", "Administrator", "Sign out after inactivity", "Save"], german],
    } as const)) {
      await page.evaluate((one) => localStorage.setItem("steward-language", one), language);
      await page.goto("/users");
      await page.getByRole("button", { name: add }).click();
      const sheet = page.getByRole("dialog", { name: add });
      await sheet.getByLabel(role).check();
      await assertReads(page, add);
      await page.goto("/users");
      await page.getByRole("link", { name: longName }).click();
      await page.locator(".facts").waitFor();
      await assertReads(page, longName);
      await stepTo(page, "/system/settings?open=sessions");
      await page.getByLabel(label).fill("nonsense".repeat(8));
      await page.getByRole("button", { name: save, exact: true }).click();
      await page.locator(".problem").waitFor();
      // In words, not in a red column of letters.
      await assertReads(page, language);
      const { height = 0 } = (await page.locator(".problem").boundingBox()) ?? {};
      assert.ok(height < 200, `the box is ${height} pixels high at 320`);
    }
  });

  it("can be worked with by the keyboard alone: sign in, add a user, sign out", async () => {
    const { page } = await browser.open(agent);
    await page.goto("/");
    await page.getByLabel("User name").waitFor();
    const type = (text: string) => page.keyboard.type(text);
    const press = (key: string) => page.keyboard.press(key);
    const button = (name: string, within: Page | Locator = page) =>
      within.getByRole("button", { name, exact: true });
    await type(names.admin);
    await tabTo(page.getByLabel("Password", { exact: true }));
    await type(passwords.admin);
    await press("Enter");
    await page.locator(".verdict").waitFor();
    await tabTo(page.getByRole("link", { name: "Users", exact: true }), "Shift+Tab");
    await press("Enter");
    await page.getByRole("heading", { name: "Users", level: 1 }).waitFor();
    await tabTo(button("Add user"));
    await press("Enter");
    const sheet = page.getByRole("dialog", { name: "Add user" });
    await sheet.waitFor();
    await tabTo(sheet.getByLabel("User name"));
    await type("by-keyboard");
    await tabTo(button("Add user", sheet));
    await press("Enter");
    await page.getByRole("dialog", { name: "Access for by-keyboard" }).waitFor();
    await tabTo(button("Done"));
    await press("Enter");
    await page.getByRole("cell", { name: "by-keyboard", exact: true }).waitFor();
    await tabTo(button("Your account: root-admin"), "Shift+Tab");
    await press("Enter");
    await untilFocused(page.getByRole("menuitem", { name: "Your account" }));
    const signOut = page.getByRole("menuitem", { name: "Sign out" }).and(page.locator(":focus"));
    for (let tries = 0; tries < 6 && (await signOut.count()) === 0; tries += 1) await press("ArrowDown");
    await press("Enter");
    await page.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();
  });

  it("says at the sign-in that the agent is in rescue", async () => {
    const { page } = await browser.open(agent);
    await page.route("/api/console", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), rescue: true } });
    });
    await page.goto("/users");
    await page.getByText("The stored state of this device is damaged").waitFor();
    assert.deepEqual(await axe(page), []);
  });

  it("moves nothing for users who ask for reduced motion, and something for others", async () => {
    const page = await browser.signedIn(agent, "admin", "/users");
    await page.evaluate(() => {
      const moved: string[] = [];
      Object.assign(globalThis, { moved });
      for (const kind of ["animationstart", "transitionrun"] as const) {
        document.addEventListener(kind, ({ target }) => {
          const { animationDuration, transitionDuration } = getComputedStyle(target as Element);
          const isLasting = [animationDuration, transitionDuration].some((one) => Number.parseFloat(one) > 0);
          if (isLasting) moved.push(`${kind} of ${(target as Element).className}`);
        });
      }
    });
    const moved = async () => {
      await page.getByRole("button", { name: "Add user" }).click();
      await page.getByRole("dialog", { name: "Add user" }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog", { name: "Add user" }).waitFor({ state: "detached" });
      return page.evaluate(() => (globalThis as unknown as { moved: string[] }).moved.splice(0));
    };
    assert.deepEqual(await moved(), []);
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await until("something moves", async () => (await moved()).length > 0);
  });
});

async function setLetters(page: Page, pixels: number): Promise<void> {
  if (isFirefox) return zoomText(page, pixels / 16);
  const debug = await page.context().newCDPSession(page);
  await debug.send("Page.setFontSizes", { fontSizes: { standard: pixels } });
  await debug.detach();
}
