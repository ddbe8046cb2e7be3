import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { outcome } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

describe("the list of users", () => {
  const agent = ofSuite(startCheckedAgent);
  const names = async (query: string): Promise<string[]> =>
    (await agent.read(`/api/users${query}`)).items.map(({ username }: { username: string }) => username);
  const add = (username: string, more: object = {}) => {
    const body = { username, role: "readonly", password: goodPassword, ...more };
    return agent.call("POST", "/api/users", { body, local: true });
  };
  /** Every page of two by its cursor; `between` runs after each. */
  const pages = async (query: string, between?: (page: number) => Promise<unknown>): Promise<string[]> => {
    const found: string[] = [];
    for (let page = 0, cursor = ""; page < 50; page += 1) {
      const asked = `/api/users?limit=2${query}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
      const { items, next_cursor } = await agent.read(asked);
      found.push(...items.map(({ username }: { username: string }) => username));
      await between?.(page);
      if (next_cursor === null) break;
      cursor = next_cursor;
    }
    return found;
  };
  before(async () => {
    await agent.signedInAdmin();
    await add("carol", { display_name: "Carol Needle" });
    await add("alice", { role: "operator" });
    await add("dave", { enabled: false });
    await add("bob");
    await add("erin", { role: "operator", enabled: false, display_name: "ÉRIN" });
  });

  it("has those that are asked for, in the order that is asked for", async () => {
    for (const [query, expected] of [
      ["", "alice bob carol dave erin root-admin"],
      ["?role=operator", "alice erin"],
      ["?enabled=false", "dave erin"],
      ["?enabled=true&role=operator", "alice"],
      ["?locked=true", ""],
      ["?locked=false&role=readonly", "bob carol dave"],
      ["?two_factor=true", ""],
      ["?two_factor=false&role=operator", "alice erin"],
      ["?signed_in=true", "root-admin"],
      ["?signed_in=false&enabled=true", "alice bob carol"],
      ["?q=NEEDLE", "carol"],
      ["?q=%C3%A9rin", "erin"],
      ["?q=a&role=readonly", "carol dave"],
      ["?q=%25", ""],
      ["?q=.*", ""],
      ["?sort=-username&limit=2", "root-admin erin"],
      ["?sort=created_at", "root-admin carol alice dave bob erin"],
      ["?sort=-created_at&limit=1", "erin"],
      ["?sort=-last_login_at&limit=1", "root-admin"],
    ] as const)
      assert.equal((await names(query)).join(" "), expected, query);
  });

  it("counts the users of each kind, whatever was asked for", async () => {
    assert.deepEqual((await agent.read("/api/users?q=carol&limit=1")).counts, {
      ...{ admin: 1, operator: 2, readonly: 3, active: 4, locked: 0, disabled: 2 },
      ...{ former_provider: 0, without_two_factor: 4, never_signed_in: 5 },
    });
  });

  it("is none for a parameter that is twice there, unknown or out of its bounds", async () => {
    for (const [query, code] of [
      ["?limit=0", "validation_failed"],
      ["?limit=201", "validation_failed"],
      ["?sort=password_hash", "validation_failed"],
      ["?q=", "validation_failed"],
      ["?role=admin&role=operator", "validation_failed"],
      ["?Role=admin", "unknown_field"],
    ] as const)
      assert.equal(await outcome(agent.call("GET", `/api/users${query}`, { local: true })), `400 ${code}`);
  });

  it("is the same page by page, in each order, and whole while users come and go between them", async () => {
    for (const order of ["username", "created_at", "last_login_at"].flatMap((one) => [one, `-${one}`]))
      assert.deepEqual(await pages(`&sort=${order}`), await names(`?sort=${order}`), order);
    const before = await names("");
    const goes = (await add("zz-goes")).json.id;
    const seen = await pages("", async (page) => {
      if (page < 2) await add(["aaa-early", "bzz-middle"][page] ?? "");
      if (page === 1) await agent.call("DELETE", `/api/users/${goes}`, { local: true });
    });
    assert.equal(new Set(seen).size, seen.length, "a user came twice");
    assert.deepEqual(
      before.filter((name) => !seen.includes(name)),
      [],
    );
    assert.ok(!seen.includes("zz-goes"));
  });
});
