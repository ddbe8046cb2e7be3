import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { examples, shapes } from "../../src/contract/openapi/shapes.ts";
import { type OperationId, operationOf, operations } from "../../src/contract/operations.ts";

const names = new Map<unknown, string>(Object.entries(shapes).map(([name, shape]) => [shape, name]));
const given = examples as Readonly<Record<string, object | undefined>>;

/** The example of what an operation takes, or answers; undefined where the document has none. */
function exampleOf(id: OperationId, side: "body" | "response"): object | undefined {
  const { body, response } = operationOf(id);
  const schema = side === "body" ? body : "schema" in response ? response.schema : undefined;
  return given[names.get(schema) ?? ""];
}

const ids = Object.keys(operations) as OperationId[];

describe("the examples of the API, at an agent", () => {
  let agent: RunningAgent;
  let admin: Awaited<ReturnType<RunningAgent["signedInAdmin"]>>;
  before(async () => {
    agent = await startAgentInProcess({ helper: { ask: async () => undefined, absence: () => null } });
    admin = await agent.signedInAdmin();
  });
  after(() => agent.dispose());

  const send = (id: OperationId, body?: object) => {
    const { method, path, access } = operationOf(id);
    const address = path.replace(/\{\w+\}/g, admin.id);
    // Strangers see less of health than the document shows.
    const isStranger = access === "open" && method !== "GET";
    const caller = access === "local" ? { local: true } : isStranger ? {} : { token: admin.token };
    return agent.call(method, address, { ...caller, body });
  };

  for (const id of ids.filter((one) => exampleOf(one, "response") && operationOf(one).method === "GET"))
    it(`have the members that ${id} answers`, async () => {
      const { json } = await send(id);
      // Figures are the host's.
      assert.deepEqual(Object.keys(json).sort(), Object.keys(exampleOf(id, "response") ?? {}).sort());
    });

  // Last the operations after which the session or the account is another.
  const ending: readonly OperationId[] = ["changePassword", "resetPassword", "rescueUser", "factoryReset"];
  const bodies = ids.filter((id) => exampleOf(id, "body") !== undefined);
  for (const id of [...bodies.filter((one) => !ending.includes(one)), ...ending])
    it(`are not refused for their form by ${id}`, async () => {
      const { status, json } = await send(id, exampleOf(id, "body"));
      assert.notEqual(status, 400, JSON.stringify(json));
      assert.ok(!["step_up_required", "forbidden"].includes(json?.code), JSON.stringify(json));
    });
});
