import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { describe, it } from "node:test";
import { freeSpace } from "../../src/host/linux/free-space.ts";
import { createTimers } from "../../src/host/linux/timers.ts";

describe("timers", () => {
  it("call once after their time, and not before", (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    let calls = 0;
    createTimers().after(1.5, () => {
      calls += 1;
    });
    test.mock.timers.tick(1_499);
    assert.equal(calls, 0);
    test.mock.timers.tick(1);
    assert.equal(calls, 1);
    test.mock.timers.tick(10_000);
    assert.equal(calls, 1);
    // At once for a time that is over.
    createTimers().after(-5, () => {
      calls += 1;
    });
    test.mock.timers.tick(1);
    assert.equal(calls, 2);
  });

  it("last for 60 days, although setTimeout takes 24.8 at most", (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    let calls = 0;
    createTimers().after(60 * 86_400, () => {
      calls += 1;
    });
    // 60 days are 5,184,000,000 ms; the mocked clock must halt where a part ends, as it starts the next one where it halts.
    for (const milliseconds of [2_147_483_647, 2_147_483_647, 889_032_705]) {
      test.mock.timers.tick(milliseconds);
      assert.equal(calls, 0);
    }
    test.mock.timers.tick(1);
    assert.equal(calls, 1);
  });

  it("are taken back, in their second part too", (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const takeBack = createTimers().after(60 * 86_400, () => assert.fail("called although taken back"));
    for (let day = 0; day < 30; day += 1) test.mock.timers.tick(86_400_000);
    takeBack();
    for (let day = 0; day < 60; day += 1) test.mock.timers.tick(86_400_000);
  });

  it("keep no process alive", () => {
    const path = new URL("../../src/host/linux/timers.ts", import.meta.url).href;
    const script = `import { createTimers } from "${path}"; createTimers().after(3600, () => {});`;
    const { status } = spawnSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], {
      timeout: 120_000,
    });
    assert.equal(status, 0);
  });
});

describe("freeSpace", () => {
  it("agrees with df, as other processes write meanwhile", async () => {
    const df = execFileSync("df", ["--output=avail", "--block-size=1", tmpdir()], { encoding: "utf8" });
    const bytes = Number(df.split("\n")[1]);
    const found = await freeSpace(tmpdir());
    assert.ok(Math.abs(found - bytes) < bytes / 10 + 1e8, `df says ${bytes}, and it is ${found}`);
  });
});
