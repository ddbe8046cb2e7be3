import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { TLSSocket } from "node:tls";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { createAuthority, type ServerCertificate } from "../../../lab/host/certificates.ts";
import { startForwardProxy } from "../../../lab/host/forward-proxy.ts";
import {
  listening,
  plainRequest,
  readBytes,
  readText,
  type WebServer,
} from "../../../lab/host/web-server.ts";
import { createTransfers, type LinuxTransferOptions } from "../../../src/host/linux/transfers/transfers.ts";
import { TransferFailure } from "../../../src/host/transfer-failure.ts";
import { ending, endServersAfterEach, serving as servingPlain, servingRaw } from "./serving.ts";

const directory = scratchDirectory();
const authority = createAuthority(directory);
const good = authority.certify("updates.example");

endServersAfterEach();

/** `recordBytes`: the most of one record of TLS. */
async function serving(
  certificate: ServerCertificate,
  body: string | Buffer = "ok",
  recordBytes = 16_384,
): Promise<WebServer> {
  const requests: WebServer["requests"] = [];
  const server = createServer(certificate, (request, response) => {
    requests.push(request);
    (request.socket as TLSSocket).setMaxSendFragment(recordBytes);
    response.end(body);
  });
  return ending(listening(server, "https", requests));
}

const startProxy = () => ending(startForwardProxy());

async function failureOf(opening: Promise<unknown>): Promise<TransferFailure> {
  const error: unknown = await opening.then(
    () => assert.fail("it was opened"),
    (cause: unknown) => cause,
  );
  if (!(error instanceof TransferFailure)) throw error;
  return error;
}

function open(url: string, options: Partial<LinuxTransferOptions> = {}, headSeconds?: number) {
  const resolveHost = async () => ["127.0.0.1"];
  const transfers = createTransfers({ redirects: 5, allowLocalServers: true, resolveHost, ...options });
  const { limits, ...request } = plainRequest();
  return transfers.open(url, { ...request, limits: { ...limits, ...(headSeconds && { headSeconds }) } });
}

const failing = (reason: string, message = /./) => ({
  ...{ name: "TransferFailure", kind: "unreachable", isSent: false },
  ...{ message, reason },
});
const caFile = authority.path;

