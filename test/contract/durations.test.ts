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
import { checkHostFile } from "../../src/programs/host-file/check.ts";
import { createValidator } from "../../src/store/validation/schemas.ts";

describe("a duration", () => {
  const good: [string, number][] = [
    ["90s", 90],
    ["30m", 1_800],
    ["6h", 21_600],
    ["1h30m", 5_400],
    ["7d", 604_800],
    ["1d2h3m4s", 93_784],
    ["0s", 0],
    ["250ms", 0.25],
    ["1m30ms", 60.03],
  ];
  for (const [text, seconds] of good)
    it(`of ${text} is ${seconds} seconds`, () => assert.equal(durationSeconds(text), seconds));

  for (const text of ["", "6", "h", "6 h", "-6h", "1.5h", "6H", "30m1h", "6h6h", "1w", "9999999999s", "6h\n"])
    it(`of the form ${JSON.stringify(text)} is refused, here and by the contract`, () => {
      assert.throws(() => durationSeconds(text), RangeError);
      assert.doesNotMatch(text, new RegExp(duration.pattern, "u"));
    });
});

describe("the one grammar of durations", () => {
  const texts = ["90s", "1h30m", "36h", "1d12h", "6H", "1.5h", "soon", "30m1h"];
  const schemas = {
    "a setting": settings.properties.security.properties.session_idle,
    "the time for which an update is postponed": postponeRequest.properties.for,
    "the life of an API token": createToken.properties.expires_in,
  };
  for (const [name, { default: _, ...schema }] of Object.entries(schemas))
    it(`is that of ${name}`, () => {
      const check = createValidator(name, schema);
      for (const text of texts) {
        const [error] = check(text);
        assert.equal(
          error?.detail,
          Number.isNaN(durationSecondsOrNaN(text)) ? durationWords : undefined,
          text,
        );
      }
    });

  it("is what the host file takes", () => {
    const withinOf = (within: string) =>
      checkHostFile(JSON.stringify({ update: { rules: { unit: "a.service", health: { within } } } }));
    assert.deepEqual([withinOf("1m30s").faults, withinOf("1h").faults], [[], []]);
    const [fault] = withinOf("soon").faults;
    assert.equal(fault?.detail, "must be a duration of up to 60m, such as 5m");
  });
});
