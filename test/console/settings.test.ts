import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { until } from "../../lab/basics/until.ts";
import {
  changeSettings,
  confirmPassword,
  signInWithoutStepUp,
  startBrowser,
  untilFocused,
  type WindowOptions,
} from "../../lab/console/browser.ts";
import { lightConsoleOf } from "../../lab/console/light/light-browser.ts";
import { settings } from "../../src/console/catalogue/languages/en/settings.ts";

/** The questions that the sections answer, by their names in the address. */
const { groups: titles } = settings;

const canary = `<img src=x onerror="document.title='broken'">`;

describe("the console's settings", () => {
  const { agent, browser, ending, looks } = lightConsoleOf();

  const open = async (
    role: "admin" | "operator" | "readonly",
    section = "",
    options?: WindowOptions,
  ): Promise<Page> => {
    const { page } = await browser.open(agent, options);
    await signInWithoutStepUp(agent, page, role, `/system/settings${section}`);
    await page.locator(".settings-group.open").first().waitFor();
    return page;
  };
  const list = (page: Page) => page.getByRole("navigation", { name: "Settings" });
  const goTo = async (page: Page, section: string): Promise<void> => {
    await list(page).getByRole("link", { name: section }).click();
    await untilFocused(page.getByRole("heading", { name: section, level: 2 }));
  };
  const change = (body: object) => changeSettings(agent, body);
  const stored = () => agent.read("/api/system");
  const save = (page: Page) => page.getByRole("button", { name: "Save" }).click();
  const toast = (page: Page, text: string) => page.locator(".toast", { hasText: text }).first().waitFor();
  const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });

  it("sends only what changed", async () => {
    const page = await open("operator", "?open=console");
    let sent: unknown;
    page.on("request", (request) => {
      if (request.method() === "PUT") sent = request.postDataJSON();
    });
    await field(page, "Text on the sign-in page").fill(canary);
    await page.getByText("1 unsaved change").waitFor();
    await save(page);
    await toast(page, "Saved");
    assert.deepEqual(sent, { console: { banner: canary } });
    await page.getByText("No unsaved changes").waitFor();
    await change({ console: { banner: "" } });
  });

  it("shows another language at once where the browser's is not spoken, also where another user has chosen it", async () => {
    const page = await open("operator", "?open=console", { language: "fr" });
    await page.getByLabel("Language").selectOption("de");
    await save(page);
    await page.getByLabel("Sprache").waitFor();
    looks.keep(page, "settings-de");
    await change({ console: { language: "en" } });
    await page.getByLabel("Language").waitFor();
  });

  it("asks for the password where it takes one, and loses nothing when that is cancelled", async () => {
    const page = await open("admin", "?open=security");
    await field(page, "Minimum password length").fill("16");
    await goTo(page, titles.time);
    await page.getByRole("button", { name: "Add a server" }).click();
    await page.locator("[aria-label='Time servers 1']:focus").fill("ntp.example.org");
    await save(page);
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await page.getByText("2 unsaved changes").waitFor();
    await goTo(page, titles.security);
    assert.equal(await field(page, "Minimum password length").inputValue(), "16");
    await save(page);
    await confirmPassword(page, "admin");
    await toast(page, "Saved");
    const { security, time } = await stored();
    assert.deepEqual([security.password_min_length, time.servers], [16, ["ntp.example.org"]]);
  });

  it("takes a duration as a number with its unit, and one that is pasted with units", async () => {
    const page = await open("admin", "?find=inactivity");
    const number = page.getByLabel("Sign out after inactivity");
    const unit = page.locator(".duration", { has: number }).getByLabel("Unit");
    assert.deepEqual([await number.inputValue(), await unit.inputValue()], ["60", "m"]);
    await page.getByText("Default: 60 minutes.").waitFor();
    for (const [text, letter, kept, shown] of [
      ["2", "h", "2h", "2"],
      ["1h30m", null, "90m", "90"],
      ["45", "m", "45m", "45"],
    ] as const) {
      await number.fill(text);
      if (letter !== null) await unit.selectOption(letter);
      await unit.focus();
      assert.equal(await number.inputValue(), shown);
      await save(page);
      if (text === "2") await confirmPassword(page, "admin");
      await until("it is stored", async () => (await stored()).security.session_idle === kept);
    }
    await change({ security: { session_idle: "60m" } });
  });

  const [none, banner] = [/./, "b".repeat(513)];
  /** By language, the fields that are refused in the order of the page: section, label, text, what is said before and after. */
  const refused = {
    en: [
      ["security", "Minimum password length", "3", none, "At least 15"],
      ["sessions", "Sign out after inactivity", "3m", none, "A duration from 5 minutes to 24 hours"],
      ["time", "Time servers 1", "-bad name-", none, "A name or an address is expected"],
      ["trust", "Servers that must agree", "9", none, "At most 8"],
      ["trust", "Largest correction", "soon", none, "A duration from 1 second"],
      ["console", "Text on the sign-in page", banner, none, "At most 512 characters"],
    ],
    de: [
      ["security", "Mindestlänge für Passwörter", "many", none, "Eine ganze Zahl wird erwartet"],
      ["sessions", "Abmelden bei Inaktivität", "kurz", /5 Minuten bis 24/, "Erwartet wird eine Dauer von 5"],
      ["trust", "Server, die übereinstimmen müssen", "9", /1 bis 8/, "Höchstens 8"],
      [
        "trust",
        "Größte Korrektur",
        "bald",
        /1 Sekunde bis 10 Jahre/,
        "Erwartet wird eine Dauer von 1 Sekunde",
      ],
      [
        "console",
        "Text auf der Anmeldeseite",
        "a\u202eb",
        /Höchstens 512 Zeichen/,
        "Erwartet wird eine Zeile Text",
      ],
    ],
  } as const;
  for (const language of ["en", "de"] as const)
    it(`says before and after what each field takes, all at once, and leads to each (${language})`, async () => {
      const page = await open("admin");
      // The person's own choice, as the menu keeps it.
      await page.evaluate((one) => localStorage.setItem("steward-language", one), language);
      await page.reload();
      const fields = refused[language];
      const about = async (label: string): Promise<string> => {
        const ids = (await field(page, label).getAttribute("aria-describedby")) ?? "";
        const parts = ids.split(" ").map((id) => page.locator(`[id="${id}"]`).innerText());
        return (await Promise.all(parts)).join(" ");
      };
      for (const [section, label, text, rule] of fields) {
        await page.locator(`.settings nav a[href$="=${section}"]`).click();
        await field(page, label).waitFor();
        if (rule !== none) assert.match(await about(label), rule);
        await field(page, label).fill(text);
      }
      await page.getByRole("button", { name: /^(Save|Speichern)$/ }).click();
      const invalid = page.locator("[aria-invalid=true]");
      await until("each is told", async () => (await invalid.count()) === fields.length);
      await untilFocused(page.locator(".refusals"));
      assert.ok(await field(page, fields[0][1]).isVisible(), "the section of the first");
      const links = page.locator(".refusals a");
      const labels = fields.map(([, label]) => label.replace(/ 1$/, ""));
      assert.deepEqual(await links.allInnerTexts(), labels);
      for (const [index, [, label, , , fault]] of fields.entries()) {
        await links.nth(index).click();
        await untilFocused(field(page, label));
        assert.ok((await about(label)).includes(fault), `${label}: ${await about(label)}`);
      }
    });

  it("finds a setting of any section by any of its words, and leads to the section", async () => {
    const page = await open("admin", "?find=inactivity", { width: 1280, height: 600 });
    const shown = async (): Promise<string[]> => {
      const labels = await page.locator(".settings-group .field > :is(label:not(.radio), legend)").all();
      const texts = labels.map(async (one) => ((await one.isVisible()) ? [await one.innerText()] : []));
      return (await Promise.all(texts)).flat();
    };
    assert.deepEqual(await shown(), ["Sign out after inactivity"], "by its address");
    await page.getByRole("heading", { name: titles.sessions, level: 2 }).waitFor();
    const search = page.getByRole("searchbox", { name: "Find a setting" });
    // Both words belong to a choice that is not the present one; one of them has other capitals.
    await search.fill("CHRONYD another");
    await page.waitForURL(/\?find=CHRONYD\+another$/);
    await page.getByText("1 setting found").waitFor();
    assert.deepEqual(await shown(), ["Clock set by"]);
    await untilFocused(search);
    await search.fill("beta");
    await page.getByRole("link", { name: "Channel" }).waitFor();
    assert.deepEqual(await shown(), []);
    // By its key, as the command line has it, and where it is on another page.
    await search.fill("session_idle");
    await until("it is found", async () => `${await shown()}` === "Sign out after inactivity");
    await search.fill("tz");
    const there = page.getByText("This device: Time zone").getByRole("link", { name: "Time zone" });
    assert.equal(await there.getAttribute("href"), "/system/device");
    assert.deepEqual(await shown(), []);
    await search.fill("beta");
    await page.getByRole("link", { name: "Channel" }).waitFor();
    looks.keep(page, "settings-found");
    await search.fill("minimum");
    await field(page, "Minimum password length").fill("3");
    assert.deepEqual(await list(page).getByRole("link").allInnerTexts(), [`${titles.security} 1 unsaved`]);
    await goTo(page, titles.security);
    await page.waitForURL(/\?open=security$/);
    assert.deepEqual(await shown(), ["Second factor required", "Minimum password length"]);
    // A refused setting is shown whatever the search is, and keeps the typed value.
    await search.fill("banner nowhere");
    await page.getByText("No setting matches").waitFor();
    await save(page);
    await page.getByText("At least 15", { exact: true }).waitFor();
    await untilFocused(field(page, "Minimum password length"));
    await page.waitForURL(/\?open=security$/);
    await page.getByRole("button", { name: "Discard" }).click();
    await search.fill("banner nowhere");
    await page.getByRole("button", { name: "Show all settings" }).click();
    await field(page, "Minimum password length").waitFor();
  });

  it("takes update windows by days and times, and says what equal times mean", async () => {
    const { page } = await browser.open(agent);
    await signInWithoutStepUp(agent, page, "operator", "/updates?open=settings");
    await page.getByText("At any time", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Add a window" }).click();
    await page.getByLabel("Sun").check();
    for (const [to, said] of [
      ["02:00", "24 hours, until the same time"],
      ["01:00", "Until that time on the next day"],
    ] as const) {
      await field(page, "To").fill(to);
      await page.getByText(said).waitFor();
    }
    await save(page);
    await toast(page, "Saved");
    const windows = [{ days: ["sat", "sun"], from: "02:00", to: "01:00" }];
    assert.deepEqual((await stored()).update.windows, windows);
    for (const day of ["Sat", "Sun"]) await page.getByLabel(day).uncheck();
    await save(page);
    await page.getByText("At least one is needed").first().waitFor();
    assert.deepEqual((await stored()).update.windows, windows);
  });

  it("shows a role as text what it may not write", async () => {
    const page = await open("operator", "?open=security");
    const signIn = page.getByRole("region", { name: titles.security });
    await signIn.getByText("Minimum password length").waitFor();
    assert.equal(await page.getByLabel("Minimum password length").count(), 0);
    await signIn.getByText("Only an administrator can change this.").waitFor();
    await goTo(page, titles.console);
    await page.getByLabel("Text on the sign-in page").waitFor();
    const reader = await open("readonly", "?open=notifications");
    await reader.getByText("hidden: your role cannot see this value").first().waitFor();
    assert.equal(await reader.locator("form input, form select, form textarea").count(), 0);
    looks.keep(reader, "settings-reader");
  });

  it("shows what another user has changed, while other typing stays, and asks whose is to stay where both changed the same", async () => {
    const page = await open("admin", "?open=console");
    const [banner, colour] = [page.getByLabel("Text on the sign-in page"), page.getByLabel("Colour")];
    await banner.fill("cellar");
    await change({ console: { accent: "teal" } });
    await toast(page, "Colour");
    assert.deepEqual([await colour.inputValue(), await banner.inputValue()], ["teal", "cellar"]);
    await save(page);
    await toast(page, "Saved");
    const kept = async () => {
      const { console: own } = await stored();
      return [own.banner, own.accent];
    };
    assert.deepEqual(await kept(), ["cellar", "teal"]);
    await banner.fill("my text");
    await colour.selectOption("olive");
    // Between this page's reading and its writing: the event has not come yet.
    let isFirst = true;
    await page.route("**/api/system", async (route) => {
      if (isFirst && route.request().method() === "PUT") {
        isFirst = false;
        await change({ console: { banner: "their text", accent: "brown" } });
      }
      await route.continue();
    });
    await save(page);
    const dialog = page.getByRole("dialog", { name: "Another user has changed the same settings" });
    const group = (name: string) => dialog.getByRole("group", { name });
    for (const text of ["When you started: cellar", "their text", "my text"])
      await group("Text on the sign-in page").getByText(text).waitFor();
    looks.keep(page, "settings-conflict-light");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    assert.equal(await banner.inputValue(), "my text");
    await save(page);
    await group("Text on the sign-in page").getByLabel("Keep mine").check();
    await group("Colour").getByLabel("Take theirs").check();
    await dialog.getByRole("button", { name: "Save" }).click();
    await until("it is stored", async () => `${await kept()}` === "my text,brown");
    await until("theirs is shown", async () => (await colour.inputValue()) === "brown");
  });

  it("asks before typing is left behind", async () => {
    const page = await open("admin");
    const length = page.getByLabel("Minimum password length");
    await page.getByRole("link", { name: "Logs" }).click();
    await page.getByRole("link", { name: "Settings" }).click();
    await length.fill("17");
    const question = page.getByRole("dialog", { name: "Unsaved changes" });
    for (const leave of [() => page.getByRole("link", { name: "Logs" }).click(), () => page.goBack()]) {
      await leave();
      await question.getByRole("button", { name: "Stay" }).click();
      assert.equal(await length.inputValue(), "17");
      assert.match(page.url(), /\/system\/settings$/);
    }
    await page.getByRole("link", { name: "Logs" }).click();
    await question.getByRole("button", { name: "Leave without saving" }).click();
    await page.getByRole("heading", { name: "Logs" }).waitFor();
    assert.notEqual((await stored()).security.password_min_length, 17);
  });

  const tick = (page: Page, host: string) =>
    page.getByRole("checkbox", { name: `authenticated (NTS): ${host}`, exact: true });

  it("moves servers by buttons, which keep the keyboard, and asks one for authenticated time by one tick", async () => {
    const plain = { host: "plain.example", nts: false };
    await change({ time: { servers: ["a.example", plain, { host: "b.example", nts: true }, "d.example"] } });
    const page = await open("admin", "?open=time");
    const down = page.getByRole("button", { name: "Move down: a.example" });
    await down.click();
    await untilFocused(down);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Remove: d.example" }).click();
    assert.equal(await tick(page, "b.example").isChecked(), true);
    await page.getByText("1 unsaved change").waitFor();
    await tick(page, "a.example").check();
    await page.getByLabel("Time servers 2").fill("c.example:4461");
    await page.getByRole("button", { name: "Move up: c.example:4461" }).click();
    looks.keep(page, "settings-authenticated");
    await save(page);
    await confirmPassword(page, "admin");
    await toast(page, "Saved");
    const [a, c] = ["a.example", "c.example:4461"].map((host) => ({ host, nts: true }));
    // All else of the servers is as it was.
    assert.deepEqual((await stored()).time.servers, [c, plain, a]);
    await tick(page, "a.example").uncheck();
    await save(page);
    await until("it is a name again", async () => (await stored()).time.servers[2] === "a.example");
    const reader = await open("readonly", "?open=time");
    await reader.getByText("c.example:4461 (NTS), plain.example, a.example").waitFor();
  });

  it("says at its field that a server is listed twice, has a bad name, and that none is authenticated", async () => {
    await change({ time: { servers: ["a.example", "b.example"] } });
    const page = await open("admin", "?open=time");
    const second = page.getByLabel("Time servers 2");
    const only = page.getByLabel("Authenticated time only");
    const isAt = async (place: Locator, text: string) => {
      await place.and(page.locator("[aria-invalid=true]")).waitFor();
      await until(`it is described by ${text}`, async () => {
        const id = await place.getAttribute("aria-describedby");
        return (await page.locator(`[id="${id}"]`).innerText()).startsWith(text);
      });
    };
    await tick(page, "b.example").check();
    await second.fill("a.example");
    await save(page);
    await confirmPassword(page, "admin");
    await isAt(second, "The same entry appears twice");
    await second.fill("-bad name-");
    await save(page);
    await isAt(second, "A name or an address is expected, such as ntp.example.org, 192.0.2.1:123 or");
    await page.getByRole("button", { name: "Discard" }).click();
    await only.check();
    await save(page);
    await isAt(only, "No time server has NTS");
    await tick(page, "b.example").check();
    await save(page);
    await toast(page, "Saved");
    assert.equal((await stored()).time.authenticated_only, true);
    // It was set before: the setting that is refused is not the one that was typed.
    await tick(page, "b.example").uncheck();
    await save(page);
    await isAt(only, "No time server has NTS");
    await change({ time: { authenticated_only: false } });
  });

  it("has the browser ask before typing is lost, in whatever section it is", async () => {
    const chromium = await startBrowser(ending);
    const page = await chromium.signedIn(agent, "admin", "/system/settings", { height: 600 });
    await page.getByLabel("Minimum password length").fill("17");
    await page.goto("/system/settings#console");
    await untilFocused(page.getByRole("heading", { name: titles.console }));
    const bar = await page.locator(".save-bar").boundingBox();
    assert.ok(bar !== null && bar.y + bar.height <= 600, "Save is in view");
    const asked = page.waitForEvent("dialog");
    await page.close({ runBeforeUnload: true });
    const closing = await asked;
    assert.equal(closing.type(), "beforeunload");
    await closing.dismiss();
    await page.goBack();
    assert.equal(await page.getByLabel("Minimum password length").inputValue(), "17");
  });
});
