import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { lightConsoleOf } from "../../lab/console/light/light-browser.ts";

/** Names that people look for, with sixty words that they type: each is among the first three found. */
const english: Readonly<Record<string, string>> = {
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
  "Look: dark": "dark mode, theme",
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
};

const german: Readonly<Record<string, string>> = {
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
  "Aussehen: dunkel": "dunkelmodus, design",
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
};

describe("the search by the words that people type", () => {
  const { agent, browser } = lightConsoleOf();

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
      const sought = Object.entries(words).flatMap(([name, all]) =>
        all.split(", ").map((one) => [one, name]),
      );
      assert.ok(sought.length >= 60);
      const page = await open("admin", language);
      const missed: string[] = [];
      for (const [word = "", name = ""] of sought) {
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
  });
});
