import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mutations } from "../../../lab/basics/chance.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import { readHttpDate, readRetryAfter } from "../../../src/host/retry-after.ts";
import { withoutPage } from "../../../src/host/web-page.ts";

const date = "Sun, 06 Nov 1994 08:49:37 GMT";

it("an HTTP date has the form of RFC 9110, and no other", () => {
  // RFC 9110 §5.6.7's own example.
  assert.equal(readHttpDate(date), 784_111_777_000);
  for (const text of [
    ...[undefined, "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", ` ${date}`],
    ...["Sun, 31 Apr 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET", "1994-11-06T08:49:37Z"],
  ])
    assert.equal(readHttpDate(text), null, text);
});

describe("readRetryAfter", () => {
  // A date counts against the server's clock, not this device's; one that is over is now, and a day is the most.
  const rows: [string | undefined, number | undefined][] = [
    ["120", 120],
    ["Sun, 06 Nov 1994 08:51:37 GMT", 120],
    ["Sun, 06 Nov 1994 08:00:00 GMT", 0],
    ...["86401", "9".repeat(400), "Sun, 06 Nov 2094 08:49:37 GMT"].map((text): [string, number] => [
      text,
      86_400,
    ]),
    ...[undefined, "", "-1", "1.5", "soon", "0x10", "1 ", "Sun, 06 Nov 1994"].map(
      (text): [string | undefined, undefined] => [text, undefined],
    ),
  ];
  for (const [text, seconds] of rows)
    it(`reads ${JSON.stringify(text)?.slice(0, 40)} as ${seconds}`, () => {
      assert.equal(readRetryAfter({ "retry-after": text, date }), seconds);
    });

  it("understands no date without the server's own", () => {
    assert.equal(readRetryAfter({ "retry-after": date }), undefined);
  });

  it("gives whole seconds from 0 to a day or nothing, whatever comes", () => {
    const pieces = ["1", "9999999999", "-", ".", " ", date, "GMT", "e5", "\u0660", "Infinity"];
    for (const text of mutations(5_000, pieces)) {
      const seconds = readRetryAfter({ "retry-after": text, date }) ?? 0;
      assert.ok(Number.isInteger(seconds) && seconds >= 0 && seconds <= 86_400, `${text}: ${seconds}`);
    }
  });
});

/** Reads these pieces, as text; a refusal as its words. */
async function read(...pieces: readonly (string | Buffer)[]): Promise<string> {
  const content = (async function* () {
    for (const piece of pieces) yield Buffer.from(piece);
  })();
  let text = "";
  try {
    for await (const piece of withoutPage({ name: "timestamp.json", where: "updates.example" }, content))
      text += Buffer.from(piece).toString("latin1");
    return text;
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    assert.equal(error.code, "update_web_page");
    return error.message;
  }
}

const titled = (title: string) =>
  new RegExp(`^updates\\.example sent a web page${title} in place of "timestamp\\.json"`);

describe("a web page in place of a file", () => {
  const marked = "<title>\u001b[2J\u202eevil&lt;script&gt;\u0000</title>";
  const wifi = "<!DOCTYPE html><title>Welcome to Guest Wi-Fi</title>";
  const store = '<?xml version="1.0"?><Error><Message>Access Denied</Message>';
  const pages: readonly (readonly [string, readonly (string | Buffer)[], string | null])[] = [
    ["with a title", [wifi], "Welcome to Guest Wi-Fi"],
    ["byte by byte", [..." <html><TITLE lang=en>A\n  b</TITLE>"], "A b"],
    ["after a byte order mark", [Buffer.from("\ufeff\r\n<html><title>Zürich</title>")], "Zürich"],
    ["of an object store", [store], "Access Denied"],
    ["without a title", ["<html><body>Sign in"], null],
    ["with a title that never ends", [`<title>${"x".repeat(9_000)}`], "x{79}…"],
    ["that is longer than what is read of it", ["<p>".repeat(9_000), "<title>Late</title>"], null],
    ["whose title would write on the terminal or make markup", [marked], "\\[2J evil&lt;script&gt;"],
  ];
  for (const [name, pieces, title] of pages)
    it(`${name} is told from it`, async () => {
      assert.match(await read(...pieces), titled(title === null ? "" : ` \\("${title}"\\)`));
    });

  it("is none where the content begins otherwise, and that comes as it is", async () => {
    for (const text of [
      ["{", '"a": "<html>"}'],
      ["\n", " ", "{}"],
      [""],
      ["  "],
      [" ".repeat(9_000), "<"],
      ["\x1f<"],
    ])
      assert.equal(await read(...text), text.join(""));
  });
});
