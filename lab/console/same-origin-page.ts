import assert from "node:assert/strict";
import type { Page } from "playwright-core";

/** A page that another program shows below a path of the console's origin. */
export const pagePath = "/pump/";
export const pageText = "<!doctype html><title>Pump</title><h1>The pump's own page</h1>";

/** The gains of such a page. */
export interface Taken {
  /** Its answer from POST /api/auth/refresh. */
  readonly status: number;
  readonly token: string | null;
  /** Texts of documents, frames, windows and caches that were to be for the console's documents only. */
  readonly ofDocuments: readonly string[];
}

/**
 * Has the page look for the console's secrets in every place that scripts of one origin share, and ask for a token with
 * what it found.
 */
export async function attackFrom(page: Page): Promise<Taken> {
  assert.ok(new URL(page.url()).pathname.startsWith(pagePath));
  return page.evaluate(async () => {
    const found = new Set<string>();
    const read = (text: string | null | undefined): void => {
      for (const [, part] of (text ?? "").matchAll(/([\w-]{22})/g)) if (part) found.add(part);
    };
    const ofEntries = (timeline: Performance): void => {
      for (const entry of timeline.getEntries())
        for (const { description } of (entry as PerformanceResourceTiming).serverTiming ?? [])
          read(description);
    };
    // First what a cache has of the person's own visit.
    for (const cache of ["only-if-cached", "force-cache", "default", "no-cache", "reload"] as const) {
      const answer = await fetch("/account", { cache, mode: "same-origin" }).catch(() => null);
      read(answer?.headers.get("server-timing"));
    }
    for (const tag of ["iframe", "object", "embed"]) {
      const element = document.createElement(tag);
      element.setAttribute(tag === "object" ? "data" : "src", "/account");
      const shown = new Promise((resolve) => {
        element.addEventListener("load", resolve);
        element.addEventListener("error", resolve);
        // Chromium tells nobody of an object that it does not show.
        setTimeout(resolve, 500);
      });
      document.body.append(element);
      await shown;
      try {
        const inner = (element as HTMLIFrameElement).contentWindow;
        if (inner !== null) ofEntries(inner.performance);
      } catch {
        // The browser keeps it apart.
      }
    }
    const prefetched = document.createElement("link");
    Object.assign(prefetched, { rel: "prefetch", href: "/users" });
    document.head.append(prefetched);
    const opened = window.open("/account");
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    try {
      if (opened !== null) ofEntries(opened.performance);
    } catch {
      // The browser keeps it apart.
    }
    const again = await fetch("/users", { cache: "force-cache" });
    read(again.headers.get("server-timing"));
    ofEntries(performance);
    read(document.cookie);
    const stored = localStorage.getItem("steward-refresh-binding") ?? "";
    const [part = ""] = found;
    const answer = await fetch("/api/auth/refresh", {
      method: "POST",
      headers: { "content-type": "application/json", "x-refresh-binding": stored + part },
      body: "{}",
    });
    const { access_token: token = null } = await answer.json();
    return { status: answer.status, token, ofDocuments: [...found] };
  });
}

/** The texts that the page hears on the console's channel while `work` goes on. */
export async function heardBy(page: Page, work: () => Promise<void>): Promise<string> {
  await page.evaluate(() => {
    const heard: string[] = [];
    Object.assign(globalThis, { heard });
    for (const name of ["steward", "steward-provider"])
      new BroadcastChannel(name).addEventListener("message", ({ data }) => heard.push(JSON.stringify(data)));
  });
  await work();
  return page.evaluate(() => (globalThis as unknown as { heard: string[] }).heard.join("\n"));
}
