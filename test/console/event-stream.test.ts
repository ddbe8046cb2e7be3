import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { it } from "node:test";
import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { runs } from "../../lab/basics/counts.ts";
import { piecesOf } from "../../src/console/client/body.ts";
import { readMessages } from "../../src/console/client/event-stream.ts";

it("a stream that falls silent without an end is given up, and its connection closed", async (test) => {
  const server = createServer((_, response) => void response.write("retry: 2000\n\n"));
  test.after(() => server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const isClosed = once(server, "request").then(([, response]) => once(response, "close"));
  const { body } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  assert.ok(body);
  const text = body.pipeThrough(new TextDecoderStream());
  const reader = text.getReader();
  assert.equal((await reader.read()).value, "retry: 2000\n\n");
  reader.releaseLock();
  await assert.rejects(piecesOf(text, 20).next(), { name: "TimeoutError" });
  await isClosed;
});

it("messages are those that another reader finds, wherever the pieces of a stream end", async () => {
  const block = fc.oneof(
    fc.constantFrom(":", "retry: 2000", "event: lost"),
    fc
      .record({ id: fc.option(fc.nat()), event: fc.option(fc.constantFrom("event", "gap")), data: fc.json() })
      .map(({ id, event, data }) =>
        [id === null ? [] : `id: ${id}`, event === null ? [] : `event: ${event}`, `data: ${data}`]
          .flat()
          .join("\n"),
      ),
    fc.constant('data: {"name":"a\u2028id: 7\u2029data: 8"}'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(block), fc.array(fc.nat(40)), async (blocks, lengths) => {
      const text = blocks.map((one) => `${one}\n\n`).join("");
      const expected: unknown[] = [];
      const parser = createParser({
        onEvent: ({ event = null, id = null, data }) => expected.push({ event, id, data: JSON.parse(data) }),
      });
      parser.feed(text);
      const bytes = new TextEncoder().encode(text);
      const left = [...lengths];
      let at = 0;
      const body = new ReadableStream({
        pull: (to) => {
          const end = at + (left.shift() ?? bytes.length) + 1;
          if (at >= bytes.length) return to.close();
          to.enqueue(bytes.slice(at, end));
          at = end;
        },
      });
      const found: unknown[] = [];
      await readMessages(new Response(body), (message) => found.push(message));
      assert.deepEqual(found, expected);
    }),
    runs({ usual: 100, all: 2_000 }),
  );
});

it("a message without an end is not gathered", async () => {
  const endless = new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(2 ** 20).fill(97)) });
  await assert.rejects(
    readMessages(new Response(endless), () => undefined),
    RangeError,
  );
});
