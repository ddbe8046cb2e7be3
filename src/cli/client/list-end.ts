import { BoundlessAnswer } from "./context.ts";

interface Page {
  readonly next_cursor: string | null;
}

/** Pages of one list, and their characters together; the longest list of the agent, its event log, has 9 MiB. */
const mostPages = 10_000;
const mostCharacters = 64 * 1024 * 1024;

/**
 * Is called with each page of a list. The program at the socket may be hostile: throws BoundlessAnswer where a cursor is
 * repeated, or the list is longer than any of the agent's.
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
