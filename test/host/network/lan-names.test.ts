import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { createLanNames } from "../../../src/host/linux/network/lan-names.ts";

/** As Avahi 0.8 and systemd-resolved 252 print it through busctl; lab/scenarios/https/lan-names.scenario.ts asks them. */
interface Daemons {
  /** undefined: it does not run. */
  readonly avahi?: string | undefined;
  readonly holder?: string;
  readonly resolved?: string;
}

const none = { own: [], taken: null };
const other = 'iisisu 3 0 "edge-7.local" 0 "192.0.2.8" 5\n';

const pump = { avahi: 's "pump.plant"\n' };
const resolvedAs = (name: string, mode: string): Daemons => ({ resolved: `s "${name}"\ns "${mode}"\n` });

const rows: [string, Daemons, own: string[], taken?: string][] = [
  ["no daemon", {}, []],
  ["Avahi has the usual name", { avahi: 's "Edge-7.local"\n' }, ["edge-7.local"]],
  ["another device has it", { avahi: 's "edge-8.local"\n', holder: other }, ["edge-8.local"], "edge-7.local"],
  ["Avahi was given a name, and none has the usual one", pump, ["pump.plant"]],
  ["this host has both", { ...pump, holder: other.replace("192.0.2.8", "127.0.0.1") }, ["pump.plant"]],
  ["resolved does not speak multicast DNS", resolvedAs("edge-76", "no"), []],
  ["resolved only asks", resolvedAs("edge-76", "resolve"), []],
  ["resolved has another name", resolvedAs("edge-76", "yes"), ["edge-76.local"], "edge-7.local"],
  ["each has another", { ...pump, ...resolvedAs("edge-7", "yes") }, ["pump.plant", "edge-7.local"]],
];

describe("the names of a host on the LAN", () => {
  for (const [what, daemons, own, taken = null] of rows)
    it(`are as its daemons have them: ${what}`, async () => {
      const directory = scratchDirectory();
      const places = { avahi: join(directory, "avahi"), resolved: join(directory, "resolved") };
      if (daemons.avahi !== undefined) writeFileSync(places.avahi, "");
      if (daemons.resolved !== undefined) writeFileSync(places.resolved, "");
      const answers = {
        GetHostNameFqdn: daemons.avahi,
        ResolveHostName: daemons.holder,
        LLMNRHostname: daemons.resolved,
      };
      const names = createLanNames(async (program, args) => {
        assert.deepEqual([program, args[0]], ["busctl", "--auto-start=no"]);
        const stdout = Object.entries(answers).find(([word]) => args.includes(word))?.[1];
        return { status: stdout === undefined ? 1 : 0, stdout: stdout ?? "", stderr: "" };
      }, places);
      assert.deepEqual(names.present(), none);
      await names.look("edge-7.example.net");
      await names.seek();
      assert.deepEqual(names.present(), { own, taken });
    });

  it("are unknown where busctl is missing", async () => {
    const place = join(scratchDirectory(), "pid");
    writeFileSync(place, "");
    const places = { avahi: place, resolved: place };
    const names = createLanNames(() => Promise.reject(new Error("ENOENT")), places);
    await names.look("edge-7");
    assert.deepEqual(names.present(), none);
  });

  it("are not known to be taken any more once the daemon has another one", async () => {
    const places = { avahi: join(scratchDirectory(), "avahi"), resolved: "/nowhere" };
    writeFileSync(places.avahi, "");
    const answers = { GetHostNameFqdn: 's "edge-8.local"\n', ResolveHostName: other };
    const names = createLanNames(async (_, args) => {
      const stdout = Object.entries(answers).find(([word]) => args.includes(word))?.[1] ?? "";
      return { status: 0, stdout, stderr: "" };
    }, places);
    await names.look("edge-7");
    await names.seek();
    assert.equal(names.present().taken, "edge-7.local");
    await names.look("edge-7");
    assert.equal(names.present().taken, "edge-7.local");
    answers.GetHostNameFqdn = 's "pump.plant"\n';
    await names.look("edge-7");
    assert.deepEqual(names.present(), { own: ["pump.plant"], taken: null });
  });
});
