import type { Catalogue } from "../../words.ts";

export const palette: Catalogue["palette"] = {
  field: "Seite, Benutzer, Einstellung oder Aktion",
  hint: "Pfeiltasten wählen, Eingabe öffnet, Escape schließt",
  kinds: { page: "Seite", user: "Benutzer", setting: "Einstellung", action: "Aktion" },
  found: (count) => (count === 1 ? "Ein Ergebnis" : `${count} Ergebnisse`),
  none: (sought) => `Nichts heißt ${sought}.`,
  speak: (language) => `Sprache: ${language}`,
};
