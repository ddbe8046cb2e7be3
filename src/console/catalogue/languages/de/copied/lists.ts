import type { Catalogue } from "../../../words.ts";

export const listWords: Catalogue["lists"] = {
  export: "CSV exportieren",
  exported: (count) => `${count} ${count === 1 ? "Zeile" : "Zeilen"} exportiert`,
  filters: "Filter",
  filtersInForce: (count) => `Filter · ${count}`,
  loading: "Weitere werden geladen …",
  onPaper: "Auf dem Papier stehen nur die sichtbaren Zeilen. „CSV exportieren“ liefert alle.",
  zones: (here, there, device) =>
    `Zeiten in der Zeitzone dieses Browsers, UTC${here}; die des Geräts ist ${device}, UTC${there}.`,
  since: "Seit",
  sinces: {
    "": "alles",
    "15m": "vor 15 Minuten",
    "1h": "vor einer Stunde",
    "1d": "vor einem Tag",
    "7d": "vor einer Woche",
    "30d": "vor einem Monat",
    T: "einer Zeit …",
  },
  times: { since: "Von", until: "Bis" },
  all: "alle",
  pause: "Anhalten",
  follow: "Folgen",
  followWith: (count) => `Folgen · ${count} neue`,
  kinds: {
    anonymous: "nicht angemeldet",
    "local-root": "root am Gerät",
    user: "Benutzer",
    token: "API-Token",
    agent: "das Gerät selbst",
    product: "das Produkt",
  },
};
