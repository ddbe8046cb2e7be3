import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { counted } from "../../lab/basics/counts.ts";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { allEvents, openLog } from "../../lab/state/event-directory.ts";
import { bundleFixture } from "../../lab/state/state-directory.ts";
import { createVerification } from "../../src/cli/events/event-verification.ts";

const kills = counted({ usual: 12, all: 60 });

describe("a writer of events that is killed", () => {
  it(`loses none that a stream has or that was acknowledged, gives no number twice, and leaves whole chains, ${kills} times`, async (test) => {
    const directory = join(await temporaryDirectory(test), "events");
    const program = await bundleFixture(await temporaryDirectory(test), "event-writer");
    const heard = new Set<number>();
    for (let kill = 0; kill < kills; kill += 1) {
      const seqs = await runAndKill(program, directory);
      for (const seq of seqs) {
        assert.ok(!heard.has(seq), `${seq} was given twice`);
        heard.add(seq);
      }
    }
    test.diagnostic(`${kills} kills, ${heard.size} events that were heard`);
    assert.ok(heard.size > kills, "nothing was written: this has proven nothing");
    const { events } = await openLog(test, { directory, totalBytes: 4_000_000 });
    const verification = createVerification();
    const kept = new Set<number>();
    const all = await allEvents(events);
    for (const event of all) {
      verification.add(event);
      kept.add(event.seq);
    }
    assert.deepEqual(verification.findings(), []);
    const first = all[0]?.seq ?? 0;
    const lost = [...heard].filter((seq) => seq >= first && !kept.has(seq));
    assert.deepEqual(lost, []);
    await events.close();
  });
});

/** Runs the writer and kills it at a random moment after its first words; returns the numbers that were heard. */
async function runAndKill(program: string, directory: string): Promise<number[]> {
  const child = spawn(process.execPath, [program, directory], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const closed = new Promise((resolve) => child.once("close", resolve));
  await new Promise((resolve) => child.stdout.once("data", resolve));
  await delay(Math.random() * 30);
  child.kill("SIGKILL");
  await closed;
  return output.split("\n").slice(0, -1).map(Number);
}
