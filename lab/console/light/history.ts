import type { Window } from "happy-dom";

/** A step of the page's history: its address, what the page keeps there, and the document that it belongs to. */
interface Entry {
  url: string;
  state: unknown;
  window: Window | null;
}

/** The present and the former addresses of a page (WHATWG HTML, "session history"). */
export class LightHistory {
  readonly #page: { window(): Window | null; load(url: string): void };
  #entries: Entry[] = [];
  #at = -1;

  constructor(page: { window(): Window | null; load(url: string): void }) {
    this.#page = page;
  }

  /** Another document comes, behind the present one. */
  entered(url: string): void {
    this.#push({ url, state: null, window: null });
  }

  #push(entry: Entry): void {
    this.#entries = [...this.#entries.slice(0, this.#at + 1), entry];
    this.#at += 1;
  }

  toFragment(url: string): void {
    const window = this.#page.window();
    if (window === null) return;
    this.#push({ url, state: null, window });
    this.#show(window, url);
    window.dispatchEvent(new window.PopStateEvent("popstate", { state: null }));
    window.dispatchEvent(new window.HashChangeEvent("hashchange"));
  }

  go(by: number): void {
    const entry = this.#entries[this.#at + by];
    const window = this.#page.window();
    if (entry === undefined || window === null) return;
    this.#at += by;
    if ((entry.window ?? window) !== window) {
      entry.window = null;
      this.#page.load(entry.url);
    } else {
      this.#show(window, entry.url);
      window.dispatchEvent(new window.PopStateEvent("popstate", { state: entry.state as object | null }));
    }
  }

  #show(window: Window, url: string): void {
    window.happyDOM.setURL(url);
  }

  #now(): Entry | undefined {
    const entry = this.#entries[this.#at];
    if (entry !== undefined) entry.window ??= this.#page.window();
    return entry;
  }

  /** The page's `history`. */
  facade() {
    const put = (state: unknown, address: string | null | undefined, isNew: boolean): void => {
      const window = this.#page.window();
      const now = this.#now();
      if (window === null || now === undefined) return;
      const url = new URL(address ?? window.location.href, window.location.href).href;
      if (isNew) this.#push({ url, state, window });
      else Object.assign(now, { url, state });
      this.#show(window, url);
    };
    const now = (): unknown => this.#now()?.state ?? null;
    return {
      pushState: (state: unknown, _: string, address?: string | null) => put(state, address, true),
      replaceState: (state: unknown, _: string, address?: string | null) => put(state, address, false),
      back: () => void setTimeout(() => this.go(-1)),
      get state() {
        return now();
      },
    };
  }

  /** The page's `location`: what leads elsewhere loads another document here. */
  location(window: Window): object {
    const to = (address: string): void => {
      const url = new URL(address, window.location.href).href;
      const isWithin = url.includes("#") && url.split("#")[0] === window.location.href.split("#")[0];
      if (isWithin) this.toFragment(url);
      else {
        this.entered(url);
        this.#page.load(url);
      }
    };
    const own: Record<string, unknown> = {
      assign: to,
      replace: (address: string) => this.#page.load(new URL(address, window.location.href).href),
      reload: () => this.#page.load(window.location.href),
    };
    return new Proxy(window.location, {
      get: (target, name) => own[name as string] ?? Reflect.get(target, name),
      set: (_, name, value) => {
        if (name === "href") to(String(value));
        return true;
      },
    });
  }
}
