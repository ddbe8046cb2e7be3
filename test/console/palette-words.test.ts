import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { endOfConsole } from "../../lab/console/browser.ts";
import { lightConsoleOf } from "../../lab/console/light/light-browser.ts";

/** Sixty words that people type, with the name of what they look for; it is among the first three. */
const english: Readonly<Record<string, string>> = {
  disk: "Disk, memory and temperature",
  storage: "Disk, memory and temperature",
  memory: "Disk, memory and temperature",
  cpu: "Disk, memory and temperature",
  uptime: "Disk, memory and temperature",
  temperature: "Disk, memory and temperature",
  ntp: "Time servers",
  "ntp server": "Time servers",
  time: "Clock",
  date: "Clock",
  "set the clock": "Clock",
  "time zone": "Time zone",
  timezone: "Time zone",
  hostname: "Host name",
  "host name": "Host name",
  rename: "Host name",
  restart: "Restart",
  reboot: "Restart",
  shutdown: "Switch off",
  "power off": "Switch off",
  "factory reset": "Factory reset",
  reset: "Factory reset",
  wipe: "Factory reset",
  "add user": "Add user",
  "new user": "Add user",
  "create account": "Add user",
  "delete user": "Users",
  role: "Users",
  permissions: "Users",
  unlock: "Locked users",
  password: "Change password",
  "change password": "Change password",
  "password policy": "Minimum password length",
  "2fa": "Second factor",
  mfa: "Second factor",
  authenticator: "Second factor",
  "recovery codes": "Second factor",
  "api key": "API tokens",
  token: "API tokens",
  sessions: "Where you are signed in",
  logout: "Sign out",
  "log out": "Sign out",
  "dark mode": "Look: dark",
  theme: "Look: dark",
  german: "Language",
  logs: "Logs",
  syslog: "Logs",
  errors: "Logs",
  audit: "Events",
  history: "Events",
  upgrade: "Updates",
  firmware: "Updates",
  rollback: "Updates",
  "maintenance window": "Update windows",
  fingerprint: "Trust of updates",
  repository: "Update server",
  beta: "Channel",
  timeout: "Sign out after inactivity",
  banner: "Text on the sign-in page",
  version: "Versions",
  profile: "Your account",
  dashboard: "Home",
  wizard: "First run",
  print: "Device sheet",
  config: "Settings",
};

const german: Readonly<Record<string, string>> = {
  festplatte: "Speicherplatz, Arbeitsspeicher und Temperatur",
  platte: "Speicherplatz, Arbeitsspeicher und Temperatur",
  speicher: "Speicherplatz, Arbeitsspeicher und Temperatur",
  ram: "Speicherplatz, Arbeitsspeicher und Temperatur",
  cpu: "Speicherplatz, Arbeitsspeicher und Temperatur",
  laufzeit: "Speicherplatz, Arbeitsspeicher und Temperatur",
  ntp: "Zeitserver",
  zeitserver: "Zeitserver",
  uhrzeit: "Uhr",
  datum: "Uhr",
  "uhr stellen": "Uhr",
  zeitzone: "Zeitzone",
  sommerzeit: "Zeitzone",
  hostname: "Hostname",
  rechnername: "Hostname",
  umbenennen: "Hostname",
  neustart: "Neu starten",
  "neu starten": "Neu starten",
  reboot: "Neu starten",
  herunterfahren: "Ausschalten",
  ausschalten: "Ausschalten",
  werkseinstellungen: "Auf Werkszustand zurücksetzen",
  zurücksetzen: "Auf Werkszustand zurücksetzen",
  "benutzer anlegen": "Benutzer anlegen",
  "neuer benutzer": "Benutzer anlegen",
  "benutzer hinzufügen": "Benutzer anlegen",
  "benutzer löschen": "Benutzer",
  rechte: "Benutzer",
  rollen: "Benutzer",
  entsperren: "Gesperrte Benutzer",
  passwort: "Passwort ändern",
  kennwort: "Passwort ändern",
  passwortregeln: "Mindestlänge für Passwörter",
  "2fa": "Zweiter Faktor",
  authenticator: "Zweiter Faktor",
  wiederherstellungscodes: "Zweiter Faktor",
  token: "API-Token",
  "api-schlüssel": "API-Token",
  sitzungen: "Wo Sie angemeldet sind",
  abmelden: "Abmelden",
  ausloggen: "Abmelden",
  dunkelmodus: "Aussehen: dunkel",
  design: "Aussehen: dunkel",
  englisch: "Sprache",
  protokoll: "Protokoll",
  log: "Protokoll",
  fehler: "Protokoll",
  audit: "Ereignisse",
  verlauf: "Ereignisse",
  aktualisierung: "Updates",
  firmware: "Updates",
  zurückrollen: "Updates",
  wartungsfenster: "Update-Fenster",
  fingerabdruck: "Vertrauen in Updates",
  repository: "Update-Server",
  beta: "Kanal",
  timeout: "Abmelden bei Inaktivität",
  banner: "Text auf der Anmeldeseite",
  version: "Versionen",
  profil: "Ihr Konto",
  startseite: "Start",
  assistent: "Erste Einrichtung",
  drucken: "Geräteblatt",
  konfiguration: "Einstellungen",
};

describe("the search by the words that people type", () => {
  const ending = endOfConsole();
  const { agent, browser } = lightConsoleOf(ending);

  const open = async (role: "admin" | "readonly", language: string): Promise<Page> => {
    const page = await browser.signedIn(agent, role, undefined, { language });
    await page.locator(".verdict").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
    return page;
  };

  const firstThree = async (page: Page, word: string): Promise<string[]> => {
    await page.getByRole("combobox").fill(word);
    const names = await page.locator('[role="option"] > bdi').allInnerTexts();
    return names.slice(0, 3);
  };

  for (const [language, words] of [
    ["en", english],
    ["de", german],
  ] as const)
    it(`has what sixty words mean among the first three (${language})`, async () => {
      assert.ok(Object.keys(words).length >= 60);
      const page = await open("admin", language);
      const missed: string[] = [];
      for (const [word, name] of Object.entries(words)) {
        const names = await firstThree(page, word);
        if (!names.includes(name)) missed.push(`${word}: ${names.join(" | ")} instead of ${name}`);
      }
      assert.deepEqual(missed, []);
    });

  it("offers a reader nothing that only administrators may do, and leads to what one may see", async () => {
    const page = await open("readonly", "en");
    for (const word of ["restart", "add user", "factory reset", "unlock", "wizard"])
      assert.ok(
        !(await firstThree(page, word)).some((name) => /^(Restart|Add|Factory|Locked|First)/.test(name)),
        word,
      );
    assert.ok((await firstThree(page, "disk")).includes("Disk, memory and temperature"));
  });

  it("leads to the question itself, which the address names", async () => {
    const page = await open("admin", "en");
    await page.getByRole("combobox").fill("reboot");
    await page.getByRole("option", { name: "Restart" }).click();
    await page.waitForURL("**/system/device?open=reboot");
    await page
      .getByRole("dialog", { name: /^Restart / })
      .getByRole("button", { name: "Cancel" })
      .click();
    await page.waitForURL("**/system/device");
    await page.goto("/system/device?open=sheet");
    await page.getByRole("dialog", { name: "Device sheet" }).getByRole("button", { name: "Print" }).waitFor();
    await page.goto("/system/settings?find=zone");
    await page.getByRole("link", { name: "Change under “This device”" }).click();
    await page.waitForURL("**/system/device?open=time_zone");
    await page.getByRole("combobox", { name: "Time zone" }).waitFor();
  });
});
