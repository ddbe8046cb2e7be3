import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { AuditEvent } from "../../../src/contract/types.ts";
import { createTimers } from "../../../src/host/linux/timers.ts";
import { createEventHeads } from "../../../src/journal/events/event-heads.ts";

const minute = 60_000;

function setUp(test: TestContext, sync: () => Promise<void> = async () => undefined) {
  test.mock.timers.enable({ apis: ["setTimeout"] });
  const said: unknown[] = [];
  const heads = createEventHeads(sync, (_, __, members) => void said.push(members?.seq), createTimers());
  const written = (seq: number) => heads.written([{ log: "changes", seq, hash: "" } as AuditEvent]);
  const pass = async (minutes: number) => {
    test.mock.timers.tick(minutes * minute);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { heads, said, written, pass };
}

describe("the heads of the chains", () => {
  it("are said ten minutes after something new, once, and never again without news", async (test) => {
    const { said, written, pass } = setUp(test);
    written(1);
    await pass(5);
    written(2);
    assert.deepEqual(said, []);
    await pass(5);
    assert.deepEqual(said, [2]);
    await pass(60);
    assert.deepEqual(said, [2]);
  });

  it("are said at the hundredth event without waiting", async (test) => {
    const { said, written, pass } = setUp(test);
    for (let seq = 1; seq <= 199; seq += 1) written(seq);
    await pass(0);
    assert.deepEqual(said, [100]);
  });

  it("are not said of what a power cut could take back, but later", async (test) => {
    let isFailing = true;
    const { heads, said, written, pass } = setUp(test, async () => {
      if (isFailing) throw new Error("the disk says no");
    });
    written(1);
    await pass(10);
    assert.deepEqual(said, []);
    isFailing = false;
    await heads.close();
    assert.deepEqual(said, [1]);
  });
});
