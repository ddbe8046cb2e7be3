import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { it } from "node:test";
import { nextPiece } from "../../src/console/client/event-stream.ts";

it("a stream that falls silent without an end is given up, and its connection closed", async (test) => {
  const server = createServer((_, response) => void response.write("retry: 2000\n\n"));
  test.after(() => server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const isClosed = once(server, "request").then(([, response]) => once(response, "close"));
  const { body } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  assert.ok(body);
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const { value } = await nextPiece(reader, 60_000);
  assert.equal(value, "retry: 2000\n\n");
  await assert.rejects(nextPiece(reader, 20), { name: "TimeoutError" });
  await isClosed;
});
