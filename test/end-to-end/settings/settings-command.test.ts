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

  it("takes a list with commas, as the documents type it", async () => {
    await set("time.servers=a.example,b.example:1123");
    assert.equal(await get("time.servers"), "a.example,b.example:1123\n");
    await set("time.servers=");
    assert.equal(await get("time.servers"), "\n");
    await set('time.servers=["c.example"]');
    assert.deepEqual(JSON.parse(await get("time.servers", "-o", "json")), ["c.example"]);
  });

  it("takes servers with NTS as JSON, keeps how each was written, and takes back what it prints", async () => {
    const servers = '["a.example",{"host":"b.example:4460","nts":true},{"host":"c.example","nts":false}]';
    await set(`time.servers=${servers}`, "time.authenticated_only=yes");
    assert.equal(await get("time.servers"), `${servers}\n`);
    const printed = await get();
    await set("time.authenticated_only=no", "time.servers=a.example");
    await steward(["system", "set", "--stdin"], printed);
    assert.equal(await get("time.servers"), `${servers}\n`);
    assert.equal(await get("time.authenticated_only"), "true\n");
    await set("time.authenticated_only=no", "time.servers=");
  });

  it("says what a change has changed, and when it has changed nothing", async () => {
    const first = await set("device.name=edge 7", "device.contact=");
    assert.deepEqual([first.stdout, first.stderr], ["device.name=edge 7\n", ""]);
    const again = await set("device.name=edge 7");
    assert.deepEqual(
      [again.stdout, again.stderr],
      ["", "Nothing was changed: the settings have these values already.\n"],
    );
    const json = await set("device.name=edge 8", "device.contact=", "-o", "json");
    assert.deepEqual(JSON.parse(json.stdout), { changed: ["device.name"] });
    assert.deepEqual(JSON.parse((await set("device.name=edge 8", "-o", "json")).stdout), { changed: [] });
  });

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

  it("takes back one value, and a group", async () => {
    await set(...others);
    for (const key of [
      "time.servers",
      "time.min_agreeing",
      "update.windows",
      "update.ota.auto_update_rules",
    ]) {
      const value = (await get(key)).replace(/\n$/, "");
      assert.deepEqual(JSON.parse((await set(`${key}=${value}`, "-o", "json")).stdout), { changed: [] }, key);
    }
    const group = await get("device", "-o", "json");
    await set("device.name=", "device.location=");
    const back = await set(`device=${group}`, "-o", "json");
    assert.deepEqual(JSON.parse(back.stdout), { changed: ["device.name", "device.location"] });
    const lines = await get("device");
    await set("device.name=");
    await steward(["system", "set", "--stdin"], `# kept\n\n${lines}`);
    assert.equal(await get("device"), lines);
  });

  const refused: [what: string, words: string[], input: string, exit: number, message: RegExp][] = [
    [
      "a cut-off document",
      ["--stdin"],
      '{"device": {',
      6,
      /Standard input is not JSON at line 1, column 13 \(\/device\): it ends here/,
    ],
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
