import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Client } from "../../../src/cli/client/context.ts";
import { findUser } from "../../../src/cli/users/user-lookup.ts";
import { type ErrorCode, errorCodes } from "../../../src/contract/error-codes.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import { exampleUser } from "../fixture.ts";

const users = ["annabel", "anna", "berta"].map((username) => exampleUser({ username }));

/** An agent with these users, which refuses the list with this code, and whose caller is this user. */
function agent(refusal: ErrorCode | null, self = "anna") {
  const asked: string[] = [];
  const call = async (id: string, { query }: { query?: { q?: string } }) => {
    asked.push(query?.q === undefined ? id : `${id} ${query.q}`);
    if (id === "getMe") return exampleUser({ username: self });
    if (refusal !== null) throw new StewardError(refusal, "Refused.");
    const items = users.filter(({ username }) => username.includes(query?.q ?? ""));
    return { items, total: items.length, next_cursor: null };
  };
  return { asked, client: { call } as unknown as Client };
}

const named = { exitCode: 3 };
const refused = (code: ErrorCode) => ({ code });
const rows: readonly (readonly [
  what: string,
  typed: string,
  refusal: ErrorCode | null,
  self: string,
  found: string | { exitCode: number; message?: RegExp } | { code: ErrorCode },
  asked: readonly string[],
])[] = [
  ["the one of that very name", "anna", null, "root", "anna", ["listUsers anna"]],
  ["a name as a phone writes it", "\u00a0Anna ", null, "root", "anna", ["listUsers anna"]],
  ["nobody whose name only begins so", "ann", null, "root", named, ["listUsers ann", "listUsers"]],
  ["no search for what is no name", "anna;", null, "root", named, ["listUsers"]],
  ["oneself, without the right to list", "anna", "forbidden", "anna", "anna", ["listUsers anna", "getMe"]],
  [
    "no other than oneself without it",
    "berta",
    "forbidden",
    "anna",
    refused("forbidden"),
    ["listUsers berta", "getMe"],
  ],
  ["nobody after others", "anna", "rate_limited", "anna", refused("rate_limited"), ["listUsers anna"]],
];

describe("the user of a name that is typed", () => {
  for (const [what, typed, refusal, self, found, expected] of rows)
    it(`is ${what}`, async () => {
      const { asked, client } = agent(refusal, self);
      const search = findUser(client, typed);
      if (typeof found === "string") assert.equal((await search).username, found);
      else await assert.rejects(search, found);
      assert.deepEqual(asked, expected);
    });

  it("names those that are near where there is none", async () => {
    await assert.rejects(findUser(agent(null).client, "ana"), {
      message: /^There is no user "ana"; did you mean "anna"/,
    });
    assert.equal(errorCodes.not_found.exit, named.exitCode);
  });
});
