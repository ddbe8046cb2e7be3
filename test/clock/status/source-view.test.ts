import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { realTimers } from "../../../lab/host/timers.ts";
import { createCounters } from "../../../src/clock/counters.ts";
import { SourcePool } from "../../../src/clock/ntp/source-pool.ts";
import { sourceViews } from "../../../src/clock/status/source-view.ts";
import { sampleWith } from "../samples.ts";

const agreed = { kind: "agreed" } as const;
const once = { burst: 1, isAsked: false };

/** A pool whose clock the test moves. */
interface MovedPool extends SourcePool {
  shift: (seconds: number) => void;
}

/** Two servers behind one address, both three seconds ahead of this host. */
async function polledPool(): Promise<MovedPool> {
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
  return Object.assign(pool, {
    shift: (seconds: number) => {
      moved += seconds;
    },
  });
}

function offsets(pool: SourcePool, hostOffsetSeconds: number) {
  return sourceViews(pool, { verdict: agreed, hostOffsetSeconds }).map((view) => view.offset_seconds);
}

describe("sourceViews", () => {
  it("names each server as it stands in the settings, with its port", async () => {
    const views = sourceViews(await polledPool(), { verdict: agreed, hostOffsetSeconds: 0 });
    assert.deepEqual(
      views.map(({ host, address }) => [host, address]),
      [
        ["192.0.2.7:1123", "192.0.2.7"],
        ["192.0.2.7:1124", "192.0.2.7"],
      ],
    );
  });

  it("shows what the host's own clock lacks, before and after the virtual clock was stepped", async () => {
    const pool = await polledPool();
    assert.deepEqual(offsets(pool, 0), [3, 3]);
    pool.shift(3);
    assert.deepEqual(offsets(pool, 3), [3, 3]);
    await pool.poll(once);
    assert.deepEqual(offsets(pool, 3), [3, 3]);
  });

  it("shows a source as right once the host's own clock was stepped", async () => {
    const pool = await polledPool();
    pool.shift(3);
    assert.deepEqual(offsets(pool, 0), [0, 0]);
  });

  it("shows nothing of what was measured on another clock", async () => {
    const pool = await polledPool();
    pool.forget();
    assert.deepEqual(offsets(pool, 0), [null, null]);
    const said = sourceViews(pool, { verdict: agreed, hostOffsetSeconds: 0 });
    assert.deepEqual(
      said.map(({ reach, reason }) => [reach, reason?.detail]),
      [
        [1, "not chosen yet"],
        [1, "not chosen yet"],
      ],
    );
    assert.equal(pool.ballot(null).measurement, null);
  });
});