describe("transfers over https", () => {
  const itself = (): ServerCertificate => ({
    key: readFileSync(join(directory, "ca.key"), "utf8"),
    cert: readFileSync(caFile, "utf8"),
  });
  const certified = (from: string, until: string) => authority.certify("updates.example", { from, until });
  const signIn = /it is for another name .* a network's sign-in page/;
  const dates = "certificate_date";
  // The certificate, the server's name, whether the authority is known, and the reason of the refusal in words.
  const refusals: [string, () => ServerCertificate, string, boolean, string, RegExp?][] = [
    ["of no authority", () => good, "updates.example", false, "certificate", /not one that this device/],
    ["whose certificate is for another name", () => good, "other.example", true, "certificate", signIn],
    ["for another address", () => good, "127.0.0.1", true, "certificate", /for another name/],
    ["self-signed", itself, "updates.example", false, "certificate", /self-signed .* network\.ca_file/],
    ["of the past", () => certified("20100101000000Z", "20110101000000Z"), "updates.example", true, dates],
    ["of the future", () => certified("20900101000000Z", "20950101000000Z"), "updates.example", true, dates],
  ];
  for (const [what, certificate, host, isKnown, reason, words] of refusals)
    it(`send nothing to a server ${what}`, async () => {
      const { port, requests } = await serving(certificate());
      const opening = open(`https://${host}:${port}/`, isKnown ? { caFile } : {});
      await assert.rejects(opening, failing(reason, words));
      assert.equal(requests.length, 0);
    });

  it("send nothing to a server that speaks no TLS", async () => {
    const server = await servingPlain((_request, response) => response.end("plain"));
    const expected = { kind: "unreachable", reason: null, isSent: false };
    await assert.rejects(open(`https://updates.example:${server.port}/`), expected);
    assert.equal(server.requests.length, 0);
  });

  it("with a bundle of authorities that is none say so, and go by the new one when it changes", async () => {
    const path = join(directory, "changing.pem");
    const { port } = await serving(good);
    const transfers = createTransfers({
      ...{ redirects: 5, allowLocalServers: true, caFile: path },
      resolveHost: async () => ["127.0.0.1"],
    });
    const asked = () => transfers.open(`https://updates.example:${port}/`, plainRequest()).then(readText);
    await assert.rejects(asked(), failing("ca_file"), "it is absent");
    const none = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for (const text of ["nothing\n", readFileSync(caFile, "utf8").slice(0, 300), none, "# empty\n"]) {
      writeFileSync(path, text);
      await assert.rejects(asked(), failing("ca_file"), text);
    }
    appendFileSync(path, readFileSync(caFile));
    assert.equal(await asked(), "ok");
  });

  for (const [page, reason] of [
    ["<html>\r\n<head><title>400 No required SSL certificate was sent</title></head>", "client_certificate"],
    ["<html>\r\n<head><title>400 The SSL certificate error</title></head>", "client_certificate"],
    ["another page", null],
    ["", null],
  ] as const)
    it(`read 400 with ${JSON.stringify(page)} as nginx means it`, async () => {
      const requests: WebServer["requests"] = [];
      const server = createServer(good, (_request, response) => response.writeHead(400).end(page));
      const { port } = await ending(listening(server, "https", requests));
      const opening = open(`https://updates.example:${port}/`, { caFile });
      if (reason !== null) return assert.rejects(opening, { reason, isSent: false });
      assert.equal(await readText(await opening), page);
    });

  for (const [host, recordBytes] of [
    ["updates.example", 16_384],
    ["127.0.0.1", 16_384],
    // Several of them come with one read.
    ["updates.example", 600],
  ] as const)
    it(`read from ${host}, which is certified, in records of ${recordBytes} bytes`, async () => {
      const sent = randomBytes(1_000_001);
      const certificate = host === "127.0.0.1" ? authority.certify(host) : good;
      const { port } = await serving(certificate, sent, recordBytes);
      const { body } = await open(`https://${host}:${port}/`, { caFile });
      const pieces: Buffer[] = [];
      for await (const piece of body) {
        // As a disk would, while the rest of a read comes.
        await new Promise(setImmediate);
        pieces.push(Buffer.from(piece));
      }
      assert.ok(sent.equals(Buffer.concat(pieces)), "every byte is as it was sent");
    });
});

