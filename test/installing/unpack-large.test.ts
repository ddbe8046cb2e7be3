import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { bomb, type HostileTar, millionEntries, writeHostileTar } from "./lab/hostile-tars.ts";
import { type PublishedTars, publishTars } from "./lab/published-tars.ts";
import { tarEntry } from "./lab/tar-writer.ts";

const program = join(import.meta.dirname, "lab/unpack-process.ts");

/** By the design, above idle. */
const mostMiB = 32;

interface Measured {
  readonly milliseconds: number;
  readonly idleMiB: number;
  readonly peakMiB: number;
  readonly refusal: string | null;
}

describe("a payload made to wear out the device", { timeout: 300_000 }, () => {
  const scratch = mkdtempSync(join(tmpdir(), "steward-large-"));
  const warmUp = join(scratch, "warm-up.tar.gz");
  let published: PublishedTars | undefined;
  before(async () => {
    const pieces = () => Array.from({ length: 20 }, (_, i) => tarEntry({ name: `f${i}` }));
    await writeHostileTar(warmUp, { name: "warm-up", pieces });
    published = await publishTars(scratch, [millionEntries, bomb]);
  });
  after(() => rmSync(scratch, { recursive: true, force: true }));

  // Where a file takes 0.1 ms, the 65,536 that are made first take 7 s, and a shared machine is slower.
  const cases: [what: string, tar: HostileTar, mostSeconds: number][] = [
    ["1,000,000 entries", millionEntries, 180],
    ["a bomb of 1:1000", bomb, 20],
  ];
  for (const [what, tar, mostSeconds] of cases) {
    it(`is refused in bounded time and memory: ${what}`, async (test) => {
      const directory = join(scratch, `${tar.name}.d`);
      mkdirSync(directory);
      const payload = published?.payload(tar.name) ?? "";
      const { milliseconds, idleMiB, peakMiB, refusal } = await measure(directory, payload);
      const above = peakMiB - idleMiB;
      test.diagnostic(`${what}: ${(milliseconds / 1_000).toFixed(1)} s, +${above.toFixed(1)} MiB`);
      assert.match(refusal ?? "", tar.refusal);
      assert.ok(above <= mostMiB, `it took ${above} MiB above ${idleMiB}`);
      assert.ok(milliseconds <= mostSeconds * 1_000, `it took ${milliseconds} ms`);
      assert.deepEqual(readdirSync(directory), ["warm-up"]);
    });
  }

  async function measure(directory: string, payload: string): Promise<Measured> {
    const words = ["--import", "tsx", program, directory, payload, warmUp];
    const { stdout } = await promisify(execFile)(process.execPath, words, { timeout: 240_000 });
    return JSON.parse(stdout);
  }
});
