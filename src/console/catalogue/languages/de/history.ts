import { lag } from "../../../../contract/words/de/clock.ts";
import type { Catalogue } from "../../words.ts";

export const history: Catalogue["history"] = {
  title: "Verlauf",
  spans: { day: "24 Stunden", week: "7 Tage" },
  span: "Zeitraum",
  time: "Zeit",
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
    none: "Noch keine Messwerte.",
  },
  unknown: "kein Messwert",
  none: "Die ersten Messwerte sind nach fünf Minuten hier.",
  legend:
    "Die hellere Linie ist der schlechteste Messwert von je fünf Minuten; das Band ist die Unsicherheit der Uhr. Eine senkrechte Linie ist dort, wo etwas Aufmerksamkeit zu brauchen begann.",
  gaps: "Wo der Grund schattiert ist, fehlen Messwerte: Das Gerät war aus oder noch nicht in Betrieb.",
  noFaults: "Nichts brauchte Aufmerksamkeit.",
  since: (begin) => `seit ${begin}`,
  sinceBefore: "seit vor diesem Zeitraum",
  until: (end) => `bis ${end}`,
  fromTo: (begin, end, span) => `${begin} bis ${end} (${span})`,
  times: (count, last) => `${count} ×, zuletzt: ${last}`,
  ticks: {
    updates: "Updates",
    restarts: "Neustarts",
    refused: "Abgelehnte Anmeldungen",
    clock: "Uhr gestellt",
  },
  events: "Alle Ereignisse",
  tooMany: (when) => `Es gibt mehr Ereignisse, als diese Seite liest: Die vor ${when} können fehlen.`,
  table: "Als Tabelle",
  happened: "Was geschah",
};
