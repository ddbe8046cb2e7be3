import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { User, UserList, UserQuery } from "../../contract/types.ts";
import { onStale } from "../client/cache.ts";
import { call } from "../client/call.ts";
import { deviceNow } from "../client/device-time.ts";

/** Users that are read at once; the agent gives no more. */
const pageSize = 200;

interface Read {
  readonly list: UserList | null;
  readonly error: unknown;
  readonly isLoading: boolean;
}

/** The matching users, as far as one has scrolled; a list stays until there is a newer one. `more`: the next page. */
export function useUsers(query: UserQuery) {
  const key = JSON.stringify(query);
  const [read, setRead] = useState<Read>({ list: null, error: null, isLoading: true });
  const turns = useRef(0);
  const shown = useRef<UserList | null>(null);
  shown.current = read.list;
  const take = useCallback(async (reading: () => Promise<UserList>) => {
    const turn = ++turns.current;
    setRead((before) => ({ ...before, isLoading: true }));
    const next = await reading().then(
      (list) => ({ list, error: null }),
      (error: unknown) => ({ error }),
    );
    if (turn === turns.current) setRead((before) => ({ ...before, ...next, isLoading: false }));
  }, []);
  const reload = useCallback(
    () => take(() => readUsers(JSON.parse(key) as UserQuery, shown.current?.items.length ?? 0)),
    [key],
  );
  useEffect(() => {
    shown.current = null;
    void reload();
    return () => {
      turns.current += 1;
    };
  }, [reload]);
  useEffect(() => onStale("listUsers", () => void reload()), [reload]);
  useEffect(() => atEndOfLock(read.list?.items ?? [], reload), [read.list, reload]);
  const more = (): void => {
    const { list, isLoading, error } = read;
    if (list?.next_cursor == null || isLoading || error !== null) return;
    void take(() => withNextPage(query, list));
  };
  return { ...read, reload, more };
}

/** Everybody who matches. */
export async function readAllUsers(query: UserQuery): Promise<readonly User[]> {
  return (await readUsers(query, Number.POSITIVE_INFINITY)).items;
}

/** At least so many, from the beginning, because an order by time moves while it is read. */
async function readUsers(query: UserQuery, count: number): Promise<UserList> {
  let list: UserList = await call("listUsers", { query: { ...query, limit: pageSize } });
  while (list.next_cursor !== null && list.items.length < count) list = await withNextPage(query, list);
  return list;
}

async function withNextPage(query: UserQuery, list: UserList): Promise<UserList> {
  const cursor = list.next_cursor ?? "";
  const next = await call("listUsers", { query: { ...query, limit: pageSize, cursor } });
  const known = new Set(list.items.map(({ id }) => id));
  return { ...next, items: [...list.items, ...next.items.filter(({ id }) => !known.has(id))] };
}

/** A lock ends without an event. */
function atEndOfLock(users: readonly User[], act: () => Promise<void>): (() => void) | undefined {
  const ends = users.flatMap(({ locked }) => (locked === null ? [] : [Date.parse(locked.until)]));
  if (ends.length === 0) return;
  const wait = Math.max(1_000, Math.min(...ends) - deviceNow());
  const timer = setTimeout(() => void act(), Math.min(wait, 2 ** 31 - 1));
  return () => clearTimeout(timer);
}
