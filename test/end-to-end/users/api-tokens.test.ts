import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { goodPassword, type SignedIn, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { adminName, adminPassword, stepUp } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { passingTime } from "../../../lab/simulated/test-time.ts";
import { stepUpSeconds } from "../../../src/accounts/sessions/step-up.ts";

const unknownUser = `usr_${"0".repeat(32)}`;

/** To the second: the clock is read more than once. */
const lifeSeconds = (token: { created_at: string; expires_at: string }): number =>
  Math.round((Date.parse(token.expires_at) - Date.parse(token.created_at)) / 1_000);

describe("API tokens", () => {
  const time = passingTime();
  const agent = ofSuite(() => startCheckedAgent({ time }));
  const admin = ofSuite(() => agent.signedInAdmin());
  const operator = ofSuite(() => agent.signedIn("olga", "operator"));

  const create = (user: SignedIn, body: unknown) =>
    agent.call("POST", "/api/tokens", { token: user.token, body });
  const made = async (user: SignedIn, scopes: string[], name = "fleet") => {
    const { status, json, text } = await create(user, { name, scopes });
    assert.equal(status, 201, text);
    return json as { id: string; token: string };
  };
  const remove = (user: SignedIn, id: string) =>
    agent.call("DELETE", `/api/tokens/${id}`, { token: user.token });
  const list = (user: SignedIn, query = "") =>
    agent.call("GET", `/api/tokens${query}`, { token: user.token });
  const idsOf = async (user: SignedIn, query = ""): Promise<string[]> =>
    (await list(user, query)).json.items.map(({ id }: { id: string }) => id);
  const use = (token: string) => agent.call("GET", "/api/system/facts", { token });
  const refusedAs = async (user: SignedIn, body: unknown, expected: [number, string]) => {
    const before = (await list(user)).json.total;
    const { status, json } = await create(user, body);
    assert.deepEqual([status, json.code], expected, JSON.stringify(body));
    assert.equal((await list(user)).json.total, before, "nothing was made");
  };

  /** A sign-in is no step-up any more; these two have given the password again. */
  const minutesLater = async () => {
    time.pass(stepUpSeconds);
    await stepUp(agent.call, admin.token, adminPassword);
    await stepUp(agent.call, operator.token, goodPassword);
  };

  describe("are made", () => {
    it("by users who gave their password lately, at the sign-in or again, and by no others", async () => {
      const plain = await agent.login("olga", goodPassword);
      const body = { name: "at once", scopes: ["logs:read"] };
      assert.equal((await create(plain, body)).status, 201);
      await minutesLater();
      await refusedAs(plain, body, [401, "step_up_required"]);
    });
    it("with a prefix, 256 random bits, and an end in 90 days", async () => {
      const { json, headers } = await create(operator, { name: "fleet", scopes: ["logs:read"] });
      assert.match(json.token, /^stw_[A-Za-z0-9_-]{43}$/);
      assert.equal(lifeSeconds(json), 90 * 86_400);
      assert.equal(headers.location, `/api/tokens/${json.id}`);
      const { user_id, username, scopes, is_expired, last_used_at, last_used_from } = json;
      assert.deepEqual([user_id, username, scopes], [operator.id, "olga", ["logs:read"]]);
      assert.deepEqual([is_expired, last_used_at, last_used_from], [false, null, null]);
    });
    it("and shown this once: only a hash is kept", async () => {
      const { token } = await made(operator, ["logs:read"]);
      const stored = readFileSync(join(agent.stateDirectory, "tokens.json"), "utf8");
      assert.ok(!stored.includes(token), "the token is in tokens.json");
      assert.ok(stored.includes(createHash("sha256").update(token).digest("hex")), "its hash is not");
      assert.ok(!(await list(operator)).text.includes("stw_"), "a list shows tokens");
    });
    for (const [expires_in, seconds] of [
      ["1h", 3_600],
      ["60m", 3_600],
      ["366d", 366 * 86_400],
      ["8783h60m", 366 * 86_400],
    ] as const) {
      it(`for ${expires_in}`, async () => {
        const { json } = await create(operator, { name: "x", scopes: ["logs:read"], expires_in });
        assert.equal(lifeSeconds(json), seconds);
      });
    }
    for (const name of [
      `"><script>alert(1)</script>`,
      "'; DROP TABLE tokens; --",
      "../../etc/passwd",
      "%s%n$(reboot)`reboot`",
      "{{7*7}}#{7*7}",
      "🦦".repeat(64),
      "x".repeat(64),
    ]) {
      it(`under the name ${JSON.stringify(name)}, which comes back as it was`, async () => {
        const { id } = await made(operator, ["logs:read"], name);
        const { json } = await list(operator);
        assert.equal(json.items.find((item: { id: string }) => item.id === id)?.name, name);
        await remove(operator, id);
      });
    }
  });

  describe("are not made", () => {
    const scopes = ["logs:read"];
    const cases: [string, unknown][] = [
      ["without a name", { scopes }],
      ["with an empty name", { name: "", scopes }],
      ["with a name of 65 characters", { name: "x".repeat(65), scopes }],
      ["with a line feed in the name", { name: "a\nb", scopes }],
      ["with a NUL in the name", { name: "a\u0000b", scopes }],
      ["with an escape in the name", { name: "\u001b[2J", scopes }],
      ["with a name that turns the line around", { name: "a\u202eb", scopes }],
      ["with a name that is no text", { name: 7, scopes }],
      ["without scopes", { name: "x" }],
      ["with an empty list of scopes", { name: "x", scopes: [] }],
      ["with a scope twice", { name: "x", scopes: ["logs:read", "logs:read"] }],
      ["with a scope that is not known", { name: "x", scopes: ["logs:read", "users:delete"] }],
      ["with every scope at once", { name: "x", scopes: ["*"] }],
      ["with a scope in capitals", { name: "x", scopes: ["LOGS:READ"] }],
      ["with scopes in one text", { name: "x", scopes: "logs:read" }],
      ["with scopes that hold null", { name: "x", scopes: [null] }],
      ...["59m", "3599s", "0s", "", "366d1s", "367d", "999999999d", "1y", "-1h", "1.5h", "1 h", "1H"].map(
        (expires_in): [string, unknown] => [`for "${expires_in}"`, { name: "x", scopes, expires_in }],
      ),
      ["for a number", { name: "x", scopes, expires_in: 3_600 }],
      ["for null", { name: "x", scopes, expires_in: null }],
    ];
    for (const [name, body] of cases) {
      it(name, () => refusedAs(operator, body, [400, "validation_failed"]));
    }
    it("with a text of the caller's", async () => {
      for (const member of ["token", "hash", "id", "is_dead", "expires_at"]) {
        await refusedAs(operator, { name: "x", scopes, [member]: "x" }, [400, "unknown_field"]);
      }
    });
    it("for what the role may not do (privilege escalation)", async () => {
      const reader = await agent.signedIn("rita", "readonly");
      for (const scope of ["users:read", "updates:apply"]) {
        await refusedAs(operator, { name: "x", scopes: ["logs:read", scope] }, [403, "forbidden"]);
      }
      for (const scope of ["system:write", "events:read", "time:write", "updates:check", "users:read"]) {
        await refusedAs(reader, { name: "x", scopes: [scope] }, [403, "forbidden"]);
      }
    });
    it("beyond fifty a user, also not by requests at the same moment; one that goes makes room", async () => {
      const many = await agent.signedIn("many", "readonly");
      for (let count = 0; count < 48; count += 1) await made(many, scopes);
      const body = { name: "race", scopes };
      const race = await Promise.all(Array.from({ length: 6 }, () => create(many, body)));
      assert.equal(race.filter(({ status }) => status === 201).length, 2, "two places were left");
      await refusedAs(many, body, [409, "token_limit_reached"]);
      await made(operator, scopes);
      const [first = ""] = await idsOf(many);
      assert.equal((await remove(many, first)).status, 204);
      await made(many, scopes);
    });
  });

  it("are noted when they are used: when, and from where", async () => {
    const { id, token } = await made(operator, ["system:read"]);
    assert.equal((await agent.call("GET", "/api/system/facts", { token, from: "127.4.0.4" })).status, 200);
    const { json } = await list(operator);
    const { last_used_at, last_used_from } = json.items.find((item: { id: string }) => item.id === id);
    assert.equal(last_used_from, "127.4.0.4");
    assert.ok(Math.abs(Date.parse(last_used_at) - time.wall()) < 60_000, `${last_used_at} is not now`);
  });

  describe("are listed", () => {
    it("to their owner: only their own, also when they ask for them by id", async () => {
      const { id } = await made(admin, ["users:read"]);
      const own = await idsOf(operator);
      assert.ok(!own.includes(id), "another's token");
      assert.deepEqual(await idsOf(operator, `?user_id=${operator.id}`), own);
    });
    it("to an administrator and to local root: everybody's, or one user's", async () => {
      const all = await idsOf(admin);
      const own = await idsOf(operator);
      assert.ok(own.length > 0 && own.every((id) => all.includes(id)), "the operator's are among them");
      assert.deepEqual(await idsOf(admin, `?user_id=${operator.id}`), own);
      assert.deepEqual((await list(admin, `?user_id=${unknownUser}`)).json.items, []);
      const { json } = await agent.call("GET", "/api/tokens", { local: true });
      assert.equal(json.total, (await list(admin)).json.total);
    });
    it("of another user to no one else, whether there is such a user or not", async () => {
      for (const id of [admin.id, unknownUser]) {
        const { status, json } = await list(operator, `?user_id=${id}`);
        assert.deepEqual([status, json.code], [403, "forbidden"], id);
      }
    });
    it("in pages, each token once and in the order of their creation", async () => {
      const whole = await idsOf(admin, `?user_id=${operator.id}`);
      const paged: string[] = [];
      let cursor = "";
      for (let page = 0; page < whole.length; page += 1) {
        const { json } = await list(operator, `?limit=2${cursor}`);
        assert.equal(json.total, whole.length);
        paged.push(...json.items.map(({ id }: { id: string }) => id));
        if (json.next_cursor === null) break;
        cursor = `&cursor=${json.next_cursor}`;
      }
      assert.deepEqual(paged, whole);
    });
    it("behind no cursor but one of this list: another user's token tells nothing", async () => {
      const { id } = await made(admin, ["logs:read"]);
      for (const cursor of [id, `tok_${"0".repeat(32)}`, "x", "%00", "-1"]) {
        const { status, json } = await list(operator, `?cursor=${cursor}`);
        assert.deepEqual([status, json.code], [400, "invalid_cursor"], cursor);
      }
    });
    for (const query of ["limit=0", "limit=201", "limit=x", "limit=1&limit=2", "sort=name", "user_id=x"]) {
      it(`not with ${query}`, async () => assert.equal((await list(operator, `?${query}`)).status, 400));
    }
  });

  describe("are deleted", () => {
    const facts = ["system:read"];
    it("by their owner without the password, and die at once", async () => {
      const { id, token } = await made(operator, facts);
      assert.equal((await use(token)).status, 200);
      const plain = await agent.login("olga", goodPassword);
      assert.equal((await remove(plain, id)).status, 204);
      const { status, json } = await use(token);
      assert.deepEqual([status, json.code, json.reason], [401, "invalid_token", "revoked"]);
      assert.equal((await remove(operator, id)).json.code, "not_found");
    });
    it("by an administrator who gave the password again, whosever they are", async () => {
      const { id, token } = await made(operator, facts);
      const plain = await agent.login(adminName, adminPassword);
      await minutesLater();
      assert.equal((await remove(plain, id)).json.code, "step_up_required");
      assert.equal((await use(token)).status, 200);
      assert.equal((await remove(admin, id)).status, 204);
      assert.equal((await use(token)).status, 401);
    });
    it("by no other user: for them there is no such token", async () => {
      const { id, token } = await made(admin, facts);
      const unknown = await remove(operator, `tok_${"0".repeat(32)}`);
      const foreign = await remove(operator, id);
      assert.deepEqual([foreign.status, foreign.json.code], [404, "not_found"]);
      assert.equal(foreign.json.detail, unknown.json.detail);
      assert.equal((await use(token)).status, 200);
    });
    it("never by a token, its own included", async () => {
      const { id, token } = await made(admin, facts);
      const answer = await agent.call("DELETE", `/api/tokens/${id}`, { token });
      assert.deepEqual([answer.status, answer.json.code], [403, "token_not_allowed"]);
    });
  });
});
