import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runSteward, startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

describe("settings on the command line", () => {
  const agent = ofSuite(startAgentInProcess);
  const system = (words: readonly string[], input = "") =>
    runSteward(["system", ...words, "--socket", agent.socket], { input });
  const set = async (words: readonly string[], input?: string) => {
    const { code, stdout, stderr } = await system(["set", ...words], input);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const get = async (...words: string[]) => (await system(["get", ...words])).stdout;

  /** Values of every kind that a setting has, some of them with what a shell or a parser could trip over. */
  const others = [
    "device.name=pump = 7, the big one",
    "device.location=# not a comment",
    "time.servers=ntp1.example, 192.0.2.7:1123,[2001:db8::1]:123",
    "time.authenticated_only=no",
    "time.min_agreeing=2",
    'update.windows=[{"days":["mon","sun"],"from":"22:00","to":"04:00"}]',
    "update.ota.auto_update_rules=no",
    "security.password_min_length=20",
    "console.banner=",
  ];

  for (const form of ["table", "json"])
    it(`takes back what \`system get -o ${form}\` has printed`, async () => {
      const former = await get("-o", form);
      assert.deepEqual(JSON.parse(await set(["--stdin", "-o", "json"], former)), { changed: [] });
      await set(others);
      const changed = await get("-o", form);
      assert.notEqual(changed, former);
      for (const text of [former, changed, former]) {
        await set(["--stdin"], text);
        assert.equal(await get("-o", form), text);
      }
    });

  it("refuses what is no change of them, and changes nothing", async () => {
    const before = await get();
    const cutOff = /Standard input is not JSON at line 1, column 13 \(\/device\): it ends here/;
    for (const [words, input, exit, message] of [
      [["--stdin"], '{"device": {', 6, cutOff],
      [["--stdin"], "device.contact=(hidden)", 6, /is hidden from this role/],
      [["--stdin", "device.name=x"], "", 2, /not both/],
      [["--stdin"], "#".repeat(1_100_000), 6, /more than 1048576 bytes/],
    ] as const) {
      const { code, stderr } = await system(["set", ...words], input);
      assert.equal(code, exit, stderr);
      assert.match(stderr, message);
    }
    assert.equal(await get(), before);
  });
});
