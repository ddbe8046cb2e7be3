import { setTimeout as delay } from "node:timers/promises";
import type { Window as HappyWindow } from "happy-dom";
import { until } from "../../basics/until.ts";
import type { Scheme } from "../launch.ts";
import { sharedStorage } from "./browser-wide.ts";
import { type LightContext, type Listener, Listeners } from "./context.ts";
import { globalsOf } from "./globals.ts";
import { giveDialogs, press as pressKey } from "./hands.ts";
import { Window } from "./happy-dom.ts";
import { LightHistory } from "./history.ts";
import { Place } from "./locator.ts";
import {
  answerTo,
  type Handler,
  LightRequest,
  type Matcher,
  matches,
  Rules,
  send,
  userAgent,
} from "./network.ts";
import { markup, scriptFor } from "./script.ts";

/** Between two looks where nothing is heard of. */
const momentMilliseconds = 50;

/** A document that a page shows until it goes to another one. */
interface Shown {
  readonly window: HappyWindow;
  readonly evaluate: (text: string) => unknown;
  readonly ended: AbortController;
}

/** As playwright's Page, over a document without layout: what is drawn where is for Chromium's tests. */
export class LightPage extends Place {
  readonly ofPage: LightPage;
  readonly clock: LightContext["clock"];
  readonly #context: LightContext;
  readonly #rules: Rules;
  readonly #listeners = new Listeners();
  readonly #initScripts = new Set<string>();
  readonly #history: LightHistory;
  readonly #session = sharedStorage();
  #shown: Shown | null = null;
  #isClosed = false;
  #size: { width: number; height: number };
  #scheme: Scheme;
  constructor(context: LightContext) {
    super();
    this.ofPage = this;
    this.#context = context;
    this.clock = context.clock;
    this.#rules = new Rules(context.origin);
    const { width, height, scheme } = context.options;
    this.#size = { width, height };
    this.#scheme = scheme;
    this.#history = new LightHistory({
      window: () => this.#shown?.window ?? null,
      load: (url) => void this.#load(url),
    });
  }

  get document(): Document {
    if (this.#shown === null) throw new Error("the page shows nothing yet");
    return this.#shown.window.document as unknown as Document;
  }

  protected root(): ParentNode {
    return this.document;
  }

  find = (): Element[] => [this.document.documentElement];

  /** Once something in the document is another; or after a moment, for what is no part of it, such as a field's text. */
  async changed(): Promise<void> {
    const { window } = this.#shown ?? {};
    if (window === undefined) return delay(momentMilliseconds);
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        observer.disconnect();
        window.document.removeEventListener("focusin", end);
        // All that this turn of the event loop changes is one change.
        setImmediate(resolve);
      };
      const timer = setTimeout(end, momentMilliseconds);
      const observer = new window.MutationObserver(end);
      const everything = { subtree: true, childList: true, attributes: true, characterData: true };
      observer.observe(window.document, everything);
      window.document.addEventListener("focusin", end);
    });
  }

  context = (): LightContext => this.#context;
  isClosed = (): boolean => this.#isClosed;
  url = (): string => this.#shown?.window.location.href ?? "about:blank";
  viewportSize = (): { width: number; height: number } => this.#size;

  /** By which Chromium is to draw it. */
  look = (): { scheme: Scheme; width: number; height: number } => ({ scheme: this.#scheme, ...this.#size });

  async setViewportSize(size: { width: number; height: number }): Promise<void> {
    this.#size = size;
  }

  async emulateMedia({ colorScheme }: { colorScheme: Scheme }): Promise<void> {
    this.#scheme = colorScheme;
  }

  async title(): Promise<string> {
    return this.document.title;
  }

  async content(): Promise<string> {
    return this.document.documentElement.outerHTML;
  }

  async goto(path: string): Promise<void> {
    const url = new URL(path, this.#context.origin).href;
    const before = this.#shown?.window.location.href;
    if (before !== undefined && url.includes("#") && url.split("#")[0] === before.split("#")[0])
      return this.#history.toFragment(url);
    this.#history.entered(url);
    await this.#load(url);
  }

  async reload(): Promise<void> {
    await this.#load(this.url());
  }

  async goBack(): Promise<void> {
    this.#history.go(-1);
    await delay(0);
  }

  async goForward(): Promise<void> {
    this.#history.go(1);
    await delay(0);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#leave();
  }

  /** Ends the document's requests and timers, as a browser does. */
  async #leave(): Promise<void> {
    const { window, ended } = this.#shown ?? {};
    ended?.abort();
    if (window === undefined) return;
    this.#context.channels.leave(window);
    await window.happyDOM.abort();
  }

  async #load(url: string): Promise<void> {
    await this.#leave();
    const window = new Window({
      ...{ url, ...this.viewportSize() },
      settings: {
        disableCSSFileLoading: true,
        disableComputedStyleRendering: true,
        navigation: { disableMainFrameNavigation: true, disableChildPageNavigation: true },
        navigator: { userAgent },
      },
    });
    const ended = new AbortController();
    window.document.write(markup);
    giveDialogs(window as never);
    const globals = globalsOf(window, this.#own(window, ended.signal));
    const run = await scriptFor(globals);
    window.addEventListener("error", (event) => {
      const { error, message } = event as unknown as ErrorEvent;
      this.#context.complaints.push(`error: ${error?.stack ?? message}`);
    });
    const shown: { evaluate: Shown["evaluate"] } & Omit<Shown, "evaluate"> = {
      ...{ window, ended },
      evaluate: () => undefined,
    };
    this.#shown = shown;
    this.#tell("domcontentloaded", this);
    for (const script of this.#initScripts)
      new Function(...Object.keys(globals), script)(...Object.values(globals));
    shown.evaluate = run();
    window.dispatchEvent(new window.Event("load"));
    this.#tell("load", this);
  }

  /** The globals that differ from page to page. */
  #own(window: HappyWindow, signal: AbortSignal): Record<string, unknown> {
    const { language } = this.#context.options;
    const clock = this.clock.globals();
    // As the agent answers to a document that is opened.
    const serverTiming = this.#context.cookieJar
      .for(this.#context.origin)
      .flatMap(({ name, value }) =>
        name.endsWith("-document") ? [{ name: "document", description: value }] : [],
      );
    // A document that is gone begins none: it would be waited for, and would then act.
    const timer =
      (begin: (...given: never[]) => unknown) =>
      (...given: never[]) =>
        signal.aborted ? 0 : begin.apply(window, given);
    return {
      setTimeout: timer(window.setTimeout),
      setInterval: timer(window.setInterval),
      requestAnimationFrame: timer(window.requestAnimationFrame),
      ...{ origin: this.#context.origin, open: () => null },
      ...clock,
      performance: { ...clock.performance, getEntriesByType: () => [{ serverTiming }] },
      location: this.#history.location(window),
      history: this.#history.facade(),
      localStorage: this.#context.storage,
      sessionStorage: this.#session,
      BroadcastChannel: this.#context.channels.classFor(window),
      fetch: (address: string, init: RequestInit = {}) => this.#fetch(address, init, signal),
      navigator: {
        ...{ language, languages: [language], locks: this.#context.locks, userAgent },
        clipboard: { writeText: async () => undefined },
      },
    };
  }

  async #fetch(address: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
    const url = new URL(address, this.url()).href;
    const request = new LightRequest(url, init);
    if (new URL(url).origin !== this.#context.origin) this.#context.complaints.push(`request: ${url}`);
    const ending = AbortSignal.any([signal, ...(init.signal ? [init.signal] : [])]);
    this.#tell("request", request);
    const rules = [...this.#rules.for(url), ...this.#context.rules.for(url)];
    try {
      const answer = await answerTo(request, rules, (one) => send(one, this.#context.cookieJar, ending));
      const { status } = answer;
      this.#tell("response", { url: () => url, status: () => status, request: () => request });
      this.#tell("requestfinished", request);
      // A document that is gone hears no answer.
      if (signal.aborted) await new Promise(() => undefined);
      return answer;
    } catch (error) {
      this.#tell("requestfailed", request);
      if (signal.aborted) await new Promise(() => undefined);
      throw error;
    }
  }

  #tell(name: string, event: unknown): void {
    this.#listeners.tell(name, event);
    this.#context.tell(name, event);
  }

  on(name: string, listener: Listener): void {
    this.#listeners.on(name, listener);
  }

  async waitForEvent(name: string, isIt: (event: never) => boolean = () => true): Promise<unknown> {
    return new Promise((resolve) => {
      const listener = (event: never): void => {
        if (!isIt(event)) return;
        this.#listeners.off(name, listener);
        resolve(event);
      };
      this.#listeners.on(name, listener);
    });
  }

  async waitForRequest(wanted: Matcher | ((request: LightRequest) => boolean)): Promise<unknown> {
    return this.waitForEvent("request", (request: LightRequest) =>
      typeof wanted === "function"
        ? (wanted as (request: LightRequest) => boolean)(request)
        : matches(wanted, request.url(), this.#context.origin),
    );
  }

  async waitForURL(wanted: Matcher): Promise<void> {
    await until(`at ${wanted}`, () => matches(wanted, this.url(), this.#context.origin));
  }

  async waitForFunction(isSo: (given: unknown) => unknown, given?: unknown): Promise<void> {
    await until(`${isSo}`, async () => Boolean(await this.run(isSo)(given)));
  }

  async route(matcher: Matcher, handler: Handler, options?: { times?: number }): Promise<void> {
    this.#rules.add(matcher, handler, options);
  }

  async unroute(matcher: Matcher): Promise<void> {
    this.#rules.remove(matcher);
  }

  async unrouteAll(): Promise<void> {
    this.#rules.clear();
  }

  /** A function of a test as one of the page's: it finds the page's document, place and storage. */
  run<Given extends unknown[]>(act: (...given: Given) => unknown): (...given: Given) => unknown {
    return this.#shown?.evaluate(`(${act})`) as (...given: Given) => unknown;
  }

  async evaluate(act: (given: unknown) => unknown, given?: unknown): Promise<unknown> {
    const result = await this.run(act)(given);
    await delay(0);
    return result;
  }

  async addInitScript(act: (given: unknown) => void, given?: unknown): Promise<{ dispose(): Promise<void> }> {
    const script = `(${act})(${JSON.stringify(given)})`;
    this.#initScripts.add(script);
    return { dispose: async () => void this.#initScripts.delete(script) };
  }

  readonly keyboard = {
    press: async (key: string): Promise<void> => {
      pressKey(this.document, key);
      await delay(0);
    },
    type: async (text: string): Promise<void> => {
      for (const key of text) pressKey(this.document, key);
      await delay(0);
    },
    insertText: async (text: string): Promise<void> => {
      for (const key of text) pressKey(this.document, key);
      await delay(0);
    },
  };

  /** Asks the agent beside the page, with its cookies. */
  readonly request = {
    post: async (path: string, { data }: { data: unknown }) => {
      const headers = { "content-type": "application/json" };
      const url = new URL(path, this.#context.origin).href;
      const request = new LightRequest(url, { method: "POST", headers, body: JSON.stringify(data) });
      const answer = await send(request, this.#context.cookieJar, new AbortController().signal);
      const text = await answer.text();
      return { ok: () => answer.ok, text: async () => text, json: async () => JSON.parse(text) };
    },
  };
}
