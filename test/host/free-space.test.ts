import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { describe, it } from "node:test";
import { freeSpace } from "../../src/host/linux/free-space.ts";

describe("freeSpace", () => {
  it("agrees with df, as other processes write meanwhile", async () => {
    const df = execFileSync("df", ["--output=avail", "--block-size=1", tmpdir()], { encoding: "utf8" });
    const bytes = Number(df.split("\n")[1]);
    const found = await freeSpace(tmpdir());
    assert.ok(Math.abs(found - bytes) < bytes / 10 + 1e8, `df says ${bytes}, and it is ${found}`);
  });
});
