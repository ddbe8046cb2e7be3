import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../../lab/basics/ending.ts";
import { openTimeFloor } from "../../../src/installer/verify/time-floor.ts";

const built = "2026-11-01T00:00:00.000Z";

interface Clocks {
  wall?: string;
  uptime?: number;
  bootId?: string;
}

/** Opens root's floor as another run of the helper does. */
async function openings(test: TestContext) {
  const directory = await temporaryDirectory(test);
  const at = ({ wall = "2020-01-01T00:00:00Z", uptime = 500, bootId = "one" }: Clocks = {}) =>
    openTimeFloor({
      directory,
      builtAt: new Date(built),
      wall: () => new Date(wall),
      uptime: () => uptime,
      bootId,
    });
  return { directory, at };
}

const nowOf = (floor: Awaited<ReturnType<typeof openTimeFloor>>): string => floor.now().toISOString();

describe("the time floor of the installer", () => {
  it("is the date of the build where nothing is known yet", async (test) => {
    const { at } = await openings(test);
    assert.equal(nowOf(await at()), built);
  });

  it("goes by the wall clock where that is ahead", async (test) => {
    const { at } = await openings(test);
    assert.equal(nowOf(await at({ wall: "2026-12-01T00:00:00Z" })), "2026-12-01T00:00:00.000Z");
  });

  it("does not follow a clock that is set back, in the same boot or in another", async (test) => {
    const { at } = await openings(test);
    const first = await at({ wall: "2026-12-01T00:00:00Z" });
    await first.raise(first.now());
    assert.equal(nowOf(await at()), "2026-12-01T00:00:00.000Z");
    assert.equal(nowOf(await at({ bootId: "two", uptime: 3 })), "2026-12-01T00:00:00.000Z");
  });

  it("goes on with monotonic time in the same boot, whatever the wall clock says", async (test) => {
    const { at } = await openings(test);
    const first = await at({ wall: "2026-12-01T00:00:00Z" });
    await first.raise(first.now());
    assert.equal(nowOf(await at({ uptime: 500 + 86_400 })), "2026-12-02T00:00:00.000Z");
    assert.equal(nowOf(await at({ uptime: 500 + 86_400, bootId: "two" })), "2026-12-01T00:00:00.000Z");
  });

  it("keeps what monotonic time had come to, when it is raised again with the clock set back", async (test) => {
    const { at } = await openings(test);
    const first = await at({ wall: "2026-12-01T00:00:00Z" });
    await first.raise(first.now());
    const later = await at({ uptime: 500 + 86_400 });
    await later.raise(later.now());
    assert.equal(nowOf(await at({ bootId: "two", uptime: 3 })), "2026-12-02T00:00:00.000Z");
  });

  it("never falls", async (test) => {
    const { at } = await openings(test);
    const floor = await at({ wall: "2026-12-01T00:00:00Z" });
    await floor.raise(floor.now());
    await floor.raise(new Date("2026-11-15T00:00:00Z"));
    assert.equal(nowOf(await at({ bootId: "two", uptime: 3 })), "2026-12-01T00:00:00.000Z");
  });

  it("does not rise by the clock alone: a mere verification is not kept", async (test) => {
    const { directory, at } = await openings(test);
    (await at({ wall: "2040-01-01T00:00:00Z" })).now();
    assert.deepEqual(await readdir(directory), []);
    assert.equal(nowOf(await at()), built);
  });

  for (const text of [
    "",
    "{",
    "null",
    "[]",
    '{"floor": 5}',
    '{"floor": 2040}',
    '{"floor": "soon", "boot_id": "one", "uptime": 1}',
  ]) {
    it(`begins anew from a file that the disk has damaged: ${JSON.stringify(text)}`, async (test) => {
      const { directory, at } = await openings(test);
      await writeFile(join(directory, "time-floor.json"), text);
      assert.equal(nowOf(await at()), built);
    });
  }
});
