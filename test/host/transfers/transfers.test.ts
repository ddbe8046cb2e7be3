import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { until } from "../../../lab/basics/until.ts";
import { plainRequest, readBytes, readText } from "../../../lab/host/web-server.ts";
import { createTransfers, type LinuxTransferOptions } from "../../../src/host/linux/transfers/transfers.ts";
import { endServersAfterEach, serving, servingRaw } from "./serving.ts";

endServersAfterEach();

function transfers(options: Partial<LinuxTransferOptions> = {}) {
  return createTransfers({ redirects: 5, allowLocalServers: true, ...options });
}

const kind = (name: string) => ({ name: "TransferFailure", kind: name });

describe("transfers over http", () => {
  for (const address of [
    ...["no address", "ftp://server.example/x", "data:text/plain,x", "http://user:secret@server.example/x"],
    ...["http://server.example/a/../b", "http://server.example/a/%2e%2E/b"],
    ...["http://server.example/a\\b", "http://server.example/a\nb"],
  ])
    it(`refuse ${JSON.stringify(address)} before anything is sent`, async () => {
      await assert.rejects(transfers().open(address, plainRequest()), kind("refused"));
    });

  describe("when local servers are not allowed", () => {
    // Which addresses are local is tested with the judgement on them.
    const names = ["127.0.0.1", "169.254.7.7", "::1", "fe80::1%lo", "100.100.100.200"];
    const rows: [host: string, resolved?: string][] = [
      ...["127.0.0.1", "0x7f.1", "localhost", "[::1]", "[64:ff9b::127.0.0.1]"].map((host): [string] => [
        host,
      ]),
      ...names.map((address): [string, string] => ["updates.example", address]),
    ];
    it("refuse each of them, by its literal and by a name that leads there", async () => {
      const { port, requests } = await serving((_request, response) => response.end("reached"));
      for (const [host, resolved] of rows) {
        const resolveHost = resolved === undefined ? {} : { resolveHost: async () => [resolved] };
        const { open } = transfers({ allowLocalServers: false, ...resolveHost });
        await assert.rejects(open(`http://${host}:${port}/`, plainRequest()), kind("refused"), host);
      }
      assert.equal(requests.length, 0);
    });

    it("refuse this device's own addresses, by name and as literals, as they are when it connects", async () => {
      let asked = 0;
      const ownAddresses = () => {
        asked += 1;
        return new Set(["192.0.2.7"]);
      };
      const resolveHost = async () => ["192.0.2.7"];
      const { open } = transfers({ allowLocalServers: false, ownAddresses, resolveHost });
      for (const host of ["192.0.2.7", "[::ffff:192.0.2.7]", "updates.example"])
        await assert.rejects(open(`http://${host}:9/`, plainRequest()), kind("refused"));
      assert.ok(asked >= 3, `they were looked up ${asked} times`);
    });
  });

  // Answers that are broken in other ways, or cut, are those of the odd servers.
  for (const [name, bytes] of Object.entries({
    "with two lengths": "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx",
    "with a length that is none": "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\nx",
    "that ends in its head": "HTTP/1.1 200 OK\r\ncontent-le",
    "in which a chunk is cut off": "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\na\r\nhello",
    "in which a chunk is malformed": "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello",
  }))
    it(`refuse an answer ${name}`, async () => {
      const { url } = await servingRaw((socket) => socket.end(bytes));
      await assert.rejects(transfers().open(url, plainRequest()).then(readText), kind("unreachable"));
    });

  describe("keep to their limits", () => {
    const brief = { headSeconds: 0.1, minimumBytesPerSecond: 1, rateWindowSeconds: 1 };
    const steady = { headSeconds: 5, minimumBytesPerSecond: 10_000, rateWindowSeconds: 0.1 };

    it("when the head does not come, or a name is not resolved", async () => {
      const { url } = await serving(() => undefined);
      const resolveHost = () => new Promise<never>(() => undefined);
      const request = plainRequest({ limits: brief });
      await assert.rejects(transfers().open(url, request), kind("too_slow"));
      const unresolved = transfers({ resolveHost }).open("http://updates.example/", request);
      await assert.rejects(unresolved, kind("too_slow"));
    });

    for (const head of [{ "content-length": "100000" }, { "transfer-encoding": "chunked" }])
      for (const isStalled of [false, true])
        it(`when a body ${isStalled ? "stalls" : "drips"} (${Object.keys(head)})`, async () => {
          const server = await serving((_request, response) => {
            response.writeHead(200, head).write("x".repeat(500));
            if (isStalled) return;
            const drip = setInterval(() => response.write("x"), 5);
            response.once("close", () => clearInterval(drip));
          });
          const reading = transfers()
            .open(server.url, plainRequest({ limits: steady }))
            .then(readText);
          await assert.rejects(reading, kind("too_slow"));
          await until("the connection is ended", () => server.open.size === 0);
        });

    it("and do not hold a slow reader against the server", async () => {
      const sent = randomBytes(3_000_000);
      const { url } = await serving((_request, response) => response.end(sent));
      const limits = { headSeconds: 5, minimumBytesPerSecond: 100_000_000, rateWindowSeconds: 1 };
      const { body } = await transfers().open(url, plainRequest({ limits }));
      let received = 0;
      for await (const piece of body) {
        // The disk takes its time: longer in all than a window.
        await new Promise((resolve) => setTimeout(resolve, 200));
        received += piece.byteLength;
      }
      assert.equal(received, sent.length);
    });

    it("end with the signal's reason before, in the head and in the body", async () => {
      const server = await serving((request, response) => {
        if (request.url === "/body") response.writeHead(200, { "content-length": 10 }).write("x");
      });
      const reason = new Error("enough");
      const before = plainRequest({ signal: AbortSignal.abort(reason) });
      await assert.rejects(transfers().open(`${server.url}/head`, before), reason);
      const inHead = new AbortController();
      const opening = transfers().open(`${server.url}/head`, plainRequest({ signal: inHead.signal }));
      await until("the request is there", () => server.requests.length > 0);
      inHead.abort(reason);
      await assert.rejects(opening, reason);
      // Between two pieces: what has come is not taken for whole.
      const inBody = new AbortController();
      const { body } = await transfers().open(`${server.url}/body`, plainRequest({ signal: inBody.signal }));
      const reading = (async () => {
        for await (const piece of body) inBody.abort(piece.byteLength > 0 ? reason : undefined);
      })();
      await assert.rejects(reading, reason);
      await until("the connections are ended", () => server.open.size === 0);
    });
  });

  it("end the connection when the reader leaves the body, and on close of an unread one", async () => {
    const server = await serving((_request, response) => {
      response.writeHead(404, { "content-length": 10_000_000 });
      response.write(Buffer.alloc(1_000_000));
    });
    const left = await transfers().open(server.url, plainRequest());
    for await (const piece of left.body) {
      assert.ok(piece.byteLength > 0, "a piece came");
      break;
    }
    await until("the connection is ended", () => server.open.size === 0);
    const { close, status } = await transfers().open(server.url, plainRequest());
    close();
    assert.equal(status, 404);
    await until("the connection is ended", () => server.open.size === 0);
  });

  describe("give a body as it was sent", () => {
    const framings = ["a length", "chunks", "the end of the connection"] as const;
    for (const framing of framings)
      it(`with ${framing}, however long, to a slow reader too`, async () => {
        let sent = randomBytes(0);
        const { url } = await servingRaw((socket) => {
          const length = framing === "a length" ? `content-length: ${sent.length}\r\n` : "";
          const head =
            framing === "chunks"
              ? "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n"
              : "HTTP/1.0 200 OK\r\n";
          socket.write(`${head}${length}\r\n`);
          if (framing !== "chunks") return void socket.end(sent);
          for (let at = 0; at < sent.length; at += 50_021) {
            const chunk = sent.subarray(at, at + 50_021);
            socket.write(
              Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")]),
            );
          }
          socket.end("0\r\n\r\n");
        });
        for (const lengthBytes of [0, 1, 70_000, 3_000_001]) {
          sent = randomBytes(lengthBytes);
          const { body } = await transfers().open(url, plainRequest());
          const pieces: Buffer[] = [];
          for await (const piece of body) {
            pieces.push(Buffer.from(piece));
            // As a disk would: the connection may have closed before the rest is read.
            await new Promise((resolve) => setTimeout(resolve, 1));
          }
          assert.ok(
            sent.equals(Buffer.concat(pieces)),
            `every one of ${lengthBytes} bytes is as it was sent`,
          );
        }
      });
  });

  it("ask for the file as it is, or for gzip where the caller can read it, and send what the caller gives", async () => {
    const body = gzipSync("ok");
    const { url, requests } = await serving((_request, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(body),
    );
    const headers = { "if-none-match": '"1"' };
    for (const asked of [{}, { acceptsGzip: true } as const]) {
      const answer = await transfers().open(`${url}/a%2Fb?c=d`, plainRequest({ headers, ...asked }));
      assert.equal(answer.headers["content-encoding"], "gzip");
      assert.deepEqual(await readBytes(answer.body), body);
    }
    const codings = requests.map((one) => one.headers["accept-encoding"]);
    const sent = requests.map((one) => [one.url, one.headers["if-none-match"]]);
    assert.deepEqual([codings, sent], [["identity", "gzip"], Array(2).fill(["/a%2Fb?c=d", '"1"'])]);
  });
});
