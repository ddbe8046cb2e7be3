import { useEffect, useState } from "preact/hooks";
import { type Part, textsOfParts } from "../catalogue/texts-of-parts.ts";
import { loadTexts } from "../catalogue/words.ts";
import { lost } from "./connection.ts";

/**
 * Loads the file of a part, which is beside this one, with its texts. An agent that restarts is waited for; one that was
 * updated has other files: then it throws.
 */
export function loadPart<T>(part: Part, load: () => Promise<T>): Promise<T> {
  const read = () => Promise.all([load(), ...textsOfParts[part].map(loadTexts)]).then(([loaded]) => loaded);
  return read().catch(() => lost().then(read));
}

/** A part from when it is drawn; null: it is not there yet. A part that cannot be loaded is an error of the page. */
export function usePart<T>(part: Part, load: () => Promise<T>): T | null {
  const [state, setState] = useState<{ loaded: T } | { error: unknown } | null>(null);
  useEffect(() => {
    loadPart(part, load).then(
      (loaded) => setState({ loaded }),
      (error: unknown) => setState({ error }),
    );
  }, [part]);
  if (state !== null && "error" in state) throw state.error;
  return state?.loaded ?? null;
}
