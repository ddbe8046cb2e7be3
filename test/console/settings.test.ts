import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { until } from "../../lab/basics/until.ts";
import {
  type ConsoleWindow,
  confirmPassword,
  signInWithoutStepUp,
  startBrowser,
  type TestBrowser,
  untilFocused,
  type WindowOptions,
} from "../../lab/console/browser.ts";
import { lightConsoleOf } from "../../lab/console/light/light-browser.ts";

const canary = `<img src=x onerror="document.title='broken'">`;

describe("the console's settings", () => {
  /** For what a page without a browser cannot show. */
  let chromium: TestBrowser;
  const { agent, browser, ending, looks } = lightConsoleOf();

  const open = async (
    role: "admin" | "operator" | "readonly",
    section = "",
    options?: WindowOptions,
  ): Promise<ConsoleWindow> => {
    const window = await browser.open(agent, options);
    await signInWithoutStepUp(agent, window.page, role, `/system/settings${section}`);
    await window.page.locator(".settings-group.open").first().waitFor();
    return window;
  };
  const list = (page: Page) => page.getByRole("navigation", { name: "Settings" });
  const goTo = async (page: Page, section: string): Promise<void> => {
    await list(page).getByRole("link", { name: section }).click();
    await untilFocused(page.getByRole("heading", { name: section, level: 2 }));
  };
  const change = (body: unknown) => agent.call("PUT", "/api/system", { body, local: true });
  const stored = async () => (await agent.call("GET", "/api/system", { local: true })).json;
  const save = (page: Page) => page.getByRole("button", { name: "Save" }).click();
  const toast = (page: Page, text: string) => page.locator(".toast", { hasText: text }).first().waitFor();

  it("sends only what changed, and a new name shows at once", async () => {
    const { page } = await open("operator");
    let sent: unknown;
    page.on("request", (request) => {
      if (request.method() === "PUT") sent = request.postDataJSON();
    });
    await page.getByLabel("Device name").fill(canary);
    await page.getByText("1 unsaved change").waitFor();
    await save(page);
    await toast(page, "Saved");
    assert.deepEqual(sent, { device: { name: canary } });
    await page.locator(".frame-head .device", { hasText: canary }).waitFor();
    await page.getByText("No unsaved changes").waitFor();
  });

  it("shows another language at once where the browser's is not spoken, also where another user has chosen it", async () => {
    const { page } = await open("operator", "?open=console", { language: "fr" });
    await page.getByLabel("Language").selectOption("de");
    await save(page);
    await page.getByLabel("Sprache").waitFor();
    looks.keep(page, "settings-de");
    await change({ console: { language: "en" } });
    await page.getByLabel("Language").waitFor();
  });

  it("asks for the password where it takes one, and loses nothing when that is cancelled", async () => {
    const { page } = await open("admin", "?open=security");
    await page.getByLabel("Minimum password length").fill("16");
    await goTo(page, "Time servers");
    await page.getByRole("button", { name: "Add a server" }).click();
    await page.locator("[aria-label='Time servers 1']:focus").fill("ntp.example.org");
    await save(page);
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await page.getByText("2 unsaved changes").waitFor();
    await goTo(page, "Sign-in");
    assert.equal(await page.getByLabel("Minimum password length").inputValue(), "16");
    await save(page);
    await confirmPassword(page, "admin");
    await toast(page, "Saved");
    const { security, time } = await stored();
    assert.deepEqual([security.password_min_length, time.servers], [16, ["ntp.example.org"]]);
  });

  it("takes a duration as a number with its unit, and one that is pasted with units", async () => {
    const { page } = await open("admin", "?find=inactivity");
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

  const [trust, servers] = ["Vertrauenswürdige Zeit", "Server, die übereinstimmen müssen"];
  const [none, banner] = [/./, "b".repeat(513)];
  /** By language, each section's fields that are refused in the order of the page: what is said before and after. */
  const refused = {
    en: [
      ["Time servers", "Time servers 1", "-bad name-", none, "A name or an address is expected"],
      ["Trusted time", "Servers that must agree", "9", none, "At most 8"],
      ["Trusted time", "Largest correction", "soon", none, "A duration from 1 second"],
      ["Sign-in", "Minimum password length", "3", none, "At least 15"],
      ["Sessions", "Sign out after inactivity", "3m", none, "A duration from 5 minutes to 24 hours"],
      ["Console", "Text on the sign-in page", banner, none, "At most 512 characters"],
    ],
    de: [
      ["Gerät", "Gerätename", "a\u202eb", /Höchstens 64 Zeichen/, "Erwartet wird eine Zeile Text"],
      [trust, servers, "9", /1 bis 8/, "Höchstens 8"],
      [trust, "Größte Korrektur", "bald", /1 Sekunde bis 10 Jahre/, "Erwartet wird eine Dauer von 1 Sekunde"],
      ["Anmeldung", "Mindestlänge für Passwörter", "many", none, "Eine ganze Zahl wird erwartet"],
      [
        "Sitzungen",
        "Abmelden bei Inaktivität",
        "kurz",
        /5 Minuten bis 24 Stunden/,
        "Erwartet wird eine Dauer von 5",
      ],
    ],
  } as const;
  for (const language of ["en", "de"] as const)
    it(`says before and after what each field takes, all at once, and leads to each (${language})`, async () => {
      const { page } = await open("admin");
      // The person's own choice, as the menu keeps it.
      await page.evaluate((one) => localStorage.setItem("steward-language", one), language);
      await page.reload();
      const fields = refused[language];
      const show = async (section: string, label: string) => {
        await page
          .locator(".settings nav")
          .getByRole("link", { name: new RegExp(`^${section}( |$)`) })
          .click();
        await page.getByLabel(label, { exact: true }).waitFor();
      };
      const about = async (label: string): Promise<string> => {
        const ids = await page.getByLabel(label, { exact: true }).getAttribute("aria-describedby");
        const parts = (ids ?? "").split(" ").map((id) => page.locator(`[id="${id}"]`).innerText());
        return (await Promise.all(parts)).join(" ");
      };
      for (const [section, label, text, rule] of fields) {
        await show(section, label);
        if (rule !== none) assert.match(await about(label), rule);
        await page.getByLabel(label, { exact: true }).fill(text);
      }
      await page.getByRole("button", { name: language === "en" ? "Save" : "Speichern" }).click();
      const count = async () => (await page.locator("[aria-invalid=true]").count()) === fields.length;
      await until("each is told", count);
      await untilFocused(page.locator(".refusals"));
      assert.ok(await page.getByLabel(fields[0][1], { exact: true }).isVisible(), "the section of the first");
      const links = page.locator(".refusals a");
      assert.deepEqual(
        await links.allInnerTexts(),
        fields.map(([, label]) => label.replace(/ 1$/, "")),
      );
      for (const [index, [, label, , , fault]] of fields.entries()) {
        await links.nth(index).click();
        await untilFocused(page.getByLabel(label, { exact: true }));
        assert.ok((await about(label)).includes(fault), `${label}: ${await about(label)}`);
      }
      looks.draw(page, `settings-faults-${language}`);
    });

  it("finds a setting of any section by any of its words, and leads to the section", async () => {
    const { page } = await open("admin", "?find=inactivity", { width: 1280, height: 600 });
    const shown = async (): Promise<string[]> => {
      const fields = await page.locator(".settings-group .field > :is(label:not(.radio), legend)").all();
      const texts = await Promise.all(
        fields.map(async (one) => ((await one.isVisible()) ? [await one.innerText()] : [])),
      );
      return texts.flat();
    };
    assert.deepEqual(await shown(), ["Sign out after inactivity"], "by its address");
    await page.getByRole("heading", { name: "Sessions", level: 2 }).waitFor();
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
    looks.keep(page, "settings-found");
    await search.fill("minimum");
    await page.getByLabel("Minimum password length").fill("3");
    assert.deepEqual(await list(page).getByRole("link").allInnerTexts(), ["Sign-in 1 unsaved"]);
    await goTo(page, "Sign-in");
    await page.waitForURL(/\?open=security$/);
    assert.deepEqual(await shown(), ["Second factor required", "Minimum password length"]);
    // A refused setting is shown whatever the search is, and keeps the typed value.
    await search.fill("banner nowhere");
    await page.getByText("No setting matches").waitFor();
    await page.getByText("1 unsaved change").waitFor();
    await save(page);
    await page.getByText("At least 15", { exact: true }).waitFor();
    await untilFocused(page.getByLabel("Minimum password length"));
    await page.waitForURL(/\?open=security$/);
    await page.getByRole("button", { name: "Discard" }).click();
    await search.fill("banner nowhere");
    await page.getByRole("button", { name: "Show all settings" }).click();
    await page.getByLabel("Minimum password length").waitFor();
  });

  it("takes update windows by days and times, and says what equal times mean", async () => {
    const { page } = await open("operator", "?open=windows");
    await page.getByText("At any time", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Add a window" }).click();
    await page.getByLabel("Sun").check();
    await page.getByLabel("To", { exact: true }).fill("02:00");
    await page.getByText("24 hours, until the same time").waitFor();
    await page.getByLabel("To", { exact: true }).fill("01:00");
    await page.getByText("Until that time on the next day").waitFor();
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
    const { page } = await open("operator", "?open=security");
    const signIn = page.getByRole("region", { name: "Sign-in" });
    await signIn.getByText("Minimum password length").waitFor();
    assert.equal(await page.getByLabel("Minimum password length").count(), 0);
    await signIn.getByText("Only an administrator can change this.").waitFor();
    await goTo(page, "Device");
    await page.getByLabel("Device name").waitFor();
    await change({ device: { contact: "ana@example.org" } });
    const reader = await open("readonly");
    await reader.page.getByText("hidden: your role cannot see this value").first().waitFor();
    assert.equal(await reader.page.locator("form input, form select, form textarea").count(), 0);
    looks.keep(reader.page, "settings-reader");
  });

  it("shows what another user has changed, while other typing stays", async () => {
    const { page } = await open("admin");
    await page.getByLabel("Location").fill("cellar");
    await change({ device: { contact: "bea" } });
    await page.locator(".toast", { hasText: "Contact" }).waitFor();
    assert.equal(await page.getByLabel("Contact").inputValue(), "bea");
    assert.equal(await page.getByLabel("Location").inputValue(), "cellar");
    await save(page);
    await toast(page, "Saved");
    assert.deepEqual([(await stored()).device.location, (await stored()).device.contact], ["cellar", "bea"]);
  });

  it("asks whose change is to stay where two changed the same", async () => {
    const { page } = await open("admin");
    const meanwhile = async (location: string, contact: string) => {
      await page.getByLabel("Location").fill("my place");
      await page.getByLabel("Contact").fill("my contact");
      // Between this page's reading and its writing: the event has not come yet.
      let isFirst = true;
      await page.route("**/api/system", async (route) => {
        if (isFirst && route.request().method() === "PUT") {
          isFirst = false;
          await change({ device: { location, contact } });
        }
        await route.continue();
      });
      await save(page);
      return page.getByRole("dialog", { name: "Another user has changed the same settings" });
    };
    const dialog = await meanwhile("their place", "their contact");
    const group = (name: string) => dialog.getByRole("group", { name });
    await group("Location").getByText("When you started: cellar").waitFor();
    await group("Location").getByText("their place").waitFor();
    await group("Location").getByText("my place").waitFor();
    looks.keep(page, "settings-conflict-light");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    assert.equal(await page.getByLabel("Location").inputValue(), "my place");
    await save(page);
    await group("Location").getByLabel("Keep mine").check();
    await group("Contact").getByLabel("Take theirs").check();
    await dialog.getByRole("button", { name: "Save" }).click();
    await toast(page, "Saved");
    const { location, contact } = (await stored()).device;
    assert.deepEqual([location, contact], ["my place", "their contact"]);
    assert.equal(await page.getByLabel("Contact").inputValue(), "their contact");
  });

  it("asks before typing is left behind", async () => {
    const { page } = await open("operator");
    await page.getByRole("link", { name: "Logs" }).click();
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByLabel("Location").fill("attic");
    await page.getByRole("link", { name: "Logs" }).click();
    const question = page.getByRole("dialog", { name: "Unsaved changes" });
    await question.getByRole("button", { name: "Stay" }).click();
    assert.equal(await page.getByLabel("Location").inputValue(), "attic");
    await page.goBack();
    await question.getByRole("button", { name: "Stay" }).click();
    assert.match(page.url(), /\/system\/settings$/);
    assert.equal(await page.getByLabel("Location").inputValue(), "attic");
    await page.getByRole("link", { name: "Logs" }).click();
    await question.getByRole("button", { name: "Leave without saving" }).click();
    await page.getByRole("heading", { name: "Logs" }).waitFor();
    assert.notEqual((await stored()).device.location, "attic");
  });

  it("moves servers by buttons, with the keyboard on them", async () => {
    await change({ time: { servers: ["a.example", "b.example", "c.example"] } });
    const { page } = await open("admin", "?open=time");
    await page.getByRole("button", { name: "Move down: a.example" }).click();
    await page.waitForFunction(
      () => document.activeElement?.getAttribute("aria-label") === "Move down: a.example",
    );
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Remove: b.example" }).click();
    const values = await page
      .getByLabel(/^Time servers \d/)
      .evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value));
    assert.deepEqual(values, ["c.example", "a.example"]);
  });

  const tick = (page: Page, host: string) =>
    page.getByRole("checkbox", { name: `authenticated (NTS): ${host}`, exact: true });

  it("asks a server for authenticated time by one tick, and keeps all else of the servers as it was", async () => {
    const plain = { host: "plain.example", nts: false };
    await change({ time: { servers: ["a.example", plain, { host: "b.example", nts: true }] } });
    const { page } = await open("admin", "?open=time");
    assert.equal(await tick(page, "b.example").isChecked(), true);
    await tick(page, "a.example").check();
    await page.getByText("1 unsaved change").waitFor();
    await tick(page, "a.example").uncheck();
    await page.getByText("No unsaved changes").waitFor();
    await tick(page, "a.example").check();
    await page.getByLabel("Time servers 3").fill("c.example:4461");
    await page.getByRole("button", { name: "Move up: c.example:4461" }).click();
    looks.keep(page, "settings-authenticated");
    await save(page);
    await confirmPassword(page, "admin");
    await toast(page, "Saved");
    const [a, c] = ["a.example", "c.example:4461"].map((host) => ({ host, nts: true }));
    assert.deepEqual((await stored()).time.servers, [a, c, plain]);
    await tick(page, "a.example").uncheck();
    await save(page);
    await until("it is a name again", async () => (await stored()).time.servers[0] === "a.example");
    const reader = await open("readonly", "?open=time");
    await reader.page.getByText("a.example, c.example:4461 (NTS), plain.example").waitFor();
  });

  it("says at its field that a server is listed twice, has a bad name, and that none is authenticated", async () => {
    await change({ time: { servers: ["a.example", "b.example"] } });
    const { page } = await open("admin", "?open=time");
    await tick(page, "b.example").check();
    await page.getByLabel("Time servers 2").fill("a.example");
    await save(page);
    await confirmPassword(page, "admin");
    const isAt = async (field: Locator, text: string) => {
      await field.and(page.locator("[aria-invalid=true]")).waitFor();
      await until(`it is described by ${text}`, async () => {
        const id = await field.getAttribute("aria-describedby");
        return (await page.locator(`[id="${id}"]`).innerText()) === text;
      });
    };
    await isAt(page.getByLabel("Time servers 2"), "The same entry is there twice");
    await page.getByLabel("Time servers 2").fill("-bad name-");
    await save(page);
    await isAt(
      page.getByLabel("Time servers 2"),
      "A name or an address is expected, such as ntp.example.org, 192.0.2.1:123 or [2001:db8::1]:123",
    );
    await page.getByRole("button", { name: "Discard" }).click();
    const only = page.getByLabel("Authenticated time only");
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
    assert.equal((await change({ time: { authenticated_only: false } })).status, 200);
  });

  it("is sound to look at in a browser, in each state above", async () => {
    chromium = await startBrowser(ending);
  });

  it("has the browser ask before typing is lost, in whatever section it is", async () => {
    const page = await chromium.signedIn(agent, "admin", "/system/settings", { height: 600 });
    await page.getByLabel("Location").fill("attic");
    await page.goto("/system/settings#console");
    await untilFocused(page.getByRole("heading", { name: "Console" }));
    const bar = await page.locator(".save-bar").boundingBox();
    assert.ok(bar !== null && bar.y + bar.height <= 600, "Save is in view");
    const asked = page.waitForEvent("dialog");
    await page.close({ runBeforeUnload: true });
    const closing = await asked;
    assert.equal(closing.type(), "beforeunload");
    await closing.dismiss();
    await page.goBack();
    assert.equal(await page.getByLabel("Location").inputValue(), "attic");
  });
});
