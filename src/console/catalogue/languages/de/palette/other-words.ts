import type { Catalogue } from "../../../words.ts";

/** Other words that people type for an entry; they are never shown. */
export const otherWords: Catalogue["palette"]["words"] = {
  signOut: "ausloggen, logout, beenden",
  looks: "Aussehen, dunkel, hell, Dunkelmodus, Farben, Darstellung, Theme",
  pages: {
    "/": "Startseite, Status, Zustand, Dashboard, Übersicht",
    "/users": "Konten, Personen, Rollen, Rechte, Benutzer löschen, Mitglieder, Accounts",
    "/system": "Gerät, Zustand, Diagnose",
    "/updates":
      "Aktualisierung, Firmware, Software, Release, Version, zurückrollen, Rollback, Upgrade, nach Updates suchen, installieren",
    "/system/device": "verwalten, Identität, Name, Ort, Ansprechpartner, Netz, Zertifikat, https, tls",
    "/system/settings": "Konfiguration, Optionen, Einrichtung",
    "/system/logs": "Log, Journal, Syslog, Meldungen, Fehler, Anfragen",
    "/system/events": "Audit, Aktivität, Verlauf, Änderungen, wer hat was getan, CSV exportieren",
    "/system/history":
      "Graph, Diagramm, Kurve, Trend, Statistik, Temperatur, Last, Speicherplatz, Arbeitsspeicher, Abweichung",
    "/account": "Profil, mein Konto, Anzeigename, Sprache",
  },
  places: {
    addUser: "neuer Benutzer, Benutzer hinzufügen, Benutzer erstellen, neues Konto, einladen",
    lockedUsers: "entsperren, Sperre, blockiert",
    clock: "Uhrzeit, Zeit, Datum, Uhr stellen, synchronisieren, Abweichung, NTP-Status",
    host: "Festplatte, Platte, Disk, RAM, CPU, Prozessor, Last, Auslastung, Laufzeit, Wärme, Hardware, Swap",
    versions: "über, Kernel, Betriebssystem, Gerätekennung, Seriennummer, Modell, Build",
    backup: "Backup, Datensicherung, sichern, Kopie, Export, Wiederherstellung, Ersatzgerät, age",
    bundle: "Doctor, Diagnose, Support, Hilfe, Problem melden, Archiv",
    restart: "Neustart, Reboot, booten",
    powerOff: "herunterfahren, abschalten, Shutdown",
    reset: "Werkseinstellungen, Werksreset, Reset, alles löschen",
    sheet: "drucken, Adresse, URL, IP, QR-Code, Etikett",
    password: "Kennwort, neues Passwort",
    factor:
      "2FA, MFA, Zwei-Faktor, Authenticator, TOTP, OTP, Wiederherstellungscodes, Ersatzcodes, Handy verloren",
    tokens: "Token, API-Schlüssel, Zugriffsschlüssel",
    sessions: "Sitzungen, Geräte, Browser, überall abmelden",
    trust: "Fingerabdruck, Signatur, Schlüssel, Herausgeber, Zertifikat",
    history: "installierte Versionen, fehlgeschlagenes Update, Historie",
    setup: "Assistent, einrichten, Wizard",
  },
};
