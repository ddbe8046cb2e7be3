import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { createChance } from "../../lab/basics/chance.ts";
import { fuzzDownloads } from "../../lab/fuzz/downloads.ts";
import { createLedger, TooManyFindings } from "../../lab/fuzz/ledger.ts";
import { fuzzNtp } from "../../lab/fuzz/ntp.ts";
import { fuzzSettings } from "../../lab/fuzz/settings.ts";
import { fuzzTar } from "../../lab/fuzz/tar.ts";
import type { Fuzzing } from "../../lab/fuzz/target.ts";
import { fuzzTuf } from "../../lab/fuzz/tuf.ts";
import { decodeReply } from "../../src/clock/ntp/ntp-packet.ts";
import { unpack } from "../../src/installer/unpack/unpack.ts";

/** The findings of few cases, which are the same at each run. */
async function findingsOf(cases: number, run: (fuzzing: Fuzzing) => Promise<unknown>): Promise<string> {
  const { ledger } = createLedger();
  await run({ chance: createChance(7), cases, ledger }).catch((error: unknown) => {
    if (!(error instanceof TooManyFindings)) throw error;
  });
  return ledger.findings.join("\n");
}

describe("make fuzz finds nothing in few cases", () => {
  const targets: [string, number, (fuzzing: Fuzzing) => Promise<unknown>][] = [
    ["NTP packets", 3_000, (fuzzing) => fuzzNtp(fuzzing)],
    ["TUF metadata", 120, (fuzzing) => fuzzTuf(fuzzing)],
    ["archives", 60, (fuzzing) => fuzzTar(fuzzing)],
    ["settings", 30, (fuzzing) => fuzzSettings(fuzzing)],
    ["answers to downloads", 40, (fuzzing) => fuzzDownloads(fuzzing)],
  ];
  for (const [what, cases, run] of targets)
    it(what, async () => assert.equal(await findingsOf(cases, run), ""));
});

describe("make fuzz notices", () => {
  it("a reader of NTP packets that believes an answer to another question", async () => {
    const credulous: typeof decodeReply = (bytes, expected) =>
      decodeReply(bytes, { ...expected, nonce: bytes.subarray(24, 32) });
    const found = await findingsOf(3_000, (fuzzing) => fuzzNtp(fuzzing, credulous));
    assert.match(found, /it believed an answer to another question/);
  });
  it("a client of TUF that takes any signature", async () => {
    const found = await findingsOf(300, (fuzzing) => fuzzTuf(fuzzing, () => undefined));
    assert.match(found, /a signature held over other bytes than were signed/);
  });
  it("an installer that writes beside its directory", async () => {
    const careless: typeof unpack = async (payload, directory, files) => {
      writeFileSync(join(dirname(directory), "evil"), "");
      await unpack(payload, directory, files);
    };
    const found = await findingsOf(1, (fuzzing) => fuzzTar(fuzzing, careless));
    assert.match(found, /evil/);
  });
});
