import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type OperationId, operationIds, operationOf } from "../../src/contract/operations.ts";
import { type CheckedAgent, type SignedIn, startCheckedAgent } from "../http/checked-agent.ts";
import type { CallOptions } from "../running-agent.ts";

const callers = ["anonymous", "local", "readonly", "operator", "admin", "signedOut"] as const;
type Caller = (typeof callers)[number];

/** `+` may, `-` may not (401 or 403). In the order of `callers`; from the roles of the contract's page, by hand. */
const table: Record<string, string> = {
  //                  anonymous local readonly operator admin signedOut
  getVersion: "         +         +     +        +       +      +",
  getHealth: "          +         +     +        +       +      +",
  getReadiness: "       +         +     +        +       +      +",
  getOpenApi: "         +         +     +        +       +      +",
  getSetup: "           +         +     +        +       +      +",
  setUp: "              +         +     +        +       +      +",
  login: "              +         +     +        +       +      +",
  refresh: "            +         +     +        +       +      +",
  logout: "             +         +     +        +       +      +",
  getMe: "              -         -     +        +       +      -",
  changePassword: "     -         -     +        +       +      -",
  listSessions: "       -         +     +        +       +      -",
  endSession: "         -         +     +        +       +      -",
  endUserSessions: "    -         +     -        -       +      -",
  listUsers: "          -         +     -        -       +      -",
  createUser: "         -         +     -        -       +      -",
  getUser: "            -         +     -        -       +      -",
  updateUser: "         -         +     -        -       +      -",
  deleteUser: "         -         +     -        -       +      -",
  resetPassword: "      -         +     -        -       +      -",
  unlockUser: "         -         +     -        -       +      -",
  getSettings: "        -         +     +        +       +      -",
  updateSettings: "     -         +     -        +       +      -",
  getSettingsSchema: "  -         +     +        +       +      -",
  getSystemFacts: "     -         +     +        +       +      -",
  listLogs: "           -         +     +        +       +      -",
  streamLogs: "         -         +     +        +       +      -",
};

/** The same about oneself: `{id}` is the caller's own. */
const aboutOneself: Record<string, string> = {
  //              readonly operator admin
  getUser: "         +        +       +",
  endUserSessions: " -        -       +",
  updateUser: "      +        +       +",
  deleteUser: "      -        -       +",
  resetPassword: "   -        -       +",
  unlockUser: "      -        -       +",
};

/** An id that nobody has: whoever may call gets 404, so nothing is changed by asking. */
const nobody = `usr_${"0".repeat(32)}`;

describe("who may call what", () => {
  let agent: CheckedAgent;
  const users = new Map<Caller, SignedIn>();
  before(async () => {
    agent = await startCheckedAgent();
    users.set("admin", await agent.signedInAdmin());
    users.set("operator", await agent.signedIn("olga", "operator"));
    users.set("readonly", await agent.signedIn("rita", "readonly"));
    const left = await agent.signedIn("someone-else", "admin");
    await agent.call("POST", "/api/auth/logout", { body: { refresh_token: left.refreshToken } });
    users.set("signedOut", left);
  });
  after(() => agent.dispose());

  /** A body that no operation takes: rights are judged before it is. */
  const attempt = async (id: OperationId, caller: Caller, userId: string, body: unknown): Promise<number> => {
    const { method, path, body: wanted, response } = operationOf(id);
    const options: CallOptions = {
      ...(caller === "local" && { local: true }),
      ...(caller !== "local" && caller !== "anonymous" && { token: users.get(caller)?.token }),
      ...(wanted && { body }),
    };
    // A stream would not end; it refuses a parameter that it does not know after it has judged rights.
    const target = path.replace("{id}", userId) + (response.stream ? "?no_such_parameter=1" : "");
    const { status, json } = await agent.call(method, target, options);
    return json?.code === "invalid_credentials" || json?.code === "setup_token_invalid" ? 200 : status;
  };

  it("has a line here for every operation, and none for what is no operation", () => {
    assert.deepEqual(Object.keys(table).sort(), [...operationIds].sort());
    const byId = operationIds.filter((id) => operationOf(id).path.includes("{id}"));
    assert.deepEqual(Object.keys(aboutOneself).sort(), byId.sort());
  });

  for (const id of operationIds) {
    const line = (table[id] ?? "").trim().split(/\s+/);
    for (const [index, caller] of callers.entries()) {
      const expected = line[index];
      it(`${id}: ${caller} ${expected === "+" ? "may" : "may not"}`, async () => {
        assert.match(String(expected), /^[+-]$/, "no line in the table");
        const status = await attempt(id, caller, nobody, { no_such_member: 1 });
        const isRefused = status === 401 || status === 403;
        assert.equal(isRefused ? "-" : "+", expected, `answered ${status}`);
        const isUnknown = caller === "anonymous" || caller === "signedOut";
        if (isRefused) assert.equal(status, isUnknown ? 401 : 403);
      });
    }
  }

  for (const [id, line] of Object.entries(aboutOneself)) {
    for (const [index, caller] of (["readonly", "operator", "admin"] as const).entries()) {
      const expected = line.trim().split(/\s+/)[index];
      // What the administrator may do to himself would end this test's own session.
      if (caller === "admin" && expected === "+" && id !== "getUser" && id !== "updateUser") continue;
      it(`${id} about oneself: ${caller} ${expected === "+" ? "may" : "may not"}`, async () => {
        const own = users.get(caller)?.id ?? "";
        const status = await attempt(id as OperationId, caller, own, { display_name: "It is me" });
        assert.equal(status === 403 ? "-" : "+", expected, `answered ${status}`);
        if (expected === "+") assert.equal(status, 200);
      });
    }
  }

  describe("privilege escalation by the own account", () => {
    const attacks = [{ role: "admin" }, { enabled: true }, { display_name: "x", role: "readonly" }];
    for (const body of attacks) {
      it(`is refused: readonly sends ${JSON.stringify(body)}`, async () => {
        const { id, token } = users.get("readonly") ?? { id: "", token: "" };
        const before = (await agent.call("GET", `/api/users/${id}`, { token })).json;
        const { status, json } = await agent.call("PUT", `/api/users/${id}`, { token, body });
        assert.deepEqual([status, json.code], [403, "forbidden"]);
        assert.deepEqual((await agent.call("GET", `/api/users/${id}`, { token })).json, before);
      });
    }
  });

  it("a token over the socket lowers the rights of local root to its user's", async () => {
    const { token } = users.get("readonly") ?? { token: "" };
    assert.equal((await agent.call("GET", "/api/users", { local: true })).status, 200);
    assert.equal((await agent.call("GET", "/api/users", { local: true, token })).status, 403);
    assert.equal((await agent.call("GET", "/api/users", { local: true, token: "bad" })).status, 401);
  });

  it("changes nothing by all of these attempts", async () => {
    const { json } = await agent.call("GET", "/api/users", { local: true });
    const names = json.items.map(({ username }: { username: string }) => username);
    assert.deepEqual(names, ["olga", "rita", "root-admin", "someone-else"]);
  });
});
