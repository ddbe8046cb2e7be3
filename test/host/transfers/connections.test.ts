import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { plainRequest, readText } from "../../../lab/host/web-server.ts";
import { createServerConnections } from "../../../src/host/linux/transfers/connections.ts";
import { createTransfers } from "../../../src/host/linux/transfers/transfers.ts";
import { endServersAfterEach, servingRaw } from "./serving.ts";

endServersAfterEach();

const serving = () => servingRaw((socket) => socket.end("hello"));

const { signal: never } = new AbortController();
const local = { name: "TransferFailure", kind: "refused", reason: "local_server", isSent: false };

describe("a connection to a server", () => {
  it("is open, and an abort ends it", async () => {
    const { port } = await serving();
    const ending = new AbortController();
    const connections = createServerConnections({ allowLocalServers: true });
    const socket = await connections.open({ host: "127.0.0.1", port }, ending.signal);
    assert.equal(socket.remotePort, port);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    ending.abort();
    await closed;
  });

  it("says where nothing listens", async () => {
    const connections = createServerConnections({ allowLocalServers: true });
    await assert.rejects(connections.open({ host: "127.0.0.1", port: 1 }, never), {
      ...{ kind: "unreachable", reason: null, isSent: false },
      message: "127.0.0.1:1 cannot be used: nothing listens there.",
    });
  });

  it("is refused to this device, by its address and by any name for it", async () => {
    const { port, open } = await serving();
    const resolveHost = async () => ["127.0.0.1"];
    const connections = createServerConnections({ allowLocalServers: false, resolveHost });
    for (const host of ["127.0.0.1", "mail.localhost", "mail.example"])
      await assert.rejects(connections.open({ host, port }, never), local);
    assert.equal(open.size, 0);
  });

  it("through a proxy gives what the server says first, also where it comes with the proxy's answer", async () => {
    const proxy = await servingRaw((socket) =>
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n220 mail.example\r\n\r\nmore"),
    );
    const connections = createServerConnections({ allowLocalServers: false, proxy: proxy.url });
    const socket = await connections.open({ host: "mail.example", port: 587 }, never);
    const said = new Promise((resolve) => socket.once("data", (piece) => resolve(String(piece))));
    socket.resume();
    assert.equal(await said, "220 mail.example\r\n\r\nmore");
    socket.destroy();
  });

  it("to this device itself is made without the proxy, which could not reach it", async () => {
    const { port } = await serving();
    const connections = createServerConnections({ allowLocalServers: true, proxy: "http://127.0.0.1:9" });
    (await connections.open({ host: "127.0.0.1", port }, never)).destroy();
    const { message } = connections.failure({ host: "127.0.0.1", port }, new Error("x"));
    assert.doesNotMatch(message, /proxy/);
  });

  it("is not made where a file of its surroundings could have been written by another user", async () => {
    const { port, open } = await serving();
    const connections = createServerConnections({
      ...{ allowLocalServers: true, caFile: "/etc/steward/ca.pem", members: { ca_file: "notify.ca_file" } },
      untrusted: { name: "ca_file", detail: "names /etc/steward/ca.pem, which must belong to root" },
    });
    await assert.rejects(connections.secure({ host: "127.0.0.1", port }, never), {
      message: "notify.ca_file in the host file names /etc/steward/ca.pem, which must belong to root.",
      ...{ reason: "ca_file", member: "notify.ca_file", isSent: false },
    });
    assert.equal(open.size, 0);
  });
});

const directory = scratchDirectory();
writeFileSync(join(directory, "a"), "0123456789");
writeFileSync(join(directory, "b ?#%"), "odd");
mkdirSync(join(directory, "folder"));
symlinkSync("a", join(directory, "link"));
execFileSync("mkfifo", [join(directory, "fifo")]);

function open(name: string, headers: Record<string, string> = {}, signal = new AbortController().signal) {
  const transfers = createTransfers({ redirects: 0, allowLocalServers: false });
  return transfers.open(`${pathToFileURL(directory).href}/${name}`, plainRequest({ headers, signal }));
}

describe("transfers from a directory", () => {
  for (const name of ["link", "fifo", "../a", "folder/%2e%2e/a", "folder/..\\a"])
    it(`refuse ${name}`, () => assert.rejects(open(name), { name: "TransferFailure", kind: "refused" }));

  it("refuse another host's files", async () => {
    const transfers = createTransfers({ redirects: 0, allowLocalServers: true });
    await assert.rejects(transfers.open("file://other/etc/hostname", plainRequest()), { kind: "refused" });
  });

  const answers: [name: string, range: string | null, status: number, text?: string][] = [
    ...["absent", "folder", "a/b", "folder%2F..%2Fa", "a%00", "x".repeat(300)].map(
      (name): [string, null, number] => [name, null, 404],
    ),
    ["a", null, 200, "0123456789"],
    ["b%20%3F%23%25", null, 200, "odd"],
    ["a", "bytes=7-", 206, "789"],
    ["a", "bytes=10-", 416],
  ];
  for (const [name, range, expected, text] of answers)
    it(`answer ${expected} to ${name.slice(0, 20)}${range === null ? "" : ` from ${range}`}`, async () => {
      const answer = await open(name, range === null ? {} : { range });
      assert.equal(answer.status, expected);
      if (text === undefined) return;
      const { "content-length": length, "content-range": part } = answer.headers;
      assert.deepEqual([length, part], [`${text.length}`, range === null ? undefined : "bytes 7-9/10"]);
      assert.equal(await readText(answer), text);
    });

  it("end with the signal's reason", async () => {
    const reason = new Error("enough");
    await assert.rejects(open("a", {}, AbortSignal.abort(reason)), reason);
  });
});
