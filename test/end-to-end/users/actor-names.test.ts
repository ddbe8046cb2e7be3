import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runSteward } from "../../../lab/agents/agent-in-process.ts";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { usernamesFor } from "../../../src/accounts/oidc/identity.ts";
import { readProvisioned } from "../../../src/accounts/sign-in/first-administrator.ts";
import { peopleFromCsv } from "../../../src/console/users/adding/people-from-csv.ts";

const names = ["agent", "anonymous", "local-root", "others", "root"];

const hash = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"B".repeat(43)}`;

describe("a name that events use for an actor other than a person", () => {
  const fresh = ofSuite(startCheckedAgent);
  const agent = ofSuite(startCheckedAgent);
  const admin = ofSuite(() => agent.signedInAdmin());
  const post = async (path: string, body: object) => {
    const { json } = await (path === "/api/setup" ? fresh : agent).call("POST", path, {
      token: path === "/api/setup" ? undefined : admin.token,
      body,
    });
    return json.errors?.map(({ pointer, detail }: Record<string, string>) => `${pointer} ${detail}`).join();
  };
  const steward = async (args: readonly string[], input: string) =>
    (await runSteward(args, { input, environment: { STEWARD_SOCKET: agent.socket } })).stderr;
  const thrown = (read: () => unknown): string => {
    try {
      return JSON.stringify(read());
    } catch (error) {
      return String(error);
    }
  };

  const rule =
    /agent, anonymous, local-root, others, root are reserved: events and logs use them for actors that are not people/;
  const doors: Record<string, [(name: string) => string | Promise<string>, place: RegExp]> = {
    "POST /api/users": [
      (username) => post("/api/users", { username, role: "readonly", password: goodPassword }),
      /^\/username must be/,
    ],
    "POST /api/setup": [
      (username) => post("/api/setup", { setup_token: "stp_x", username, password: goodPassword }),
      /^\/username must be/,
    ],
    "steward user add": [
      (name) => steward(["user", "add", name, "--password-stdin"], `${goodPassword}\n`),
      /NAME must be/,
    ],
    "steward apply": [
      (name) =>
        steward(["apply", "-"], JSON.stringify({ users: [{ name, role: "readonly", password_hash: hash }] })),
      /\/users\/0\/name/,
    ],
    "the credential steward.admin": [
      (username) => thrown(() => readProvisioned(JSON.stringify({ username, password_hash: hash }))),
      /username must be/,
    ],
  };

  for (const [door, [enter, place]] of Object.entries(doors))
    it(`is refused by ${door}, which says why and names all of them`, async () => {
      for (const name of names) {
        const said = await enter(name);
        assert.match(said, place, name);
        assert.match(said, rule, name);
      }
    });

  it("is a fault of its line in a list of people", () => {
    const { entries } = peopleFromCsv(names.join("\n"), { columns: {}, roles: {} }, new Set());
    assert.deepEqual(
      entries.map(({ username, faults }) => `${username} ${faults}`),
      names.map((name) => `${name} username`),
    );
  });

  it("is not taken over from a provider, whose person signs in all the same", () => {
    const config = { issuer: "https://login.example", nameClaim: "preferred_username" } as never;
    for (const name of names)
      assert.equal(usernamesFor({ sub: "7", preferred_username: name }, config)[0], "person", name);
  });

  it("has made no account, and leaves names that only contain it", async () => {
    for (const username of ["root-admin2", "rooted", "agent7", "token", "user"]) {
      const body = { username, role: "readonly", password: goodPassword };
      assert.equal((await agent.call("POST", "/api/users", { body, local: true })).status, 201, username);
    }
    const json = await agent.read("/api/users?limit=200");
    for (const { username } of json.items) assert.ok(!names.includes(username), username);
  });
});
