import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StewardError } from "../../src/contract/errors.ts";
import { withoutPage } from "../../src/host/web-page.ts";

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
