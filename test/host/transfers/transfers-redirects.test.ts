import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { plainRequest, readText } from "../../../lab/host/web-server.ts";
import { createTransfers } from "../../../src/host/linux/transfers/transfers.ts";
import { endServersAfterEach, serving } from "./serving.ts";

endServersAfterEach();

/** A server whose answers lead there, or where `location` says by the path that was asked for. */
const leading = (location: string | ((path: string) => string) | undefined, status = 302) =>
  serving((request, response) => {
    const to = typeof location === "function" ? location(request.url ?? "") : location;
    response.writeHead(status, to === undefined ? {} : { location: to }).end("moved");
  });

const another = () => serving((_request, response) => response.end("other"));

function open(url: string, redirectOrigins: string[] = []) {
  const transfers = createTransfers({ redirects: 3, allowLocalServers: true, redirectOrigins });
  return transfers.open(url, plainRequest());
}

const refused = { name: "TransferFailure", kind: "refused" };

describe("a redirect", () => {
  it("to another origin is refused, and that is not asked, unless the host file names it", async () => {
    const other = await another();
    const { url } = await leading(`${other.url}/x`);
    await assert.rejects(open(url), refused);
    assert.equal(other.requests.length, 0);
    assert.equal(await open(url, [other.url]).then(readText), "other");
  });

  it("to no server's address, or to one with a password, is refused", async () => {
    let location: string | undefined;
    const { url, requests } = await serving((_request, response) =>
      response.writeHead(301, location === undefined ? {} : { location }).end("moved"),
    );
    const secret = `http://user:secret@${new URL(url).host}/there`;
    for (location of ["file:///etc/passwd", "ftp://x/", "http://", undefined, secret])
      await assert.rejects(open(url), refused, location);
    assert.equal(requests.length, 5);
  });

  it("beyond the limit is refused", async () => {
    const { url, requests } = await leading((path) => `${path}x`, 307);
    await assert.rejects(open(`${url}/`), refused);
    assert.equal(requests.length, 4);
  });

  it("on the same origin is followed", async () => {
    let status = 0;
    const { url } = await serving((request, response) => {
      if (request.url === "/there") response.end("found");
      else response.writeHead(status, { location: "there" }).end();
    });
    for (status of [301, 302, 303, 307, 308]) assert.equal(await open(`${url}/here`).then(readText), "found");
  });

  it("to a server that is down, or cuts, names that server", async () => {
    const down = await another();
    await down.stop();
    const cutting = await serving((_request, response) => {
      response.writeHead(200, { "content-length": "100" }).write("half", () => response.destroy());
    });
    for (const other of [down, cutting]) {
      const { url } = await leading(`${other.url}/x`);
      const message = new RegExp(`^127\\.0\\.0\\.1:${other.port} (cannot be used|did not answer in full): `);
      await assert.rejects(open(url, [other.url]).then(readText), { message });
    }
  });

  it("takes headers for the origin to another path of it, and to no other origin", async () => {
    const other = await another();
    const { url, requests } = await leading((path) => (path === "/a" ? "/b" : `${other.url}/c`));
    const options = { redirects: 3, allowLocalServers: true, redirectOrigins: [other.url] };
    const request = { ...plainRequest(), originHeaders: { "steward-report": "product/demo" } };
    assert.equal(await createTransfers(options).open(`${url}/a`, request).then(readText), "other");
    const reports = [...requests, ...other.requests].map(({ headers }) => headers["steward-report"]);
    assert.deepEqual(reports, ["product/demo", "product/demo", undefined]);
  });

  it("is handed over as an answer by a transfer that follows none", async () => {
    const other = await another();
    const { url, requests } = await leading(`${other.url}/x`);
    const answer = await createTransfers({ redirects: null, allowLocalServers: true }).open(
      url,
      plainRequest(),
    );
    assert.deepEqual([answer.status, answer.headers.location], [302, `${other.url}/x`]);
    assert.equal(await readText(answer), "moved");
    assert.deepEqual([requests.length, other.requests.length], [1, 0]);
  });
});
