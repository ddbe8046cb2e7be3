import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readRfc3339 } from "../../src/contract/timestamps.ts";

describe("readRfc3339", () => {
  const wrong: [what: string, text: string][] = [
    ["nothing", ""],
    ["words", "tomorrow"],
    ["a year", "2026"],
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
  ];
  for (const [what, text] of wrong) it(`refuses ${what}`, () => assert.equal(readRfc3339(text), null));

  // Seconds since 1970 by `date -u -d TEXT +%s.%3N` (GNU coreutils).
  const right: [text: string, seconds: number][] = [
    ["2026-11-20T14:03:00Z", 1_795_183_380],
    ["2026-11-20t14:03:00z", 1_795_183_380],
    ["2026-11-20T15:03:00+01:00", 1_795_183_380],
    ["2026-11-20T00:33:00-13:30", 1_795_183_380],
    ["2026-11-20T14:03:00-00:00", 1_795_183_380],
    ["2026-11-20T14:03:00.25Z", 1_795_183_380.25],
    ["2028-02-29T23:59:59Z", 1_835_481_599],
    ["1970-01-01T00:00:00Z", 0],
  ];
  for (const [text, seconds] of right)
    it(`takes ${text}`, () => assert.equal(readRfc3339(text)?.getTime(), seconds * 1_000));
});
