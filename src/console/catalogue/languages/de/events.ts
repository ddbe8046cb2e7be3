import { eventTitles } from "../../../../contract/words/de/events.ts";
import type { Catalogue } from "../../words.ts";
import { listWords } from "./copied/lists.ts";

export const lists = listWords;

export const events: Catalogue["events"] = {
  titles: eventTitles,
  type: "Was",
  who: "Wer",
  outcome: "Ergebnis",
  refused: "Abgelehnt",
  overTime: "Ereignisse im Lauf der Zeit",
  atMost: (count) => `bis ${count}`,
  barKeys:
    "Mit den Pfeiltasten geht es von Balken zu Balken; ein Klick auf einen zeigt nur Ereignisse seiner Zeit.",
  onlyThese: "Nur diese zeigen",
  barOf: (time, count, refused) =>
    `${time}: ${count} ${count === 1 ? "Ereignis" : "Ereignisse"}${refused > 0 ? `, davon ${refused} abgelehnt` : ""}`,
  earlier: "Früher",
  later: "Später",
  wholeTime: "Alle Zeiten zeigen",
  setBack: (span) => `Hier wurde die Uhr zurückgestellt, um mindestens ${span}`,
  groups: {
    sign_in: "Anmeldung",
    users: "Benutzer",
    clock: "Uhr",
    updates: "Updates",
    settings: "Einstellungen",
    device: "Gerät",
    requests: "Anfragen",
    product: "Produkt",
  },
  total: (count, lines) =>
    `${count} ${count === 1 ? "Ereignis" : "Ereignisse"}${lines < count ? ` in ${lines} ${lines === 1 ? "Zeile" : "Zeilen"}` : ""}`,
  empty: "Kein Ereignis passt zu diesen Filtern.",
};
