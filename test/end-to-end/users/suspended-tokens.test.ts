import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkEvent } from "../../../lab/agents/answer-rules.ts";
import { type CheckedAgent, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { atEnd, type Ending } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";
import { open } from "../../../lab/state/state-directory.ts";
import { apiTokensKind, suspended } from "../../../src/accounts/tokens/api-token.ts";
import type { AuditEvent } from "../../../src/contract/types.ts";

/** A device whose only API tokens, of these names, are suspended, as a restored backup leaves them. */
async function withSuspended(test: Ending, names: readonly string[]) {
  const stateDirectory = scratchDirectory();
  const time = standingTime();
  const before = await startCheckedAgent({ stateDirectory, time });
  const admin = await before.signedInAdmin();
  const made = new Map<string, { id: string; token: string }>();
  for (const name of names) {
    const body = { name, scopes: ["system:read"] };
    const { status, json, text } = await before.call("POST", "/api/tokens", { token: admin.token, body });
    assert.equal(status, 201, text);
    made.set(name, json);
  }
  await before.stop();
  const document = await open(stateDirectory, apiTokensKind);
  await document.update((state) => ({ ...state, tokens: state.tokens.map(suspended) }));
  await document.close();
  const agent = await startCheckedAgent({ stateDirectory, time });
  atEnd(test, () => agent.dispose());
  return { agent, of: (name: string) => made.get(name) ?? assert.fail(`there is no token ${name}`) };
}

const use = (agent: CheckedAgent, token: string) => agent.call("GET", "/api/status", { token });

describe("a suspended API token", () => {
  it("opens nothing and says why, until an administrator resumes it", async (test) => {
    const { agent, of } = await withSuspended(test, ["fleet"]);
    const { id, token } = of("fleet");
    const refused = await use(agent, token);
    assert.deepEqual(
      [refused.status, refused.json.code, refused.json.reason],
      [401, "invalid_token", "suspended"],
    );
    assert.match(refused.json.detail, new RegExp(`steward token resume ${id}`));
    const itself = await agent.call("POST", `/api/tokens/${id}/resume`, { token });
    assert.equal(itself.status, 401, "it must not resume itself");

    const admin = await agent.signedIn("berta", "admin");
    const resumed = await agent.call("POST", `/api/tokens/${id}/resume`, { token: admin.token });
    assert.deepEqual([resumed.status, resumed.json.is_suspended], [200, false], resumed.text);
    assert.equal((await use(agent, token)).status, 200);
    const again = await agent.call("POST", `/api/tokens/${id}/resume`, { token: admin.token });
    assert.equal(again.status, 200, "it is no error to do it twice");
    const { items } = await agent.read("/api/events?after=0&limit=200");
    const events = items.filter(({ type }: AuditEvent) => type === "token.resumed");
    assert.equal(events.length, 1, "what changes nothing is no event");
    checkEvent(events[0]);
    assert.deepEqual([events[0].actor.name, events[0].subject], ["berta", { id, name: "fleet" }]);
  });
});
