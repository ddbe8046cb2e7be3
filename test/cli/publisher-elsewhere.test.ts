import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runSteward } from "../../lab/command-line/run-steward.ts";

describe("steward repo on a device", () => {
  const lines: [typed: string, leadsTo: string][] = [
    ["repo", "steward-publisher"],
    ["repo init site --product demo", "steward-publisher init site --product demo"],
    ["repo publish --signer=./sign site", "steward-publisher publish --signer=./sign site"],
    ["--quiet repo add site x.tar.gz", "steward-publisher --quiet add site x.tar.gz"],
    ["repo --help", "steward-publisher --help"],
    ["help repo add", "steward-publisher help add"],
  ];
  for (const [typed, leadsTo] of lines)
    it(`leads from "steward ${typed}" to the program, its package and the line to type`, async () => {
      const { code, stdout, stderr } = await runSteward(typed.split(" "));
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, /^steward: Updates are published by a program of its own, steward-publisher, /);
      assert.match(stderr, /apt install \.\/steward-publisher_\*\.deb\n/);
      assert.ok(stderr.endsWith(`Then type: ${leadsTo}\n`), stderr);
    });

  it("says so to programs too", async () => {
    const { code, stderr } = await runSteward(["repo", "inspect", "-o", "json"]);
    assert.equal(code, 2);
    assert.match(JSON.parse(stderr).detail, /steward-publisher inspect -o json$/);
  });

  it("is not in the help", async () => {
    assert.doesNotMatch((await runSteward(["help"])).stdout, /\brepo\b/);
  });
});
