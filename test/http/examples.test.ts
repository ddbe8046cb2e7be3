import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import type { RunningAgent } from "../../lab/agents/running-agent.ts";
import { standingTime } from "../../lab/simulated/test-time.ts";
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
  let other: string;
  let program: string;
  let admin: Awaited<ReturnType<RunningAgent["signedInAdmin"]>>;
  before(async () => {
    // The time of the examples: one of them sets the clock, and tokens of another time would be refused from then on.
    const time = standingTime(Date.parse("2026-11-20T08:00:00.000Z"));
    agent = await startAgentInProcess({ time, helper: { ask: async () => undefined, absence: () => null } });
    admin = await agent.signedInAdmin();
    const body = { username: "carol", role: "readonly" };
    const own = { name: "a program", scopes: ["system:read"] };
    program = (await agent.call("POST", "/api/tokens", { token: admin.token, body: own })).json.token;
    other = (await agent.call("POST", "/api/users", { local: true, body })).json.id;
  });
  after(() => agent.dispose());

  const send = (id: OperationId, body?: object) => {
    const { method, path, access } = operationOf(id);
    // A second factor is one's own; what ends sessions is done to another user.
    const address = path.replace(/\{\w+\}/g, path.includes("/2fa") ? admin.id : other);
    // Strangers see less of health than the document shows.
    const isStranger = access === "open" && method !== "GET";
    const token = access === "token" ? program : admin.token;
    const caller = access === "local" ? { local: true } : isStranger ? {} : { token };
    return agent.call(method, address, { ...caller, body });
  };

  for (const id of ids.filter((one) => exampleOf(one, "response") && operationOf(one).method === "GET"))
    it(`have the members that ${id} answers`, async () => {
      const { json } = await send(id);
      // Figures are the host's.
      assert.deepEqual(Object.keys(json).sort(), Object.keys(exampleOf(id, "response") ?? {}).sort());
    });

  const bodies = ids.filter((id) => exampleOf(id, "body") !== undefined);
  // At the end the one after which the agent starts again.
  for (const id of [...bodies.filter((one) => one !== "factoryReset"), "factoryReset"] as const)
    it(`are of the form that ${id} takes`, async () => {
      const { status, json, text } = await send(id, exampleOf(id, "body"));
      assert.notEqual(status, 400, text);
      // Dispatch looks at the caller before the body: with such an answer it has not seen the body.
      const isSeen = operationOf(id).access === "open" || !unseen.includes(json?.code);
      assert.ok(isSeen, text);
    });
});

const unseen = [
  "authentication_required",
  "invalid_token",
  "forbidden",
  "token_not_allowed",
  "step_up_required",
];
