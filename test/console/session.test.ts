import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { heldPort } from "../held-ports.ts";
import { type RunningAgent, startAgentProcess } from "../running-agent.ts";
import { endOfSuite } from "../store/state-directory.ts";
import {
  addUsers,
  type ConsoleWindow,
  endOfConsole,
  names,
  passwords,
  signIn,
  signInByForm,
  startBrowser,
  type TestBrowser,
} from "./browser.ts";
import { axe, picture } from "./page-checks.ts";

const displayName = (page: Page) => page.getByLabel("Display name");
const save = (page: Page) => page.getByRole("button", { name: "Save" });
const ended = (page: Page) => page.getByRole("dialog", { name: "Your session has ended" });
const signInTitle = (page: Page) => page.getByRole("heading", { name: "Sign in", level: 1 });

/** A click that counts also where the page has noticed already, and its question lies over the button. */
async function clickBehind(button: Locator): Promise<void> {
  await button.dispatchEvent("click");
}

/** Signs in again in the dialog over the page. */
async function goOn(page: Page, password: string): Promise<void> {
  await ended(page).getByLabel("Password", { exact: true }).fill(password);
  await ended(page).getByRole("button", { name: "Sign in" }).click();
  await ended(page).waitFor({ state: "detached" });
}

/** The answers to this window's renewals, as they come. */
function renewals({ context }: ConsoleWindow): number[] {
  const statuses: number[] = [];
  context.on("response", (response) => {
    if (response.url().endsWith("/api/auth/refresh")) statuses.push(response.status());
  });
  return statuses;
}

/** The access token that the page has now is none of the agent's any more. */
async function spoilToken(page: Page): Promise<void> {
  let spoilt: string | undefined;
  await page.route("**/api/**", async (route) => {
    const token = route.request().headers().authorization;
    spoilt ??= token;
    if (token === undefined || token !== spoilt) return route.continue();
    await route.continue({ headers: { ...route.request().headers(), authorization: `${token}x` } });
  });
}

const file = endOfConsole();
let browser: TestBrowser;
before(async () => {
  browser = await startBrowser(file);
});