describe("transfers through a proxy", () => {
  it("refuse one that is no address of a proxy", () => {
    for (const proxy of [
      "proxy:3128",
      "https://proxy.example",
      "http://user:secret@proxy",
      "socks5://proxy:1",
    ])
      assert.throws(() => createTransfers({ redirects: 5, allowLocalServers: true, proxy }), {
        ...{ kind: "refused", reason: "proxy", member: "network.proxy" },
      });
  });

  describe("name it where it fails", () => {
    const unused = "http://127.0.0.1:9";
    const answers: readonly (readonly [string, "refused" | "unreachable", RegExp, string?])[] = [
      ["is down", "unreachable", /cannot be used: nothing listens there/],
      ["closes without an answer", "unreachable", /cannot be used: it closed the connection/, ""],
      ["speaks another protocol", "refused", /did not connect to .*: its answer is not HTTP/, "220 mail"],
      ["refuses", "refused", /: it answered 403\. Ask who runs it/, "HTTP/1.1 403 No"],
      ["wants a password", "refused", /: it answered 407\. It asks for a user name/, "HTTP/1.1 407 No"],
      ["does not reach the server", "unreachable", /: it answered 503\. Ask who runs it/, "HTTP/1.0 503 No"],
      ["sends a page of its own", "refused", /: it answered 200/, "HTTP/1.1 200 OK"],
    ];
    for (const [what, code, words, answer] of answers)
      it(`because it ${what}`, async () => {
        const text = answer === "" ? "" : `${answer}\r\n\r\n<html>`;
        const url = answer === undefined ? unused : (await servingRaw((socket) => socket.end(text))).url;
        const error = await failureOf(open("https://updates.example/", { caFile, proxy: url }));
        assert.deepEqual([error.kind, error.reason, error.isSent], [code, "proxy", false]);
        const place = `The proxy ${url.slice(7)} (network.proxy in the host file) `;
        assert.ok(error.message.startsWith(place), error.message);
        assert.match(error.message, words);
      });

    it("because its name cannot be resolved, or for plain HTTP", async () => {
      const { url: asking } = await servingRaw((socket) => socket.end("HTTP/1.1 407 No\r\n\r\n"));
      const resolveHost = async () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
      const named = "http://proxy.example:3128";
      for (const [scheme, proxy, words] of [
        ["http", named, /^The proxy proxy\.example:3128 .* cannot be used: its name cannot be resolved/],
        ["https", named, /^The proxy proxy\.example:3128 .* cannot be used: its name cannot be resolved/],
        ["http", asking, /^The proxy 127\.0\.0\.1:\d+ .*: it answered 407\./],
        ["http", unused, /^The proxy 127\.0\.0\.1:\d+ .*: nothing listens there\./],
      ] as const) {
        const options = proxy === named ? { proxy, resolveHost } : { proxy };
        assert.match((await failureOf(open(`${scheme}://updates.example/`, options))).message, words);
      }
    });

    it("beside the server, where either may be to blame", async () => {
      const proxy = await startProxy();
      const { port, requests } = await serving(good);
      const place = `other.example:${port} \\(through the proxy 127.0.0.1:${proxy.port}\\)`;
      const opening = open(`https://other.example:${port}/`, { caFile, proxy: proxy.url });
      const words = new RegExp(`^${place} cannot be used: its certificate cannot be trusted: it is for`);
      assert.match((await failureOf(opening)).message, words);
      assert.equal(requests.length, 0);
      const plain = await servingPlain((_request, response) => response.end("plain"));
      const { where } = await open(`http://other.example:${plain.port}/`, { proxy: proxy.url });
      assert.match(where, /^other\.example:\d+ \(through the proxy 127\.0\.0\.1:\d+\)$/);
    });

    it("beside the server, where no answer comes", async () => {
      const proxy = await servingRaw(() => undefined);
      const { message } = await failureOf(open("https://updates.example/", { proxy: proxy.url }, 0.1));
      assert.match(message, /^updates\.example \(through the proxy 127\.0\.0\.1:\d+\) did not answer/);
    });
  });

  it("refuse a local server's literal address behind it", async () => {
    const proxy = await startProxy();
    const opening = open("http://127.0.0.1/", { allowLocalServers: false, proxy: proxy.url });
    await assert.rejects(opening, { kind: "refused" });
    assert.equal(proxy.requests.length, 0);
  });

  it("ask for https with CONNECT, from a proxy that may be on this device", async () => {
    const proxy = await startProxy();
    const sent = randomBytes(1_000_001);
    const { port } = await serving(good, sent);
    const options = { caFile, proxy: proxy.url, allowLocalServers: false };
    const { body } = await open(`https://updates.example:${port}/`, options);
    assert.ok(sent.equals(await readBytes(body)), "every byte is as it was sent");
    assert.equal(proxy.requests[0]?.url, `updates.example:${port}`);
  });

  it("ask for http in the absolute form", async () => {
    const proxy = await startProxy();
    const server = await servingPlain((request, response) => response.end(`for ${request.headers.host}`));
    const answer = await open(`http://updates.example:${server.port}/x`, { proxy: proxy.url });
    assert.equal(await readText(answer), `for updates.example:${server.port}`);
    assert.equal(proxy.requests[0]?.url, `http://updates.example:${server.port}/x`);
  });
});
