import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  readCounters,
  readKnown,
  readWindows,
  throttleRecordKind,
  writeCounters,
  writeKnown,
  writeWindows,
} from "../../../src/accounts/throttle/throttle-record.ts";
import { validatorOf } from "../../../src/store/documents/document-kind.ts";

const key = fc.stringMatching(/^[A-Za-z0-9_-]{12}$/);
const time = fc.integer({ min: 0, max: 999_999_999 });
const failures = fc.integer({ min: 1, max: 1_000_000 });
const now = 999_999_999;
const isValid = (members: object) =>
  validatorOf(throttleRecordKind)({ ...throttleRecordKind.defaults, ...members }).length === 0;

describe("the lines of attempts.json", () => {
  it("give rows back as they were, also with keys that begin with a hyphen", () => {
    const keys = fc.oneof(
      key,
      fc.tuple(key, key).map((pair) => pair.join(" ")),
    );
    fc.assert(
      fc.property(keys, failures, time, (name, count, at) => {
        const lines = writeCounters([[name, { failures: count, at }]]);
        assert.deepEqual(readCounters(lines, now), [[name, { failures: count, at }]]);
        assert.equal(
          isValid(name.includes(" ") ? { own: lines, own_known: lines } : { accounts: lines, codes: lines }),
          true,
        );
      }),
    );
  });

  it("give windows back as they were", () => {
    const times = fc.array(time, { minLength: 1, maxLength: 20 }).map((all) => all.sort((a, b) => a - b));
    fc.assert(
      fc.property(key, times, (client, window) => {
        const lines = writeWindows([[client, window]]);
        assert.deepEqual(readWindows(lines, now), [[client, window]]);
        assert.equal(isValid({ windows: lines }), true);
      }),
    );
  });

  it("give known clients back as they were", () => {
    fc.assert(
      fc.property(key, key, time, (account, client, at) => {
        const lines = writeKnown([{ account, client, at }]);
        assert.deepEqual(readKnown(lines, now), [{ account, client, at }]);
        assert.equal(isValid({ known: lines }), true);
      }),
    );
  });

  it("take a time to come for the present", () => {
    assert.deepEqual(readCounters(["AAAAAAAAAAAA 5 900"], 7), [["AAAAAAAAAAAA", { failures: 5, at: 7 }]]);
    assert.deepEqual(readWindows(["AAAAAAAAAAAA 5 900"], 7), [["AAAAAAAAAAAA", [5, 7]]]);
    assert.equal(readKnown(["AAAAAAAAAAAA AAAAAAAAAAAA 900"], 7)[0]?.at, 7);
  });

  for (const line of [
    "",
    "AAAAAAAAAAAA",
    "AAAAAAAAAAAA 5 -1",
    "AAAAAAAAAAAA 5 1e9",
    "AAAAAAAAAAAA 5 900 1",
    "AAA 5 900",
  ]) {
    it(`are refused as ${JSON.stringify(line)}`, () => assert.equal(isValid({ accounts: [line] }), false));
  }
});
