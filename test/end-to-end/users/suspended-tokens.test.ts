import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { atEnd } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { open } from "../../../lab/state/state-directory.ts";
import { apiTokensKind, suspended } from "../../../src/accounts/tokens/api-token.ts";

describe("a suspended API token", () => {
  it("opens nothing and says why, until an administrator resumes it", async (test) => {
    // As a restored backup leaves it.
    const stateDirectory = scratchDirectory();
    const former = await startCheckedAgent({ stateDirectory });
    const body = { name: "fleet", scopes: ["system:read"] };
    const made = await former.call("POST", "/api/tokens", { ...(await former.signedInAdmin()), body });
    const { id, token } = made.json;
    await former.stop();
    const document = await open(stateDirectory, apiTokensKind);
    await document.update((state) => ({ ...state, tokens: state.tokens.map(suspended) }));
    await document.close();

    const agent = await startCheckedAgent({ stateDirectory });
    atEnd(test, () => agent.dispose());
    const use = () => agent.call("GET", "/api/status", { token });
    const resume = (by: string) => agent.call("POST", `/api/tokens/${id}/resume`, { token: by });
    const refused = await use();
    assert.deepEqual([refused.status, refused.json.reason], [401, "suspended"]);
    assert.match(refused.json.detail, new RegExp(`steward token resume ${id}`));
    assert.equal((await resume(token)).status, 401, "it must not resume itself");

    const admin = await agent.signedIn("berta", "admin");
    for (const _ of ["once", "and again, which is no error"]) {
      const { status, json, text } = await resume(admin.token);
      assert.deepEqual([status, json.is_suspended], [200, false], text);
    }
    assert.equal((await use()).status, 200);
    const { items } = await agent.read("/api/events?type=token.resumed");
    assert.equal(items.length, 1, "what changes nothing is no event");
    assert.deepEqual([items[0].actor.name, items[0].subject], ["berta", { id, name: "fleet" }]);
  });
});
