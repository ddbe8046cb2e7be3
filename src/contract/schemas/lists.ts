import { strictObject } from "../shapes.ts";

/** Members of a list that each list has, whatever its items are. */
const frame = {
  total: { type: "integer", minimum: 0, description: "items on all pages" },
  next_cursor: {
    type: ["string", "null"],
    description: "`cursor` of the next page; null: this is the last page",
  },
} as const;

/** Characters of a cursor; what the agent writes is far below. */
const longestCursor = 512;

export const mostItems = 200;

/** The answer of every operation that lists: a page of items, how many there are, and where the next page begins. */
export function listOf<const Item extends object>(items: Item, order: string) {
  return strictObject({ items: { type: "array", items, description: order }, ...frame });
}

/** Query parameters of every operation that lists; `limit` is what a page has when a client does not say. */
export function pageOf<const Limit extends number>(limit: Limit) {
  return {
    limit: {
      type: "integer",
      minimum: 1,
      maximum: mostItems,
      default: limit,
      description: "maximum number of items on a page",
    },
    cursor: {
      type: "string",
      minLength: 1,
      maxLength: longestCursor,
      description: "`next_cursor` of the previous page; opaque. Keep the other parameters unchanged",
    },
  } as const;
}
