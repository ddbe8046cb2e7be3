import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runSteward, startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";

describe("settings on the command line", () => {
  const steward = async (words: readonly string[], input = "") => {
    const ended = await runSteward([...words, "--socket", agent.socket], { input });
    assert.equal(ended.code, 0, ended.stderr);
    return ended;
  };
  const set = (...words: string[]) => steward(["system", "set", ...words]);
  const get = async (...words: string[]) => (await steward(["system", "get", ...words])).stdout;

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

  const agent = ofSuite(startAgentInProcess);

  for (const form of ["table", "json"]) {
    it(`takes back what \`system get -o ${form}\` has printed`, async () => {
      const former = await get("-o", form);
      const unchanged = await steward(["system", "set", "--stdin", "-o", "json"], former);
      assert.deepEqual(JSON.parse(unchanged.stdout), { changed: [] });
      await set(...others);
      const changed = await get("-o", form);
      assert.notEqual(changed, former);
      await steward(["system", "set", "--stdin"], former);
      assert.equal(await get("-o", form), former);
      await steward(["system", "set", "--stdin"], changed);
      assert.equal(await get("-o", form), changed);
      await steward(["system", "set", "--stdin"], former);
    });
  }

  const cutOff = /Standard input is not JSON at line 1, column 13 \(\/device\): it ends here/;
  const refused: [what: string, words: string[], input: string, exit: number, message: RegExp][] = [
    ["a cut-off document", ["--stdin"], '{"device": {', 6, cutOff],
    ["a setting that there is not", ["--stdin"], '{"device":{"nme":"x"}}', 6, /no setting "device\.nme"/],
    ["what a role did not see", ["--stdin"], "device.contact=(hidden)", 6, /is hidden from this role/],
    ["both at once", ["--stdin", "device.name=x"], "", 2, /not both/],
    ["nothing", [], "", 2, /KEY=VALUE is missing/],
    ["more than there can be", ["--stdin"], "#".repeat(1_100_000), 6, /more than 1048576 bytes/],
    ["a group that is no object", ["update.ota=1"], "", 6, /is a group of settings/],
  ];
  for (const [what, words, input, exit, message] of refused) {
    it(`refuses ${what}`, async () => {
      const before = await get();
      const ended = await runSteward(["system", "set", ...words, "--socket", agent.socket], { input });
      assert.equal(ended.code, exit, ended.stderr);
      assert.match(ended.stderr, message);
      assert.equal(await get(), before);
    });
  }
});
