import assert from "node:assert/strict";
import { after, afterEach, beforeEach } from "node:test";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import type { Role } from "../../src/contract/types.ts";
import { startAgentInProcess } from "../agents/agent-in-process.ts";
import { adminName, adminPassword, type RunningAgent } from "../agents/running-agent.ts";
import { counted } from "../basics/counts.ts";
import { type Ending, endOfSuite, ofSuite } from "../basics/ending.ts";
import { until } from "../basics/until.ts";
import { isFirefox, launchChromium, launchFirefox, patienceMilliseconds, type Scheme } from "./launch.ts";
import { Looks } from "./light/looks.ts";
import {
  type ConsoleWindow,
  createPeople,
  endAnswers,
  newWindow,
  type People,
  type Person,
  type Taken,
} from "./people.ts";
import { keepBrowsers, sharedBrowser } from "./shared-browser.ts";

export interface WindowOptions {
  readonly scheme?: Scheme;
  /** CSS pixels. */
  readonly width?: number;
  readonly height?: number;
  /** Milliseconds since 1970 by which the page's clock begins, where it is not this machine's. */
  readonly now?: number;
  readonly language?: string;
  /** The browser's, where it is not this machine's. */
  readonly timeZone?: string;
  /** It is touched with fingers, as a phone is. */
  readonly isTouched?: boolean;
  /** It stays open for the tests that come, and ends with the browser. */
  readonly isKept?: boolean;
}

export interface TestBrowser {
  /** Another person, with cookies of their own. A complaint of the window fails the test. */
  open(agent: Pick<RunningAgent, "url">, options?: WindowOptions): Promise<ConsoleWindow>;
  /** The same, signed in and at the path. */
  signedIn(
    agent: Pick<RunningAgent, "url">,
    user: Role | Credentials,
    path?: string,
    options?: WindowOptions,
  ): Promise<Page>;
}

/** A browser by how it opens a window: each goes with its test or suite, and may have complained of nothing. */
export function browserOf(
  ending: Ending | ConsoleEnding,
  meet: (url: string, options: WindowOptions) => Promise<Taken>,
): TestBrowser {
  const open: TestBrowser["open"] = async ({ url }, options = {}) => {
    const { opened, giveBack } = await meet(url, options);
    const close = async (): Promise<void> => {
      await giveBack();
      assert.deepEqual(opened.complaints, [], "a page complains");
    };
    if ("opened" in ending && !options.isKept) ending.opened(close);
    else ending.after(close);
    return opened;
  };
  const signedIn: TestBrowser["signedIn"] = async (agent, user, path, options) => {
    const { page } = await open(agent, options);
    await signIn(page, user, path);
    return page;
  };
  return { open, signedIn };
}

/** The end of a suite, and of the windows that each of its tests opens. */
export interface ConsoleEnding extends Ending {
  /** The states of light pages that Chromium judges when all tests are over. */
  readonly looks: Looks;
  opened(close: () => Promise<void>): void;
}

/**
 * To be called in a suite's body, whose tests come one after another. What a test has opened is closed with it, for every
 * page that is left open reads what it shows again whenever something happens.
 */
export function endOfConsole(): ConsoleEnding {
  const looks = new Looks();
  // Hooks run in the order of their registration: the browsers are still there.
  after(() => looks.judge(() => startBrowser(ending)));
  const ending = endOfSuite();
  keepBrowsers(ending);
  let opened: (() => Promise<void>)[] | null = null;
  beforeEach(() => {
    opened = [];
  });
  afterEach(async () => {
    await Promise.all((opened ?? []).map((close) => close()));
    opened = null;
  });
  // A hook opens a window for all tests of the suite.
  return {
    ...{ looks, after: ending.after },
    opened: (close) => {
      if (opened === null) ending.after(close);
      else opened.push(close);
    },
  };
}

/**
 * Chromium, the whole of it in `make test-all`; in `make test-firefox` Firefox. The files of a process share it; all that
 * is opened in it ends with the test or suite.
 */
export async function startBrowser(
  ending: Ending | ConsoleEnding,
  isWhole = counted({ usual: false, all: true }),
  moreFlags: readonly string[] = [],
): Promise<TestBrowser> {
  const key = isFirefox ? "firefox" : JSON.stringify([isWhole, moreFlags]);
  const launch = isFirefox ? launchFirefox : () => launchChromium(isWhole, moreFlags);
  const browser = await sharedBrowser(ending, key, launch);
  const take = async (url: string, options: WindowOptions): Promise<Taken> => {
    const { language, timeZone, isTouched = false } = options;
    // A page's own clock cannot be taken from it again, and playwright cannot empty Firefox.
    if (options.isKept || isFirefox || options.now !== undefined)
      return onlyOnce(await meetPerson(browser, url, options));
    const same = {
      ...(language && { language }),
      ...(timeZone && { timeZone }),
      ...(isTouched && { isTouched }),
    };
    const meet = () => meetPerson(browser, url, same);
    const taken = await peopleOf(browser).take(JSON.stringify([url, same]), url, meet);
    await look(taken.opened.page, options);
    return taken;
  };
  return browserOf(ending, take);
}

