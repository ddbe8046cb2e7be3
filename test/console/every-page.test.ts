import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { counted, sampled } from "../../lab/basics/counts.ts";
import { until } from "../../lab/basics/until.ts";
import { answerAwkwardly, awkward, awkwardTexts as texts } from "../../lab/console/awkward.ts";
import {
  changeSettings,
  consoleOf,
  names,
  signIn,
  untilFocused,
  untilShown,
} from "../../lab/console/browser.ts";
import { zoomText } from "../../lab/console/firefox.ts";
import { isFirefox } from "../../lab/console/launch.ts";
import { assertFits, axe, brokenText, smallTargets, stepTo } from "../../lab/console/page-checks.ts";
import { tabStops } from "../../lab/console/tab-stops.ts";
import { assertOrdered, assertWords } from "../../lab/console/walks/reading.ts";
import { consolePaths } from "../../src/contract/schemas/console.ts";
import type { Role } from "../../src/contract/types.ts";

/** CSS pixels, of windows from a phone to a desk, and on both sides of each width at which the pages change their look. */
const widths = counted({
  usual: [1440, ...sampled([875, 801, 641, 640, 360], { oneIn: 2 }), 320],
  all: [1440, 1280, 1024, 900, 875, 801, 800, 768, 720, 700, 660, 641, 640, 480, 360, 320],
});

/** A phone's, and a desk's. */
const farWidths = counted({ usual: [320, 360, 1280], all: [320, 360, 768, 1280] });

/** Windows of 1280 × 800 at a zoom of 200 % and of 100 %, and a small phone. */
const windows = [
  { width: 640, height: 400 },
  { width: 390, height: 500 },
  { width: 1280, height: 800 },
] as const;

/** Names of 15, 27 and 64 characters; 64 is the most, and the longest has no place to break. */
const deviceNames = ["hamburg-nord-07", "hamburg-branch-warehouse-07", "edge".repeat(16)];

/** A name of 31 letters, without a place to break. */
const longName = `a${"nna".repeat(10)}`;

const pages = consolePaths.filter((path) => path !== "/setup");
/** The account shows the first of its parts without a word in the address. */
const partsOfAccount = ["sessions", "tokens", "you"].map((part) => `/account?open=${part}`);

const unfolded = "/updates?open=trust,history,settings";

type Look = readonly ["light" | "dark", width: number];
const byDay: Look = ["light", 1280];
const byNight: Look = ["dark", 1280];
const nightPhone: Look = ["dark", 360];

/** By role, what is not for it. */
const hidden: Readonly<Record<Role, readonly string[]>> = {
  admin: [],
  operator: ["/setup", "/users"],
  readonly: ["/setup", "/users", "/system/events"],
};

/** Usually an administrator by day, in the longer texts, and a reader by night: an operator sees a part of the former. */
const visitors = counted<readonly (readonly [Role, "en" | "de", ...Look[]])[]>({
  usual: [
    ["admin", "de", byDay],
    ["readonly", "en", nightPhone],
  ],
  all: (["admin", "operator", "readonly"] as const).flatMap((role) =>
    (["en", "de"] as const).map((language) => [role, language, byDay, byNight, nightPhone] as const),
  ),
});