describe("the life of a session in the console", () => {
  const ending = endOfSuite();
  let agent: RunningAgent;
  let ids: Record<string, string>;
  const endSessions = (username: string) =>
    agent.call("DELETE", `/api/users/${ids[username]}/sessions`, { local: true });
  const sessionsOf = async (username: string) =>
    (await agent.call("GET", `/api/auth/sessions?user_id=${ids[username]}`, { local: true })).json.items;
  const nameOf = async (username: string) =>
    (await agent.call("GET", `/api/users/${ids[username]}`, { local: true })).json.display_name;
  before(async () => {
    agent = await startAgentProcess();
    ending.after(() => agent.dispose());
    await addUsers(agent);
    const { json } = await agent.call("GET", "/api/users", { local: true });
    ids = Object.fromEntries(
      json.items.map((user: { username: string; id: string }) => [user.username, user.id]),
    );
  });

  it("lives through a reload, and the access token is nowhere in the browser's stores", async () => {
    const { page, context } = await browser.open(agent);
    await signInByForm(page, "operator", "/account");
    await page.reload();
    await displayName(page).waitFor();
    const { origins } = await context.storageState();
    const kept = origins.flatMap(({ localStorage }) => localStorage);
    assert.deepEqual(
      kept.map(({ name }) => name),
      ["steward-refresh-binding"],
    );
    assert.match(kept[0]?.value ?? "", /^srb_[A-Za-z0-9_-]{22}$/);
    assert.equal(await page.evaluate(() => sessionStorage.length + document.cookie.length), 0);
  });

  it("is over in every tab when one of them signs out", async () => {
    const { page, context } = await browser.open(agent);
    await signIn(page, "operator", "/account");
    const second = await context.newPage();
    await second.goto("/account");
    await displayName(second).waitFor();
    await page.getByRole("button", { name: /^Your account:/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await signInTitle(page).waitFor();
    await signInTitle(second).waitFor();
    await second.reload();
    await signInTitle(second).waitFor();
  });

  it("begins in every tab when a user signs in in one", async () => {
    const { page, context } = await browser.open(agent);
    await page.goto("/account");
    const second = await context.newPage();
    await second.goto("/account");
    await signInTitle(second).waitFor();
    await signInByForm(page, "readonly", "/account");
    await displayName(second).waitFor();
  });

  it("has one chain of refresh tokens, however many tabs start and renew at the same moment", async () => {
    await endSessions(names.operator);
    const window = await browser.open(agent);
    await signIn(window.page, "operator", "/account");
    const statuses = renewals(window);
    const pages = [window.page, ...(await Promise.all([1, 2, 3].map(() => window.context.newPage())))];
    await Promise.all(pages.map((page) => page.goto("/account")));
    await Promise.all(pages.map((page) => displayName(page).waitFor()));
    assert.ok(statuses.length >= 4, `${statuses.length} renewals`);
    for (const page of pages) await spoilToken(page);
    await Promise.all(
      pages.map(async (page, index) => {
        await displayName(page).fill(`tab ${index}`);
        await clickBehind(save(page));
        await page.getByText("Saved").waitFor();
      }),
    );
    assert.deepEqual(new Set(statuses), new Set([200]));
    assert.equal((await sessionsOf(names.operator)).length, 1);
    const events = await agent.call("GET", "/api/events?type=session.reused", { local: true });
    assert.deepEqual(events.json.items, [], events.text);
    assert.deepEqual(window.complaints, []);
  });

  it("that another user has ended keeps what was typed, and the very request goes on", async () => {
    const { page, complaints } = await browser.open(agent);
    await signIn(page, "operator", "/account");
    const writes: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "PUT") writes.push(request.postData() ?? "");
    });
    await displayName(page).fill("Ana of the pumps");
    await endSessions(names.operator);
    await clickBehind(save(page));
    await ended(page).getByLabel("Password", { exact: true }).waitFor();
    assert.equal(await displayName(page).inputValue(), "Ana of the pumps");
    assert.deepEqual(await axe(page), []);
    await picture(page, "session-ended-light");
    await goOn(page, passwords.operator);
    await page.getByText("Saved").waitFor();
    assert.equal(await nameOf(names.operator), "Ana of the pumps");
    assert.deepEqual(new Set(writes), new Set(['{"display_name":"Ana of the pumps"}']));
    assert.deepEqual(complaints, []);
  });

  it("is taken up by the other tabs too once one has signed in again", async () => {
    const { page, context } = await browser.open(agent);
    await signIn(page, "operator", "/account");
    const second = await context.newPage();
    await second.goto("/account");
    await displayName(second).fill("typed in the second");
    await endSessions(names.operator);
    await displayName(page).fill("typed in the first");
    for (const one of [page, second]) {
      await clickBehind(save(one));
      await ended(one).waitFor();
    }
    await goOn(second, passwords.operator);
    await ended(page).waitFor({ state: "detached" });
    await page.getByText("Saved").waitFor();
    await second.getByText("Saved").waitFor();
    assert.equal(await displayName(page).inputValue(), "typed in the first");
  });

  it("can be given up instead, and another user starts afresh", async () => {
    const { page } = await browser.open(agent);
    await signIn(page, "operator", "/account");
    await displayName(page).fill("not to be seen by the next");
    await endSessions(names.operator);
    await clickBehind(save(page));
    await ended(page).getByRole("button", { name: "Discard them and sign out" }).click();
    await signInTitle(page).waitFor();
    const loaded = page.waitForEvent("load");
    await page.getByLabel("User name").fill(names.readonly);
    await page.getByLabel("Password", { exact: true }).fill(passwords.readonly);
    await page.getByRole("button", { name: "Sign in" }).click();
    await loaded;
    await displayName(page).waitFor();
    assert.equal(await displayName(page).inputValue(), "");
    await page.getByRole("button", { name: `Your account: ${names.readonly}` }).waitFor();
  });

  it("of a user who is disabled is over, and they cannot come back", async () => {
    const { page } = await browser.open(agent);
    await signIn(page, "readonly", "/account");
    const enable = (enabled: boolean) =>
      agent.call("PUT", `/api/users/${ids[names.readonly]}`, { body: { enabled }, local: true });
    await enable(false);
    await displayName(page).fill("one more");
    await clickBehind(save(page));
    await ended(page).getByLabel("Password", { exact: true }).fill(passwords.readonly);
    await ended(page).getByRole("button", { name: "Sign in" }).click();
    await ended(page).getByRole("alert").getByText("User name or password is wrong").waitFor();
    await enable(true);
  });

  it("is renewed silently where its token is refused, without a question", async () => {
    const window = await browser.open(agent);
    const statuses = renewals(window);
    const { page } = window;
    await signIn(page, "operator", "/account");
    await spoilToken(page);
    await displayName(page).fill("renewed");
    await save(page).click();
    await page.getByText("Saved").waitFor();
    assert.ok(statuses.length > 0, "nothing was renewed");
    assert.equal(await ended(page).count(), 0);
  });
});

describe("the console with an agent that is away", () => {
  const ending = endOfSuite();
  let agent: RunningAgent;
  let listen: { arguments: string[] };
  before(async () => {
    listen = { arguments: ["--listen", `127.0.0.1:${await heldPort()}`] };
    agent = await startAgentProcess(listen);
    ending.after(() => agent.dispose());
    await addUsers(agent, ["admin", "operator"]);
  });

  it("says of a write without an answer that it may not have been done, and keeps what was typed", async () => {
    const { page } = await browser.open(agent);
    await signIn(page, "operator", "/account");
    await page.route("**/api/users/*", (route) => route.abort("connectionrefused"), { times: 1 });
    await displayName(page).fill("typed before");
    await save(page).click();
    await page.getByRole("alert").getByText("The device did not answer").waitFor();
    assert.equal(await displayName(page).inputValue(), "typed before");
    await save(page).click();
    await page.getByText("Saved").waitFor();
  });

  it("shows a restart as reconnecting, sends nothing meanwhile, and keeps what was typed", async () => {
    const { page, complaints } = await browser.open(agent);
    await signIn(page, "operator", "/account");
    await displayName(page).fill("typed meanwhile");
    await agent.stop();
    const reconnecting = page.getByText("The device does not answer. Reconnecting");
    await reconnecting.waitFor();
    assert.equal(await save(page).getAttribute("aria-disabled"), "true");
    const again = await startAgentProcess({ ...listen, stateDirectory: agent.stateDirectory });
    ending.after(() => again.dispose());
    await reconnecting.waitFor({ state: "detached" });
    assert.equal(await displayName(page).inputValue(), "typed meanwhile");
    await save(page).click();
    await page.getByText("Saved").waitFor();
    const { json } = await again.call("GET", "/api/users", { local: true });
    const shown = json.items.map((user: { display_name: string }) => user.display_name);
    assert.ok(shown.includes("typed meanwhile"), shown.join());
    assert.deepEqual(complaints, []);
  });
});
