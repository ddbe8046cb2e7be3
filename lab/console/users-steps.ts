import type { Locator, Page } from "playwright-core";
import { startAgentInProcess } from "../agents/agent-in-process.ts";
import type { RunningAgent } from "../agents/running-agent.ts";
import { standingTime } from "../simulated/test-time.ts";
import { signInWithoutStepUp, type TestBrowser, type WindowOptions } from "./browser.ts";

/** The page of the users, as the first administrator sees it. */
export async function openUsers(
  browser: TestBrowser,
  agent: RunningAgent,
  { path = "/users", ...options }: WindowOptions & { readonly path?: string } = {},
): Promise<{ page: Page }> {
  const { page } = await browser.open(agent, options);
  await signInWithoutStepUp(agent, page, "admin", path);
  await page
    .getByRole("table", { name: "Users" })
    .or(page.getByText("No user matches these filters"))
    .waitFor();
  return { page };
}

/** The page of one user, as the first administrator sees it. */
export async function openPerson(
  browser: TestBrowser,
  agent: RunningAgent,
  username: string,
): Promise<{ page: Page }> {
  const { page } = await browser.open(agent);
  await signInWithoutStepUp(agent, page, "admin", `/users/${username}`);
  await page.getByRole("heading", { level: 1, name: username }).waitFor();
  return { page };
}

export function rowOf(page: Page, username: string): Locator {
  return page.getByRole("row").filter({ has: page.getByRole("link", { name: username, exact: true }) });
}

/** The card with which the access of a user is handed over. */
export function cardOf(page: Page, username: string): Locator {
  return page.getByRole("region", { name: `Access for ${username}` });
}

/** The one-use password on a card, which is its last line. */
export function passwordOn(card: Locator): Promise<string> {
  return card.locator("code").last().innerText();
}

/** Makes a user over the socket, and says which id it has. */
export async function makeUser(
  agent: RunningAgent,
  user: { username: string; role?: string; password?: string; display_name?: string; enabled?: boolean },
): Promise<string> {
  const { status, json, text } = await agent.call("POST", "/api/users", {
    body: { role: "readonly", ...user },
    local: true,
  });
  if (status !== 201) throw new Error(text);
  return json.id;
}

/** The user as the agent has it. */
export async function userNamed(agent: RunningAgent, username: string) {
  const { json } = await agent.call("GET", `/api/users?q=${username}`, { local: true });
  return json.items.find((user: { username: string }) => user.username === username);
}

/** The agent's clock is stopped, so a lock lasts as long as a test needs it. */
export function startLockingAgent(time = standingTime()): Promise<RunningAgent> {
  return startAgentInProcess({ time });
}

/** Five wrong passwords from another address: the agent then refuses that address for a while. */
export async function lock(agent: RunningAgent, username: string): Promise<void> {
  for (let tries = 0; tries < 5; tries += 1)
    await agent.call("POST", "/api/auth/login", {
      body: { username, password: "this is not the one" },
      from: "192.0.2.8",
    });
}
