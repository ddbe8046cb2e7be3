import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { closeSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { describe, it, type TestContext } from "node:test";
import { heldUdpPort } from "../../../lab/basics/held-ports.ts";
import { reaching } from "../../../lab/basics/ipv6.ts";
import { until } from "../../../lab/basics/until.ts";
import { clockAddon } from "../../../lab/host/host-clock.ts";
import { createDatagrams } from "../../../src/host/linux/network/datagrams.ts";
import type { Datagrams } from "../../../src/host/ports.ts";
import { bound, openSockets } from "./sockets.ts";

const deaf = { onPacket: () => undefined, onFailure: () => undefined };

/** Addresses of this host that are not loopback, one of each family that it has. */
const ownAddresses = ["IPv4", "IPv6"].flatMap((family) =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter((one) => one.family === family && !one.internal && !one.address.startsWith("fe80:"))
    .map(({ address }) => address)
    .slice(0, 1),
);

// With the addon's first socket comes one that stays.
closeSync(clockAddon.openDatagrams("127.0.0.1", 9));

const ways: [string, Datagrams][] = [
  ["over node:dgram alone", createDatagrams(null)],
  ["with the addon", createDatagrams(clockAddon)],
];
for (const [way, datagrams] of ways)
  describe(`a datagram connection ${way}`, () => {
    /** A connection to this place, which ends with the test, and what it has heard. */
    async function opened(test: TestContext, port: number, address = "127.0.0.1") {
      const [packets, failures]: [string[], string[]] = [[], []];
      const connection = await datagrams.connect(
        { address, port },
        { onPacket: (packet) => packets.push(String(packet)), onFailure: (code) => failures.push(code) },
      );
      test.after(() => connection.close());
      return { connection, packets, failures };
    }

    /** A server that sends each packet back, until the test ends. */
    async function echoing(test: TestContext, address = "127.0.0.1") {
      const server = await bound(address);
      server.on("message", (packet, { port, address: from }) => server.send(packet, port, from));
      test.after(() => server.close());
      return server;
    }

    for (const address of ["127.0.0.1", "::1", ...ownAddresses]) {
      it(`with ${address} carries packets both ways`, reaching(address), async (test) => {
        const server = await echoing(test, address);
        const { connection, packets } = await opened(test, server.address().port, address);
        connection.send(Buffer.from("a packet"));
        await until("the packet comes back", () => packets.length > 0);
        assert.deepEqual(packets, ["a packet"]);
      });

      it(`names a closed port of ${address} by the system's code`, reaching(address), async (test) => {
        const { connection, failures } = await opened(test, await heldUdpPort(), address);
        connection.send(Buffer.alloc(48));
        await until("the refusal comes", () => failures.length > 0);
        assert.deepEqual(failures, ["ECONNREFUSED"]);
      });
    }

    it("hears nothing from another port of the same address", async (test) => {
      const [server, other] = await Promise.all([bound("127.0.0.1"), bound("127.0.0.1")]);
      test.after(() => [server, other].map((one) => one.close()));
      const { connection, packets } = await opened(test, server.address().port);
      server.on("message", (_packet, { port }) => {
        other.send("spoofed", port, "127.0.0.1", () => server.send("real", port, "127.0.0.1"));
      });
      connection.send(Buffer.from("?"));
      await until("a packet comes", () => packets.length > 0);
      assert.deepEqual(packets, ["real"]);
    });

    it("goes on after a refusal, and names it once", async (test) => {
      const port = await heldUdpPort();
      const { connection, packets, failures } = await opened(test, port);
      connection.send(Buffer.alloc(48));
      await until("the refusal comes", () => failures.length > 0);
      const server = createSocket({ type: "udp4", reuseAddr: true });
      test.after(() => server.close());
      server.on("message", (packet, from) => server.send(packet, from.port, from.address));
      await new Promise<void>((resolve) => server.bind(port, "127.0.0.1", resolve));
      connection.send(Buffer.from("again"));
      await until("the packet comes back", () => packets.length > 0);
      assert.deepEqual([packets, failures], [["again"], ["ECONNREFUSED"]]);
    });

    it("names a packet that is too large to be sent, and nothing any more once it is closed", async (test) => {
      const server = await echoing(test);
      const { connection, failures } = await opened(test, server.address().port);
      connection.send(Buffer.alloc(70_000));
      await until("the failure comes", () => failures.length > 0);
      connection.send(Buffer.alloc(70_000));
      connection.close();
      // The failure comes in the next turn, as before.
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(failures, ["EMSGSIZE"]);
    });

    it("can be closed twice, and sends nothing after that", async (test) => {
      const server = await bound("127.0.0.1");
      let packets = 0;
      server.on("message", () => {
        packets += 1;
      });
      const { connection, failures } = await opened(test, server.address().port);
      connection.send(Buffer.alloc(1));
      await until("the packet comes", () => packets === 1);
      connection.close();
      connection.close();
      connection.send(Buffer.alloc(1));
      const last = createSocket("udp4");
      test.after(() => [server, last].map((one) => one.close()));
      last.send(Buffer.alloc(1), server.address().port, "127.0.0.1");
      await until("a later packet comes", () => packets > 1);
      assert.deepEqual([packets, failures], [2, []]);
    });

    const nowhere: [string, string, number][] = [
      ["a name, without looking it up", "localhost", 123],
      ["nothing", "", 123],
      ["port 0", "127.0.0.1", 0],
      ["port 65536", "127.0.0.1", 65_536],
      ["the broadcast address", "255.255.255.255", 123],
      ["a link that is not there", "fe80::1%nosuchlink", 123],
      ["a link whose name is too long", `fe80::1%${"l".repeat(100)}`, 123],
      ["an address cut off by a zero", "127.0.0.1\0.example", 123],
    ];
    for (const [name, address, port] of nowhere) {
      it(`with ${name} is refused and leaves no descriptor`, async () => {
        const before = openSockets();
        for (let turn = 0; turn < 5; turn += 1)
          await assert.rejects(datagrams.connect({ address, port }, deaf));
        await until("their sockets are closed", () => openSockets() <= before);
      });
    }

    it("leaves no descriptor after 200 connections, of which half fail", async (test) => {
      const [server, closedPort] = [await echoing(test), await heldUdpPort()];
      const before = openSockets();
      for (let turn = 0; turn < 200; turn += 1) {
        const port = turn % 2 === 0 ? server.address().port : closedPort;
        const { connection, packets, failures } = await opened(test, port);
        connection.send(Buffer.alloc(48));
        while (packets.length + failures.length === 0) await new Promise((resolve) => setImmediate(resolve));
        connection.close();
      }
      await until("their sockets are closed", () => openSockets() <= before);
    });
  });
