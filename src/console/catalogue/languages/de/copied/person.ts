import { nameRules } from "../../../../../contract/shapes.ts";
import type { Catalogue } from "../../../words.ts";

/** Words about a user, for the pages about oneself and about others. */
export const personWords: Catalogue["person"] = {
  role: "Rolle",
  roles: { admin: "Administrator", operator: "Bediener", readonly: "Leser" },
  mayDo: {
    admin: "Alles: Benutzer, Einstellungen, Sicherheit, Uhr und Updates",
    operator:
      "Betreibt das Gerät: stellt die Uhr nach Zeitservern, sucht nach Updates, ändert Namen und Update-Fenster. Verwaltet weder Benutzer noch Sicherheit.",
    readonly: "Liest Protokoll und Zustand und ändert nichts",
  },
  state: "Zustand",
  lastSignIn: "Letzte Anmeldung",
  displayName: "Anzeigename",
  sessions: "Sitzungen",
  tokens: "API-Token",
  end: "Beenden",
  endOf: (browser) => `Sitzung von ${browser} beenden`,
  namelessProgram: "Programm ohne Namen",
  signedIn: "Angemeldet",
  lastUsed: "Zuletzt benutzt",
  scopes: {
    "logs:read": "Protokoll lesen",
    "metrics:read": "Messwerte für die Überwachung lesen",
    "events:read": "Ereignisse lesen",
    "system:read": "Einstellungen, Gerätedaten, Uhr und Updates lesen",
    "system:write": "Einstellungen eines Bedieners ändern",
    "time:write": "Uhr synchronisieren und Quellen neu wählen",
    "updates:check": "Nach Updates suchen",
    "updates:apply": "Updates installieren, verschieben und zurücknehmen",
    "product:use": "Seiten des Produkts öffnen",
    "configuration:read": "Prüfen, ob das Gerät seiner Datei entspricht",
    "users:read": "Benutzer lesen",
    "users:write": "Benutzer ändern, außer Administratoren",
  },
  tokenOfFleet: "Für die Flotte",
  onlyFrom: "nur von",
  noEnd: "Ohne Ende",
  expired: "abgelaufen",
  suspended: "ausgesetzt",
  resume: "Zulassen",
  resumeToken: (name) => `Zulassen: ${name}`,
  thisSession: "diese",
  endOthers: "Alle anderen beenden",
  sessionsEnded: (count) => (count === 1 ? "Die Sitzung ist beendet." : `${count} Sitzungen sind beendet.`),
  deleteToken: "Löschen",
  deleteTokenTitle: (name) => `Token ${name} löschen`,
  tokenDeleted: "Der Token wurde gelöscht.",
  none: "Keine",
  newPassword: "Neues Passwort",
  deleteTokenText:
    "Programme mit diesem Token werden sofort abgewiesen. Das lässt sich nicht rückgängig machen.",
  usernameHint: "Etwa ana oder j.schmidt. Der Name lässt sich später nicht ändern.",
  usernameRule: `Erwartet werden 3 bis 32 Kleinbuchstaben (a–\u2060z), Ziffern, Punkte, Unterstriche oder Bindestriche, am Anfang ein Buchstabe, am Ende ein Buchstabe oder eine Ziffer; ${nameRules.noPerson.join(", ")} sind vergeben, für Akteure, die keine Personen sind`,
  passwordLength: (minimum) => `${minimum} Zeichen oder mehr.`,
  passwordCount: (length, minimum) =>
    length < minimum ? `${length} von ${minimum} Zeichen.` : `${length} Zeichen: lang genug.`,
  passwordAdvice:
    "Vier Wörter ohne Zusammenhang sind schwer zu erraten; Ziffern und Sonderzeichen sind nicht nötig.",
};
