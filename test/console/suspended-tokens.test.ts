import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { confirmPassword } from "../../lab/console/browser.ts";
import { lightConsoleOf } from "../../lab/console/light/light-browser.ts";
import { makeUser, openPerson } from "../../lab/console/users-steps.ts";
import { standingTime } from "../../lab/simulated/test-time.ts";
import { open } from "../../lab/state/state-directory.ts";
import { apiTokensKind, suspended } from "../../src/accounts/tokens/api-token.ts";

const password = "quiet otters borrow umbrellas";
const tokens = new Map<string, string>();

/** Vera is an administrator and Olga reads; each has a token that is suspended, as a restored backup leaves it. */
async function startWithSuspended(): Promise<RunningAgent> {
  const [stateDirectory, time] = [scratchDirectory(), standingTime()];
  const before = await startAgentInProcess({ stateDirectory, time });
  for (const [username, role] of [
    ["vera", "admin"],
    ["olga", "readonly"],
  ] as const) {
    const user_id = await makeUser(before, { username, role, password });
    const body = { user_id, name: `scraper of ${username}`, scopes: ["system:read"] };
    const { json, text } = await before.call("POST", "/api/tokens", { local: true, body });
    assert.match(json.token, /^stw_/, text);
    tokens.set(username, json.token);
  }
  await before.stop();
  const document = await open(stateDirectory, apiTokensKind);
  await document.update((state) => ({ ...state, tokens: state.tokens.map(suspended) }));
  await document.close();
  return startAgentInProcess({ stateDirectory, time });
}

describe("a suspended API token in the console", () => {
  const { agent, browser } = lightConsoleOf(startWithSuspended);
  const statusFor = async (username: string): Promise<number> =>
    (await agent.call("GET", "/api/status", { token: tokens.get(username) })).status;

  it("is resumed by an administrator, who gives the password for another user's", async () => {
    const { page } = await openPerson(browser, agent, "olga");
    const sheet = page.locator("main");
    await sheet.getByText("suspended").waitFor();
    assert.equal(await statusFor("olga"), 401);
    await sheet.getByRole("button", { name: "Resume: scraper of olga" }).click();
    await confirmPassword(page, "admin");
    await sheet.getByRole("button", { name: "Resume: scraper of olga" }).waitFor({ state: "detached" });
    assert.equal(await statusFor("olga"), 200);
  });

  it("is named on the own account, with a button for administrators", async () => {
    const page = await browser.signedIn(agent, { username: "vera", password }, "/account");
    await page.getByText("suspended").waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByText("suspended").waitFor({ state: "detached" });
    assert.equal(await statusFor("vera"), 200);
  });
});
