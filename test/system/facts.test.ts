import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { createRunCommand } from "../../src/host/linux/commands.ts";
import type { CommandResult } from "../../src/host/ports.ts";
import { createFacts } from "../../src/system/facts.ts";

const script = join(import.meta.dirname, "../../dist/slow-facts.js");
const known = { manufacturer: "ACME", model: "E 7", cpu: "Atom", disks: [], temperatures: [] };

/** Facts of a host whose processes end so, one after the other. */
function factsOf(...endings: (Partial<CommandResult> | Error)[]) {
  const host = { uptime: 100, started: 0 };
  const place = { node: "/usr/bin/node", script: "/usr/lib/steward/slow-facts.js", services: [] };
  const read = createFacts(place, {
    identity: { hostname: "edge" },
    time: { uptime: () => host.uptime },
    names: { timeZone: async () => "Europe/Berlin" },
    run: async () => {
      const ending = endings[host.started] ?? assert.fail("no ending");
      host.started += 1;
      if (ending instanceof Error) throw ending;
      return { status: 0, stdout: "", stderr: "", ...ending };
    },
  });
  return { host, read };
}

describe("the facts of the host", () => {
  it("are read by one process for all who ask within ten seconds, and then by another", async () => {
    const text = JSON.stringify(known);
    const { host, read } = factsOf({ stdout: text }, { stdout: text.replace("E 7", "E 8") });
    const models = async () => (await Promise.all([read(), read()])).map(({ model }) => model);
    assert.deepEqual([await models(), host.started], [["E 7", "E 7"], 1]);
    host.uptime += 11;
    assert.deepEqual([await models(), host.started], [["E 8", "E 8"], 2]);
  });

  for (const [name, ending] of [
    ["cannot be started", new Error("spawn ENOENT")],
    ["is killed because it takes too long", { status: null, stdout: "" }],
    ["ends in the middle of its answer", { status: null, stdout: '{"manufacturer":"AC' }],
  ] as const)
    it(`are those of the kernel only where the process ${name}`, async () => {
      const { manufacturer, model, cpu, disks, temperatures, memory } = await factsOf(ending).read();
      assert.deepEqual([manufacturer, model, cpu.model, disks, temperatures], [null, null, null, [], []]);
      assert.ok(cpu.cores >= 1 && memory.total_bytes > 0, JSON.stringify({ cpu, memory }));
    });

  it("have a process that prints them as the agent takes them", async () => {
    const { stdout, stderr, status } = await createRunCommand()(process.execPath, [script], {
      timeoutMilliseconds: 30_000,
    });
    assert.deepEqual([status, stderr], [0, ""]);
    const facts = JSON.parse(stdout);
    assert.deepEqual(Object.keys(facts).sort(), Object.keys(known).sort());
    assert.ok(facts.disks.length >= 1 && facts.disks.every((disk: { mount: unknown }) => disk.mount), stdout);
  });
});
