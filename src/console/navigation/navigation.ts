import { createStore } from "../store.ts";

export interface Place {
  /** One of the contract's console paths, without a slash at its end. */
  readonly path: string;
  /** The page's own part of the address: a filter, an opened sheet. */
  readonly query: Readonly<Record<string, string>>;
}

export const place = createStore<Place>(readPlace());

/** Asked before a place is left: true where something typed would be lost, `secret` where something shown this once. */
type Guard = () => boolean | "secret";

/** Entries that a form takes back after the page was reloaded (session/reload.ts). */
export interface Keep {
  /** The form, as `keptEntries` asks for it. */
  readonly name: string;
  /** Without passwords and the like, because the browser writes them down. */
  entries(): unknown;
}

const guards = new Map<Guard, Keep | undefined>();

/** The question whether to leave the page; null: it is not asked. */
export const leaving = createStore<{ isSecret: boolean; go(): void; stay(): void } | null>(null);

/** While this is registered and true, the page is not left without a question. The result takes it back. */
export function guardLeaving(isUnsaved: Guard, keep?: Keep): () => void {
  guards.set(isUnsaved, keep);
  return () => void guards.delete(isUnsaved);
}

/** Goes to a place; `replace`: without a step for the browser's back button. */
export async function navigate(
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
  { replace = false }: { readonly replace?: boolean } = {},
): Promise<void> {
  if (path !== place.read().path && !(await mayLeave())) return;
  const address = addressOf(path, query);
  // The browser's own steps come back to this.
  if (path !== place.read().path) history.replaceState({ scrolled: scrollY }, "");
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  arrived(path);
}

export function addressOf(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const search = new URLSearchParams(given).toString();
  return search === "" ? path : `${path}?${search}`;
}

/** From now on the browser's own steps and closings are followed. */
export function watchNavigation(): void {
  addEventListener("popstate", () => void onStep());
  addEventListener("beforeunload", (event) => {
    if (isUnsaved()) event.preventDefault();
  });
}

/** The browser has gone already: where something would be lost, it is gone back from first. */
async function onStep(): Promise<void> {
  const before = place.read();
  const after = readPlace();
  // A text that is shown this once is lost with another part of the page too.
  if (isUnsaved() && (after.path !== before.path || hasSecret())) {
    history.pushState(null, "", addressOf(before.path, before.query));
    if (!(await mayLeave())) return;
    history.pushState(null, "", addressOf(after.path, after.query));
  }
  arrived(before.path === after.path ? before.path : "");
  const { scrolled = null } = (history.state ?? {}) as { scrolled?: number | null };
  returning = before.path === after.path ? null : scrolled;
}

/** The scroll position of the page that the browser has just gone back to; null: the page begins at its top. */
let returning: number | null = null;

/** The same, for the one who scrolls there; a list has to be read that far first. */
export function takeReturning(): number | null {
  const scrolled = returning;
  returning = null;
  return scrolled;
}

function arrived(path: string): void {
  const before = place.read().path;
  place.set(readPlace());
  if (before !== path) scrollTo(0, 0);
}

/** True: something would be lost if the person left the page. */
export function isUnsaved(): boolean {
  return unsaved().length > 0;
}

function unsaved(): readonly (Keep | undefined)[] {
  return [...guards].flatMap(([guard, keep]) => (guard() === false ? [] : [keep]));
}

/** The entries of each form that would be lost; null: the person stays, since some of it cannot be kept. */
export async function entriesToKeep(): Promise<Readonly<Record<string, unknown>> | null> {
  const keeps = unsaved();
  if (keeps.includes(undefined) && !(await mayLeave())) return null;
  guards.clear();
  return Object.fromEntries(keeps.flatMap((keep) => (keep ? [[keep.name, keep.entries()]] : [])));
}

/** Asks where something would be lost; false: the person stays. */
export async function mayLeave(): Promise<boolean> {
  if (!isUnsaved()) return true;
  const isLeft = await new Promise<boolean>((resolve) => {
    leaving.set({ isSecret: hasSecret(), go: () => resolve(true), stay: () => resolve(false) });
  });
  leaving.set(null);
  if (isLeft) guards.clear();
  return isLeft;
}

function hasSecret(): boolean {
  return [...guards.keys()].some((guard) => guard() === "secret");
}

function readPlace(): Place {
  const path = location.pathname.replace(/\/+$/, "") || "/";
  return { path, query: Object.fromEntries(new URLSearchParams(location.search)) };
}
