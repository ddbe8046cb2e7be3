import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

interface Line {
  message: string;
  status?: number;
  from?: string;
  count?: number;
  user?: string;
  duration_ms?: number;
  audit?: boolean;
}

function linesIn(log: string): Line[] {
  const lines = log.trimEnd().split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Line).filter(({ audit }) => audit === true);
}

describe("audit lines of requests", () => {
  let token: string;
  // A password takes its time to be hashed, and a line says how long.
  const agent = ofSuite(() => startAgentInProcess({ hasRealHashes: true }));
  before(async () => {
    ({ token } = await agent.signedInAdmin());
  });

  /** Returns the lines that the agent writes for administrators during `work`. */
  async function linesOf(work: () => Promise<unknown>): Promise<Line[]> {
    const before = agent.log().length;
    await work();
    return linesIn(agent.log().slice(before));
  }

  async function sent(count: number, send: (index: number) => Promise<unknown>): Promise<void> {
    for (let done = 0; done < count; done += 50)
      await Promise.all(Array.from({ length: 50 }, (_, index) => send(done + index)));
  }

  it("are one for hundreds of unauthenticated POSTs, and one for their refusal, not one each (journal flooding)", async () => {
    const lines = await linesOf(() =>
      sent(400, () => agent.call("POST", "/api/users", { from: "192.0.2.1", body: {} })),
    );
    assert.deepEqual(
      lines.slice(0, 2).map(({ message, from, count }) => [message, from, count]),
      [
        ["request.refused", "192.0.2.1", 1],
        ["POST /api/users", "192.0.2.1", undefined],
      ],
      "the first of each is told at once",
    );
    assert.ok(lines.length < 20, `${lines.length} lines; one more a minute`);
  });

  it("are one also where each asks for another path, or ends a session that is none", async () => {
    const from = "192.0.2.2";
    const paths = await linesOf(() =>
      sent(100, (index) => agent.call("POST", `/api/none-${index}`, { from })),
    );
    assert.ok(paths.length < 20, `${paths.length} lines`);
    const body = { refresh_token: "str_of_no_session" };
    const ends = await linesOf(() => sent(100, () => agent.call("POST", "/api/auth/logout", { from, body })));
    assert.ok(ends.length < 20, `${ends.length} lines`);
  });

  it("say who sent the request and how long it took, also where it was a sign-in", async () => {
    const from = "192.0.2.4";
    const body = { username: "root-admin", password: "not this one at all" };
    const lines = await linesOf(async () => {
      await agent.call("POST", "/api/system/time-sync/reselect", { token, from });
      await agent.call("POST", "/api/system/time-sync/reselect", { local: true });
      await agent.call("POST", "/api/auth/login", { from, body });
    });
    const requests = lines.filter(({ status }) => status !== undefined);
    assert.deepEqual(
      requests.map(({ message, user }) => [message, user]),
      [
        ["POST /api/system/time-sync/reselect", "root-admin"],
        ["POST /api/system/time-sync/reselect", "local-root"],
        ["POST /api/auth/login", undefined],
      ],
    );
    const { duration_ms: signIn = 0 } = requests.at(-1) ?? {};
    assert.ok(signIn > 1 && signIn < 60_000, `a password is hashed within ${signIn} ms`);
  });

  it("are one for each request of a known caller", async () => {
    const lines = await linesOf(() =>
      sent(50, () => agent.call("POST", "/api/system/time-sync/reselect", { token, from: "192.0.2.3" })),
    );
    assert.ok(lines.length >= 50, `${lines.length} lines`);
  });

  it("tell the client's address behind a trusted proxy, not the proxy's", async () => {
    const from = "203.0.113.7";
    const body = { device: { name: "Pump house" } };
    const lines = await linesOf(() => agent.call("PUT", "/api/system", { token, from, body }));
    assert.ok(lines.some(({ message }) => message === "PUT /api/system"));
    assert.deepEqual([...new Set(lines.map((line) => line.from))], [from]);
  });

  it("say how many they stand for, at the latest when the agent stops", async () => {
    await agent.stop();
    const lines = linesIn(agent.log()).filter(({ from }) => from === "192.0.2.1");
    for (const wanted of ["POST /api/users", "request.refused"]) {
      const counts = lines.filter(({ message }) => message === wanted).map(({ count = 1 }) => count);
      assert.equal(
        counts.reduce((sum, count) => sum + count, 0),
        400,
        wanted,
      );
    }
  });
});
