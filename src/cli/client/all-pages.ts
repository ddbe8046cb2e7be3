import { createListEnd } from "./list-end.ts";

/** The paging of a list. */
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

/**
 * The pages of a list as one, in the API's shape: all, or until there are `most` items. Throws BoundlessAnswer where the
 * list does not end.
 */
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

/** A list that came without pages, in the shape of all lists. */
export function wholeList<Item>(items: readonly Item[]) {
  return { items, total: items.length, next_cursor: null };
}
