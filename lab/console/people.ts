import type { BrowserContext, CDPSession, Page } from "playwright-core";
import { letMediaChange } from "./firefox.ts";
import { isFirefox } from "./launch.ts";

/** A person's browser with an agent: its windows share cookies, and what goes wrong in any page is kept. */
export interface ConsoleWindow {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors of the page, violations of its policy, and requests to anywhere else; empty in a good page. */
  readonly complaints: string[];
}

/** A browser's context, whose windows are one person's. */
export interface Person {
  readonly context: BrowserContext;
  /** Complaints go to the test that has the person now. */
  complaints: string[];
}

/** An empty page of a context: it keeps the process of the context's pages, with all that this has compiled. */
interface Keeper {
  readonly page: Page;
  readonly debug: CDPSession;
}

/** Gives a context to one test after another, each of which finds it as if it were new. */
export interface People {
  /** One who is as the key says, newly met where no other is free. */
  take(key: string, origin: string, meet: () => Promise<Person>): Promise<Taken>;
}

export interface Taken {
  readonly opened: ConsoleWindow;
  /** Closes all pages, and leaves nothing of what they have kept at the origin. */
  readonly giveBack: () => Promise<void>;
}

/**
 * A page in a process that has shown the console before takes half of what it takes in a new one. What is as new: pages,
 * cookies, storage, permissions. What is not: the cache of files whose names hold their hashes.
 */
export function createPeople(): People {
  const free = new Map<string, Person[]>();
  const keepers = new Map<Person, Keeper>();
  const take: People["take"] = async (key, origin, meet) => {
    const person = free.get(key)?.pop() ?? (await meet());
    const opened = await newWindow(person);
    const giveBack = async (): Promise<void> => {
      const keeper = await emptied(person.context, origin, keepers.get(person));
      if (keeper === null) return;
      keepers.set(person, keeper);
      free.set(key, [...(free.get(key) ?? []), person]);
    };
    return { opened, giveBack };
  };
  return { take };
}

/** A window in which nothing has gone wrong yet. */
export async function newWindow(person: Person): Promise<ConsoleWindow> {
  const complaints: string[] = [];
  person.complaints = complaints;
  const page = await person.context.newPage();
  if (isFirefox) await letMediaChange(page);
  return { context: person.context, page, complaints };
}

/** A read that a test answers in the agent's place may be under way: its end is no fault of the next test. */
export async function endAnswers(context: BrowserContext): Promise<void> {
  // A test may have closed it itself.
  if (context.isClosed()) return;
  const places = [context, ...context.pages()];
  await Promise.all(places.map((place) => place.unrouteAll({ behavior: "ignoreErrors" })));
}

/** null: a test has closed it, or all of its pages. */
async function emptied(context: BrowserContext, origin: string, known?: Keeper): Promise<Keeper | null> {
  await endAnswers(context);
  const pages = context.pages();
  const page = known?.page ?? pages[0];
  if (page === undefined || page.isClosed()) {
    await context.close();
    return null;
  }
  await Promise.all(pages.filter((one) => one !== page).map((one) => one.close()));
  const keeper = known ?? (await keep(page));
  await Promise.all([context.clearCookies(), context.clearPermissions(), context.setOffline(false)]);
  await keeper.debug.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
  return keeper;
}

async function keep(page: Page): Promise<Keeper> {
  page.removeAllListeners();
  await page.goto("about:blank");
  return { page, debug: await page.context().newCDPSession(page) };
}
