import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { until } from "../../lab/basics/until.ts";
import { consoleOf, press, sees, signIn, untilFocused } from "../../lab/console/browser.ts";
import { lightBrowser } from "../../lab/console/light/light-browser.ts";
import { assertReads, assertSound } from "../../lab/console/page-checks.ts";

/** Names that people look for, with sixty words that they type: each is among the first three found. */
const sought = {
  en: {
    "Disk, memory and temperature": "disk, storage, memory, cpu, uptime, temperature",
    "Time servers": "ntp, ntp server",
    Clock: "time, date, set the clock",
    "Time zone": "time zone, timezone",
    "Host name": "hostname, host name, rename",
    Restart: "restart, reboot",
    "Switch off": "shutdown, power off",
    "Factory reset": "factory reset, reset, wipe",
    "Add user": "add user, new user, create account",
    Users: "delete user, role, permissions",
    "Locked users": "unlock",
    "Change password": "password, change password",
    "Minimum password length": "password policy",
    "Second factor": "2fa, mfa, authenticator, recovery codes",
    "API tokens": "api key, token",
    "Where you are signed in": "sessions",
    "Sign out": "logout, log out",
    "Theme: dark": "dark mode, look",
    Language: "german",
    Logs: "logs, syslog, errors",
    Events: "audit, history",
    Updates: "upgrade, firmware, rollback",
    "Update windows": "maintenance window",
    "Trust of updates": "fingerprint",
    "Update server": "repository",
    Channel: "beta",
    "Sign out after inactivity": "timeout",
    "Text on the sign-in page": "banner",
    Versions: "version",
    "Your account": "profile",
    Home: "dashboard",
    "First run": "wizard",
    "Device sheet": "print",
    Settings: "config",
  },
  de: {
    "Speicherplatz, Arbeitsspeicher und Temperatur": "festplatte, platte, speicher, ram, cpu, laufzeit",
    Zeitserver: "ntp, zeitserver",
    Uhr: "uhrzeit, datum, uhr stellen",
    Zeitzone: "zeitzone, sommerzeit",
    Hostname: "hostname, rechnername, umbenennen",
    "Neu starten": "neustart, neu starten, reboot",
    Ausschalten: "herunterfahren, ausschalten",
    "Auf Werkszustand zurücksetzen": "werkseinstellungen, zurücksetzen",
    "Benutzer anlegen": "benutzer anlegen, neuer benutzer, benutzer hinzufügen",
    Benutzer: "benutzer löschen, rechte, rollen",
    "Gesperrte Benutzer": "entsperren",
    "Passwort ändern": "passwort, kennwort",
    "Mindestlänge für Passwörter": "passwortregeln",
    "Zweiter Faktor": "2fa, authenticator, wiederherstellungscodes",
    "API-Token": "token, api-schlüssel",
    "Wo Sie angemeldet sind": "sitzungen",
    Abmelden: "abmelden, ausloggen",
    "Design: dunkel": "dunkelmodus, aussehen",
    Sprache: "englisch",
    Protokoll: "protokoll, log, fehler",
    Ereignisse: "audit, verlauf",
    Updates: "aktualisierung, firmware, zurückrollen",
    "Update-Fenster": "wartungsfenster",
    "Vertrauen in Updates": "fingerabdruck",
    "Update-Server": "repository",
    Kanal: "beta",
    "Abmelden bei Inaktivität": "timeout",
    "Text auf der Anmeldeseite": "banner",
    Versionen: "version",
    "Ihr Konto": "profil",
    Start: "startseite",
    "Erste Einrichtung": "assistent",
    Geräteblatt: "drucken",
    Einstellungen: "konfiguration",
  },
} as const satisfies Record<string, Readonly<Record<string, string>>>;

