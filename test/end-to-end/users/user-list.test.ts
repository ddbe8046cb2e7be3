import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { type Answer, outcome } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

interface Listed {
  id: string;
  username: string;
  created_at: string;
}

describe("the list of users", () => {
  let token: string;
  const list = (query: string): Promise<Answer> => agent.call("GET", `/api/users${query}`, { token });
  const names = async (query: string) => (await list(query)).json.items.map((user: Listed) => user.username);
  const add = async (username: string, more: object = {}) => {
    const body = { username, role: "readonly", password: goodPassword, ...more };
    assert.equal((await agent.call("POST", "/api/users", { body, local: true })).status, 201);
  };
  /** Every page by its cursor; `between` runs after each. */
  const pages = async (query: string, between?: (page: number) => Promise<void>): Promise<string[]> => {
    const found: string[] = [];
    let cursor: string | null = "";
    for (let page = 0; cursor !== null && page < 50; page += 1) {
      const { json } = await list(`${query}${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`);
      found.push(...json.items.map((user: Listed) => user.username));
      await between?.(page);
      cursor = json.next_cursor;
    }
    return found;
  };
  const agent = ofSuite(startCheckedAgent);
  before(async () => {
    token = (await agent.signedInAdmin()).token;
    await add("carol", { display_name: "Carol Needle" });
    await add("alice", { role: "operator" });
    await add("dave", { enabled: false });
    await add("bob");
    await add("erin", { role: "operator", enabled: false, display_name: "ÉRIN" });
  });

  it("is sorted by name and says how many there are", async () => {
    const { json } = await list("");
    assert.equal(json.total, 6);
    assert.equal(json.next_cursor, null);
    assert.deepEqual(await names(""), ["alice", "bob", "carol", "dave", "erin", "root-admin"]);
  });

  const filters: Record<string, string[]> = {
    "?role=operator": ["alice", "erin"],
    "?role=admin": ["root-admin"],
    "?enabled=false": ["dave", "erin"],
    "?enabled=true&role=operator": ["alice"],
    "?locked=true": [],
    "?locked=false&role=readonly": ["bob", "carol", "dave"],
    "?two_factor=true": [],
    "?two_factor=false&role=operator": ["alice", "erin"],
    "?signed_in=true": ["root-admin"],
    "?signed_in=false&enabled=true": ["alice", "bob", "carol"],
    "?q=NEEDLE": ["carol"],
    "?q=%C3%A9rin": ["erin"],
    "?q=a&role=readonly": ["carol", "dave"],
    "?q=%25": [],
    "?q=.*": [],
    "?sort=-username&limit=2": ["root-admin", "erin"],
    "?sort=created_at": ["root-admin", "carol", "alice", "dave", "bob", "erin"],
    "?sort=-created_at&limit=1": ["erin"],
    "?sort=-last_login_at&limit=1": ["root-admin"],
  };
  for (const [query, expected] of Object.entries(filters)) {
    it(`${query} is ${expected.join(", ") || "empty"}`, async () => {
      assert.deepEqual(await names(query), expected);
    });
  }

  it("counts the users of each kind, whatever was asked for", async () => {
    assert.deepEqual((await list("?q=carol&limit=1")).json.counts, {
      admin: 1,
      operator: 2,
      readonly: 3,
      active: 4,
      locked: 0,
      disabled: 2,
      former_provider: 0,
      without_two_factor: 4,
      never_signed_in: 5,
    });
  });

  const refused: Record<string, string> = {
    "?limit=0": "validation_failed",
    "?limit=201": "validation_failed",
    "?sort=password_hash": "validation_failed",
    "?q=": "validation_failed",
    "?role=admin&role=operator": "validation_failed",
    "?Role=admin": "unknown_field",
    "?cursor=x": "invalid_cursor",
    "?cursor=bnVsbA": "invalid_cursor",
  };
  for (const [query, code] of Object.entries(refused)) {
    it(`${query} is refused: ${code}`, async () => {
      assert.equal(await outcome(list(query)), `400 ${code}`);
    });
  }

  for (const sort of [
    "username",
    "-username",
    "created_at",
    "-created_at",
    "last_login_at",
    "-last_login_at",
  ]) {
    it(`pages of two by ${sort} hold each user once, in the order of the whole list`, async () => {
      assert.deepEqual(await pages(`?sort=${sort}&limit=2`), await names(`?sort=${sort}`));
    });
  }

  it("pages stay whole while users are added and deleted between them", async () => {
    const before: string[] = await names("?limit=200");
    await add("zz-goes");
    const { json } = await list("?q=zz-goes");
    const seen = await pages("?limit=2", async (page) => {
      if (page === 0) await add("aaa-early");
      if (page === 1) {
        await add("bzz-middle");
        await agent.call("DELETE", `/api/users/${json.items[0].id}`, { local: true });
      }
    });
    assert.equal(new Set(seen).size, seen.length, "a user came twice");
    for (const name of before) assert.ok(seen.includes(name), `${name} is missing`);
    assert.ok(!seen.includes("zz-goes"), "!seen.includes('zz-goes')");
  });
});
