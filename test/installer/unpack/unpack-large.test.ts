import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { promisify } from "node:util";
import {
  bomb,
  endlessEntries,
  type HostileTar,
  writeHostileTar,
} from "../../../lab/archives/hostile-tars.ts";
import { type PublishedTars, publishTars } from "../../../lab/archives/published-tars.ts";
import { tarEntry } from "../../../lab/archives/tar-writer.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { testProgram } from "../../../lab/basics/test-program.ts";

const program = join(import.meta.dirname, "../../../lab/archives/unpack-process.ts");

/** Above idle; docs/performance.md has the same bound. */
const mostMiB = 32;

describe("a payload made to wear out the device", () => {
  const scratch = scratchDirectory();
  const warmUp = join(scratch, "warm-up.tar.gz");
  let published: PublishedTars | undefined;
  before(async () => {
    const pieces = () => Array.from({ length: 20 }, (_, i) => tarEntry({ name: `f${i}` }));
    await writeHostileTar(warmUp, { name: "warm-up", pieces });
    published = await publishTars(scratch, [endlessEntries, bomb]);
  });

  // By what it does, which is the same on every host, and not by how long that takes.
  const cases: [what: string, tar: HostileTar, mostReadMiB: number, mostWrittenMiB: number][] = [
    ["entries without end", endlessEntries, 1, 1],
    ["a bomb of 1:1000", bomb, 1, 2],
  ];
  for (const [what, tar, mostReadMiB, mostWrittenMiB] of cases) {
    it(`is refused in bounded work and memory: ${what}`, async (test) => {
      const directory = join(scratch, `${tar.name}.d`);
      mkdirSync(directory);
      const payload = published?.payload(tar.name) ?? "";
      const words = [...testProgram(program), directory, payload, warmUp];
      const { stdout } = await promisify(execFile)(process.execPath, words, { timeout: 600_000 });
      const { readBytes, writtenBytes, idleMiB, peakMiB, refusal } = JSON.parse(stdout);
      const [above, read, written] = [peakMiB - idleMiB, readBytes / 1024 ** 2, writtenBytes / 1024 ** 2];
      const [payloadMiB, ...rounded] = [statSync(payload).size / 1024 ** 2, read, written, above].map(
        (mebibytes) => mebibytes.toFixed(1),
      );
      test.diagnostic(`${what} of ${payloadMiB} MiB: read, written, of memory (MiB): ${rounded.join(", ")}`);
      assert.match(refusal ?? "", tar.refusal);
      assert.ok(above <= mostMiB, `it took ${above} MiB above ${idleMiB}`);
      assert.ok(read <= mostReadMiB, `it read ${read} MiB`);
      assert.ok(written <= mostWrittenMiB, `it wrote ${written} MiB`);
      assert.deepEqual(readdirSync(directory), ["warm-up"]);
    });
  }
});
