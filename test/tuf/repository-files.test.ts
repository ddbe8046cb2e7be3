import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { until } from "../../lab/basics/until.ts";
import { type Answerer, readText, startWebServer, type WebServer } from "../../lab/host/web-server.ts";
import { createTransfers } from "../../src/host/linux/transfers/transfers.ts";
import { openRepository } from "../../src/releases/download/repository-files.ts";
import { caps } from "../../src/tuf/caps.ts";

const servers: WebServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

async function serving(answer: Answerer) {
  const server = await startWebServer(answer);
  servers.push(server);
  return { server, repository: openAt(`${server.url}/repo/`) };
}

function openAt(url: string | { metadata: string; targets: string }) {
  const transfers = createTransfers({ redirects: caps.redirects, allowLocalServers: true });
  return openRepository({ transfers, url, caps, signal: new AbortController().signal });
}

const signal = new AbortController().signal;
const known = { etag: '"1"', last_modified: "Sun, 06 Nov 1994 08:49:37 GMT" };
const code = (name: string) => ({ name: "StewardError", code: name });

describe("a repository's metadata", () => {
  for (const name of ["", ".", "..", "\ud800.json"]) {
    it(`of the name ${JSON.stringify(name)} is not asked for`, async () => {
      const { server, repository } = await serving((_request, response) => response.end("x"));
      const reading = repository.readMetadata(name, { maximumBytes: 10 });
      await assert.rejects(reading, code("update_server_refused"));
      assert.equal(server.requests.length, 0);
    });
  }

  // As python's urllib.parse.quote(name, safe="") gives them.
  for (const [name, path] of [
    ["2.root.json", "2.root.json"],
    ["1.../delegatedrole.json", "1...%2Fdelegatedrole.json"],
    ["?.json", "%3F.json"],
    ["#.json", "%23.json"],
    ["/x.json", "%2Fx.json"],
    ["a b!'()*~_-.json", "a%20b%21%27%28%29%2A~_-.json"],
    ["ü%2f\\.json", "%C3%BC%252f%5C.json"],
  ] as const) {
    it(`of the name ${name} lies at one segment`, async () => {
      const { server, repository } = await serving((_request, response) => response.end("x"));
      await repository.readMetadata(name, { maximumBytes: 10 });
      assert.equal(server.requests[0]?.url, `/repo/metadata/${path}`);
    });
  }

  for (const status of [400, 401, 418, 206, 204, 304]) {
    it(`is refused with ${status}`, async () => {
      const { repository } = await serving((_request, response) => response.writeHead(status).end());
      const reading = repository.readMetadata("timestamp.json", { maximumBytes: 10 });
      await assert.rejects(reading, code("update_server_refused"));
    });
  }

  it("is not unchanged when there was nothing to compare it with", async () => {
    const { server, repository } = await serving((_request, response) => response.writeHead(304).end());
    const bad = { etag: "no tag", last_modified: "never" };
    await assert.rejects(
      repository.readMetadata("timestamp.json", { maximumBytes: 10, known: bad }),
      code("update_server_refused"),
    );
    assert.equal(server.requests[0]?.headers["if-none-match"], undefined);
  });

  for (const status of [429, 500, 502, 503]) {
    it(`tells with ${status} when to come again`, async () => {
      const { repository } = await serving((_request, response) =>
        response.writeHead(status, { "retry-after": "90" }).end(),
      );
      await assert.rejects(repository.readMetadata("timestamp.json", { maximumBytes: 10 }), {
        ...code("update_server_unreachable"),
        details: { retryAfterSeconds: 90 },
      });
    });
  }

  it("that is announced longer than the cap is not read", async () => {
    const { server, repository } = await serving((_request, response) => {
      response.writeHead(200, { "content-length": 11 }).write("x");
    });
    const reading = repository.readMetadata("timestamp.json", { maximumBytes: 10 });
    await assert.rejects(reading, code("update_too_large"));
    await until("the connection is ended", () => server.open.size === 0);
  });

  it("that never ends is left at the cap (endless data)", async () => {
    const { server, repository } = await serving((_request, response) => {
      // The client has gone when a write fails; the response may be destroyed only after all that waits for this turn.
      const more = (error?: unknown): void => void (error || response.write(Buffer.alloc(10_000), more));
      more();
    });
    const reading = repository.readMetadata("timestamp.json", { maximumBytes: 100_000 });
    await assert.rejects(reading, code("update_too_large"));
    await until("the connection is ended", () => server.open.size === 0);
    assert.ok(repository.cost().bodyBytes < 1_000_000, `${repository.cost().bodyBytes} bytes were read`);
  });

  for (const status of [403, 404, 410]) {
    it(`is not there with ${status}, and the body is not read`, async () => {
      const { repository } = await serving((_request, response) =>
        response.writeHead(status, { "content-length": 500 }).write("x".repeat(400)),
      );
      assert.equal(await repository.readMetadata("2.root.json", { maximumBytes: 10 }), null);
      assert.deepEqual(repository.cost(), { requests: 1, bodyBytes: 0 });
    });
  }

  it("is unchanged where the server says so", async () => {
    const { server, repository } = await serving((_request, response) => response.writeHead(304).end());
    const found = await repository.readMetadata("timestamp.json", { maximumBytes: 10, known });
    assert.equal(found, "unchanged");
    assert.equal(server.requests[0]?.headers["if-none-match"], known.etag);
    assert.equal(server.requests[0]?.headers["if-modified-since"], undefined);
  });

  it("comes whole, up to the cap, with its validators", async () => {
    const { repository } = await serving((_request, response) => {
      response.writeHead(200, { etag: known.etag, "last-modified": known.last_modified });
      response.write("01234");
      setImmediate(() => response.end("56789"));
    });
    const found = await repository.readMetadata("timestamp.json", { maximumBytes: 10 });
    assert.ok(found !== null && found !== "unchanged", "it is there");
    assert.equal(Buffer.from(found.bytes).toString(), "0123456789");
    assert.deepEqual(found.validators, known);
    assert.deepEqual(repository.cost(), { requests: 1, bodyBytes: 10 });
  });
});

