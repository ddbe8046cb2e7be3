import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { heldPort } from "../../lab/basics/held-ports.ts";
import {
  addUsers,
  type ConsoleWindow,
  endOfConsole,
  names,
  passwords,
  signIn,
  signInByForm,
  startBrowser,
} from "../../lab/console/browser.ts";
import { lightBrowser } from "../../lab/console/light/light-browser.ts";
import { axe, picture } from "../../lab/console/page-checks.ts";

const displayName = (page: Page) => page.getByLabel("Display name");
const save = (page: Page) => page.getByRole("button", { name: "Save" });
const ended = (page: Page) => page.getByRole("dialog", { name: "Your session has ended" });
const signInTitle = (page: Page) => page.getByRole("heading", { name: "Sign in", level: 1 });

/** Clicks the button even if the page has noticed the end already and its question covers the button. */
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

describe("a session in the console", () => {
  const ending = endOfConsole();
  const browser = lightBrowser(ending);
  let agent: RunningAgent;
  let listen: { arguments: string[] };
  before(async () => {
    listen = { arguments: ["--listen", `127.0.0.1:${await heldPort()}`] };
    agent = await startAgentInProcess(listen);
    ending.after(() => agent.dispose());
    await addUsers(agent);
  });

  describe("the life of a session in the console", () => {
    let ids: Record<string, string>;
    const endSessions = (username: string) =>
      agent.call("DELETE", `/api/users/${ids[username]}/sessions`, { local: true });
    const sessionsOf = async (username: string) =>
      (await agent.call("GET", `/api/auth/sessions?user_id=${ids[username]}`, { local: true })).json.items;
    const nameOf = async (username: string) =>
      (await agent.call("GET", `/api/users/${ids[username]}`, { local: true })).json.display_name;
    before(async () => {
      const { json } = await agent.call("GET", "/api/users", { local: true });
      ids = Object.fromEntries(
        json.items.map((user: { username: string; id: string }) => [user.username, user.id]),
      );
    });

    it("that another user has ended keeps what was typed, and the very request goes on", async () => {
      const page = await browser.signedIn(agent, "operator", "/account");
      const writes: string[] = [];
      page.on("request", (request) => {
        if (request.method() === "PUT") writes.push(request.postData() ?? "");
      });
      await displayName(page).fill("Ana of the pumps");
      await endSessions(names.operator);
      await clickBehind(save(page));
      await ended(page).getByLabel("Password", { exact: true }).waitFor();
      assert.equal(await displayName(page).inputValue(), "Ana of the pumps");
      await goOn(page, passwords.operator);
      await page.getByText("Saved").waitFor();
      assert.equal(await nameOf(names.operator), "Ana of the pumps");
      assert.deepEqual(new Set(writes), new Set(['{"display_name":"Ana of the pumps"}']));
    });

    it("can be given up instead, and another user starts afresh", async () => {
      const page = await browser.signedIn(agent, "operator", "/account");
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
      const page = await browser.signedIn(agent, "readonly", "/account");
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
        await second().goto("/account");
        await signInTitle(second()).waitFor();
        await signInByForm(first(), "operator", "/account");
        await displayName(second()).waitFor();
      });

      it("lives through a reload, with one chain of refresh tokens, however many start and renew at the same moment", async () => {
        pages.push(await window.context.newPage(), await window.context.newPage());
        statuses.length = 0;
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
        // Not before: the question that a page shows by itself would take the keyboard from the field.
        await endSessions(names.operator);
        for (const page of [one, other]) {
          await clickBehind(save(page));
          await ended(page).getByLabel("Password", { exact: true }).waitFor();
        }
        assert.deepEqual(await axe(one), []);
        await picture(one, "session-ended-light");
        const saved = [one, other].map((page) =>
          page.waitForResponse((answer) => answer.request().method() === "PUT" && answer.ok()),
        );
        await goOn(other, passwords.operator);
        await ended(one).waitFor({ state: "detached" });
        await Promise.all(saved);
        assert.equal(await displayName(one).inputValue(), "typed in the first");
      });

      it("is over in every one when one of them signs out", async () => {
        await first()
          .getByRole("button", { name: /^Your account:/ })
          .click();
        await first().getByRole("menuitem", { name: "Sign out" }).click();
        for (const page of pages) await signInTitle(page).waitFor();
        await second().reload();
        await signInTitle(second()).waitFor();
      });
    });
  });

  describe("the console with an agent that is away", () => {
    it("says of a write without an answer that it may not have been done, and keeps what was typed", async () => {
      const page = await browser.signedIn(agent, "operator", "/account");
      await page.route("**/api/users/*", (route) => route.abort("connectionrefused"), { times: 1 });
      await displayName(page).fill("typed before");
      await save(page).click();
      await page.getByRole("alert").getByText("The device did not answer").waitFor();
      assert.equal(await displayName(page).inputValue(), "typed before");
      await save(page).click();
      await page.getByText("Saved").waitFor();
    });

    it("shows a restart as reconnecting, sends nothing meanwhile, and keeps what was typed", async () => {
      const page = await browser.signedIn(agent, "operator", "/account");
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
      const { json } = await again.call("GET", "/api/users", { local: true });
      const shown = json.items.map((user: { display_name: string }) => user.display_name);
      assert.ok(shown.includes("typed meanwhile"), shown.join());
    });
  });
});
