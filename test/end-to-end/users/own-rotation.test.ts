import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { runSteward } from "../../../lab/agents/agent-in-process.ts";
import { startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { endOfSuite, ofSuite, temporaryDirectory } from "../../../lab/basics/ending.ts";

/** Documentation addresses (RFC 5737). */
const inside = "203.0.113.7";
const outside = "198.51.100.7";

describe("POST /api/tokens/self/rotate", () => {
  const suite = endOfSuite();
  const agent = ofSuite(startCheckedAgent);
  let environment: Record<string, string>;
  before(async () => {
    await agent.signedInAdmin();
    environment = { STEWARD_SOCKET: agent.socket, STEWARD_STATE: agent.stateDirectory };
  });

  const newToken = async (name: string, ...rights: string[]): Promise<string> => {
    const words = `token add --user root-admin --name ${name} --scope system:read --quiet`.split(" ");
    const { code, stdout, stderr } = await runSteward([...words, ...rights], { environment });
    assert.equal(code, 0, stderr);
    return stdout.trim();
  };
  const rotate = (token: string, from = inside, body?: object) =>
    agent.call("POST", "/api/tokens/self/rotate", { token, from, ...(body && { body }) });
  const reads = async (token: string, from = inside) =>
    (await agent.call("GET", "/api/status", { token, from })).status;
  const listed = async (name: string) => {
    const { items } = await agent.read("/api/tokens");
    return items.filter((one: { name: string }) => one.name === name);
  };

  it("gives a program the successor of its token, with the same rights, and both are valid meanwhile", async () => {
    const token = await newToken("fleet", "--fleet", "--from", "203.0.113.0/24", "--scope", "users:write");
    const { status, json, text, headers } = await rotate(token);
    assert.equal(status, 201, text);
    const rights = [["system:read", "users:write"], true, ["203.0.113.0/24"]];
    assert.deepEqual([json.scopes, json.is_fleet, json.sources], rights);
    assert.equal(headers.location, `/api/tokens/${json.id}`);
    assert.deepEqual(
      [await reads(token), await reads(json.token), await reads(json.token, outside)],
      [200, 200, 401],
    );
    const [former] = await listed("fleet");
    assert.ok(Date.parse(former.expires_at) <= Date.now() + 86_400_000);
    const { items } = await agent.read("/api/events");
    const event = items.find(({ type }: { type: string }) => type === "token.rotated");
    assert.deepEqual(
      [event.actor, event.subject, event.details],
      [
        { kind: "token", id: former.user_id, name: "root-admin/fleet" },
        { id: json.id, name: "fleet" },
        { owner: "root-admin", overlap: "24h" },
      ],
    );
  });

  it("tells of a thief: who comes second, after the successor was used, is refused, and it is an event", async () => {
    const stolen = await newToken("stolen");
    const thief = (await rotate(stolen, outside, { overlap: "1h" })).json;
    assert.equal(await reads(thief.token, outside), 200);
    const { status, json } = await rotate(stolen);
    assert.deepEqual([status, json.code], [403, "forbidden"]);
    assert.ok(json.detail.includes(thief.id), json.detail);
    const { items } = await agent.read("/api/events");
    const refusal = items.find(
      ({ type, details }: { type: string; details: { operation?: string } }) =>
        type === "request.refused" && details.operation === "rotateOwnToken",
    );
    assert.equal(refusal?.actor.name, "root-admin/stolen");
    assert.equal((await listed("stolen")).length, 2);
  });

  it("is `steward token rotate self` with a token of one's own", async () => {
    const file = join(await temporaryDirectory(suite), "token");
    const former = await newToken("scraper");
    await writeFile(file, former, { mode: 0o600 });
    const { code, stdout, stderr } = await runSteward(
      ["token", "rotate", "self", "--overlap", "1h", "--token-file", file],
      { environment },
    );
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^stw_[A-Za-z0-9_-]{43}\n$/);
    assert.deepEqual([await reads(stdout.trim()), await reads(former)], [200, 200]);
    const asRoot = await runSteward(["token", "rotate", "self"], { environment });
    assert.equal(asRoot.code, 4, asRoot.stderr);
  });
});
