import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { before, describe, it } from "node:test";
import { requestText, sendRaw } from "../../../lab/agents/raw-http.ts";
import { endOfSuite } from "../../../lab/basics/ending.ts";
import { until } from "../../../lab/basics/until.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import type { Actor } from "../../../src/http/call.ts";
import { trackConnections } from "../../../src/http/wire/connections.ts";
import { createLastingRequests, type NewLasting } from "../../../src/http/wire/lasting-requests.ts";
import { discardRest, readUpload, type UploadOptions } from "../../../src/http/wire/uploads.ts";
import { listen } from "../fixture.ts";

const binary = "Content-Type: application/octet-stream";
const mebibyte = 1024 ** 2;

/** Reads an upload as an operation does; `take` gets each piece. */
interface Reading {
  readonly options?: Partial<UploadOptions & NewLasting>;
  take?: ((piece: Uint8Array) => void | Promise<void>) | undefined;
}

describe("an upload", () => {
  const suite = endOfSuite();
  let port: number;
  let reading: Reading = {};
  let readBytes = 0;
  let failure = "";
  const requests = createLastingRequests();
  const server = createServer({ connectionsCheckingInterval: 30 });
  before(async () => {
    const handle = async (
      ...[request, response]: Parameters<Parameters<typeof trackConnections>[1]["handle"]>
    ) => {
      readBytes = 0;
      const {
        requireStill = async () => undefined,
        actor = { kind: "anonymous" },
        ...bounds
      } = reading.options ?? {};
      const lasting = requests.begin({ response, actor, upload: "file", requireStill });
      try {
        const options = { maximumBytes: 8 * mebibyte, lasting, ...bounds };
        for await (const piece of readUpload(request, response, options)) {
          readBytes += piece.length;
          await reading.take?.(piece);
        }
        response.end(`read ${readBytes}`);
      } catch (error) {
        const status = error instanceof StewardError ? error.status : 500;
        if (!request.complete && !discardRest(request, status)) response.setHeader("Connection", "close");
        failure = error instanceof StewardError ? error.code : String(error);
        response.end(failure);
      }
    };
    trackConnections(server, { handle, maximum: 512, clientKeyOf: () => "one", now: () => new Date() });
    port = await listen(suite, server);
  });

  const sent = async (how: Reading, bytes: string | Uint8Array) => {
    reading = how;
    const head = Buffer.from(requestText("PUT /x", [binary, `Content-Length: ${bytes.length}`]));
    return sendRaw(Buffer.concat([head, Buffer.from(bytes)]), { port, expect: 1 });
  };
  /** An upload that has begun with these bytes, and its answer when that comes. */
  const begun = async (how: Reading, length: number, bytes = "") => {
    reading = how;
    readBytes = -1;
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    const answer = once(socket, "data").then(String);
    socket.write(requestText("PUT /x", [binary, `Content-Length: ${length}`], bytes));
    if (bytes !== "") await until("the reader has begun", () => readBytes === bytes.length);
    return { socket, answer };
  };

  it("arrives whole, and the connection takes the next request", async () => {
    reading = {};
    const one = requestText("PUT /x", [binary, "Content-Length: 5"], "first");
    const { answers } = await sendRaw(one + one, { port, expect: 2 });
    const found = answers.map(({ text }) => text);
    assert.deepEqual(found, ["read 5", "read 5"]);
  });

  it("whose length is not announced arrives as well, up to the bound", async () => {
    const chunked = (bytes: number) =>
      requestText(
        "PUT /x",
        [binary, "Transfer-Encoding: chunked"],
        `${bytes.toString(16)}\r\n${"a".repeat(bytes)}\r\n0\r\n\r\n`,
      );
    reading = { options: { maximumBytes: 1_000 } };
    assert.equal((await sendRaw(chunked(1_000), { port, expect: 1 })).answers[0]?.text, "read 1000");
    assert.equal((await sendRaw(chunked(1_001), { port, expect: 1 })).answers[0]?.text, "payload_too_large");
  });

  it("that announces too much is refused before a byte of it is read, as is one of another type or coding", async () => {
    const { answers } = await sent({ options: { maximumBytes: 1_000 } }, "a".repeat(1_001));
    assert.deepEqual([answers[0]?.text, readBytes], ["payload_too_large", 0]);
    for (const headers of [["Content-Type: application/json"], [binary, "Content-Encoding: gzip"]]) {
      const bytes = requestText("PUT /x", [...headers, "Content-Length: 2"], "{}");
      assert.equal((await sendRaw(bytes, { port, expect: 1 })).answers[0]?.text, "unsupported_media_type");
    }
  });

  it("may take longer than other requests, as long as it goes on", async (test) => {
    test.after(() => Object.assign(server, { headersTimeout: 10_000, requestTimeout: 25_000 }));
    const half = "a".repeat(1_000);
    const { socket, answer } = await begun({}, 2_000, half);
    // The listener's 25 seconds made short: at many of the server's looks, every 30 ms, this one is beyond them.
    Object.assign(server, { headersTimeout: 100, requestTimeout: 150 });
    let looks = 0;
    const looking = setInterval(() => (looks += 1), 50);
    await until("the time of other requests is over", () => looks >= 10);
    clearInterval(looking);
    socket.write(half);
    assert.match(await answer, /read 2000$/);
    socket.destroy();
  });

  it("of a sender who has stalled ends (slow loris)", async () => {
    reading = { options: { patienceMilliseconds: 60 } };
    const bytes = requestText("PUT /x", [binary, "Content-Length: 2000"], "a".repeat(999));
    assert.equal((await sendRaw(bytes, { port, expect: 1 })).answers[0]?.text, "request_timeout");
  });

  it("is not stalled while its reader is slow", async () => {
    const how: Reading = { options: { patienceMilliseconds: 1_000 } };
    how.take = async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      how.take = () => void setTimeout(() => socket.write("third"), 50);
      socket.write("second");
    };
    const { socket, answer } = await begun(how, 16, "first");
    assert.match(await answer, /read 16$/);
    socket.destroy();
  });

  it("waits in the sender while its reader takes nothing (memory of the agent)", async () => {
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const { socket, answer } = await begun({ take: () => held }, 8 * mebibyte);
    const isTaken = socket.write(Buffer.alloc(8 * mebibyte));
    await until("the reader has begun", () => readBytes > 0);
    assert.equal(isTaken, false);
    assert.ok(readBytes < mebibyte, `${readBytes} were read ahead`);
    letGo();
    assert.match(await answer, new RegExp(`read ${8 * mebibyte}$`));
    socket.destroy();
  });

  it("whose connection breaks off is a timeout to its reader", async () => {
    const { socket } = await begun({}, 2_000, "half");
    failure = "";
    socket.destroy();
    await until("the reader has failed", () => failure !== "");
    assert.equal(failure, "request_timeout");
  });

  it("of a caller who has lost the right is refused at its end, or in its midst, and no more of it is read (a disabled account)", async () => {
    let isAllowed = false;
    const requireStill = async () => {
      if (!isAllowed) throw new StewardError("forbidden", "disabled");
    };
    const { answers } = await sent({ options: { requireStill } }, "whole");
    assert.deepEqual([answers[0]?.text, readBytes], ["forbidden", 5]);
    isAllowed = true;
    const { socket, answer } = await begun({ options: { requireStill } }, 8 * mebibyte, "begun");
    const closed = new Promise((resolve) => socket.once("close", resolve));
    isAllowed = false;
    assert.match(await answer, /Connection: close[\s\S]*forbidden$/);
    socket.write(Buffer.alloc(mebibyte));
    await closed;
    assert.equal(readBytes, 5);
  });

  it("gives way to one of an administrator's, and not to one of an equal", async () => {
    const by = (role: string): Reading => ({
      options: { actor: { kind: "user", account: { role } } as unknown as Actor },
    });
    const first = await begun(by("readonly"), 10, "1");
    const equal = await begun(by("readonly"), 10, "22");
    equal.socket.write("22222222");
    assert.match(await equal.answer, /read 10$/);
    const higher = await begun(by("admin"), 10, "333");
    assert.match(await first.answer, /rate_limited$/);
    higher.socket.write("3333333");
    assert.match(await higher.answer, /read 10$/);
    for (const { socket } of [first, equal, higher]) socket.destroy();
  });

  for (const [when, maximumBytes] of [
    ["in its midst", 8 * mebibyte],
    ["before its first byte", mebibyte],
  ] as const)
    it(`that is refused ${when} is still read, so that its client learns why`, async () => {
      const take = () => {
        throw new StewardError("validation_failed", "no tar");
      };
      const { socket, answer } = await begun({ options: { maximumBytes }, take }, 7 * mebibyte);
      // More than the buffers of both kernels hold: on a reset, the client would find its own writing failed.
      await new Promise<void>((resolve, reject) =>
        socket.write(Buffer.alloc(7 * mebibyte), (error) => (error ? reject(error) : resolve())),
      );
      assert.match(await answer, /(validation_failed|payload_too_large)$/);
      socket.destroy();
    });

  it("is asked for only when it is read: a refusal costs a client that waits for a go-ahead no byte", async () => {
    reading = { options: { maximumBytes: 10 } };
    const ask = (length: number) =>
      requestText("PUT /x", [binary, `Content-Length: ${length}`, "Expect: 100-continue"]);
    const refused = await sendRaw(ask(11), { port, expect: 1 });
    assert.doesNotMatch(refused.text, /100 Continue/);
    assert.equal(refused.answers[0]?.text, "payload_too_large");
    const socket = connect(port, "127.0.0.1");
    socket.write(ask(10));
    assert.match(String((await once(socket, "data"))[0]), /^HTTP\/1\.1 100 Continue/);
    socket.write("0123456789");
    assert.match(String((await once(socket, "data"))[0]), /read 10$/);
    socket.destroy();
  });
});
