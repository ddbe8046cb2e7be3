import { lag } from "../../../../contract/words/de/clock.ts";
import type { Catalogue } from "../../words.ts";
import { listWords } from "./copied/lists.ts";

export const lists = listWords;

export const logs: Catalogue["logs"] = {
  unit: "Unit",
  level: "Stufe",
  service: "Dienst",
  errorsOf: (service, count) => `${service}: ${count} Fehler`,
  moreServices: (count) => `${count} weitere`,
  countedAt: (time) => `Gezählt um ${time}`,
  countedFrom: (time, from) => `Gezählt um ${time}: die neuesten Zeilen, ab ${from}`,
  countAgain: "Neu zählen",
  text: "Text",
  atLeast: (level) => `${level} und schwerer`,
  levels: {
    emerg: "Notfall",
    alert: "Alarm",
    crit: "kritisch",
    err: "Fehler",
    warning: "Warnung",
    notice: "Hinweis",
    info: "Info",
    debug: "Debug",
  },
  noUnit: (readable) =>
    `Hier ist nur das Protokoll von ${readable} zu lesen. log_units in der Host-Datei fügt andere hinzu.`,
  noJournal: "Das Systemprotokoll ist nicht lesbar: Angezeigt werden nur die Zeilen von Steward.",
  empty: "Keine Zeile passt. Neue erscheinen hier.",
  older: "Ältere Zeilen laden",
  newLines: (count) => `${count} neue ${count === 1 ? "Zeile" : "Zeilen"}`,
  dropped: (count) =>
    `Diese Seite hat ${count} Zeilen verworfen; laden Sie ältere Zeilen, wenn Sie wieder folgen.`,
  keys: "Pfeiltasten gehen von Zeile zu Zeile, Enter öffnet eine",
  status: "Status",
  duration: "Dauer",
  user: "Benutzer",
  requests: "Anfragen",
  statuses: {
    "": "ohne diesen Browser",
    all: "alle",
    failed: "fehlgeschlagen (4xx, 5xx)",
    "5xx": "mit einem Fehler hier (5xx)",
    "4xx": "abgelehnt (4xx)",
    "2xx": "erledigt (2xx)",
  },
  shown: (count) => `${count} ${count === 1 ? "Zeile" : "Zeilen"}`,
  time: "Zeit",
  identifier: "Programm",
  process: "Prozess",
  cursor: "Cursor",
  copyLine: "Diese Zeile kopieren",
};

export const history: Catalogue["history"] = {
  spans: { day: "24 Stunden", week: "7 Tage" },
  span: "Zeitraum",
  hint: "Fahren Sie über die Kurven, oder benutzen Sie hier die Pfeiltasten, um die Werte eines Zeitpunkts zu lesen.",
  plots: {
    clock: "Uhr",
    disk: "Datenträger (belegt)",
    memory: "Arbeitsspeicher (belegt)",
    load: "Last",
    temperature: "Temperatur",
  },
  lag,
  upTo: (figure) => `bis ${figure}`,
  highest: (figure, when) => `am höchsten ${figure}, ${when}`,
  farthest: (figure, when) => `am weitesten ${figure}, ${when}`,
  week: {
    highest: (figure, day) => `Höchstwert ${figure} ${day}`,
    farthest: (figure, day) => `bis ${figure}, ${day}`,
    on: (weekday) => `am ${weekday}`,
    full: (days) => `voll in etwa ${days === 1 ? "einem Tag" : `${days} Tagen`}`,
  },
  unknown: "kein Messwert",
  none: "Die ersten Messwerte erscheinen nach fünf Minuten.",
  legend:
    "Die hellere Linie ist der schlechteste Messwert von je fünf Minuten; das Band ist die Unsicherheit der Uhr. Eine senkrechte Linie zeigt, wo etwas zu tun wurde.",
  gaps: "Wo der Grund schattiert ist, fehlen Messwerte: Das Gerät war aus.",
  begins: (when) => `Vor ${when} gibt es keine Messwerte. `,
  noFaults: "Es war nichts zu tun.",
  since: (begin) => `seit ${begin}`,
  sinceBefore: "schon vor diesem Zeitraum",
  until: (end) => `bis ${end}`,
  fromTo: (begin, end, span) => `${begin} bis ${end} (${span})`,
  times: (count, last) => `${count} ×, zuletzt: ${last}`,
  ticks: {
    updates: "Updates",
    restarts: "Neustarts",
    refused: "Abgelehnte Anmeldungen",
    clock: "Uhr gestellt",
  },
  tooMany: (when) => `Es gibt mehr Ereignisse, als diese Seite liest: Die vor ${when} können fehlen.`,
  table: "Als Tabelle",
  happened: "Was geschah",
};

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
