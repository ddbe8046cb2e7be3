import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type SignedIn, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import type { Answer } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";

describe("an account that writes as fast as it can", () => {
  const time = standingTime();

  let flooder: SignedIn;
  let others: Record<"admin" | "operator", SignedIn>;
  let before429: number;
  let refused: Answer;

  const rename = (caller: SignedIn, name: string): Promise<Answer> =>
    agent.call("PUT", `/api/users/${caller.id}`, { token: caller.token, body: { display_name: name } });
  const eventsOf = async (query: string) => (await agent.read(`/api/events?${query}`)).items;

  const agent = ofSuite(() => startCheckedAgent({ time }));
  before(async () => {
    await agent.signedInAdmin();
    others = {
      admin: await agent.signedIn("ana", "admin"),
      operator: await agent.signedIn("ben", "operator"),
    };
    flooder = await agent.signedIn("eve", "readonly");
    await agent.call("PUT", `/api/users/${flooder.id}`, {
      ...{ token: others.admin.token, body: { display_name: "Eve" } },
    });
    before429 = 0;
    for (;;) {
      refused = await rename(flooder, `Eve ${before429}`);
      if (refused.status !== 200 || before429 > 1_000) break;
      before429 += 1;
    }
  });

  it("is refused after 600 changes with 429 and Retry-After, and may make one a second", async () => {
    assert.equal(before429, 600);
    assert.deepEqual([refused.status, refused.json.code], [429, "rate_limited"]);
    assert.equal(refused.headers["retry-after"], "1");
    assert.deepEqual(budgetOf(refused), { q: 600, w: 600, r: 0, t: 1 });
    time.pass(1);
    assert.equal((await rename(flooder, "Eve again")).status, 200);
    assert.equal((await rename(flooder, "Eve once more")).status, 429);
  });

  it("is told with each change how many are left, as the draft of RateLimit headers has it, and with no read", async () => {
    const first = budgetOf(await rename(others.operator, "Ben the first"));
    assert.deepEqual([first.q, first.w, first.r + first.t], [600, 600, 600]);
    const second = budgetOf(await rename(others.operator, "Ben the second"));
    assert.ok(second.r <= first.r, JSON.stringify([first, second]));
    const { token, id } = others.operator;
    for (const answer of [
      agent.call("PUT", `/api/users/${id}`, { token, body: { display_name: 7 } }),
      agent.call("GET", "/api/auth/me", { token }),
      agent.call("PUT", "/api/system", { local: true, body: {} }),
    ]) {
      const { headers } = await answer;
      assert.deepEqual([headers.ratelimit, headers["ratelimit-policy"]], [undefined, undefined]);
    }
  });

  it("takes nothing from others: they, its own reading and signing out, and root on the device go on", async () => {
    const { token, id, refreshToken: refresh_token } = flooder;
    assert.equal((await rename(flooder, "E")).status, 429);
    assert.equal((await rename(others.operator, "Ben")).status, 200);
    assert.equal((await agent.call("GET", "/api/auth/me", { token })).status, 200);
    const body = { display_name: "by root" };
    assert.equal((await agent.call("PUT", `/api/users/${id}`, { local: true, body })).status, 200);
    assert.equal((await agent.call("POST", "/api/auth/logout", { body: { refresh_token } })).status, 204);
  });

  it("has one line for each run of equal changes, with their number, and none of others is gone", async () => {
    time.pass(600);
    const lines = await eventsOf("name=eve&type=user.changed&limit=200");
    // The newest first: by root, all of eve but the first, the first, by ana.
    assert.deepEqual(
      lines.map(({ count }: { count: number }) => count),
      [1, 600, 1, 1],
    );
    const created = await eventsOf("type=user.created&limit=3");
    const names = created.map(({ subject }: { subject: { name: string } }) => subject.name);
    assert.deepEqual(names, ["eve", "ben", "ana"]);
  });

  it("has a bounded number of audit lines in the journal, and those of others are there", async () => {
    const lines = agent.log().trimEnd().split("\n");
    const audit = lines.map((line) => JSON.parse(line)).filter((line) => line.audit === true);
    const by = (name: string) => audit.filter(({ user, actor }) => user === name || actor === name);
    assert.ok(by("eve").length < 600, `${by("eve").length} lines`);
    assert.ok(
      by("eve").some(({ message }) => message === "audit lines left out"),
      "it is not said",
    );
    assert.ok(by("ben").some(({ message }) => message.startsWith("PUT /api/users/")));
  });
});

/** The parameters of both headers, by RFC 9651 (structured fields). Throws where they are none. */
function budgetOf({ headers }: Answer): Record<"q" | "w" | "r" | "t", number> {
  const { ratelimit = "", "ratelimit-policy": policy = "" } = headers;
  const [, q, w] = /^"changes";q=(\d+);w=(\d+)$/.exec(String(policy)) ?? assert.fail(`policy ${policy}`);
  const [, r, t] = /^"changes";r=(\d+);t=(\d+)$/.exec(String(ratelimit)) ?? assert.fail(`limit ${ratelimit}`);
  return { q: Number(q), w: Number(w), r: Number(r), t: Number(t) };
}
