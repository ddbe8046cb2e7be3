/**
 * Finds members of a list by a key without searching it at each request. Lists of a document are never changed in place:
 * when `read` returns another list, which it does after a change, only what differs is indexed again.
 */
export function createLookUp<T>(read: () => readonly T[], keyOf: (member: T) => string) {
  const index = new Map<string, T>();
  const follow = createFollower(read, ({ removed, added }) => {
    for (const member of removed) index.delete(keyOf(member));
    for (const member of added) index.set(keyOf(member), member);
  });
  return (key: string): T | undefined => {
    follow();
    return index.get(key);
  };
}

/** Like createLookUp, for a key that several members share: returns all of them, in the order of the list. */
export function createGroups<T>(read: () => readonly T[], keyOf: (member: T) => string) {
  const groups = new Map<string, T[]>();
  const follow = createFollower(read, ({ removed, added, present }) => {
    const touched = new Set([...removed, ...added].map(keyOf));
    for (const key of touched) groups.delete(key);
    for (const member of present) {
      const key = keyOf(member);
      if (!touched.has(key)) continue;
      const others = groups.get(key);
      if (others) others.push(member);
      else groups.set(key, [member]);
    }
  });
  return (key: string): readonly T[] => {
    follow();
    return groups.get(key) ?? [];
  };
}

/** A list in the place of another: the members between the beginning and the end that both have. */
interface Difference<T> {
  readonly removed: readonly T[];
  readonly added: readonly T[];
  readonly present: readonly T[];
}

function createFollower<T>(read: () => readonly T[], apply: (difference: Difference<T>) => void) {
  let former: readonly T[] = [];
  return (): void => {
    const present = read();
    if (present === former) return;
    apply({ ...differenceOf(former, present), present });
    former = present;
  };
}

function differenceOf<T>(former: readonly T[], present: readonly T[]) {
  const shorter = Math.min(former.length, present.length);
  let start = 0;
  while (start < shorter && former[start] === present[start]) start += 1;
  let end = 0;
  while (end < shorter - start && former.at(-1 - end) === present.at(-1 - end)) end += 1;
  return {
    removed: former.slice(start, former.length - end),
    added: present.slice(start, present.length - end),
  };
}

/** A value of values that are never changed in place, such as lists of documents: made again when one is another. */
export function createDerived<const Parts extends readonly unknown[], T>(
  make: (...parts: Parts) => T,
): (...parts: Parts) => T {
  let last: { readonly parts: Parts; readonly value: T } | undefined;
  return (...parts) => {
    if (last === undefined || parts.some((part, index) => part !== last?.parts[index]))
      last = { parts, value: make(...parts) };
    return last.value;
  };
}
