import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { User, UserList, UserQuery } from "../../contract/types.ts";
import { onStale } from "../client/cache.ts";
import { call } from "../client/call.ts";

/** Users that are read at first, and that each step adds. */
const stepCount = 50;

/** The most that the agent gives at once. */
const mostAtOnce = 200;

interface Read {
  readonly list: UserList | null;
  readonly error: unknown;
  readonly isLoading: boolean;
}

export interface Users extends Read {
  reload(): Promise<void>;
  more(): Promise<void>;
}

/** The users that match, as many as were asked for so far; the shown list stays until there is a newer one. */
export function useUsers(query: UserQuery): Users {
  const key = JSON.stringify(query);
  const [read, setRead] = useState<Read>({ list: null, error: null, isLoading: true });
  const turns = useRef(0);
  const wanted = useRef(stepCount);
  const reload = useCallback(async () => {
    const turn = ++turns.current;
    setRead((before) => ({ ...before, isLoading: true }));
    const next = await readUsers(JSON.parse(key) as UserQuery, wanted.current).then(
      (list) => ({ list, error: null }),
      (error: unknown) => ({ error }),
    );
    if (turn === turns.current) setRead((before) => ({ ...before, ...next, isLoading: false }));
  }, [key]);
  useEffect(() => {
    wanted.current = stepCount;
    void reload();
    return () => {
      turns.current += 1;
    };
  }, [reload]);
  useEffect(() => onStale("listUsers", () => void reload()), [reload]);
  const more = (): Promise<void> => {
    wanted.current += stepCount;
    return reload();
  };
  return { ...read, reload, more };
}

/** Read from the beginning, because an order by time moves while it is read. */
async function readUsers(query: UserQuery, count: number): Promise<UserList> {
  const items: User[] = [];
  for (let cursor: string | null = null; ; ) {
    const limit = Math.min(mostAtOnce, count - items.length);
    const page: UserList = await call("listUsers", {
      query: { ...query, limit, ...(cursor !== null && { cursor }) },
    });
    items.push(...page.items);
    if (page.next_cursor === null || items.length >= count) return { ...page, items };
    cursor = page.next_cursor;
  }
}
