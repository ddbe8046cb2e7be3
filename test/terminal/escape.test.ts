import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { escapeText, safeJson } from "../../src/terminal/escape.ts";

describe("escapeText", () => {
  const hostile: [what: string, given: string, expected: string][] = [
    ["ESC, which begins a control sequence", "\u001b[2J", "\\x1b[2J"],
    ["NUL", "a\u0000b", "a\\x00b"],
    ["a line feed, which would begin a forged row", "a\nroot", "a\\x0aroot"],
    ["a carriage return", "a\rb", "a\\x0db"],
    ["DEL", "\u007f", "\\x7f"],
    ["the C1 control sequence introducer", "\u009b31m", "\\x9b31m"],
    ["the Arabic letter mark", "\u061c", "\\x{061c}"],
    ["the left-to-right and right-to-left marks", "\u200e\u200f", "\\x{200e}\\x{200f}"],
    ["embeddings", "\u202a\u202b\u202c\u202d\u202e", "\\x{202a}\\x{202b}\\x{202c}\\x{202d}\\x{202e}"],
    ["isolates", "\u2066\u2067\u2068\u2069", "\\x{2066}\\x{2067}\\x{2068}\\x{2069}"],
    ["line and paragraph separators", "\u2028\u2029", "\\x{2028}\\x{2029}"],
  ];
  for (const [what, given, expected] of hostile) {
    it(`writes ${what} as a code`, () => assert.equal(escapeText(given), expected));
  }

  it("leaves letters of every script as they are", () => {
    const text = "Zoë Øster 山田 עברית 🔒 é";
    assert.equal(escapeText(text), text);
  });
});

describe("safeJson", () => {
  it("writes what drives a terminal as an escape that means the same", () => {
    const value = { name: "\u009b31m\u202e\u007f\u001b\n" };
    const json = safeJson(value);
    assert.equal(json, '{\n  "name": "\\u009b31m\\u202e\\u007f\\u001b\\n"\n}');
    assert.deepEqual(JSON.parse(json), value);
  });
});
