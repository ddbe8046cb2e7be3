import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import type { BrowserContext, Request } from "playwright-core";
import { styleIn } from "../../scripts/build-console.ts";
import { until } from "../basics/until.ts";

const built = join(import.meta.dirname, "../../dist/console");

/** The cost of a page's first view, for a browser with an empty cache. */
export interface FirstView {
  /** Files of the console: the page, its script, its style, its icon. */
  readonly files: number;
  /** Calls of the agent's API, with the streams. */
  readonly calls: number;
  /** Files and calls besides, of Home's lines of a week: they are asked for when the page is drawn. */
  readonly behind: readonly string[];
  /** Bytes, gzipped, of the files that were loaded. */
  readonly scriptBytes: number;
  readonly styleBytes: number;
  /** Milliseconds from the beginning of the navigation until `ready` can be used. */
  readonly interactiveMilliseconds: number;
}

/** The page of the history draws those lines. */
const behindHome = /^\/assets\/(history|plot|words\.\w+\.records)-|^\/api\/history$/;

/**
 * Goes to a path in a page of its own, with an empty cache, and measures until the first element of `ready` (a CSS
 * selector) is drawn and the page has time for a person again. `slowdown`: by how much the processor is slowed down;
 * `isSlow3g`: so is the network.
 */
export async function firstView(
  context: BrowserContext,
  path: string,
  { ready, slowdown = 1, isSlow3g = false }: { ready: string; slowdown?: number; isSlow3g?: boolean },
): Promise<FirstView> {
  const page = await context.newPage();
  const debug = await context.newCDPSession(page);
  await debug.send("Network.enable");
  await debug.send("Network.setCacheDisabled", { cacheDisabled: true });
  await debug.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  if (isSlow3g) await debug.send("Network.emulateNetworkConditions", slow3g);
  const paths: string[] = [];
  const note = (request: { url(): string }): void => {
    const { protocol, pathname } = new URL(request.url());
    if (protocol.startsWith("http")) paths.push(pathname);
  };
  page.on("request", note);
  const unanswered = new Set<Request>();
  page.on("request", (request) => unanswered.add(request));
  page.on("response", (response) => unanswered.delete(response.request()));
  page.on("requestfailed", (request) => unanswered.delete(request));
  await page.addInitScript(noteWhenReady, ready);
  await page.goto(path);
  await page.locator(ready).first().waitFor();
  await page.waitForLoadState("load");
  const interactiveMilliseconds = await page.evaluate(readyAt);
  // Requests that follow from an answer still belong to the first view.
  let quietLooks = 0;
  await until("the page has nothing left to ask for", async () => {
    await page.evaluate(() => new Promise<void>((resolve) => requestIdleCallback(() => resolve())));
    quietLooks = unanswered.size === 0 ? quietLooks + 1 : 0;
    return quietLooks === enoughQuietLooks;
  });
  const isBehind = (one: string): boolean => path === "/" && behindHome.test(one);
  const early = (await page.evaluate(askedBeforeReady)).filter(isBehind);
  if (early.length > 0) throw new Error(`asked for before the page is drawn: ${early.join(", ")}`);
  await page.close();
  const own = paths.filter((one) => !isBehind(one));
  const calls = own.filter((one) => one.startsWith("/api/"));
  const files = [...new Set(own.filter((one) => !one.startsWith("/api/")))];
  const bytesOf = (kind: string): number =>
    files
      .filter((one) => extname(one) === kind)
      .reduce((sum, one) => sum + readFileSync(join(built, `${one}.gz`)).length, 0);
  return {
    files: files.length,
    calls: calls.length,
    behind: paths.filter(isBehind),
    scriptBytes: bytesOf(".js"),
    styleBytes: gzipSync(styleIn(built), { level: 9 }).length,
    interactiveMilliseconds,
  };
}

/** As Chromium's tools have it: milliseconds until an answer begins, and bytes a second. */
const slow3g = {
  offline: false,
  latency: 400,
  downloadThroughput: 400_000 / 8,
  uploadThroughput: 400_000 / 8,
} as const;

/** In a row, each when the page had no other work. */
const enoughQuietLooks = 5;

/** In the page, before anything of it: remembers when the element was drawn, and the page idle behind that. */
function noteWhenReady(selector: string): void {
  // No function with a name: what runs the tests would have it call a helper that a page does not have.
  new MutationObserver((_changes, observer) => {
    if (document.querySelector(selector) === null) return;
    observer.disconnect();
    (globalThis as { drawnAt?: number }).drawnAt = performance.now();
    requestAnimationFrame(() =>
      setTimeout(() => {
        (globalThis as { readyAt?: number }).readyAt = performance.now();
      }),
    );
  }).observe(document, { childList: true, subtree: true });
}

/** In the page: the paths that it asked for before the element was drawn. */
function askedBeforeReady(): string[] {
  const { drawnAt = 0 } = globalThis as { drawnAt?: number };
  const entries = performance.getEntriesByType("resource").filter(({ startTime }) => startTime < drawnAt);
  return entries.map(({ name }) => new URL(name).pathname);
}

/** In the page. */
async function readyAt(): Promise<number> {
  const page = globalThis as { readyAt?: number };
  for (let tries = 0; page.readyAt === undefined && tries < 1_000; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 5));
  if (page.readyAt === undefined) throw new Error("the page was never ready");
  return page.readyAt;
}
