import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import {
  type Answerer,
  plainRequest,
  readText,
  startWebServer,
  type WebServer,
} from "../../../lab/host/web-server.ts";
import { createTransfers } from "../../../src/host/linux/transfers/transfers.ts";

const servers: WebServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

async function serving(answer: Answerer): Promise<WebServer> {
  const server = await startWebServer(answer);
  servers.push(server);
  return server;
}

function open(url: string, redirectOrigins: string[] = []) {
  const transfers = createTransfers({ redirects: 3, allowLocalServers: true, redirectOrigins });
  return transfers.open(url, plainRequest());
}

const refused = { name: "TransferFailure", kind: "refused" };

describe("a redirect", () => {
  it("to another origin is refused, and that is not asked", async () => {
    const other = await serving((_request, response) => response.end("other"));
    const { url } = await serving((_request, response) =>
      response.writeHead(302, { location: `${other.url}/x` }).end(),
    );
    await assert.rejects(open(url), refused);
    assert.equal(other.requests.length, 0);
  });

  for (const location of ["file:///etc/passwd", "ftp://x/", "http://", undefined]) {
    it(`to ${location ?? "nowhere"} is refused`, async () => {
      const { url } = await serving((_request, response) =>
        response.writeHead(301, location === undefined ? {} : { location }).end(),
      );
      await assert.rejects(open(url), refused);
    });
  }

  it("in a circle is refused", async () => {
    const { url, requests } = await serving((request, response) =>
      response.writeHead(307, { location: request.url === "/a" ? "/b" : "/a" }).end(),
    );
    await assert.rejects(open(`${url}/a`), refused);
    assert.equal(requests.length, 2);
  });

  it("beyond the limit is refused", async () => {
    const { url, requests } = await serving((request, response) =>
      response.writeHead(308, { location: `${request.url}x` }).end(),
    );
    await assert.rejects(open(`${url}/`), refused);
    assert.equal(requests.length, 4);
  });

  for (const status of [301, 302, 303, 307, 308]) {
    it(`(${status}) on the same origin is followed`, async () => {
      const { url } = await serving((request, response) => {
        if (request.url === "/there") response.end("found");
        else response.writeHead(status, { location: "there" }).end();
      });
      assert.equal(await open(`${url}/here`).then(readText), "found");
    });
  }

  it("to an origin that the host file names is followed", async () => {
    const other = await serving((_request, response) => response.end("other"));
    const { url } = await serving((_request, response) =>
      response.writeHead(302, { location: `${other.url}/x` }).end(),
    );
    assert.equal(await open(url, [other.url]).then(readText), "other");
  });

  it("to a server that is down, or cuts, names that server", async () => {
    const down = await serving((_request, response) => response.end());
    await down.stop();
    const cutting = await serving((_request, response) => {
      response.writeHead(200, { "content-length": "100" }).write("half", () => response.destroy());
    });
    for (const other of [down, cutting]) {
      const { url } = await serving((_request, response) =>
        response.writeHead(302, { location: `${other.url}/x` }).end(),
      );
      const message = new RegExp(`^127\\.0\\.0\\.1:${other.port} (cannot be used|did not answer in full): `);
      await assert.rejects(open(url, [other.url]).then(readText), { message });
    }
  });

  it("takes headers for the origin to another path of it, and to no other origin", async () => {
    const other = await serving((_request, response) => response.end("other"));
    const { url, requests } = await serving((request, response) =>
      response.writeHead(302, { location: request.url === "/a" ? "/b" : `${other.url}/c` }).end(),
    );
    const transfers = createTransfers({
      redirects: 3,
      allowLocalServers: true,
      redirectOrigins: [other.url],
    });
    const request = { ...plainRequest(), originHeaders: { "steward-report": "product/demo" } };
    assert.equal(await transfers.open(`${url}/a`, request).then(readText), "other");
    const told = [...requests, ...other.requests].map(({ headers }) => headers["steward-report"]);
    assert.deepEqual(told, ["product/demo", "product/demo", undefined]);
  });
});

describe("a transfer that follows no redirects", () => {
  it("hands over the redirect as an answer", async () => {
    const other = await serving((_request, response) => response.end("other"));
    const { url, requests } = await serving((_request, response) =>
      response.writeHead(302, { location: `${other.url}/x` }).end("moved"),
    );
    const transfers = createTransfers({ redirects: null, allowLocalServers: true });
    const answer = await transfers.open(url, plainRequest());
    assert.deepEqual([answer.status, answer.headers.location], [302, `${other.url}/x`]);
    assert.equal(await readText(answer), "moved");
    assert.deepEqual([requests.length, other.requests.length], [1, 0]);
  });
});