describe("the search of all that has a name", () => {
  const { agent, browser, ending } = consoleOf();
  const light = lightBrowser(ending);
  const field = (page: Page) => page.getByRole("combobox", { name: "Page, user, setting or action" });
  const option = (page: Page, name: string | RegExp) => page.getByRole("option", { name });
  const open = async (role: "admin" | "readonly", language: string): Promise<Page> => {
    const page = await light.signedIn(agent, role, undefined, { language });
    await page.locator(".verdict").waitFor();
    await page.keyboard.press("Control+k");
    return page;
  };
  const firstThree = async (page: Page, word: string): Promise<string[]> => {
    await page.getByRole("combobox").fill(word);
    return (await page.locator('[role="option"] > bdi').allInnerTexts()).slice(0, 3);
  };

  for (const language of ["en", "de"] as const)
    it(`has what sixty words mean among the first three (${language})`, async () => {
      const words = Object.entries(sought[language]).flatMap(([name, all]) =>
        all.split(", ").map((word) => ({ word, name })),
      );
      assert.ok(words.length >= 60);
      const page = await open("admin", language);
      const missed: string[] = [];
      for (const { word, name } of words) {
        const names = await firstThree(page, word);
        if (!names.includes(name)) missed.push(`${word}: ${names.join(" | ")} instead of ${name}`);
      }
      assert.deepEqual(missed, []);
    });

  it("leads to the question itself, which the address names, and offers a reader nothing that only administrators may do", async () => {
    const page = await open("admin", "en");
    await field(page).fill("reboot");
    await option(page, "Restart").click();
    await page.waitForURL("**/system/device?open=reboot");
    await press(page.getByRole("dialog", { name: /^Restart / }), "Cancel");
    await page.waitForURL("**/system/device");
    const reader = await open("readonly", "en");
    for (const word of ["restart", "add user", "factory reset", "unlock", "wizard"])
      assert.doesNotMatch(`,${await firstThree(reader, word)}`, /,(Restart|Add|Factory|Locked|First)/, word);
    assert.ok((await firstThree(reader, "disk")).includes("Disk, memory and temperature"));
  });

  it("opens by Ctrl-K, goes by the keys to pages, users and settings, and gives the keyboard back", async () => {
    const { page } = await browser.open(agent);
    const loaded: string[] = [];
    page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
    await signIn(page, "admin", "/updates");
    await page.getByRole("heading", { name: "Updates", level: 1 }).waitFor();
    assert.ok(!loaded.some((path) => path.includes("palette")), "it is loaded before it is asked for");
    const press = (key: string) => page.keyboard.press(key);
    await press("Control+k");
    await untilFocused(field(page));
    assert.equal(await field(page).getAttribute("aria-expanded"), "true");
    await assertSound(page, "palette-light");
    await page.keyboard.type("s");
    const active = () =>
      field(page).evaluate(
        (one) => document.getElementById(one.getAttribute("aria-activedescendant") ?? "")?.textContent,
      );
    assert.equal(await active(), "SystemPage");
    await press("ArrowUp");
    assert.notEqual(await active(), "SystemPage", "it goes round");
    await press("ArrowDown");
    await press("Enter");
    await page.waitForURL("**/system");
    await press("Control+k");
    await field(page).fill("log-rea");
    await option(page, /log-reader/).waitFor();
    await press("Enter");
    await page.waitForURL("**/users/log-reader");
    await page.getByRole("button", { name: "Reset password" }).click();
    const question = page.getByRole("dialog", { name: /log-reader/ });
    await question.waitFor();
    await press("Control+k");
    assert.equal(await field(page).count(), 0, "it is over another question");
    await press("Escape");
    await question.waitFor({ state: "detached" });
    await press("Control+k");
    // By what a setting does, and without its accents.
    await field(page).fill("everyone opens");
    await option(page, /^Text on the sign-in page/).click();
    await page.waitForURL("**/system/settings?find=Text+on+the+sign-in+page");
    await page.getByLabel("Text on the sign-in page").waitFor();
    const button = page.getByRole("button", { name: "Find (Ctrl K)" });
    await button.press("Enter");
    await field(page).fill("<b>nothing");
    await sees(page, "Nothing is called <b>nothing.");
    await press("Escape");
    await untilFocused(button);
  });

  it("offers a reader on a phone no user and no page of others", async () => {
    const { page } = await browser.open(agent, { width: 320, height: 640, language: "de" });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await signIn(page, "readonly");
    await press(page, "Suchen (Strg K)");
    await page.getByRole("option").first().waitFor();
    const names = await page.getByRole("option").allInnerTexts();
    assert.doesNotMatch(names.join(), /Benutzer|Ereignisse/);
    await assertReads(page);
    const box = page.getByRole("combobox");
    await box.fill("root-admin");
    await sees(page, "Nichts heißt root-admin.");
    assert.ok(!asked.includes("/api/users"));
    await box.fill("Abm");
    await option(page, "Abmelden Aktion").click();
    await page.getByRole("heading", { name: "Anmelden" }).waitFor();
  });

  it("is beside the look that a person chooses, in force at once and in this browser until the browser's is chosen", async () => {
    const page = await browser.signedIn(agent, "admin", "/account", { scheme: "light" });
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const bars = () =>
      page
        .locator("meta[name=theme-color]")
        .evaluateAll((all) => all.map((one) => (one as HTMLMetaElement).content));
    const choose = async (name: string, colour?: string) => {
      await press(page, /^Your account: /);
      await page.getByRole("menuitemradio", { name }).click();
      await until(name, async () =>
        colour === undefined ? (await ground()) !== light : (await ground()) === colour,
      );
    };
    const [light, usual] = [await ground(), await bars()];
    await choose("Theme: dark");
    const dark = await ground();
    assert.deepEqual(new Set(await bars()), new Set([dark]));
    await assertSound(page);
    // The page's inline script sets the look before the console's script has come.
    await page.route("**/assets/index-*.js", (route) => route.abort(), { times: 1 });
    await page.reload();
    assert.equal(await ground(), dark);
    await page.reload();
    await page.locator(".frame").waitFor();
    assert.equal(await ground(), dark);
    await page.emulateMedia({ colorScheme: "dark" });
    await choose("Theme: light", light);
    await choose("Theme: same as browser", dark);
    assert.deepEqual(await bars(), usual);
  });
});
