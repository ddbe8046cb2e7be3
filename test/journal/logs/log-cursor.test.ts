import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StewardError } from "../../../src/contract/errors.ts";
import { readCursor, writeCursor } from "../../../src/journal/logs/log-cursor.ts";

const position = `s=${"1".repeat(32)};i=9;b=${"a".repeat(32)};m=989680;t=65bfedaaf3440;x=76ad2a8641a0dc7e`;
const encoded = (text: string) => Buffer.from(text).toString("base64url");

describe("a cursor of the log", () => {
  it("says where in the journal, or where in a run", () => {
    for (const cursor of [
      { source: "journal", position },
      { source: "agent", run: "0123456789abcdef", sequence: -3 },
    ] as const) {
      assert.deepEqual(readCursor(writeCursor(cursor)), cursor);
    }
  });

  const foreign: [string, string][] = [
    ["nothing", ""],
    ["no base64", "%%%"],
    ["another alphabet", `${encoded(position).slice(0, -1)}+`],
    ["padding behind it", `${encoded(position)}=`],
    ["a position that is an option", encoded("--help")],
    ["a position with an option behind it", encoded(`${position} --file=/etc/shadow`)],
    ["a position with a line feed behind it", encoded(`${position}\n`)],
    ["a position without its hash", encoded(position.replace(/;x=.*/, ""))],
    ["upper case", encoded(position.toUpperCase())],
    ["a number that is none", encoded("0123456789abcdef 1e3")],
    ["a run of another length", encoded("0123 1")],
    ["JSON", encoded('["journal",1]')],
  ];
  for (const [name, text] of foreign) {
    it(`is refused: ${name}`, () => {
      assert.throws(
        () => readCursor(text),
        (error) => error instanceof StewardError && error.code === "invalid_cursor",
      );
    });
  }
});
