import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type SignedIn, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import type { Answer } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";

describe("an account that writes as fast as it can", () => {
  const time = standingTime();

  let flooder: SignedIn;
  let other: SignedIn;
  let before429: number;
  let refused: Answer;

  const rename = (caller: SignedIn, name: string): Promise<Answer> =>
    agent.call("PUT", `/api/users/${caller.id}`, { token: caller.token, body: { display_name: name } });

  const agent = ofSuite(() => startCheckedAgent({ time }));
  before(async () => {
    await agent.signedInAdmin();
    other = await agent.signedIn("ben", "operator");
    flooder = await agent.signedIn("eve", "readonly");
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
    const first = budgetOf(await rename(other, "Ben the first"));
    assert.deepEqual([first.q, first.w, first.r + first.t], [600, 600, 600]);
    const second = budgetOf(await rename(other, "Ben the second"));
    assert.ok(second.r <= first.r, JSON.stringify([first, second]));
    const { token, id } = other;
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
    assert.equal((await rename(other, "Ben")).status, 200);
    assert.equal((await agent.call("GET", "/api/auth/me", { token })).status, 200);
    const body = { display_name: "by root" };
    assert.equal((await agent.call("PUT", `/api/users/${id}`, { local: true, body })).status, 200);
    assert.equal((await agent.call("POST", "/api/auth/logout", { body: { refresh_token } })).status, 204);
  });

  it("has a bounded number of audit lines in the journal, and those of others are there", async () => {
    const lines = agent.log().trimEnd().split("\n");
    const audit = lines.map((line) => JSON.parse(line)).filter((line) => line.audit === true);
    const by = (name: string) =>
      audit
        .filter(({ user, actor }) => user === name || actor === name)
        .map(({ message }) => message as string);
    assert.ok(by("eve").length < 600, `${by("eve").length} lines`);
    assert.ok(by("eve").includes("audit lines left out"), "it is not said");
    assert.ok(by("ben").some((message) => message.startsWith("PUT /api/users/")));
  });
});

/** The parameters of both headers, by RFC 9651 (structured fields). Throws where they are none. */
function budgetOf({ headers }: Answer): Record<"q" | "w" | "r" | "t", number> {
  const { ratelimit = "", "ratelimit-policy": policy = "" } = headers;
  const [, q, w] = /^"changes";q=(\d+);w=(\d+)$/.exec(String(policy)) ?? assert.fail(`policy ${policy}`);
  const [, r, t] = /^"changes";r=(\d+);t=(\d+)$/.exec(String(ratelimit)) ?? assert.fail(`limit ${ratelimit}`);
  return { q: Number(q), w: Number(w), r: Number(r), t: Number(t) };
}
