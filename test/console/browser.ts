import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import type { Role } from "../../src/contract/types.ts";
import {
  type AgentOptions,
  adminName,
  adminPassword,
  type RunningAgent,
  startAgentProcess,
} from "../running-agent.ts";
import type { Ending } from "../store/state-directory.ts";

/** Debian's. */
const executablePath = "/usr/bin/chromium";

/** It is alone with the agent: nothing may leave this machine. */
const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
];

/** Milliseconds for anything in a page: these machines are shared. */
const patienceMilliseconds = 20_000;

export type Scheme = "light" | "dark";

export interface WindowOptions {
  readonly scheme?: Scheme;
  /** CSS pixels. */
  readonly width?: number;
  readonly height?: number;
  /** Milliseconds since 1970 by which the page's clock begins, where it is not this machine's. */
  readonly now?: number;
  readonly language?: string;
}

/** A person's browser with an agent: its windows share cookies, and what goes wrong in any page is kept. */
export interface ConsoleWindow {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors of the page, violations of its policy, and requests to anywhere else; empty in a good page. */
  readonly complaints: string[];
}

export interface TestBrowser {
  readonly browser: Browser;
  /** A person of his own, with cookies of his own. */
  open(agent: Pick<RunningAgent, "url">, options?: WindowOptions): Promise<ConsoleWindow>;
}

/** Starts Chromium; it ends with the test or suite. */
export async function startBrowser(ending: Ending): Promise<TestBrowser> {
  const browser = await chromium.launch({ executablePath, args: flags });
  ending.after(() => browser.close());
  return { browser, open: (agent, options = {}) => openWindow(browser, agent, options) };
}

/** An agent with a user of each role, and a browser; both end with the suite. */
export async function startConsole(
  ending: Ending,
  options: AgentOptions = {},
): Promise<{ agent: RunningAgent; browser: TestBrowser }> {
  const agent = await startAgentProcess(options);
  ending.after(() => agent.dispose());
  await addUsers(agent);
  return { agent, browser: await startBrowser(ending) };
}

async function openWindow(
  browser: Browser,
  agent: Pick<RunningAgent, "url">,
  { scheme = "light", width = 1280, height = 800, now, language = "en" }: WindowOptions,
): Promise<ConsoleWindow> {
  const context = await browser.newContext({
    baseURL: agent.url,
    colorScheme: scheme,
    viewport: { width, height },
    locale: language,
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(patienceMilliseconds);
  const complaints: string[] = [];
  if (now !== undefined) await context.clock.install({ time: now });
  await context.exposeBinding("complain", (_source, text: string) => void complaints.push(text));
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) => {
      const { complain } = globalThis as unknown as { complain: (text: string) => void };
      complain(`policy: ${violatedDirective} ${blockedURI} ${sample}`);
    });
  });
  context.on("weberror", (error) =>
    complaints.push(`error: ${error.error().stack ?? error.error().message}`),
  );
  context.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (["http:", "https:"].includes(protocol) && origin !== agent.url)
      complaints.push(`request: ${request.url()}`);
  });
  return { context, page: await context.newPage(), complaints };
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

/** Signs in through the page, as a person does, and waits for what is behind it. */
export async function signIn(page: Page, role: Role, path = "/"): Promise<void> {
  await page.goto(path);
  await page.getByLabel("User name").fill(names[role]);
  await page.getByLabel("Password", { exact: true }).fill(passwords[role]);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator(".frame").waitFor();
}

/** Gives the password again where the page asks for it. */
export async function confirmPassword(page: Page, role: Role): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
  await dialog.getByLabel("Password", { exact: true }).fill(passwords[role]);
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await dialog.waitFor({ state: "detached" });
}

const axeFile = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** What axe-core finds in the page as it is now, a line each. */
export async function axe(page: Page): Promise<string[]> {
  // Run by the debugger, which the page's policy does not bind.
  await page.evaluate((await import("node:fs")).readFileSync(axeFile, "utf8"));
  const violations = await page.evaluate(async () => {
    interface Finding {
      id: string;
      nodes: { html: string; failureSummary?: string }[];
    }
    const { axe: checker } = globalThis as unknown as { axe: { run(): Promise<{ violations: Finding[] }> } };
    return (await checker.run()).violations;
  });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ""}`),
  );
}

const pictures = join(import.meta.dirname, "../../var/screenshots");

/** Keeps a picture of the page under var/screenshots. */
export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(pictures, { recursive: true });
  const path = join(pictures, `${name}.png`);
  const size = page.viewportSize();
  if (size === null || size.width > 640) return void (await page.screenshot({ path, fullPage: true }));
  // A phone's bar stands at the foot of the window: so the window is made as high as the page, a dialog's is left.
  const height = await page.evaluate(() =>
    document.querySelector("dialog[open]") ? innerHeight : document.documentElement.scrollHeight,
  );
  await page.setViewportSize({ ...size, height });
  await page.screenshot({ path });
  await page.setViewportSize(size);
}
