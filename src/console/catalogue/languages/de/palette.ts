import type { Catalogue } from "../../words.ts";
import { otherWords } from "./palette/other-words.ts";

export const palette: Catalogue["palette"] = {
  field: "Seite, Benutzer, Einstellung oder Aktion",
  hint: "Pfeiltasten wählen, Eingabe öffnet, Escape schließt",
  kinds: {
    page: "Seite",
    place: "Auf einer Seite",
    user: "Benutzer",
    setting: "Einstellung",
    action: "Aktion",
  },
  found: (count) => (count === 1 ? "Ein Ergebnis" : `${count} Ergebnisse`),
  none: (sought) => `Nichts heißt ${sought}.`,
  speak: (language) => `Sprache: ${language}`,
  words: otherWords,
  places: {
    addUser: "Benutzer anlegen",
    lockedUsers: "Gesperrte Benutzer",
    clock: "Uhr",
    host: "Speicherplatz, Arbeitsspeicher und Temperatur",
    versions: "Versionen",
    backup: "Sicherung erstellen",
    bundle: "Hilfspaket",
    restart: "Neu starten",
    powerOff: "Ausschalten",
    reset: "Auf Werkszustand zurücksetzen",
    sheet: "Geräteblatt",
    password: "Passwort ändern",
    factor: "Zweiter Faktor",
    tokens: "API-Token",
    sessions: "Wo Sie angemeldet sind",
    trust: "Vertrauen in Updates",
    history: "Update-Verlauf",
    setup: "Erste Einrichtung",
  },
};
