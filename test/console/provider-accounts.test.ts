import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { type ConsoleEnding, endOfConsole, type TestBrowser } from "../../lab/console/browser.ts";
import { startLightConsole } from "../../lab/console/light/light-browser.ts";
import { makeUser, openUsers, rowOf } from "../../lab/console/users-steps.ts";
import { asRoot, writeHostFile } from "../../lab/host/host-file-of-root.ts";
import type { AuditEvent } from "../../src/contract/types.ts";

const issuer = "https://id.example/realms/plant";

/** An agent whose host file names this issuer, with one account of it and one of the issuer that it had before. */
async function startAfterMove(ending: ConsoleEnding): Promise<RunningAgent> {
  const stateDirectory = join(scratchDirectory(), "state");
  const before = await startAgentInProcess({ stateDirectory });
  const password = "seven quiet owls at dusk";
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
  const hostFile = writeHostFile({
    oidc: { name: "Plant", issuer, client_id: "edge-7", origins: ["https://edge-7.example"], roles },
  });
  ending.after(async () => hostFile.remove());
  return startAgentInProcess({ stateDirectory, arguments: ["--host-file", hostFile.path] });
}

describe("accounts of a sign-in provider in the console", asRoot, () => {
  const ending = endOfConsole();
  const { looks } = ending;
  let agent: RunningAgent;
  let browser: TestBrowser;
  before(async () => {
    ({ agent, browser } = await startLightConsole(ending, () => startAfterMove(ending)));
  });

  it("are marked where the host file does not name their provider, and can be listed", async () => {
    const { json } = await agent.call("GET", "/api/users?origin=former_provider", { local: true });
    assert.deepEqual([json.items[0].username, json.total, json.counts.former_provider], ["moved", 1, 1]);
    const ended = await agent.call("GET", "/api/events?type=session.ended", { local: true });
    assert.deepEqual(
      ended.json.items.map((one: AuditEvent) => [one.subject?.name, one.details.because]),
      [["moved", "former_provider"]],
    );
    const { page } = await openUsers(browser, agent);
    const stateOf = async (name: string) => (await rowOf(page, name).getByRole("cell").allInnerTexts())[4];
    assert.equal(await stateOf("present"), "active");
    assert.equal(await stateOf("moved"), "provider no longer named");
    await page.getByRole("button", { name: /^provider no longer named/ }).click();
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
      await page.getByRole("button", { name: `Actions for ${name}` }).click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
      const dialog = page.getByRole("dialog", { name: `Delete: ${name}` });
      assert.match(await dialog.innerText(), expected);
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await dialog.waitFor({ state: "detached" });
    }
  });
});
