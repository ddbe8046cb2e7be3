import { eventFactNames, eventFactValues } from "../../../../contract/words/en/events.ts";
import { checkNames as names } from "../../../../contract/words/en/findings.ts";

export const checkNames = names;

export const event = {
  factNames: eventFactNames,
  factValues: eventFactValues,
  eventParts: {
    when: "When",
    who: "Who",
    from: "From",
    local: "the device itself",
    refused: "Refused because",
    times: "How often",
  },
  onlyType: (title: string) => `Only events of the kind “${title}”`,
};
