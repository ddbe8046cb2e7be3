import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { StewardError } from "../../../src/contract/errors.ts";
import type { Actor } from "../../../src/http/call.ts";
import { checkStreamPlaces } from "../../../src/http/wire/stream-places.ts";

type Role = "admin" | "operator" | "readonly";

const root: Actor = { kind: "local-root" };

/** A user by a session, and by an API token. */
function user(id: string, session = "1", role: Role = "readonly"): Actor {
  const account = { id, username: id, role };
  return { kind: "user", account, session: { id: `${id} ${session}` } } as unknown as Actor;
}
function program(id: string, token: string, role: Role = "readonly"): Actor {
  return { kind: "token", account: { id, username: id, role }, token: { id: token } } as unknown as Actor;
}

const times = (count: number, actor: Actor) => Array<Actor>(count).fill(actor);
const users = (count: number, role: Role) =>
  Array.from({ length: count }, (_, index) => user(`${role} ${index}`, "1", role));

/** The streams that are open, who asks for another one, and the limit that is reached; null: none is. */
const rows: [what: string, open: Actor[], next: Actor, limit: RegExp | null][] = [
  ["a third of a session", times(2, user("ana")), user("ana"), null],
  ["a fourth of a session", times(3, user("ana")), user("ana"), /^This session has 3 .* End one of them/],
  ["a third of a token", times(2, program("ana", "a")), program("ana", "a"), null],
  ["a fourth of a token", times(3, program("ana", "a")), program("ana", "a"), /^This API token has 3 /],
  ["one of another session", times(3, user("ana")), user("ana", "2"), null],
  ["one of another token", times(3, program("ana", "a")), program("ana", "b"), null],
  ["a sixth of a user", [...times(3, user("ana")), ...times(2, program("ana", "a"))], user("ana", "2"), null],
  [
    "a seventh of a user",
    [...times(3, user("ana")), ...times(3, program("ana", "a"))],
    user("ana", "2"),
    /^The sessions and API tokens of "ana" together have 6 .* End one of them/,
  ],
  ["one of another user", [...times(3, user("ana")), ...times(3, user("ana", "2"))], user("ben"), null],
  ["a 32nd of those who are no administrators", users(31, "operator"), user("ana"), null],
  [
    "a 33rd of those who are no administrators",
    [...users(16, "operator"), ...users(16, "readonly")],
    program("ana", "a", "operator"),
    /^Users who are not administrators have 32 .* ask an administrator/,
  ],
  ["an administrator's beside these", users(32, "operator"), program("ana", "a", "admin"), null],
  [
    "a 48th of all users, beside local root's",
    [...users(32, "operator"), ...users(15, "admin"), ...times(16, root)],
    user("ana", "1", "admin"),
    null,
  ],
  [
    "a 49th of all",
    [...users(32, "operator"), ...users(16, "admin")],
    user("ana", "1", "admin"),
    /^All users together have 48 /,
  ],
  ["a 49th, of no administrator", users(48, "admin"), user("ana"), /^All users together have 48 /],
  ["local root's beside those of all users", [...users(48, "admin"), ...times(15, root)], root, null],
  ["a 17th of local root", times(16, root), root, /^Local root has 16 /],
];

describe("a further event stream", () => {
  for (const [what, open, next, limit] of rows)
    it(`${limit === null ? "has a place" : "is refused"}: ${what}`, () => {
      const check = () => checkStreamPlaces(open, next);
      if (limit === null) return check();
      assert.throws(check, ({ code, message, details }: StewardError) => {
        assert.deepEqual([code, details.retryAfterSeconds], ["rate_limited", 5]);
        assert.match(message, limit);
        return true;
      });
    });
});