const known = new WeakMap<Browser, People>();

function peopleOf(browser: Browser): People {
  const people = known.get(browser) ?? createPeople();
  known.set(browser, people);
  return people;
}

/** Shared by all tests of a suite. */
export interface ConsoleSuite extends Pick<ConsoleEnding, "looks"> {
  readonly ending: ConsoleEnding;
  readonly agent: RunningAgent;
  readonly browser: TestBrowser;
}

/** The same for all tests of a suite, in whose body it is called. */
export function consoleOf(start: () => Promise<RunningAgent> = startAgentInProcess): ConsoleSuite {
  const ending = endOfConsole();
  const browser = ofSuite(() => startBrowser(ending));
  return { ending, looks: ending.looks, agent: agentWithUsers(start), browser };
}

/** A suite's agent, with a user of each role. */
export function agentWithUsers(start: () => Promise<RunningAgent>): RunningAgent {
  return ofSuite(async () => {
    const agent = await start();
    await addUsers(agent);
    return agent;
  });
}

export type { ConsoleWindow };

/** Members that a test adds to a page's global object. */
interface PageOfTest {
  readonly complain: (text: string) => void;
  /** While playwright puts its own style in for a picture, as it does in Firefox. */
  readonly isPictured?: boolean;
}

/** Takes a person who serves one test only. */
async function onlyOnce(person: Person): Promise<Taken> {
  const giveBack = async () => {
    await endAnswers(person.context);
    await person.context.close();
  };
  return { opened: await newWindow(person), giveBack };
}

async function look(page: Page, { scheme, width = 1280, height = 800 }: WindowOptions): Promise<void> {
  if (scheme !== undefined) await page.emulateMedia({ colorScheme: scheme });
  if (width !== 1280 || height !== 800) await page.setViewportSize({ width, height });
}

async function meetPerson(
  browser: Browser,
  url: string,
  {
    scheme = "light",
    width = 1280,
    height = 800,
    now,
    language = "en",
    timeZone,
    isTouched = false,
  }: WindowOptions,
): Promise<Person> {
  const context = await browser.newContext({
    baseURL: url,
    colorScheme: scheme,
    viewport: { width, height },
    locale: language,
    ...(timeZone && { timezoneId: timeZone }),
    hasTouch: isTouched,
    isMobile: isTouched,
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(patienceMilliseconds);
  const person: Person = { context, complaints: [] };
  if (now !== undefined) await installClock(context, now);
  await context.exposeBinding("complain", (_source, text: string) => void person.complaints.push(text));
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) => {
      const { complain, isPictured } = globalThis as unknown as PageOfTest;
      // Firefox itself asks for it where a page names no icon, and the policy of the maker's pictures allows none.
      const isAskedByBrowser = blockedURI.endsWith("/favicon.ico");
      if (!isPictured && !isAskedByBrowser) complain(`policy: ${violatedDirective} ${blockedURI} ${sample}`);
    });
  });
  context.on("weberror", (error) => {
    const { name, message, stack } = error.error();
    // Firefox says again as an error what the page has heard as a violation of its policy.
    if (name !== "Content-Security-Policy") person.complaints.push(`error: ${stack ?? message}`);
  });
  context.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (["http:", "https:"].includes(protocol) && origin !== url)
      person.complaints.push(`request: ${request.url()}`);
  });
  return person;
}

export const passwords = {
  admin: adminPassword,
  operator: "quiet harbour lamps at noon",
  readonly: "seven quiet owls at dusk",
} as const satisfies Record<Role, string>;

/** The users of most tests: one of each role, made over the socket. */
export const names = { admin: adminName, operator: "ana", readonly: "log-reader" } as const satisfies Record<
  Role,
  string
>;

export async function addUsers(
  agent: RunningAgent,
  roles: readonly Role[] = ["admin", "operator", "readonly"],
): Promise<void> {
  for (const role of roles) {
    const body = { username: names[role], password: passwords[role], role };
    const { status, text } = await agent.call("POST", "/api/users", { body, local: true });
    assert.equal(status, 201, text);
  }
}

/** Changes settings over the socket. */
export async function changeSettings(agent: Pick<RunningAgent, "call">, body: object): Promise<void> {
  const { status, text } = await agent.call("PUT", "/api/system", { body, local: true });
  assert.equal(status, 200, text);
}

/**
 * Signs in without the form, as the page would: it leaves a cookie that no page can read, and what the page keeps
 * beside it. Then goes to `path`, and waits for the page behind the sign-in.
 */
export async function signIn(page: Page, user: Role | Credentials, path = "/"): Promise<void> {
  await show(page, await begin(page, user), path);
}

/**
 * As `signIn`, and this is no step-up: the session was begun while the device asked for a factor that the user has not.
 * The page asks for the password then, as it does five minutes after any sign-in.
 */
