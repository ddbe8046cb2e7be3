import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { runSteward } from "../../../lab/agents/agent-in-process.ts";
import { startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";

/** Documentation addresses (RFC 5737). */
const [inside, outside] = ["203.0.113.7", "198.51.100.7"];

describe("POST /api/tokens/self/rotate", () => {
  const agent = ofSuite(startCheckedAgent);
  before(() => agent.signedInAdmin());

  const steward = (...words: string[]) => {
    const environment = { STEWARD_SOCKET: agent.socket, STEWARD_STATE: agent.stateDirectory };
    return runSteward(["token", ...words], { environment });
  };
  const newToken = async (name: string, ...rights: string[]): Promise<string> => {
    const words = `add --user root-admin --name ${name} --scope system:read --quiet`.split(" ");
    const { code, stdout, stderr } = await steward(...words, ...rights);
    assert.equal(code, 0, stderr);
    return stdout.trim();
  };
  const rotate = (token: string, from = inside, body?: object) =>
    agent.call("POST", "/api/tokens/self/rotate", { token, from, ...(body && { body }) });
  const reads = async (token: string, from = inside) =>
    (await agent.call("GET", "/api/status", { token, from })).status;
  const listed = async (name: string) =>
    (await agent.read("/api/tokens")).items.filter((one: { name: string }) => one.name === name);

  it("gives a program the successor of its token, with the same rights, and both are valid meanwhile", async () => {
    const token = await newToken("fleet", "--fleet", "--from", "203.0.113.0/24", "--scope", "users:write");
    const { status, json, text, headers } = await rotate(token);
    assert.equal(status, 201, text);
    assert.equal(headers.location, `/api/tokens/${json.id}`);
    const rights = [["system:read", "users:write"], true, ["203.0.113.0/24"]];
    assert.deepEqual([json.scopes, json.is_fleet, json.sources], rights);
    const read = [await reads(token), await reads(json.token), await reads(json.token, outside)];
    assert.deepEqual(read, [200, 200, 401]);
    const [former] = await listed("fleet");
    assert.ok(Date.parse(former.expires_at) <= Date.now() + 86_400_000);
    const [{ actor, subject, details }] = (await agent.read("/api/events?type=token.rotated")).items;
    assert.deepEqual(actor, { kind: "token", id: former.user_id, name: "root-admin/fleet" });
    assert.deepEqual(subject, { id: json.id, name: "fleet" });
    assert.deepEqual(details, { owner: "root-admin", overlap: "24h" });
  });

  it("tells of a thief: who comes second, after the successor was used, is refused, and it is an event", async () => {
    const stolen = await newToken("stolen");
    const thief = (await rotate(stolen, outside, { overlap: "1h" })).json;
    assert.equal(await reads(thief.token, outside), 200);
    const { status, json } = await rotate(stolen);
    assert.deepEqual([status, json.code, json.detail.includes(thief.id)], [403, "forbidden", true]);
    const [refusal] = (await agent.read("/api/events?type=request.refused")).items;
    const told = [refusal.actor.name, refusal.details.operation];
    assert.deepEqual(told, ["root-admin/stolen", "rotateOwnToken"]);
    assert.equal((await listed("stolen")).length, 2);
  });

  it("is `steward token rotate self` with a token of one's own", async () => {
    const file = join(scratchDirectory(), "token");
    const former = await newToken("scraper");
    writeFileSync(file, former, { mode: 0o600 });
    const { code, stdout, stderr } = await steward("rotate", "self", "--overlap", "1h", "--token-file", file);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^stw_[A-Za-z0-9_-]{43}\n$/);
    assert.deepEqual([await reads(stdout.trim()), await reads(former)], [200, 200]);
    assert.equal((await steward("rotate", "self")).code, 4, "root has no token");
  });
});
