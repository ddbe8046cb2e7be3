import { useEffect, useState } from "preact/hooks";
import { loadTexts, t } from "../catalogue/words.ts";

/**
 * False while the words of findings are on their way, which are loaded once `isNeeded`: most devices have no finding. True
 * also where they cannot be loaded, as after an update of Steward: then the agent's own sentence is shown.
 */
export function useFindingWords(isNeeded: boolean): boolean {
  const [isSettled, setSettled] = useState(hasThem);
  useEffect(() => {
    if (isNeeded && !isSettled)
      void loadTexts("findings")
        .catch(() => undefined)
        .then(() => setSettled(true));
  }, [isNeeded, isSettled]);
  return isSettled || !isNeeded;
}

/** Some pages bring a part of them along. */
function hasThem(): boolean {
  return t.findings !== undefined && t.updateProblems !== undefined;
}
