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

  const sent = async (how: Reading, bytes: string | Uint8Array, headers: readonly string[] = []) => {
    reading = how;
    const length = `Content-Length: ${bytes.length}`;
    const head = Buffer.from(requestText("PUT /x", [binary, length, ...headers]));
    return sendRaw(Buffer.concat([head, Buffer.from(bytes)]), { port, expect: 1 });
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

  it("that announces too much is refused before a byte of it is read", async () => {
    const { answers } = await sent({ options: { maximumBytes: 1_000 } }, "a".repeat(1_001));
    assert.deepEqual([answers[0]?.text, readBytes], ["payload_too_large", 0]);
  });

  it("of another type, or in a content coding, is refused", async () => {
    reading = {};
    for (const headers of [["Content-Type: application/json"], [binary, "Content-Encoding: gzip"]]) {
      const bytes = requestText("PUT /x", [...headers, "Content-Length: 2"], "{}");
      assert.equal((await sendRaw(bytes, { port, expect: 1 })).answers[0]?.text, "unsupported_media_type");
    }
  });

  it("may take longer than other requests, as long as it goes on", async (test) => {
    test.after(() => Object.assign(server, { headersTimeout: 10_000, requestTimeout: 25_000 }));
    reading = {};
    const socket = connect(port, "127.0.0.1");
    const answer = once(socket, "data");
    const half = "a".repeat(1_000);
    socket.write(requestText("PUT /x", [binary, "Content-Length: 2000"], half));
    await until("the upload has begun", () => readBytes === half.length);
    // The listener's 25 seconds made short: at many of the server's looks, every 30 ms, this one is beyond them.
    Object.assign(server, { headersTimeout: 100, requestTimeout: 150 });
    let looks = 0;
    const looking = setInterval(() => (looks += 1), 50);
    await until("the time of other requests is over", () => looks >= 10);
    clearInterval(looking);
    socket.write(half);
    assert.match(String(await answer), /read 2000$/);
    socket.destroy();
  });

  it("of a sender who has stalled ends (slow loris)", async () => {
    reading = { options: { patienceMilliseconds: 60 } };
    const bytes = requestText("PUT /x", [binary, "Content-Length: 2000"], "a".repeat(999));
    assert.equal((await sendRaw(bytes, { port, expect: 1 })).answers[0]?.text, "request_timeout");
  });

  it("is not stalled while its reader is slow", async () => {
    const socket = connect(port, "127.0.0.1");
    const answer = once(socket, "data");
    const take = async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      reading.take = () => void setTimeout(() => socket.write("third"), 50);
      socket.write("second");
    };
    reading = { options: { patienceMilliseconds: 1_000 }, take };
    socket.write(requestText("PUT /x", [binary, "Content-Length: 16"], "first"));
    assert.match(String(await answer), /read 16$/);
    socket.destroy();
  });

  it("waits in the sender while its reader takes nothing (memory of the agent)", async () => {
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    reading = { take: () => held };
    const socket = connect(port, "127.0.0.1");
    socket.write(requestText("PUT /x", [binary, `Content-Length: ${8 * mebibyte}`]));
    const isTaken = socket.write(Buffer.alloc(8 * mebibyte));
    await until("the reader has begun", () => readBytes > 0);
    assert.equal(isTaken, false);
    assert.ok(readBytes < mebibyte, `${readBytes} were read ahead`);
    const answer = once(socket, "data");
    letGo();
    assert.match(String(await answer), new RegExp(`read ${8 * mebibyte}$`));
    socket.destroy();
  });

  it("whose connection breaks off is a timeout to its reader", async () => {
    reading = {};
    const broken = connect(port, "127.0.0.1");
    broken.write(requestText("PUT /x", [binary, "Content-Length: 2000"], "half"));
    await until("the reader has begun", () => readBytes === 4);
    failure = "";
    broken.destroy();
    await until("the reader has failed", () => failure !== "");
    assert.equal(failure, "request_timeout");
  });

  it("of a caller who has lost the right meanwhile is refused at its end", async () => {
    const requireStill = async () => {
      throw new StewardError("forbidden", "disabled");
    };
    const { answers } = await sent({ options: { requireStill } }, "whole");
    assert.deepEqual([answers[0]?.text, readBytes], ["forbidden", 5]);
  });

  it("of a caller who has lost the right is refused in its midst, and no more of it is read (a disabled account)", async () => {
    let isAllowed = true;
    const requireStill = async () => {
      if (!isAllowed) throw new StewardError("forbidden", "disabled");
    };
    reading = { options: { requireStill } };
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    const answer = once(socket, "data");
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write(requestText("PUT /x", [binary, `Content-Length: ${8 * mebibyte}`], "begun"));
    await until("the reader has begun", () => readBytes === 5);
    isAllowed = false;
    assert.match(String(await answer), /Connection: close[\s\S]*forbidden$/);
    socket.write(Buffer.alloc(mebibyte));
    await closed;
    assert.equal(readBytes, 5);
  });

  it("gives way to one of an administrator's, and not to one of an equal", async () => {
    const [reader, admin] = ["readonly", "admin"].map(
      (role) => ({ kind: "user", account: { role } }) as unknown as Actor,
    );
    const begin = async (actor: Actor | undefined, piece: string) => {
      reading = { options: { ...(actor && { actor }) } };
      const socket = connect(port, "127.0.0.1");
      const answer = once(socket, "data");
      socket.write(requestText("PUT /x", [binary, "Content-Length: 10"], piece));
      await until("it is read", () => readBytes === piece.length);
      return { socket, answer };
    };
    const first = await begin(reader, "1");
    const equal = await begin(reader, "22");
    equal.socket.write("22222222");
    assert.match(String(await equal.answer), /read 10$/);
    const higher = await begin(admin, "333");
    assert.match(String(await first.answer), /rate_limited$/);
    higher.socket.write("3333333");
    assert.match(String(await higher.answer), /read 10$/);
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
      reading = { options: { maximumBytes }, take };
      const socket = connect(port, "127.0.0.1");
      const answer = once(socket, "data");
      socket.write(requestText("PUT /x", [binary, `Content-Length: ${7 * mebibyte}`]));
      // More than the buffers of both kernels hold: on a reset, the client would find its own writing failed.
      await new Promise<void>((resolve, reject) =>
        socket.write(Buffer.alloc(7 * mebibyte), (error) => (error ? reject(error) : resolve())),
      );
      assert.match(String(await answer), /(validation_failed|payload_too_large)$/);
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
