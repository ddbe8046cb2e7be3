/** Changes Firefox's settings while it runs: playwright's `emulateMedia` does nothing there over WebDriver BiDi. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";

/** Parts of playwright's own page, which is in this process. */
interface Inner {
  readonly delegate: Delegate;
  readonly browserContext: { readonly _options: { readonly hasTouch?: boolean } };
  emulatedMedia(): Readonly<Record<"media" | "colorScheme" | "reducedMotion" | "forcedColors", string>>;
}

interface Delegate {
  readonly _page: Inner;
  readonly _session: Session;
  updateEmulateMedia(): Promise<void>;
}

interface Session {
  readonly sessionId: string;
  send(method: string, parameters: object): Promise<{ contexts: { context: string }[]; type: string }>;
}

function delegateOf(page: Page): Delegate {
  const { _connection } = page as unknown as { _connection: { toImpl(one: Page): Inner } };
  return _connection.toImpl(page).delegate;
}

/** Bits of Firefox's `ui.primaryPointerCapabilities`: what the pointer of its machine can do. */
const finger = 1;
const mouse = 2 + 4;

/** Gives the page the media and the pointer of its window, and lets `emulateMedia` change the former. */
export function letMediaChange(page: Page): Promise<void> {
  const delegate = delegateOf(page);
  Object.getPrototypeOf(delegate).updateEmulateMedia = applyMedia;
  return delegate.updateEmulateMedia();
}

/** Firefox forgets what is set for one page when that goes to another site: only paper is, the rest are settings for all. */
function applyMedia(this: Delegate): Promise<void> {
  const { media, colorScheme, reducedMotion, forcedColors } = this._page.emulatedMedia();
  const pointer = this._page.browserContext._options.hasTouch ? finger : mouse;
  const settings = {
    "ui.primaryPointerCapabilities": pointer,
    "ui.allPointerCapabilities": pointer,
    "layout.css.prefers-color-scheme.content-override": colorScheme === "dark" ? 0 : 1,
    "ui.prefersReducedMotion": reducedMotion === "reduce" ? 1 : 0,
    "browser.display.document_color_use": forcedColors === "active" ? 2 : 0,
  };
  const set = Object.entries(settings).map(
    ([name, value]) => `Services.prefs.setIntPref("${name}", ${value});`,
  );
  return runInWindow(
    this._session,
    `${set.join("")} page.mediumOverride = "${media === "print" ? media : ""}"`,
  );
}

/** Makes the letters of a page so many times as large, as a person does who zooms text only. */
export function zoomText(page: Page, times: number): Promise<void> {
  return runInWindow(delegateOf(page)._session, `page.textZoom = ${times}`);
}

/** Gives the keyboard back to a page behind whose end it went to Firefox's own bars. */
export function comeBack(page: Page): Promise<void> {
  return runInWindow(delegateOf(page)._session, "page.embedderElement.focus()");
}

/** Runs a script where Firefox draws its own windows, which may change settings; `page` is the page. */
async function runInWindow(session: Session, script: string): Promise<void> {
  const { contexts } = await session.send("browsingContext.getTree", { "moz:scope": "chrome", maxDepth: 0 });
  const answer = await session.send("script.evaluate", {
    target: { context: contexts[0]?.context },
    awaitPromise: false,
    expression: `{
      const module = "chrome://remote/content/shared/NavigableManager.sys.mjs";
      const { NavigableManager } = ChromeUtils.importESModule(module);
      const page = NavigableManager.getBrowsingContextById("${session.sessionId}");
      ${script};
    }`,
  });
  assert.equal(answer.type, "success", JSON.stringify(answer));
}
