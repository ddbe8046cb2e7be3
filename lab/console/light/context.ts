import type { Scheme } from "../launch.ts";
import { Channels, Locks, sharedStorage } from "./browser-wide.ts";
import { LightClock } from "./clock.ts";
import { Cookies, type Handler, type Matcher, Rules } from "./network.ts";
import type { LightPage } from "./page.ts";

/** A test registers it under playwright's name of an event. */
export type Listener = (event: never) => unknown;

export class Listeners {
  readonly #all = new Map<string, Set<Listener>>();
  on(name: string, listener: Listener): void {
    this.#all.set(name, (this.#all.get(name) ?? new Set()).add(listener));
  }
  off(name: string, listener: Listener): void {
    this.#all.get(name)?.delete(listener);
  }
  tell(name: string, event: unknown): void {
    for (const listener of [...(this.#all.get(name) ?? [])]) listener(event as never);
  }
}

export interface LightOptions {
  readonly language: string;
  readonly scheme: Scheme;
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
  /** Milliseconds since 1970 at which the pages' clock is stopped; undefined: it is this process's. */
  readonly now: number | undefined;
}

/** A person's browser: pages that share cookies, storage and what they tell each other. */
export class LightContext {
  readonly origin: string;
  readonly options: LightOptions;
  readonly cookieJar = new Cookies();
  readonly storage = sharedStorage();
  readonly channels = new Channels();
  readonly locks = new Locks();
  readonly rules: Rules;
  readonly clock: LightClock;
  readonly complaints: string[];
  readonly #listeners = new Listeners();
  readonly #pages: LightPage[] = [];

  readonly #makePage: (context: LightContext) => LightPage;

  constructor(
    origin: string,
    options: LightOptions,
    complaints: string[],
    makePage: (context: LightContext) => LightPage,
  ) {
    this.origin = origin;
    this.options = options;
    this.clock = new LightClock(options.now);
    this.rules = new Rules(origin);
    this.complaints = complaints;
    this.#makePage = makePage;
  }

  async newPage(): Promise<LightPage> {
    const page = this.#makePage(this);
    this.#pages.push(page);
    return page;
  }

  pages = (): LightPage[] => this.#pages.filter((page) => !page.isClosed());

  on(name: string, listener: Listener): void {
    this.#listeners.on(name, listener);
  }

  tell(name: string, event: unknown): void {
    this.#listeners.tell(name, event);
  }

  async route(matcher: Matcher, handler: Handler, options?: { times?: number }): Promise<void> {
    this.rules.add(matcher, handler, options);
  }

  async unrouteAll(): Promise<void> {
    this.rules.clear();
  }

  async close(): Promise<void> {
    await Promise.all(this.pages().map((page) => page.close()));
  }
}
