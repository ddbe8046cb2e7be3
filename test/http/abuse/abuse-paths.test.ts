import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  assertServesOthers,
  type CheckedAgent,
  goodPassword,
  type SignedIn,
  startCheckedAgent,
} from "../../../lab/agents/checked-agent.ts";

const unknownUser = `usr_${"0".repeat(32)}`;

/** Paths by the one answer that each must have, for an administrator who may call everything. */
const paths: Readonly<Record<string, readonly string[]>> = {
  "404 not_found": [
    ..."/api/nothing /api /api/ /API/version /api/Version /api/version/ /api/version.json /api/version;x=1".split(
      " ",
    ),
    ..."//api/version /api//version /./api/version /api/users/../version /api/%2e%2e/api/version".split(" "),
    ..."/api%2Fversion /%61pi/version%00 /api/version%00 /api/users/%2e%2e%2fversion /api/users/a%2Fb".split(
      " ",
    ),
    ...[`/api/users/${unknownUser}%00`, `/api/users/${unknownUser}%0a`, `/${"a".repeat(8_000)}`],
    ..."/api/users/__proto__ /api/users/constructor /index.html/.. /../../etc/passwd /main.js".split(" "),
    ..."/%2e%2e/%2e%2e/etc/passwd /..%2f..%2fetc%2fpasswd /console/index.html".split(" "),
  ],
  "400 malformed_path": "/api/%zz /% /api/users/%ff /api/users/%c0%af /api/users/%u0041".split(" "),
  "400 unknown_field": [
    ..."/api/version?x=1 /api/version?__proto__=1 /api/version?%zz /api/users?role[]=admin".split(" "),
    ...["/api/users?limit[$gt]=1", "/api/users?q=a&Q=b", `/api/users/${unknownUser}?force=true`],
  ],
  "400 validation_failed": [
    ...["/api/users?limit=1&limit=2", "/api/users?role=admin&role=admin"],
    ...[`/api/users?q=${"a".repeat(8_000)}`, `/api/users?${"a&".repeat(4_000)}`],
  ],
  "431 headers_too_large": [`/${"a".repeat(20_000)}`, `/api/users?q=${"%41".repeat(10_000)}`],
};

const usernames: Record<string, string> = {
  "in another case": "Root-Admin",
  "all in capitals": "ROOT-ADMIN",
  "with a Cyrillic а": "root-\u0430dmin",
  "in full width": "ｒoot-admin",
  "with a dotless i": "root-adm\u0131n",
  "with a Kelvin sign": "\u212aevin",
  "with a zero width space": "root\u200b-admin",
  "with a combining mark": "root-admi\u0301n",
  "written from right to left": "\u202enimda-toor",
  "with a blank behind": "root-admin ",
  "with a line end behind": "root-admin\n",
  "with a NUL behind": "root-admin\u0000",
  "with a tab": "root\tadmin",
  "of two letters": "ab",
  "of 33 letters": "a".repeat(33),
  "that begins with a digit": "1admin",
  "that ends with a dot": "admin.",
  "that is a path": "../admin",
  "that is an option": "--role",
  "that is empty": "",
  "with quotes": `a"b'c`,
  "with a percent sign": "a%00b",
};

let agent: CheckedAgent;
let admin: SignedIn;
before(async () => {
  agent = await startCheckedAgent();
  admin = await agent.signedInAdmin();
});
after(async () => {
  await assertServesOthers(agent);
  await agent.dispose();
});

describe("a path that is not in the contract", () => {
  for (const [expected, all] of Object.entries(paths))
    for (const path of all)
      it(`${path.length > 60 ? `${path.slice(0, 24)}… (${path.length})` : path}: ${expected}`, async () => {
        const { status, json, text } = await agent.call("GET", path, { token: admin.token });
        assert.equal(`${status} ${json?.code}`, expected, text.slice(0, 200));
      });

  it("an escape of a plain letter is not that letter's path for another rule: it is answered like it or not at all", async () => {
    const { status, json } = await agent.call("GET", "/%61pi/users");
    assert.ok(status === 404 || json.code === "authentication_required", "no way around the check of rights");
  });

  for (const method of ["PATCH", "TRACE", "PROPFIND", "PURGE", "LOCK", "SEARCH", "M-SEARCH"])
    it(`${method} is 405 where there is something, 404 where there is not`, async () => {
      const there = await agent.call(method, "/api/users", { token: admin.token });
      assert.deepEqual([there.status, there.json.code], [405, "method_not_allowed"]);
      const nowhere = await agent.call(method, "/api/nothing", { token: admin.token });
      assert.deepEqual([nowhere.status, nowhere.json.code], [404, "not_found"]);
    });

  it("X-HTTP-Method-Override changes no method, X-Original-URL and X-Rewrite-URL no path", async () => {
    const { token } = admin;
    const path = `/api/users/${admin.id}`;
    const asDelete = { "x-http-method-override": "DELETE", "x-method-override": "DELETE" };
    assert.equal((await agent.call("GET", path, { token, headers: asDelete })).json.id, admin.id);
    assert.equal((await agent.call("GET", path, { token })).status, 200);
    const headers = { "x-original-url": "/api/version", "x-rewrite-url": "/api/version" };
    assert.equal((await agent.call("GET", "/api/users", { headers })).status, 401);
  });
});

describe("a user name that looks like another", () => {
  for (const [name, username] of Object.entries(usernames))
    it(`${name} is refused`, async () => {
      const { token } = admin;
      const body = { username, role: "readonly", password: goodPassword };
      const { status, json } = await agent.call("POST", "/api/users", { token, body });
      assert.deepEqual([status, json.code, json.errors[0].pointer], [400, "validation_failed", "/username"]);
      assert.equal((await agent.call("GET", "/api/users", { token })).json.total, 1);
    });
});
