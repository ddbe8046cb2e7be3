import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runSteward } from "../../../lab/agents/agent-in-process.ts";
import { goodPassword as password, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { usernamesFor } from "../../../src/accounts/oidc/identity.ts";
import { readProvisioned } from "../../../src/accounts/sign-in/first-administrator.ts";
import { peopleFromCsv } from "../../../src/console/users/adding/people-from-csv.ts";

const names = ["agent", "anonymous", "local-root", "others", "root"];
const password_hash = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"B".repeat(43)}`;

describe("a name that events use for an actor other than a person", () => {
  const fresh = ofSuite(startCheckedAgent);
  const agent = ofSuite(startCheckedAgent);
  ofSuite(() => agent.signedInAdmin());
  const post = async (to: typeof agent, path: string, local: boolean, body: object) => {
    const { json } = await to.call("POST", path, { local, body });
    return json.errors?.map(({ pointer, detail }: Record<string, string>) => `${pointer} ${detail}`).join();
  };
  const steward = async (args: readonly string[], input: string): Promise<string> =>
    (await runSteward(args, { input, environment: { STEWARD_SOCKET: agent.socket } })).stderr;

  const doors: Record<string, (name: string) => string | Promise<string>> = {
    "POST /api/users": (username) =>
      post(agent, "/api/users", true, { username, role: "readonly", password }),
    "POST /api/setup": (username) =>
      post(fresh, "/api/setup", false, { setup_token: "stp_x", username, password }),
    "steward user add": (name) => steward(["user", "add", name, "--password-stdin"], `${password}\n`),
    "steward apply": (name) =>
      steward(["apply", "-"], JSON.stringify({ users: [{ name, role: "readonly", password_hash }] })),
    "the credential steward.admin": (username) =>
      Promise.resolve(JSON.stringify({ username, password_hash })).then(readProvisioned).then(String, String),
  };
  const rule =
    /name.* must be .*agent, anonymous, local-root, others, root are reserved: events and logs use them for/is;
  for (const [door, enter] of Object.entries(doors))
    it(`is refused by ${door}, which says why and names all of them`, async () => {
      for (const name of names) assert.match(await enter(name), rule, name);
    });

  it("is a fault of its line in a list of people, and a provider's person of that name gets another", () => {
    const { entries } = peopleFromCsv(names.join("\n"), { columns: {}, roles: {} }, new Set());
    const told = entries.map(({ username, faults }) => `${username} ${faults}`);
    assert.deepEqual(
      told,
      names.map((name) => `${name} username`),
    );
    const config = { issuer: "https://login.example", nameClaim: "preferred_username" } as never;
    for (const name of names)
      assert.equal(usernamesFor({ sub: "7", preferred_username: name }, config)[0], "person", name);
  });

  it("leaves names that only contain it", async () => {
    for (const username of ["agent7", "root-admin2", "rooted"])
      assert.equal(await post(agent, "/api/users", true, { username, role: "readonly" }), undefined);
  });
});
