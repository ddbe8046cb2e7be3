import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import { onEachLine, outcomeIn, outcomeLine } from "../../../src/host/linux/nts/key-exchange-lines.ts";
import type { NtsKeys } from "../../../src/host/nts-ports.ts";

const keys: NtsKeys = {
  c2s: new Uint8Array(32).fill(1),
  s2c: new Uint8Array(32).fill(2),
  cookies: [new Uint8Array(100).fill(3), new Uint8Array(1_024).fill(4)],
  host: "time.example",
  port: 123,
};
const line = outcomeLine({ id: 7, outcome: { kind: "keys", keys } });

/** The line with these members in place of its own. */
function with_(members: object): string {
  const whole = JSON.parse(line);
  return JSON.stringify({ ...whole, keys: { ...whole.keys, ...members } });
}

const base64 = (bytes: number): string => Buffer.alloc(bytes).toString("base64");

describe("a line of the process of key exchanges", () => {
  it("brings the outcome as it was", () => {
    assert.deepEqual(outcomeIn(line), { id: 7, outcome: { kind: "keys", keys } });
    const outcome = { kind: "failed", failure: "nts_unreachable ECONNREFUSED" } as const;
    assert.deepEqual(outcomeIn(outcomeLine({ id: 8, outcome })), { id: 8, outcome });
    assert.deepEqual(outcomeIn(with_({})), { id: 7, outcome: { kind: "keys", keys } });
  });

  for (const [name, text] of [
    ["no JSON", "nts"],
    ["null", "null"],
    ["a number", "1"],
    ["without a number of its request", JSON.stringify({ failure: "nts_no_answer" })],
    ["without an outcome", JSON.stringify({ id: 1 })],
    ["a key too short", with_({ c2s: base64(31) })],
    ["a key too long", with_({ s2c: base64(33) })],
    ["a key that is no text", with_({ s2c: 1 })],
    ["no cookie", with_({ cookies: [] })],
    ["nine cookies", with_({ cookies: Array(9).fill(base64(100)) })],
    ["an empty cookie", with_({ cookies: [""] })],
    ["a cookie too long", with_({ cookies: [base64(1_025)] })],
    ["cookies that are no list", with_({ cookies: "aaaa" })],
    ["no host", with_({ host: null })],
    ["no port", with_({ port: "123" })],
  ] as const)
    it(`is refused: ${name}`, () => assert.equal(outcomeIn(text), null));

  it("is read whole from pieces, and a line too long ends the reading", () => {
    const stream = new PassThrough();
    const read: string[] = [];
    let excesses = 0;
    onEachLine(
      stream,
      (text) => read.push(text),
      () => (excesses += 1),
    );
    for (const piece of ["a", "b\nc\n", "\n", "d", `${"e".repeat(32_767)}\nf`]) stream.write(piece);
    assert.deepEqual([read, excesses], [["ab", "c", "", `d${"e".repeat(32_767)}`], 0]);
    for (const piece of [`\ng\n${"h".repeat(32_769)}`, "\ni\n"]) stream.write(piece);
    assert.deepEqual([read.length, excesses], [4, 1]);
  });
});
