import { BoundlessAnswer } from "./context.ts";

export interface PageQuery {
  limit: number;
  cursor?: string;
}

interface Page {
  items: unknown[];
  next_cursor: string | null;
}

/** Items of one page; the contract's upper bound. */
const pageSize = 200;

/** All items of a list, or the first `most`, in the API's shape. Throws BoundlessAnswer where the list does not end. */
export async function allPages<P extends Page>(
  read: (query: PageQuery) => Promise<P>,
  most = Number.POSITIVE_INFINITY,
): Promise<P> {
  const checkEnd = createListEnd();
  const items: P["items"] = [];
  let cursor: string | null = null;
  for (;;) {
    const limit = Math.min(pageSize, most - items.length);
    const page: P = await read({ limit, ...(cursor !== null && { cursor }) });
    checkEnd(page);
    // One by one: a hostile page may have more items than a call takes arguments.
    for (const item of page.items) items.push(item);
    cursor = page.next_cursor;
    if (cursor === null || items.length >= most) return { ...page, items };
  }
}

/** Pages of one list, and their characters together; the longest list of the agent, its event log, has 9 MiB. */
const mostPages = 10_000;
const mostCharacters = 64 * 1024 * 1024;

/** Is called with each page. Throws BoundlessAnswer for a repeated cursor or an endless list: the program may be hostile. */
export function createListEnd(): (page: Pick<Page, "next_cursor">) => void {
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

/** A list that came without pages, in the shape of all lists. */
export function wholeList<Item>(items: readonly Item[]) {
  return { items, total: items.length, next_cursor: null };
}
