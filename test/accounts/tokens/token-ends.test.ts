import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nextEndOf } from "../../../src/accounts/tokens/token-ends.ts";
import { noEnd } from "../../../src/accounts/tokens/token-rights.ts";

const [ana, ben] = ["a", "b"].map((letter) => `usr_${letter.repeat(32)}`) as [string, string];
const token = (user_id: string, name: string, day: string | null, is_dated = true) => ({
  ...{ user_id, name, is_dated },
  expires_at: day === null ? noEnd : `${day}T00:00:00.000Z`,
});

describe("the next end of an API token", () => {
  const cases: [string, ReturnType<typeof token>[], string | null][] = [
    ["of none is none", [], null],
    ["of tokens without an end is none", [token(ana, "prometheus", null)], null],
    ["is the earliest", [token(ana, "one", "2027-03-01"), token(ben, "two", "2027-02-01")], "2027-02-01"],
    [
      "is that of the newer token after a rotation, in either order",
      [token(ana, "one", "2026-12-01"), token(ana, "one", "2027-03-01"), token(ben, "one", "2027-02-01")],
      "2027-02-01",
    ],
    [
      "is none where a token without an end has followed one",
      [token(ana, "one", null), token(ana, "one", "2026-12-01")],
      null,
    ],
    [
      "is not known of a token that was made while the clock was not trusted",
      [token(ana, "one", "2001-01-01", false), token(ben, "two", "2027-02-01")],
      "2027-02-01",
    ],
  ];
  for (const [what, tokens, expected] of cases) {
    it(what, () => {
      const found = nextEndOf(tokens)?.toISOString().slice(0, 10) ?? null;
      const seen = [found, nextEndOf(tokens.toReversed())?.toISOString().slice(0, 10) ?? null];
      assert.deepEqual(seen, [expected, expected]);
    });
  }
});