describe("every page of the console", () => {
  const { agent, browser } = consoleOf();
  const send = async (path: string, body: object): Promise<void> => {
    const { status, text } = await agent.call("POST", path, { body, local: true });
    assert.equal(status, 201, text);
  };
  before(async () => {
    await send("/api/users", { username: longName, display_name: "Beauftragte".repeat(5), role: "operator" });
    for (let index = 0; index < 15; index += 1) {
      const display_name = texts[index % texts.length];
      await send("/api/users", {
        username: `user-${index}${"x".repeat(25)}`,
        display_name,
        role: "readonly",
      });
    }
    for (const name of [names.admin, names.readonly]) {
      const [{ id }] = (await agent.read(`/api/users?q=${name}`)).items;
      for (const text of texts) await send("/api/tokens", { user_id: id, name: text, scopes: ["logs:read"] });
    }
  });

  const nameDevice = (name: string | undefined) => changeSettings(agent, { device: { name } });

  const assertFingers = async (page: Page, about: string): Promise<void> =>
    assert.deepEqual(await smallTargets(page), [], `${about}: targets for fingers`);

  /** In each width all text can be read, and nothing is wider than the window; 640 is also 1280 at a zoom of 200 %. */
  const assertReads = async (page: Page, about: string, at = widths): Promise<void> => {
    const found: string[] = [];
    for (const width of at) {
      await page.setViewportSize({ width, height: 740 });
      found.push(...(await brokenText(page)).map((one) => `${width}: ${one}`));
      await assertFits(page);
    }
    assert.deepEqual(found, [], about);
    assert.equal(await page.locator("img[src=x]").count(), 0, "markup has become a picture");
  };

  /** With letters twice as large, as a person sets them in the browser. */
  const assertReadsLarge = async (page: Page, about: string): Promise<void> => {
    await setLetters(page, 32);
    const size = await page.evaluate(() => getComputedStyle(document.documentElement).fontSize);
    assert.equal(size, "32px", "the letters are as they were");
    await assertReads(page, `${about}, letters of 200 %`, [1280]);
    await setLetters(page, 16);
  };

  it("has its sections at the foot of a phone with whole words, with letters of 200 % as well", async () => {
    for (const language of ["de", "en"]) {
      const page = await browser.signedIn(agent, "admin", "/updates", { language, width: 390, height: 844 });
      for (const pixels of [32, 16]) {
        await setLetters(page, pixels);
        const cut = await page.locator(".sections a").evaluateAll((links) =>
          links
            .filter((link) => {
              const [word, box] = [link.querySelector("span"), link.getBoundingClientRect()];
              if (word === null) return true;
              const range = document.createRange();
              range.selectNodeContents(word);
              const { left, right, top, bottom, height } = range.getBoundingClientRect();
              const isIn =
                left >= box.left &&
                right <= Math.min(box.right, innerWidth) &&
                top >= box.top &&
                bottom <= innerHeight;
              return !isIn || height > 1.5 * Number.parseFloat(getComputedStyle(word).fontSize);
            })
            .map((link) => link.textContent),
        );
        assert.deepEqual(cut, [], `${language}, ${pixels} pixels`);
      }
    }
  });

  const assertLooks = async (page: Page, about: string, looks: readonly Look[]): Promise<void> => {
    for (const [colorScheme, width] of looks) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await axe(page), [], `${about}: ${colorScheme}, ${width}`);
      await assertFits(page);
    }
    await page.emulateMedia({ colorScheme: "light" });
  };

  for (const [role, language, ...looks] of visitors)
    it(`can be read in any width, and has no fault that axe-core finds, for the role ${role} (${language})`, async () => {
      await nameDevice(deviceNames[2]);
      const page = await browser.signedIn(agent, role, "/account", { language });
      const paths = [...consolePaths.filter((one) => !hidden[role].includes(one)), ...partsOfAccount];
      const looked = sampled(paths, { oneIn: 4 });
      for (const path of paths) {
        await stepTo(page, path);
        assert.equal(await page.locator("html").getAttribute("lang"), language, path);
        // The first run has a page of its own.
        if (path !== "/setup") await assertOrdered(page);
        await assertWords(page);
        // The walks read most of them in six widths, and ask axe-core about them.
        if (!looked.includes(path)) continue;
        // Pages that readers do not see are an administrator's by night as well.
        const isMore = role === "admin" && hidden.readonly.includes(path);
        await assertLooks(page, path, isMore ? [...looks, nightPhone] : looks);
        if (role !== "admin") continue;
        await assertReads(page, path);
        await assertReadsLarge(page, path);
      }
    });

  it("can be read with a device's name of any length, and where a name or a refusal is long", async () => {
    const page = await browser.signedIn(agent, "admin", "/users", { language: "de" });
    await page.getByRole("button", { name: "Benutzer anlegen" }).click();
    await page.getByRole("dialog").getByLabel("Administrator").check();
    await assertReads(page, "adding a user");
    await page.goto(`/users/${longName}`);
    await page.locator(".facts").waitFor();
    await assertReads(page, "a user");
    await stepTo(page, "/system/settings?open=sessions");
    await page.getByLabel("Abmelden bei Inaktivität").fill("nonsense".repeat(8));
    await page.getByRole("button", { name: "Speichern", exact: true }).click();
    await page.locator(".problem").waitFor();
    // In words, not in a red column of letters.
    await assertReads(page, "a refused setting");
    const { height = 0 } = (await page.locator(".problem").boundingBox()) ?? {};
    assert.ok(height < 200, `the box is ${height} pixels high at 320`);
    await page.getByRole("button", { name: "Verwerfen" }).click();
    for (const name of deviceNames) {
      await nameDevice(name);
      await page.goto("/system/logs");
      await page.locator(".frame-head").getByText(name).waitFor();
      await assertReads(page, name);
    }
  });

  describe("on a phone, in German, with texts that are awkward", () => {
    const open = async (path: string): Promise<Page> =>
      browser.signedIn(agent, "admin", path, { width: 360, height: 740, isTouched: true, language: "de" });
    /** In each width; a phone's also for fingers. */
    const judge = async (page: Page, about: string): Promise<void> => {
      await assertReads(page, about, farWidths);
      await page.setViewportSize({ width: 360, height: 740 });
      await assertFingers(page, about);
    };

    // Each visit shows four of them.
    for (const [index, [kind, text]] of sampled([...Object.entries(awkward).entries()], { oneIn: 3 }))
      it(`takes ${kind} as the names of a device, and as the text of the sign-in`, async () => {
        const other = (step: number) => texts[(index + step) % texts.length] ?? "";
        const device = { name: text, location: other(1), contact: other(2) };
        await changeSettings(agent, { device, console: { language: "de", banner: `${text} ${other(3)}` } });
        const { page } = await browser.open(agent, { width: 360, height: 740, isTouched: true });
        await page.goto("/");
        await untilShown(page.locator("form"));
        await judge(page, "the sign-in");
        await signIn(page, "admin", "/");
        for (const path of ["/", "/system/device"]) {
          await stepTo(page, path);
          await judge(page, path);
        }
      });

    it("has targets for fingers and whole words, there and on a tablet", async () => {
      const page = await open("/users");
      await answerAwkwardly(page);
      await page.reload();
      for (const path of sampled(consolePaths, { oneIn: 4 })) {
        await stepTo(page, path === "/updates" ? unfolded : path);
        await page.locator("main").evaluate(unfold);
        for (const version of await page.locator(".updates-version").all())
          assert.ok(((await version.boundingBox())?.height ?? 0) < 32, "a version on one line");
        await judge(page, path);
        // Lists and bars are those of a wide window.
        await page.setViewportSize({ width: 1024, height: 768 });
        await assertFingers(page, `${path} on a tablet`);
      }
      await page.goto("/updates?entry=9");
      await untilShown(page.getByRole("dialog").locator(".facts"));
      await judge(page, "a release that has failed");
    });

    it("has them in its sheets, dialogs and messages too", async () => {
      const page = await open("/users");
      await page.getByRole("button", { name: "Benutzer anlegen" }).click();
      await page.getByRole("dialog").getByLabel("Anzeigename").fill(awkward.withoutBlank);
      await judge(page, "adding a user");
      await page.goto(`/users/user-1${"x".repeat(25)}`);
      await untilShown(page.locator(".facts"));
      await judge(page, "editing a user");
      await page.goto(`/users/${names.readonly}`);
      await page.setViewportSize({ width: 320, height: 740 });
      for (const text of texts) {
        const name = `Token ${text} löschen`;
        await page.getByRole("button", { name, exact: true }).click();
        const question = page.getByRole("dialog", { name, exact: true });
        await question.getByRole("button", { name: "Löschen", exact: true }).click();
        await question.waitFor({ state: "detached" });
        await untilShown(page.locator(".toasts").getByText("Der Token wurde gelöscht.").first());
        await assertReads(page, "a message", [320]);
      }
      await stepTo(page, "/account?open=tokens");
      const deleting = page.getByRole("button", { name: /^Token .* löschen$/ });
      await deleting.first().click();
      await judge(page, "deleting a token");
    });

    it("keeps the field in which one types above the keyboard, and the buttons of its form", async () => {
      const page = await open("/users");
      await page.getByRole("button", { name: "Benutzer anlegen" }).click();
      const sheet = page.getByRole("dialog");
      // The keyboard makes the page smaller (interactive-widget), and the sheet must fit into the rest.
      const viewport = await page.locator("meta[name=viewport]").getAttribute("content");
      assert.match(viewport ?? "", /interactive-widget=resizes-content/);
      const field = sheet.getByLabel("Anzeigename");
      await field.focus();
      await page.setViewportSize({ width: 320, height: 360 });
      const add = sheet.getByRole("button", { name: "Benutzer anlegen" });
      await until("the field is above the buttons, and these above the keyboard", async () => {
        const [typed, button] = [await field.boundingBox(), await add.boundingBox()];
        if (!typed || !button || button.y + button.height > 360) return false;
        return typed.y >= 0 && typed.y + typed.height <= button.y;
      });
    });
  });

  /** WCAG 2.2, 2.4.11, which axe-core does not see: a bar that stays in its place may cover what is behind it. */
  for (const size of windows) {
    /** There and back, and no fewer stops than these. */
    const assertInSight = async (page: Page, least: number): Promise<void> => {
      for (const key of ["Tab", "Shift+Tab"] as const) {
        const { count, hidden } = await tabStops(page, key);
        assert.deepEqual(hidden, [], `${hidden.length} of ${count} by ${key}`);
        assert.ok(count >= least, `${key} stops only ${count} times`);
      }
    };

    it(`keeps in sight what has the keyboard, in a window of ${size.width} × ${size.height}`, async () => {
      const page = await browser.signedIn(agent, "admin", "/account", size);
      for (const path of sampled([...pages, ...partsOfAccount, unfolded], { oneIn: 6 })) {
        await stepTo(page, path);
        await assertInSight(page, 8);
      }
      await stepTo(page, "/users");
      await page.locator("tbody").getByRole("checkbox").first().check();
      await page.locator(".users-bar").waitFor();
      await assertInSight(page, 20);
      await page.getByRole("button", { name: "Add user" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Add user" }).click();
      // The form gives it the keyboard after the drawing, which would end a walk that has begun.
      await untilFocused(page.locator("dialog [aria-invalid=true]").first());
      await assertInSight(page, 5);
    });

    it(`keeps it in sight among the settings, and after a refusal, in a window of ${size.width} × ${size.height}`, async () => {
      const page = await browser.signedIn(agent, "admin", "/system/settings", size);
      await page.getByLabel("Minimum password length").waitFor();
      for (const section of ["security", "clock", "console"]) {
        await stepTo(page, `/system/settings?open=${section}`);
        // The section takes the keyboard after the drawing, which would move a walk that has begun.
        await untilFocused(page.locator(".settings-group.open h2"));
        await assertInSight(page, 20);
      }
      for (const [section, label, text] of [
        ["trust", "Servers that must agree", "9"],
        ["trust", "Largest correction", "soon"],
        ["sessions", "Sign out after inactivity", "3m"],
        ["security", "Minimum password length", "3"],
        ["console", "Text on the sign-in page", "b".repeat(513)],
      ] as const) {
        await stepTo(page, `/system/settings?open=${section}`);
        await page.getByLabel(label, { exact: true }).fill(text);
      }
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await untilFocused(page.locator(".refusals"));
      assert.deepEqual(await axe(page), []);
      await assertInSight(page, 25);
    });
  }

  it("has on paper nothing that one can only click on, and is black on white also in the dark look", async () => {
    const { page } = await browser.open(agent);
    await page.addInitScript(() => {
      // Firefox runs it in the empty page before, which has no storage.
      if (origin !== "null") localStorage.setItem("steward-theme", "dark");
    });
    await signIn(page, "admin", "/account");
    await page.setViewportSize({ width: 794, height: 1123 });
    for (const path of [...pages, ...partsOfAccount]) {
      await page.emulateMedia({ media: "screen" });
      await stepTo(page, path);
      await page.emulateMedia({ media: "print" });
      await assertFits(page);
      const colours = ["rgb(0, 0, 0)", "rgb(255, 255, 255)"];
      assert.deepEqual(await page.evaluate(seenOnPaper), { head: true, useless: [], colours, cut: 0 }, path);
    }
  });

  it("has documents beside it, the one about it first, then what programs need", async () => {
    const page = await browser.signedIn(agent, "admin");
    const links = page.locator("footer").getByRole("link");
    for (const path of pages) {
      await stepTo(page, path);
      const found = await links.evaluateAll((all) => all.map((one) => one.getAttribute("href")));
      assert.deepEqual(found.slice(1), ["/docs/api.html", "/api/openapi.json", "/docs/metrics.html"], path);
      for (const link of found)
        assert.equal((await fetch(`${agent.url}${link}`)).status, 200, `${path}: ${link}`);
    }
    await stepTo(page, "/system/settings");
    const opened = page.context().waitForEvent("page");
    await links.first().press("Enter");
    await (await opened).getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    assert.equal(new URL(page.url()).pathname, "/system/settings");
  });

  it("moves nothing for users who ask for reduced motion, and something for others", async () => {
    const page = await browser.signedIn(agent, "admin", "/users");
    await page.evaluate(() => {
      const moved: string[] = [];
      Object.assign(globalThis, { moved });
      for (const kind of ["animationstart", "transitionrun"] as const)
        document.addEventListener(kind, ({ target }) => {
          const { animationDuration, transitionDuration } = getComputedStyle(target as Element);
          const isLasting = [animationDuration, transitionDuration].some((one) => Number.parseFloat(one) > 0);
          if (isLasting) moved.push(`${kind} of ${(target as Element).className}`);
        });
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

function unfold(place: Element): void {
  for (const one of place.querySelectorAll("details")) one.open = true;
}

/** In the page: its head, what is of no use on paper, its colours, and the number of logs that do not end. */
function seenOnPaper() {
  // The field of the time zone has a fact of the device in it.
  const lists = "[role=combobox]:not(.machine-names *)";
  const all = document.querySelectorAll(
    `.button, nav, .filters, .save-bar, [type=range], ${lists}, td .menu`,
  );
  const { color, backgroundColor } = getComputedStyle(document.body);
  const logs = [...document.querySelectorAll(".log")];
  return {
    head: document.querySelector("h1")?.checkVisibility(),
    useless: [...all].filter((one) => one.checkVisibility()).map((one) => one.outerHTML.slice(0, 100)),
    colours: [color, backgroundColor],
    cut: logs.filter((one) => one.scrollHeight > one.clientHeight + 2).length,
  };
}

async function setLetters(page: Page, pixels: number): Promise<void> {
  if (isFirefox) return zoomText(page, pixels / 16);
  const debug = await page.context().newCDPSession(page);
  await debug.send("Page.setFontSizes", { fontSizes: { standard: pixels } });
  await debug.detach();
}
