import type { Catalogue } from "../../words.ts";

/** The figures of the clock behind their fold. */
export const clockDetails: Catalogue["clockDetails"] = {
  legend:
    "Jeder Balken ist eine Abweichung mit ihrer Unsicherheit; schattiert ist, worin die Quellen übereinstimmen. Uhren rechts von 0 gehen gegenüber dem Gerät vor.",
  columns: {
    source: "Quelle",
    state: "Zustand",
    offset: "Abweichung",
    delay: "Laufzeit",
    stratum: "Stratum",
    reach: "Letzte Abfragen",
  },
  answered: (count) => `${count} der letzten 8 Abfragen beantwortet`,
  toHistory: "Abweichung der letzten Woche",
  facts: {
    offset: "Dieses Gerät jetzt",
    trust: "Vertrauen",
    deviceTime: "Zeit des Geräts",
    browser: "Dieser Browser",
    keptBy: "Wer die Uhr stellt",
    lastSync: "Zuletzt synchron",
    poll: "Zeit zwischen Abfragen",
    lastStep: "Letzter Sprung",
    leap: "Schaltsekunde",
  },
  browserSame: "sagt dasselbe",
  none: "keine",
  noProgram: "kein Programm",
  aPerson: "eine Person",
  every: (size) => `alle ${size}`,
};
