import { eventFactNames, eventFactValues } from "../../../../contract/words/de/events.ts";
import { checkNames as names } from "../../../../contract/words/de/findings.ts";
import type { Catalogue } from "../../words.ts";
import { personWords } from "./copied/person.ts";

export const person = personWords;

export const checkNames: Catalogue["checkNames"] = names;

export const event: Catalogue["event"] = {
  factNames: eventFactNames,
  factValues: eventFactValues,
  eventParts: {
    when: "Wann",
    from: "Von",
    local: "dem Gerät selbst",
    others: "mehreren Adressen",
    refused: "Abgelehnt, weil",
    times: "Wie oft",
  },
  onlyType: (title) => `Nur Ereignisse der Art „${title}“`,
};
