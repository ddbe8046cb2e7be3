import { inTab } from "../kept.ts";
import { entriesToKeep } from "../navigation/navigation.ts";
import { session } from "./session.ts";

/** The place in a tab for the entries while it is reloaded. */
const storedAt = "steward-entries";

interface Kept {
  /** The id of the user who typed them. */
  readonly by: string | undefined;
  readonly entries: Record<string, unknown>;
}

/** Entries of the page before this one, if that was reloaded for another version; each is taken once. */
const kept = takeKept();

/** Reloads the page, such as for the files of another version. Forms find their entries again by `keptEntries`. */
export async function reload(): Promise<void> {
  const entries = await entriesToKeep();
  if (entries === null) return;
  const next: Kept = { by: userId(), entries };
  inTab.set(storedAt, JSON.stringify(next));
  location.reload();
}

/** The entries of a form from before the reload, for the same user; undefined: none. */
export function keptEntries<T>(name: string): T | undefined {
  if (kept.by !== userId()) return undefined;
  const found = kept.entries[name];
  delete kept.entries[name];
  return found as T | undefined;
}

function takeKept(): Kept {
  const text = inTab.get(storedAt);
  inTab.remove(storedAt);
  return text === null ? { by: undefined, entries: {} } : (JSON.parse(text) as Kept);
}

function userId(): string | undefined {
  return session.read()?.user.id;
}
