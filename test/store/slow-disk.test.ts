import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { RunningAgent } from "../running-agent.ts";
import { compileSlowFsync, endOfSuite, startAgent, temporaryDirectory } from "./state-directory.ts";

const fsyncMilliseconds = 300;

/** Signs in many times; the oldest session of a user makes room for the next, and the test's own must not. */
const visitor = { username: "visitor", password: "seven green bottles hang" };

describe("an agent on a disk where every fsync takes 300 ms", () => {
  const suite = endOfSuite();
  let agent: RunningAgent;
  let token: string;
  before(async () => {
    const LD_PRELOAD = compileSlowFsync(await temporaryDirectory(suite));
    agent = await startAgent(suite, { environment: { LD_PRELOAD } });
    ({ token } = await agent.signedInAdmin());
    await agent.call("POST", "/api/users", { token, body: { ...visitor, role: "readonly" } });
  });

  const put = (name: string) => agent.call("PUT", "/api/system", { token, body: { device: { name } } });

  it("acknowledges a change only when the file and its directory are synchronised", async () => {
    const start = performance.now();
    assert.equal((await put("slow")).status, 200);
    assert.equal(performance.now() - start >= 2 * fsyncMilliseconds, true);
  });

  it("answers GET /api/health at once while changes and sign-ins are written", async (test) => {
    let isOver = false;
    const counts = { changes: 0, signIns: 0 };
    const changing = whileNot(
      () => isOver,
      async () => {
        assert.equal((await put(`name ${counts.changes}`)).status, 200);
        counts.changes += 1;
      },
    );
    const signingIn = whileNot(
      () => isOver,
      async () => {
        assert.equal((await agent.call("POST", "/api/auth/login", { body: visitor })).status, 200);
        counts.signIns += 1;
      },
    );
    const times = await measure(150, () => agent.call("GET", "/api/health"));
    isOver = true;
    await Promise.all([changing, signingIn]);
    const median = quantile(times, 0.5);
    const p95 = quantile(times, 0.95);
    const p99 = quantile(times, 0.99);
    const worst = quantile(times, 1);
    test.diagnostic(
      `GET /api/health over ${times.length} requests beside ${counts.changes} changes and ${counts.signIns} ` +
        `sign-ins: median ${ms(median)}, 95 % ${ms(p95)}, 99 % ${ms(p99)}, worst ${ms(worst)}`,
    );
    assert.ok(counts.changes >= 3 && counts.signIns >= 3, "nothing was written meanwhile");
    assert.equal(median < 20, true);
    assert.equal(p95 < 50, true);
    // Had it waited for one fsync alone, it would have taken longer than this.
    assert.equal(worst < fsyncMilliseconds / 2, true);
  });

  it("answers GET /api/system and /api/users at once too", async (test) => {
    const changing = put("meanwhile");
    await delay(20);
    const times = [
      ...(await measure(10, () => agent.call("GET", "/api/system", { token }))),
      ...(await measure(10, () => agent.call("GET", "/api/users", { token }))),
    ];
    await changing;
    test.diagnostic(`the worst of ${times.length}: ${ms(quantile(times, 1))}`);
    assert.equal(quantile(times, 1) < fsyncMilliseconds / 2, true);
  });

  it("makes a sign-in wait for its event, and for nobody else's change", async () => {
    const changing = put("at the same time");
    const start = performance.now();
    assert.equal((await agent.call("POST", "/api/auth/login", { body: visitor })).status, 200);
    // One fsync of its own, and at most one that was under way.
    assert.ok(performance.now() - start < 2.5 * fsyncMilliseconds, "it waited for more");
    await changing;
  });
});

async function whileNot(isOver: () => boolean, work: () => Promise<void>): Promise<void> {
  while (!isOver()) await work();
}

/** Milliseconds of each call, ascending; with pauses, so that they fall into every part of a write. */
async function measure(calls: number, call: () => Promise<{ status: number }>): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < calls; count += 1) {
    const start = performance.now();
    assert.equal((await call()).status, 200);
    times.push(performance.now() - start);
    await delay(10 + Math.random() * 20);
  }
  return times.sort((a, b) => a - b);
}

function quantile(ascending: readonly number[], share: number): number {
  return ascending[Math.max(0, Math.ceil(ascending.length * share) - 1)] ?? Number.NaN;
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}
