import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { realTimers } from "../../../lab/host/timers.ts";
import { createCounters } from "../../../src/clock/counters.ts";
import { SourcePool } from "../../../src/clock/ntp/source-pool.ts";
import { sourceViews } from "../../../src/clock/status/source-view.ts";
import { sampleWith } from "../samples.ts";

const agreed = { kind: "agreed" } as const;
const once = { burst: 1, isAsked: false };

/** Two servers behind one address, both three seconds ahead of this host. */
async function polledPool() {
  let moved = 0;
  const pool = new SourcePool({
    moved: () => moved,
    exchange: async () => ({ kind: "sample", sample: sampleWith({ offsetSeconds: 3 }), ignored: [] }),
    openAssociation: async () => assert.fail("no server asks for NTS"),
    resolve: async (host) => [host],
    isLocalAddress: () => false,
    timers: realTimers,
    monotonic: () => 0,
    counters: createCounters(),
  });
  const servers = ["192.0.2.7:1123", "192.0.2.7:1124"].map((host) => ({ host, nts: false }));
  pool.configure(servers, false);
  await pool.poll(once);
  pool.ballot(null);
  const shift = (seconds: number) => {
    moved += seconds;
  };
  return { pool, shift };
}

function offsets(pool: SourcePool, hostOffsetSeconds: number) {
  return sourceViews(pool, { verdict: agreed, hostOffsetSeconds }).map((view) => view.offset_seconds);
}

describe("sourceViews", () => {
  it("shows what the host's own clock lacks, before and after the virtual clock was stepped, by the servers' names", async () => {
    const { pool, shift } = await polledPool();
    const views = sourceViews(pool, { verdict: agreed, hostOffsetSeconds: 0 });
    const places = views.map(({ host, address }) => `${host} ${address}`);
    assert.deepEqual(places, ["192.0.2.7:1123 192.0.2.7", "192.0.2.7:1124 192.0.2.7"]);
    assert.deepEqual(offsets(pool, 0), [3, 3]);
    shift(3);
    assert.deepEqual(offsets(pool, 3), [3, 3]);
    // Once the host's own clock was stepped.
    assert.deepEqual(offsets(pool, 0), [0, 0]);
    await pool.poll(once);
    assert.deepEqual(offsets(pool, 3), [3, 3]);
  });

  it("shows nothing of what was measured on another clock", async () => {
    const { pool } = await polledPool();
    pool.forget();
    assert.deepEqual(offsets(pool, 0), [null, null]);
    const views = sourceViews(pool, { verdict: agreed, hostOffsetSeconds: 0 });
    const reasons = views.map(({ reach, reason }) => `${reach} ${reason?.detail}`);
    assert.deepEqual(reasons, ["1 not chosen yet", "1 not chosen yet"]);
    assert.equal(pool.ballot(null).measurement, null);
  });
});
