import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  duration,
  durationSeconds,
  durationSecondsOrNaN,
  durationWords,
} from "../../src/contract/durations.ts";
import { settings } from "../../src/contract/schemas/settings.ts";
import { createToken } from "../../src/contract/schemas/tokens.ts";
import { postponeRequest } from "../../src/contract/schemas/update-applying.ts";
import { readRfc3339 } from "../../src/contract/timestamps.ts";
import { checkHostFile } from "../../src/programs/host-file/check.ts";
import { createValidator } from "../../src/store/validation/schemas.ts";

describe("readRfc3339", () => {
  for (const [what, text] of [
    ["nothing", ""],
    ["words", "tomorrow"],
    ["seconds since 1970", "1795183380"],
    ["a date", "2026-11-20"],
    ["no offset, which Date takes as local time", "2026-11-20T14:03:00"],
    ["a blank for the T", "2026-11-20 14:03:00Z"],
    ["no seconds", "2026-11-20T14:03Z"],
    ["the form of an e-mail", "Fri, 20 Nov 2026 14:03:00 GMT"],
    ["30 February", "2026-02-30T00:00:00Z"],
    ["29 February of a common year", "2026-02-29T00:00:00Z"],
    ["31 April", "2026-04-31T00:00:00Z"],
    ["month 13", "2026-13-01T00:00:00Z"],
    ["day 0", "2026-11-00T00:00:00Z"],
    ["hour 24", "2026-11-20T24:00:00Z"],
    ["minute 60", "2026-11-20T14:60:00Z"],
    ["a leap second", "2026-12-31T23:59:60Z"],
    ["an offset of 24 hours", "2026-11-20T14:03:00+24:00"],
    ["an offset without a colon", "2026-11-20T14:03:00+0100"],
    ["a year of six digits", "+002026-11-20T14:03:00Z"],
    ["blanks around it", " 2026-11-20T14:03:00Z "],
    ["digits of another script", "２０２６-11-20T14:03:00Z"],
  ] as const)
    it(`refuses ${what}`, () => assert.equal(readRfc3339(text), null));

  // Seconds since 1970 by `date -u -d TEXT +%s.%3N` (GNU coreutils).
  for (const [text, seconds] of [
    ["2026-11-20T14:03:00Z", 1_795_183_380],
    ["2026-11-20t14:03:00z", 1_795_183_380],
    ["2026-11-20T15:03:00+01:00", 1_795_183_380],
    ["2026-11-20T00:33:00-13:30", 1_795_183_380],
    ["2026-11-20T14:03:00-00:00", 1_795_183_380],
    ["2026-11-20T14:03:00.25Z", 1_795_183_380.25],
    ["2028-02-29T23:59:59Z", 1_835_481_599],
    ["1970-01-01T00:00:00Z", 0],
  ] as const)
    it(`takes ${text}`, () => assert.equal(readRfc3339(text)?.getTime(), seconds * 1_000));
});

describe("a duration", () => {
  for (const [text, seconds] of Object.entries({
    ...{ "90s": 90, "30m": 1_800, "6h": 21_600, "1h30m": 5_400, "7d": 604_800, "1d2h3m4s": 93_784 },
    ...{ "0s": 0, "250ms": 0.25, "1m30ms": 60.03 },
  }))
    it(`of ${text} is ${seconds} seconds`, () => assert.equal(durationSeconds(text), seconds));

  for (const text of ["", "6", "h", "6 h", "-6h", "1.5h", "6H", "30m1h", "6h6h", "1w", "9999999999s", "6h\n"])
    it(`of the form ${JSON.stringify(text)} is refused, here and by the contract`, () => {
      assert.throws(() => durationSeconds(text), RangeError);
      assert.doesNotMatch(text, new RegExp(duration.pattern, "u"));
    });

  for (const [name, { default: _, ...schema }] of Object.entries({
    "a setting": settings.properties.security.properties.session_idle,
    "the time for which an update is postponed": postponeRequest.properties.for,
    "the life of an API token": createToken.properties.expires_in,
  } as Readonly<Record<string, { default?: string }>>))
    it(`is of one grammar: that of ${name}`, () => {
      const check = createValidator(name, schema);
      for (const text of ["90s", "1h30m", "36h", "1d12h", "6H", "1.5h", "soon", "30m1h"]) {
        const expected = Number.isNaN(durationSecondsOrNaN(text)) ? durationWords : undefined;
        assert.equal(check(text)[0]?.detail, expected, text);
      }
    });

  it("is of one grammar: what the host file takes", () => {
    const found = ["1m30s", "1h", "soon"].map((within) => {
      const rules = { unit: "a.service", health: { within } };
      return checkHostFile(JSON.stringify({ update: { rules } })).faults[0]?.detail;
    });
    const words = "must be a duration of up to 60m, such as 5m";
    assert.deepEqual(found, [undefined, undefined, words]);
  });
});
