import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { confirmPassword, press, sees } from "../../lab/console/browser.ts";
import { lightConsoleOf } from "../../lab/console/light/light-browser.ts";
import { makeUser, openPerson, openUsers, rowOf } from "../../lab/console/users-steps.ts";
import { asRoot, writeHostFile } from "../../lab/host/host-file-of-root.ts";
import { standingTime } from "../../lab/simulated/test-time.ts";
import { open } from "../../lab/state/state-directory.ts";
import { apiTokensKind, suspended } from "../../src/accounts/tokens/api-token.ts";
import type { AuditEvent } from "../../src/contract/types.ts";

const password = "quiet otters borrow umbrellas";

describe("accounts of a sign-in provider in the console", asRoot, () => {
  const issuer = "https://id.example/realms/plant";
  /** An agent whose host file names this issuer, with one account of it and one of the issuer that it had before. */
  const startAfterMove = async (): Promise<RunningAgent> => {
    const stateDirectory = join(scratchDirectory(), "state");
    const before = await startAgentInProcess({ stateDirectory });
    for (const username of ["present", "moved"]) {
      await makeUser(before, { username, role: "admin", password });
      await before.call("POST", "/api/auth/login", { body: { username, password } });
    }
    await before.stop();
    const path = join(stateDirectory, "users.json");
    const state = JSON.parse(readFileSync(path, "utf8"));
    for (const account of state.accounts) {
      const isPresent = account.username === "present";
      account.provider = { issuer: isPresent ? issuer : "https://id.example/auth/plant", subject: "1" };
      account.password_state = "chosen";
    }
    writeFileSync(path, JSON.stringify(state));
    const roles = { admin: ["plant-admins"], operator: [], readonly: [] };
    const origins = ["https://edge-7.example"];
    const oidc = { name: "Plant", issuer, client_id: "edge-7", origins, roles };
    const hostFile = writeHostFile({ oidc });
    ending.after(async () => hostFile.remove());
    return startAgentInProcess({ stateDirectory, arguments: ["--host-file", hostFile.path] });
  };
  const { agent, browser, ending, looks } = lightConsoleOf(startAfterMove);

  it("are marked where the host file does not name their provider, and can be listed", async () => {
    const { items, total, counts } = await agent.read("/api/users?origin=former_provider");
    assert.deepEqual([items[0].username, total, counts.former_provider], ["moved", 1, 1]);
    const ended = (await agent.read("/api/events?type=session.ended")).items as AuditEvent[];
    const told = ended.map(({ subject, details }) => `${subject?.name}: ${details.because}`);
    assert.deepEqual(told, ["moved: former_provider"]);
    const { page } = await openUsers(browser, agent);
    for (const [name, state] of [
      ["present", "active"],
      ["moved", "provider no longer named"],
    ] as const)
      assert.equal((await rowOf(page, name).getByRole("cell").allInnerTexts())[4], state);
    await press(page, /^provider no longer named/);
    await rowOf(page, "present").waitFor({ state: "detached" });
    looks.keep(page, "users-former-provider");
    assert.equal(new URL(page.url()).searchParams.get("state"), "former");
  });

  it("are deleted with a word about coming back, if their people can", async () => {
    const { page } = await openUsers(browser, agent);
    for (const [name, expected] of [
      ["present", /comes back as a new, enabled one at the person's next sign-in/],
      ["moved", /is removed, with their second factor/],
    ] as const) {
      await press(page, `Actions for ${name}`);
      await page.getByRole("menuitem", { name: "Delete" }).click();
      const dialog = page.getByRole("dialog", { name: `Delete: ${name}` });
      await sees(dialog, expected);
      await press(dialog, "Cancel");
      await dialog.waitFor({ state: "detached" });
    }
  });
});

describe("a suspended API token in the console", () => {
  const tokens = new Map<string, string>();
  /** Vera is an administrator and Olga reads; each has a token that is suspended, as a restored backup leaves it. */
  const { agent, browser } = lightConsoleOf(async () => {
    const [stateDirectory, time] = [scratchDirectory(), standingTime()];
    const before = await startAgentInProcess({ stateDirectory, time });
    for (const [username, role] of [
      ["vera", "admin"],
      ["olga", "readonly"],
    ] as const) {
      const user_id = await makeUser(before, { username, role, password });
      const body = { user_id, name: `scraper of ${username}`, scopes: ["system:read"] };
      const { json } = await before.call("POST", "/api/tokens", { local: true, body });
      tokens.set(username, json.token);
    }
    await before.stop();
    const document = await open(stateDirectory, apiTokensKind);
    await document.update((state) => ({ ...state, tokens: state.tokens.map(suspended) }));
    await document.close();
    return startAgentInProcess({ stateDirectory, time });
  });
  const statusFor = async (username: string): Promise<number> =>
    (await agent.call("GET", "/api/status", { token: tokens.get(username) })).status;

  it("is resumed by an administrator, who gives the password for another user's, or has a button on the own account", async () => {
    const { page } = await openPerson(browser, agent, "olga");
    await sees(page.locator("main"), "suspended");
    assert.equal(await statusFor("olga"), 401);
    await press(page, "Resume: scraper of olga");
    await confirmPassword(page, "admin");
    await page.getByRole("button", { name: "Resume: scraper of olga" }).waitFor({ state: "detached" });
    assert.equal(await statusFor("olga"), 200);
    const own = await browser.signedIn(agent, { username: "vera", password }, "/account?open=tokens");
    await sees(own, "suspended");
    await own.getByRole("button", { name: "Resume" }).click();
    await own.getByText("suspended").waitFor({ state: "detached" });
    assert.equal(await statusFor("vera"), 200);
  });
});