export async function signInWithoutStepUp(
  agent: Pick<RunningAgent, "call">,
  page: Page,
  user: Role | Credentials,
  path = "/",
): Promise<void> {
  const ask = (require_2fa: string) => changeSettings(agent, { security: { require_2fa } });
  await ask("all");
  const binding = await begin(page, user);
  await ask("none");
  await show(page, binding, path);
}

/** A role's window at this path. */
export type WindowOfRole = (role: Role, path: string) => Promise<ConsoleWindow>;

/**
 * Keeps one window for each role, signed in once, and loads it again at each path: that takes a third of the time of a
 * new one. It is for tests that only read.
 */
export function windowsOfRoles(browser: TestBrowser, agent: RunningAgent): WindowOfRole {
  const windows = new Map<Role, ConsoleWindow>();
  return async (role, path) => {
    const known = windows.get(role);
    const window = known ?? (await browser.open(agent, { isKept: true }));
    windows.set(role, window);
    if (known === undefined) await signIn(window.page, role, path);
    else {
      await window.page.unrouteAll({ behavior: "ignoreErrors" });
      await window.page.goto(path);
      await window.page.locator(".frame").waitFor();
    }
    return window;
  };
}

/** Signs in by a request. The cookie stays with the browser; the result is the binding that belongs to it. */
async function begin(page: Page, user: Role | Credentials): Promise<string> {
  const { username, password } = credentialsOf(user);
  const data = { username, password, refresh: "cookie" };
  const answer = await page.request.post("/api/auth/login", { data });
  assert.ok(answer.ok(), `no sign-in: ${await answer.text()}`);
  return (await answer.json()).refresh_binding;
}

async function show(page: Page, binding: string, path: string): Promise<void> {
  const note = await page.addInitScript((kept) => {
    // Firefox runs it in the empty page before, which has no storage.
    if (origin !== "null") localStorage.setItem("steward-refresh-binding", kept.slice(0, 26));
  }, binding);
  await page.goto(path);
  await note.dispose();
  // The first run has a page of its own.
  await page.locator(".frame, .setup-step").waitFor();
}

/** Signs in through the page, as a person does, and waits for the page behind it. */
export async function signInByForm(page: Page, user: Role | Credentials, path = "/"): Promise<void> {
  const { username, password } = credentialsOf(user);
  await page.goto(path);
  await page.getByLabel("User name").fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator(".frame").waitFor();
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

function credentialsOf(user: Role | Credentials): Credentials {
  return typeof user === "string" ? { username: names[user], password: passwords[user] } : user;
}

/** Waits for this; where it does not come, the error says what the page shows instead. */
export async function untilShown(locator: Locator): Promise<void> {
  try {
    await locator.waitFor();
  } catch (cause) {
    const text = await locator.page().locator("body").innerText();
    throw new Error(`${(cause as Error).message}\nThe page shows:\n${text}`, { cause });
  }
}

/** Waits until so many of these are there. */
export async function untilThereAre(count: number, locator: Locator): Promise<void> {
  await until(`${count} of ${locator}`, async () => (await locator.count()) === count);
}

/**
 * A clock of the page's own. How long it waits for the agent goes by the agent's, which does not run ahead; and it finds how
 * its document was loaded, of which playwright's clock knows nothing.
 */
async function installClock(context: BrowserContext, now: number): Promise<void> {
  await context.addInitScript(() =>
    Object.assign(globalThis, {
      timeoutOfAgent: AbortSignal.timeout,
      loadedEntries: performance.getEntriesByType.bind(performance),
    }),
  );
  await context.clock.install({ time: now });
  await context.addInitScript(() => {
    const { timeoutOfAgent, loadedEntries } = globalThis as unknown as {
      timeoutOfAgent: typeof AbortSignal.timeout;
      loadedEntries: typeof performance.getEntriesByType;
    };
    Object.defineProperty(AbortSignal, "timeout", { value: timeoutOfAgent });
    Object.defineProperty(performance, "getEntriesByType", { value: loadedEntries });
  });
}

/** Waits until the page has drawn all that it knew when this was called. */
export async function untilDrawn(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise<void>((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn()))),
  );
}

/** Waits until this has the keyboard. */
export async function untilFocused(locator: Locator): Promise<void> {
  await locator.and(locator.page().locator(":focus")).waitFor();
}

export function press(place: Page | Locator, name: string | RegExp): Promise<void> {
  return place.getByRole("button", { name, exact: true }).click();
}

/** Types into the fields that have these labels. */
export async function fill(place: Page | Locator, texts: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, text] of Object.entries(texts))
    await place.getByLabel(label, { exact: true }).fill(text);
}

/** Waits until each of these texts is shown. */
export async function sees(place: Page | Locator, ...texts: readonly (string | RegExp)[]): Promise<void> {
  for (const text of texts) await untilShown(place.getByText(text).first());
}

/** Gives the password again where the page asks for it. */
export async function confirmPassword(
  page: Page,
  role: Role,
  password: string = passwords[role],
): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
  await fill(dialog, { Password: password });
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await dialog.waitFor({ state: "detached" });
}
