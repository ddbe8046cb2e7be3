import type { Window } from "happy-dom";
import { readStyle } from "./style.ts";

/**
 * All that a page's script finds by its name in a browser, and in this process not or otherwise; `own`: what belongs to
 * the page. What both have alike, such as `fetch` and what it gives, is this process's.
 */
export function globalsOf(window: Window, own: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { AbortController, AbortSignal, Headers, Request, Response } = globalThis;
  const document = window.document as unknown as Document;
  // Without layout nothing has a size; what draws only what is in sight is to draw all of it.
  Object.defineProperty(window.HTMLElement.prototype, "clientHeight", { value: window.innerHeight });
  Object.defineProperty(document, "visibilityState", { value: "visible" });
  Object.defineProperty(document, "adoptedStyleSheets", { value: [] });
  const given = Object.fromEntries(
    namesOf(window).map((name) => {
      const value = (window as unknown as Record<string, unknown>)[name];
      const isMethod = typeof value === "function" && /^[a-z]/.test(name);
      return [name, isMethod ? value.bind(window) : value];
    }),
  );
  const all: Record<string, unknown> = {
    ...given,
    ...{ AbortController, AbortSignal, Headers, Request, Response, document, console, CSSStyleSheet },
    ...{ scrollTo: () => undefined, getSelection: () => null, visualViewport: new EventTarget() },
    ...own,
  };
  const page = new Proxy(window as object, {
    get: (target, name) => (typeof name === "string" && name in all ? all[name] : Reflect.get(target, name)),
  });
  return { ...all, window: page, self: page, globalThis: page };
}

/** Keeps its text, to be handed to Chromium. */
class CSSStyleSheet {
  text = "";

  replaceSync(text: string): void {
    this.text = text;
    readStyle(text);
  }
}

function namesOf(window: Window): string[] {
  const names = new Set<string>();
  for (let one: object = window; one !== Object.prototype; one = Object.getPrototypeOf(one))
    for (const name of Object.getOwnPropertyNames(one)) if (/^[A-Za-z]\w*$/.test(name)) names.add(name);
  const own = globalThis as unknown as Record<string, unknown>;
  return [...names].filter((name) => {
    const value = (window as unknown as Record<string, unknown>)[name];
    // With another `eval` a text would be evaluated elsewhere than in the page's scope.
    return value !== undefined && own[name] !== value && !["constructor", "eval"].includes(name);
  });
}
