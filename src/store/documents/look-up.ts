/**
 * Finds members of a list by a key without searching it at each request. The index is made again when `read` returns
 * another list, which it does after a change: lists of a document are never changed in place.
 */
export function createLookUp<T>(read: () => readonly T[], keyOf: (member: T) => string) {
  let indexed: readonly T[] | undefined;
  let index = new Map<string, T>();
  return (key: string): T | undefined => {
    const present = read();
    if (present !== indexed) {
      index = new Map(present.map((member) => [keyOf(member), member]));
      indexed = present;
    }
    return index.get(key);
  };
}

/** Like createLookUp, for a key that several members share: returns all of them, in the order of the list. */
export function createGroups<T>(read: () => readonly T[], keyOf: (member: T) => string) {
  let grouped: readonly T[] | undefined;
  const groups = new Map<string, T[]>();
  return (key: string): readonly T[] => {
    const present = read();
    if (present !== grouped) {
      groups.clear();
      for (const member of present) {
        const others = groups.get(keyOf(member));
        if (others) others.push(member);
        else groups.set(keyOf(member), [member]);
      }
      grouped = present;
    }
    return groups.get(key) ?? [];
  };
}
