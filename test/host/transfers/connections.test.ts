import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { startRawServer, type WebServer } from "../../../lab/host/web-server.ts";
import {
  createServerConnections,
  type LinuxSurroundings,
} from "../../../src/host/linux/transfers/connections.ts";

const servers: WebServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

async function serving(): Promise<WebServer> {
  const server = await startRawServer((socket) => socket.end("hello"));
  servers.push(server);
  return server;
}

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

  const judged: readonly (readonly [string, string, Partial<LinuxSurroundings>])[] = [
    ["is written as this device", "127.0.0.1", {}],
    ["is written as a metadata service", "169.254.169.254", {}],
    ["is a name of this device", "mail.localhost", {}],
    ["is a name that resolves to this device", "mail.example", { resolveHost: async () => ["127.0.0.1"] }],
    [
      "is an address of one of its interfaces",
      "mail.example",
      { resolveHost: async () => ["10.9.8.7"], ownAddresses: () => new Set(["10.9.8.7"]) },
    ],
  ];
  for (const [what, host, options] of judged) {
    it(`is refused where its address ${what}`, async () => {
      const { port, open } = await serving();
      const connections = createServerConnections({ allowLocalServers: false, ...options });
      await assert.rejects(connections.open({ host, port }, never), local);
      assert.equal(open.size, 0);
    });
  }
});
