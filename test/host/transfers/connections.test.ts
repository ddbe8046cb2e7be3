import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createServerConnections } from "../../../src/host/linux/transfers/connections.ts";
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

  // Which addresses are local is tested with the judgement on them.
  for (const host of ["127.0.0.1", "mail.localhost", "mail.example"])
    it(`is refused to ${host}, which is this device`, async () => {
      const { port, open } = await serving();
      const resolveHost = async () => ["127.0.0.1"];
      const connections = createServerConnections({ allowLocalServers: false, resolveHost });
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
