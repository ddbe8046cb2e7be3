import { eventFactNames, eventFactValues } from "../../../../contract/words/en/events.ts";
import { checkNames as names } from "../../../../contract/words/en/findings.ts";
import { personWords } from "./copied/person.ts";

export const person = personWords;

export const checkNames = names;

export const event = {
  factNames: eventFactNames,
  factValues: eventFactValues,
  eventParts: {
    when: "When",
    from: "From",
    local: "the device itself",
    others: "several addresses",
    refused: "Refused because",
    times: "How often",
  },
  onlyType: (title: string) => `Only events of the kind “${title}”`,
};