describe("a repository's target", () => {
  for (const path of [
    "",
    "/a",
    "a//b",
    "a/",
    "../a",
    "a/../b",
    "a/.",
    "a\\b",
    "a\u0000b",
    "a\nb",
    "a\u0085b",
  ]) {
    it(`of the path ${JSON.stringify(path)} is not asked for`, async () => {
      const { server, repository } = await serving((_request, response) => response.end("x"));
      await assert.rejects(repository.openTarget(path, {}, signal), code("update_server_refused"));
      assert.equal(server.requests.length, 0);
    });
  }

  it("that is not there is missing", async () => {
    const { repository } = await serving((_request, response) => response.writeHead(404).end());
    await assert.rejects(repository.openTarget("a/b", {}, signal), code("update_file_missing"));
  });

  it("tells when to come again", async () => {
    const { repository } = await serving((_request, response) =>
      response.writeHead(503, { "retry-after": "7" }).end(),
    );
    await assert.rejects(repository.openTarget("a/b", {}, signal), {
      ...code("update_server_unreachable"),
      details: { retryAfterSeconds: 7 },
    });
  });

  it("lies at its path, quoted by segments, and is counted", async () => {
    const { server, repository } = await serving((_request, response) => response.end("12345"));
    const transfer = await repository.openTarget("a b/c?.tar", { range: "bytes=0-" }, signal);
    assert.equal(await readText(transfer), "12345");
    assert.equal(server.requests[0]?.url, "/repo/targets/a%20b/c%3F.tar");
    assert.equal(server.requests[0]?.headers.range, "bytes=0-");
    assert.deepEqual(repository.cost(), { requests: 1, bodyBytes: 5 });
  });
});

describe("a repository's address", () => {
  for (const url of ["http://h/a?b=c", "http://h/a#b"]) {
    it(`is not ${url}`, () => {
      assert.throws(() => openAt(url), code("update_server_refused"));
    });
  }

  it("may be two", async () => {
    const { server } = await serving((_request, response) => response.end("x"));
    const repository = openAt({ metadata: `${server.url}/m/`, targets: `${server.url}/t` });
    await repository.readMetadata("1.root.json", { maximumBytes: 10 });
    (await repository.openTarget("a", {}, signal)).close();
    assert.deepEqual(
      server.requests.map(({ url }) => url),
      ["/m/1.root.json", "/t/a"],
    );
  });
});
