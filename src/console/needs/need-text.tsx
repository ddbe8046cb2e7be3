import { useEffect, useState } from "preact/hooks";
import type { Need } from "../../contract/types.ts";
import { loadTexts, t } from "../catalogue/words.ts";
import { Said } from "../ui/spoken.tsx";
import { needInWords } from "./need-words.ts";

/** The sentence beneath the title of a need; the words for a finding are loaded once one is shown. */
export function NeedText({ need }: { readonly need: Need }) {
  const words = needInWords(need);
  const hasWords = useFindingWords(words?.isFinding === true);
  // A blank keeps the place of the line.
  return words && hasWords ? <Said sentence={words.text} /> : <>&nbsp;</>;
}

/** False while findings' words are on their way, loaded once `isNeeded`. True also if they cannot be loaded. */
function useFindingWords(isNeeded: boolean): boolean {
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
