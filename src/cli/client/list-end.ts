import { BoundlessAnswer } from "./context.ts";

interface Page {
  readonly next_cursor: string | null;
}

/** Pages of one list, and characters of them together: the longest that the agent keeps, its event log, has 4 MiB. */
const mostPages = 10_000;
const mostCharacters = 64 * 1024 * 1024;

/**
 * To be shown each page of a list. What answers at the socket is not trusted to come to an end: throws BoundlessAnswer
 * where a cursor comes back, or the list goes on for longer than any of the agent's.
 */
export function createListEnd(): (page: Page) => void {
  const known = new Set<string>();
  let characters = 0;
  return (page) => {
    characters += JSON.stringify(page).length;
    if (known.size >= mostPages || characters > mostCharacters) {
      throw new BoundlessAnswer("A list does not come to an end, which the agent's lists do.");
    }
    const { next_cursor } = page;
    if (next_cursor === null) return;
    if (known.has(next_cursor)) {
      throw new BoundlessAnswer("A list begins again instead of ending, which the agent's lists never do.");
    }
    known.add(next_cursor);
  };
}
