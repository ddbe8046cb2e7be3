import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { counted } from "../../lab/basics/counts.ts";
import type { Outcomes } from "../../lab/fuzz/cases.ts";
import { fuzzDownloads } from "../../lab/fuzz/downloads.ts";
import { fuzzNtp } from "../../lab/fuzz/ntp.ts";
import { fuzzSettings } from "../../lab/fuzz/settings.ts";
import { fuzzTar } from "../../lab/fuzz/tar.ts";
import { fuzzTuf } from "../../lab/fuzz/tuf.ts";
import { decodeReply } from "../../src/clock/ntp/ntp-packet.ts";
import { unpack } from "../../src/installer/unpack/unpack.ts";

describe("a reader of foreign bytes keeps its rules for", () => {
  const rows: [string, { usual: number; all: number }, (cases: number) => Promise<Outcomes>, string[]][] = [
    ["NTP packets", { usual: 3_000, all: 300_000 }, fuzzNtp, ["reply", "origin"]],
    [
      "TUF metadata",
      { usual: 120, all: 30_000 },
      fuzzTuf,
      ["read and verified", "update_metadata_malformed"],
    ],
    ["archives", { usual: 60, all: 5_000 }, fuzzTar, ["unpacked", "update_payload_unsafe"]],
    ["settings", { usual: 30, all: 5_000 }, fuzzSettings, ["opened", "changed"]],
    [
      "answers to downloads",
      { usual: 40, all: 1_000 },
      fuzzDownloads,
      ["arrived", "update_server_unreachable"],
    ],
  ];
  for (const [what, cases, fuzz, outcomes] of rows)
    it(what, async () => {
      const came = await fuzz(counted(cases));
      for (const outcome of outcomes)
        assert.ok(came[outcome], `${outcome} never came: ${JSON.stringify(came)}`);
    });
});

describe("the fuzzers notice", () => {
  const noticed = (work: Promise<unknown>, words: RegExp) =>
    assert.rejects(work, ({ message, cause }: Error) => {
      assert.match(`${message}\n${cause}`, words);
      return true;
    });
  it("a reader of NTP packets that believes an answer to another question", async () => {
    const credulous: typeof decodeReply = (bytes, expected) =>
      decodeReply(bytes, { ...expected, nonce: bytes.subarray(24, 32) });
    await noticed(fuzzNtp(3_000, credulous), /it believed an answer to another question/);
  });
  it("a client of TUF that takes any signature", async () => {
    await noticed(
      fuzzTuf(300, () => undefined),
      /a signature held over other bytes than were signed/,
    );
  });
  it("an installer that writes beside its directory", async () => {
    const careless: typeof unpack = async (payload, directory, files) => {
      writeFileSync(join(dirname(directory), "evil"), "");
      await unpack(payload, directory, files);
    };
    await noticed(fuzzTar(1, careless), /evil/);
  });
});
