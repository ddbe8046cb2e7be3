import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { CommandError } from "../../../src/cli/client/context.ts";
import { createEventParser, type ParsedEvent } from "../../../src/cli/client/event-parser.ts";

function parsed(...pieces: string[]): ParsedEvent[] {
  const parse = createEventParser();
  return pieces.flatMap((piece) => parse(piece));
}

// The examples of WHATWG HTML §9.2.6, and its rules one by one.
const streams: [name: string, text: string, events: ParsedEvent[]][] = [
  [
    "several data lines",
    "data: YHOO\ndata: +2\ndata: 10\n\n",
    [{ id: "", event: "message", data: "YHOO\n+2\n10" }],
  ],
  [
    "ids that stay and that are reset",
    ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
    [
      { id: "1", event: "message", data: "first event" },
      { id: "", event: "message", data: "second event" },
      { id: "", event: "message", data: " third event" },
    ],
  ],
  [
    "empty data, and an end that never comes",
    "data\n\ndata\ndata\n\ndata:",
    [
      { id: "", event: "message", data: "" },
      { id: "", event: "message", data: "\n" },
    ],
  ],
  ["an event without data", "event: ping\n\ndata: x\n\n", [{ id: "", event: "message", data: "x" }]],
  ["its own kind", "event: gap\ndata: {}\n\n", [{ id: "", event: "gap", data: "{}" }]],
  ["an id with NUL, which is none", "id: 4\0\ndata: x\n\n", [{ id: "", event: "message", data: "x" }]],
  ["a byte order mark", "\uFEFFdata: x\n\n", [{ id: "", event: "message", data: "x" }]],
  [
    "fields that nobody knows",
    "retry: 2000\ncolour: red\ndata: x\n\n",
    [{ id: "", event: "message", data: "x" }],
  ],
];

describe("the event stream parser", () => {
  for (const [name, text, events] of streams) {
    it(`reads ${name}`, () => assert.deepEqual(parsed(text), events));
  }

  for (const [name, end] of [
    ["CR", "\r"],
    ["CR LF", "\r\n"],
  ] as const) {
    it(`takes ${name} as the end of a line`, () => {
      const text = `id: 3${end}data: a${end}data: b${end}${end}data: c${end}${end}data`;
      assert.deepEqual(
        parsed(text).map(({ data }) => data),
        ["a\nb", "c"],
      );
    });
  }

  it("reads what was sent, however it was cut up", () => {
    const line = fc.string({ unit: "binary" }).map((text) => text.replace(/[\r\n\0]/g, ""));
    const event = fc.record({ id: line, event: line, data: fc.array(line, { minLength: 1 }) });
    const cut = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });
    fc.assert(
      fc.property(fc.array(event), fc.constantFrom("\n", "\r\n", "\r"), cut, (events, end, sizes) => {
        const text = events
          .map(({ id, event, data }) =>
            [`id: ${id}`, `event: ${event}`, ...data.map((one) => `data: ${one}`), "", ""].join(end),
          )
          .join("");
        // A last lone CR could still be half of a CR LF.
        const all = parsed(...pieces(`${text}:${end}:`, sizes));
        const expected = events.map(({ id, event, data }) => ({
          id,
          event: event || "message",
          data: data.join("\n"),
        }));
        assert.deepEqual(all, expected);
      }),
    );
  });

  it("throws nothing but its own error at any text, and is bounded", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), (texts) => {
        const parse = createEventParser();
        for (const text of texts) for (const { data } of parse(text)) assert.equal(typeof data, "string");
      }),
    );
  });

  for (const endless of ["x".repeat(4096), `data: ${"x".repeat(4096)}\n`]) {
    it(`gives up an event that does not end (${JSON.stringify(endless.slice(-3))})`, () => {
      const parse = createEventParser();
      const feed = () => {
        for (let pieces = 0; pieces < 1_000; pieces += 1) parse(endless);
      };
      assert.throws(feed, (error) => error instanceof CommandError && /does not end/.test(error.message));
    });
  }
});

function pieces(text: string, sizes: readonly number[]): string[] {
  const result: string[] = [];
  let at = 0;
  for (let index = 0; at < text.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    result.push(text.slice(at, at + size));
    at += size;
  }
  return result;
}
