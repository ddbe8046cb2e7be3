import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { tarEnd, tarEntry } from "../../../lab/archives/tar-writer.ts";
import { createArchiveMeter } from "../../../src/installer/unpack/archive-meter.ts";

const caps = { bytes: 1024 ** 2, expansion: 4, expansionFreeBytes: 4_096 };
const zero = Buffer.alloc(512);
const meterOf = (compressedBytes = 1024 ** 2) => createArchiveMeter(caps, () => compressedBytes);

describe("the meter of an archive", () => {
  it("finds its end in two blocks of zeros, in one piece or in two", () => {
    for (const pieces of [[tarEnd], [zero, zero]]) {
      const meter = meterOf();
      meter.pass(tarEntry({ name: "a" }));
      meter.entry(512, 0);
      for (const piece of pieces) meter.pass(piece);
      assert.doesNotThrow(() => meter.end());
    }
  });

  it("takes no content of zeros for its end, nor one block of them, nor two that are apart", () => {
    const content = tarEntry({ name: "a", content: Buffer.alloc(2_048) });
    for (const rest of [[], [zero], [zero, tarEntry({ name: "b" }), zero]]) {
      const meter = meterOf();
      meter.pass(Buffer.concat([content, ...rest]));
      meter.entry(512, 2_048);
      assert.throws(() => meter.end(), /its archive is truncated/);
    }
  });

  it("goes by content that comes after its header too, with the zeros that end it", () => {
    const meter = meterOf();
    meter.pass(tarEntry({ name: "a" }));
    meter.entry(512, 1_536);
    for (const block of [zero, zero, zero, zero]) meter.pass(block);
    assert.throws(() => meter.end(), /its archive is truncated/);
    meter.pass(zero);
    assert.doesNotThrow(() => meter.end());
  });

  it("refuses an entry after its end", () => {
    const meter = meterOf();
    meter.pass(Buffer.concat([tarEntry({ name: "a" }), tarEnd, tarEntry({ name: "b" })]));
    meter.entry(512, 0);
    assert.throws(() => meter.entry(2_048, 0), /it continues after the end of its archive/);
  });

  it("refuses more bytes than there may be, and more than it may grow to, from there on", () => {
    const large = meterOf();
    large.pass(Buffer.alloc(caps.bytes, 1));
    assert.throws(() => large.pass(zero), /it holds more than/);
    const bomb = meterOf(1);
    bomb.pass(Buffer.alloc(4_096, 1));
    assert.throws(() => bomb.pass(zero), /it grows to more than 4 times its size/);
    const grown = meterOf(2_048);
    grown.pass(Buffer.alloc(8_192, 1));
    assert.throws(() => grown.pass(zero), /it grows to more than 4 times its size/);
  });
});
