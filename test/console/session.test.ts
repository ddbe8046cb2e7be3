import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { heldPort } from "../../lab/basics/held-ports.ts";
import {
  addUsers,
  type ConsoleWindow,
  changeSettings,
  fill,
  names,
  passwords,
  signIn,
  signInByForm,
  startBrowser,
} from "../../lab/console/browser.ts";
import { lightConsoleOf } from "../../lab/console/light/light-browser.ts";
import { assertSound } from "../../lab/console/page-checks.ts";

const displayName = (page: Page) => page.getByLabel("Display name");
const save = (page: Page) => page.getByRole("button", { name: "Save" });
const ended = (page: Page) => page.getByRole("dialog", { name: "Your session has ended" });
const signInTitle = (page: Page) => page.getByRole("heading", { name: "Sign in", level: 1 });

/** Saves even if the page has noticed the end already and its question covers the button. */
const saveBehind = (page: Page): Promise<void> => save(page).dispatchEvent("click");

/** Signs in again in the dialog over the page. */
async function goOn(page: Page, password: string): Promise<void> {
  await ended(page).getByLabel("Password", { exact: true }).fill(password);
  await ended(page).getByRole("button", { name: "Sign in" }).click();
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

describe("a session in the console", () => {
  let listen: { arguments: string[] };
  const start = async () => {
    listen = { arguments: ["--listen", `127.0.0.1:${await heldPort()}`] };
    return startAgentInProcess(listen);
  };
  const { agent, browser, ending } = lightConsoleOf(start);
  let ids: Record<string, string>;
  before(async () => {
    const { items } = await agent.read("/api/users");
    ids = Object.fromEntries(items.map((user: { username: string; id: string }) => [user.username, user.id]));
  });
  const endSessions = (username: string) =>
    agent.call("DELETE", `/api/users/${ids[username]}/sessions`, { local: true });
  const nameOf = async (username: string) => (await agent.read(`/api/users/${ids[username]}`)).display_name;

  it("that another user has ended keeps what was typed, and the very request goes on", async () => {
    const page = await browser.signedIn(agent, "operator", "/account?open=you");
    const writes: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "PUT") writes.push(request.postData() ?? "");
    });
    await displayName(page).fill("Ana of the pumps");
    await endSessions(names.operator);
    await saveBehind(page);
    await ended(page).getByLabel("Password", { exact: true }).waitFor();
    assert.equal(await displayName(page).inputValue(), "Ana of the pumps");
    await goOn(page, passwords.operator);
    await page.getByText("Saved").waitFor();
    assert.equal(await nameOf(names.operator), "Ana of the pumps");
    assert.deepEqual(new Set(writes), new Set(['{"display_name":"Ana of the pumps"}']));
  });

  it("can be given up instead, and another user starts afresh", async () => {
    const page = await browser.signedIn(agent, "operator", "/account?open=you");
    await displayName(page).fill("not to be seen by the next");
    await endSessions(names.operator);
    await saveBehind(page);
    await ended(page).getByRole("button", { name: "Discard them and sign out" }).click();
    await signInTitle(page).waitFor();
    const loaded = page.waitForEvent("load");
    await fill(page, { "User name": names.readonly, Password: passwords.readonly });
    await page.getByRole("button", { name: "Sign in" }).click();
    await loaded;
    await displayName(page).waitFor();
    assert.equal(await displayName(page).inputValue(), "");
    await page.getByRole("button", { name: `Your account: ${names.readonly}` }).waitFor();
  });

  it("of a user who is disabled is over, and they cannot come back", async () => {
    const page = await browser.signedIn(agent, "readonly", "/account?open=you");
    const enable = (enabled: boolean) =>
      agent.call("PUT", `/api/users/${ids[names.readonly]}`, { body: { enabled }, local: true });
    await enable(false);
    await displayName(page).fill("one more");
    await saveBehind(page);
    await goOn(page, passwords.readonly);
    await ended(page).getByRole("alert").getByText("User name or password is wrong").waitFor();
    await enable(true);
  });

  it("is renewed silently where its token is refused, without a question", async () => {
    const window = await browser.open(agent);
    const statuses = renewals(window);
    const { page } = window;
    await signIn(page, "operator", "/account?open=you");
    await spoilToken(page);
    await displayName(page).fill("renewed");
    await save(page).click();
    await page.getByText("Saved").waitFor();
    assert.ok(statuses.length > 0, "nothing was renewed");
    assert.equal(await ended(page).count(), 0);
  });

  describe("in the tabs of one browser", () => {
    let window: ConsoleWindow;
    let pages: Page[];
    let statuses: number[];
    const [first, second] = [() => pages[0] as Page, () => pages[1] as Page];
    before(async () => {
      await endSessions(names.operator);
      window = await (await startBrowser(ending)).open(agent, { isKept: true });
      pages = [window.page, await window.context.newPage()];
      statuses = renewals(window);
    });
    after(() => window.context.close());

    it("begins in every one when a user signs in in one", async () => {
      await second().goto("/account?open=you");
      await signInTitle(second()).waitFor();
      await signInByForm(first(), "operator", "/account?open=you");
      await displayName(second()).waitFor();
    });

    it("lives through a reload, with one chain of refresh tokens, however many start and renew at the same moment", async () => {
      pages.push(await window.context.newPage(), await window.context.newPage());
      statuses.length = 0;
      await Promise.all(pages.map((page) => page.goto("/account?open=you")));
      await Promise.all(pages.map((page) => displayName(page).waitFor()));
      assert.ok(statuses.length >= 4, `${statuses.length} renewals`);
      for (const page of pages) await spoilToken(page);
      const work = pages.map(async (page, index) => {
        await displayName(page).fill(`tab ${index}`);
        await saveBehind(page);
        await page.getByText("Saved").waitFor();
      });
      await Promise.all(work);
      assert.deepEqual(new Set(statuses), new Set([200]));
      const { items } = await agent.read(`/api/auth/sessions?user_id=${ids[names.operator]}`);
      assert.equal(items.length, 1);
      assert.deepEqual((await agent.read("/api/events?type=session.reused")).items, []);
      for (const page of pages) await page.unrouteAll();
    });

    it("leaves the access token in none of the browser's stores", async () => {
      const { origins } = await window.context.storageState();
      const kept = origins.flatMap(({ localStorage }) => localStorage);
      assert.deepEqual(kept.map(({ name }) => name).sort(), ["steward-accent", "steward-refresh-binding"]);
      const binding = kept.find(({ name }) => name === "steward-refresh-binding");
      assert.match(binding?.value ?? "", /^srb_[A-Za-z0-9_-]{22}$/);
      assert.equal(await first().evaluate(() => sessionStorage.length + document.cookie.length), 0);
    });

    it("is taken up by the others too once one has signed in again", async () => {
      const [one, other] = [first(), second()];
      await displayName(other).fill("typed in the second");
      await displayName(one).fill("typed in the first");
      // Not before: the question that a page shows on its own would take the keyboard from the field.
      await endSessions(names.operator);
      for (const page of [one, other]) {
        await saveBehind(page);
        await ended(page).getByLabel("Password", { exact: true }).waitFor();
      }
      await assertSound(one, "session-ended-light");
      const saved = [one, other].map((page) =>
        page.waitForResponse((answer) => answer.request().method() === "PUT" && answer.ok()),
      );
      await goOn(other, passwords.operator);
      for (const page of [other, one]) await ended(page).waitFor({ state: "detached" });
      await Promise.all(saved);
      assert.equal(await displayName(one).inputValue(), "typed in the first");
    });

    it("is over in every one when one of them signs out", async () => {
      const account = first().getByRole("button", { name: /^Your account:/ });
      await account.click();
      await first().getByRole("menuitem", { name: "Sign out" }).click();
      for (const page of pages) await signInTitle(page).waitFor();
      await second().reload();
      await signInTitle(second()).waitFor();
    });
  });

  it("says of a write without an answer that it may not have been done, and keeps what was typed", async () => {
    const page = await browser.signedIn(agent, "operator", "/account?open=you");
    await page.route("**/api/users/*", (route) => route.abort("connectionrefused"), { times: 1 });
    await displayName(page).fill("typed before");
    await save(page).click();
    await page.getByRole("alert").getByText("The device did not answer").waitFor();
    assert.equal(await displayName(page).inputValue(), "typed before");
    await save(page).click();
    await page.getByText("Saved").waitFor();
  });

  it("shows a restart as reconnecting, sends nothing meanwhile, and keeps what was typed", async () => {
    const page = await browser.signedIn(agent, "operator", "/account?open=you");
    await displayName(page).fill("typed meanwhile");
    await agent.stop();
    const reconnecting = page.getByText("The device does not answer. Reconnecting");
    await reconnecting.waitFor();
    assert.equal(await save(page).getAttribute("aria-disabled"), "true");
    const again = await startAgentInProcess({ ...listen, stateDirectory: agent.stateDirectory });
    ending.after(() => again.dispose());
    await reconnecting.waitFor({ state: "detached" });
    assert.equal(await displayName(page).inputValue(), "typed meanwhile");
    await save(page).click();
    await page.getByText("Saved").waitFor();
    assert.equal((await again.read(`/api/users/${ids[names.operator]}`)).display_name, "typed meanwhile");
  });
});

describe("another device at the address of a session", () => {
  const { browser, ending } = lightConsoleOf();

  it("is named before the password is given to it, and gets nothing of what was typed", async () => {
    const listen = { arguments: ["--listen", `127.0.0.1:${await heldPort()}`] };
    const named = async (name: string) => {
      const agent = await startAgentInProcess(listen);
      ending.after(() => agent.dispose());
      await addUsers(agent);
      await changeSettings(agent, { device: { name } });
      return agent;
    };
    const former = await named("pump-7");
    const page = await browser.signedIn(former, "operator", "/account?open=you");
    await page.getByText("pump-7").first().waitFor();
    await displayName(page).fill("Ana of pump 7");
    await former.stop();
    await page.getByText("The device does not answer. Reconnecting").waitFor();
    const other = await named("pump-9");
    await ended(page).getByText("pump-9 answers here now, not pump-7").waitFor();
    const loaded = page.waitForEvent("load");
    await goOn(page, passwords.operator);
    await loaded;
    await displayName(page).waitFor();
    assert.equal(await displayName(page).inputValue(), "");
    const { items } = await other.read(`/api/users?q=${names.operator}`);
    assert.equal(items[0].display_name, "");
  });
});
