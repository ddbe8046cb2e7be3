import assert from "node:assert/strict";
import { createSocket, type Socket } from "node:dgram";
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { after, describe, it, type TestContext } from "node:test";
import { heldUdpPort } from "../../../lab/basics/held-ports.ts";
import { reaching } from "../../../lab/basics/ipv6.ts";
import { until } from "../../../lab/basics/until.ts";
import { clockAddon, hostClock } from "../../../lab/host/host-clock.ts";
import { createDatagrams } from "../../../src/host/linux/network/datagrams.ts";
import type { Datagrams } from "../../../src/host/ports.ts";

/** A UDP socket on a free port of the address. */
async function bound(address: string): Promise<Socket> {
  const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
  await new Promise<void>((resolve) => socket.bind(0, address, resolve));
  return socket;
}

/** Counts the descriptors of this process that are sockets. */
function openSockets(): number {
  return readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith("socket:");
    } catch {
      return false;
    }
  }).length;
}

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

    it("names a packet that is too large, and once closed, twice too, nothing any more, nor sends it", async (test) => {
      const server = await echoing(test);
      const { connection, packets, failures } = await opened(test, server.address().port);
      connection.send(Buffer.alloc(70_000));
      await until("the failure comes", () => failures.length > 0);
      connection.send(Buffer.alloc(70_000));
      connection.close();
      connection.close();
      connection.send(Buffer.alloc(1));
      const later = await opened(test, server.address().port);
      later.connection.send(Buffer.from("later"));
      await until("a later packet comes back", () => later.packets.length > 0);
      assert.deepEqual([packets, failures, later.packets], [[], ["EMSGSIZE"], ["later"]]);
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
    it("to no address is refused and leaves no descriptor", async () => {
      for (const [name, address, port] of nowhere) {
        const before = openSockets();
        for (let turn = 0; turn < 5; turn += 1)
          await assert.rejects(datagrams.connect({ address, port }, deaf), Error, name);
        await until("their sockets are closed", () => openSockets() <= before);
      }
    });

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

/** Holds the program up, as the rest of it may at any time. */
function blockEventLoop(milliseconds: number): void {
  const end = hostClock.read().monotonicSeconds + milliseconds / 1_000;
  while (hostClock.read().monotonicSeconds < end);
}

describe("the age of a packet", () => {
  const count = 5;

  interface Travel {
    /** Seconds: just before and just after it was sent. */
    sent: [number, number];
    age: number;
    /** Seconds: when it was handed over, less its age. */
    arrived: number;
  }

  /** A burst of packets, 10 ms apart, while the program does not come to receive. */
  async function burst(datagrams: Datagrams): Promise<Travel[]> {
    const seconds = () => hostClock.read().monotonicSeconds;
    const sent: [number, number][] = [];
    const travels: Travel[] = [];
    const server = await bound("127.0.0.1");
    const connection = await datagrams.connect(
      { address: "127.0.0.1", port: server.address().port },
      {
        onFailure: assert.fail,
        onPacket: (packet, age) =>
          travels.push({ age, arrived: seconds() - age, sent: sent[packet[0] ?? count] ?? [0, 0] }),
      },
    );
    server.on("message", (_request, { port, address }) => sendOn(port, address));
    // One callback calls for the next before the event loop looks at sockets again.
    const sendOn = (port: number, address: string): void => {
      const before = seconds();
      server.send(Uint8Array.of(sent.length), port, address, () => {
        sent.push([before, seconds()]);
        blockEventLoop(10);
        if (sent.length < count) sendOn(port, address);
      });
    };
    connection.send(Buffer.alloc(1));
    await until("the burst has come", () => travels.length === count);
    connection.close();
    server.close();
    return travels;
  }

  it("counts from when the kernel took in that very packet, however long the program was held up", async () => {
    const travels = await burst(createDatagrams(clockAddon));
    for (const [index, { age, arrived, sent }] of travels.entries()) {
      assert.ok(age > (count - index) * 0.01, `packet ${index} lay for ${age} s`);
      assert.ok(arrived > sent[0] - 1e-4, `packet ${index} came ${sent[0] - arrived} s before it was sent`);
      // The program may lose the processor between asking for the age and looking at the clock.
      assert.ok(arrived < sent[1] + 5e-3, `packet ${index} came ${arrived - sent[1]} s after it was sent`);
    }
  });

  it("is 0 over node:dgram, where nothing has been received, and where nothing is known", async () => {
    const travels = await burst(createDatagrams(null));
    assert.deepEqual(
      travels.map(({ age }) => age),
      Array(count).fill(0),
    );
    const descriptor = clockAddon.openDatagrams("127.0.0.1", 9);
    const file = openSync("/dev/null", "r");
    const ages = [descriptor, file, 2 ** 31 - 1].map((end) => clockAddon.datagramAge(end));
    closeSync(descriptor);
    closeSync(file);
    assert.deepEqual(ages, [0, 0, 0]);
  });
});

describe("the addon's sockets", () => {
  const noSocket = openSync("/dev/null", "r");
  after(() => closeSync(noSocket));
  const bad: [string, () => void, string][] = [
    ["a name", () => clockAddon.openDatagrams("localhost", 123), "EINVAL"],
    ["an IPv4 address in short", () => clockAddon.openDatagrams("127.1", 123), "EINVAL"],
    ["a link that is not there", () => clockAddon.openDatagrams("fe80::1%nosuchlink", 123), "ENODEV"],
    ["the broadcast address", () => clockAddon.openDatagrams("255.255.255.255", 123), "EACCES"],
    ["a descriptor below 0", () => clockAddon.sendDatagram(-1, Buffer.alloc(1)), "EINVAL"],
    ["a descriptor that is not open", () => clockAddon.sendDatagram(2 ** 31 - 1, Buffer.alloc(1)), "EBADF"],
    ["a descriptor that is no socket", () => clockAddon.sendDatagram(noSocket, Buffer.alloc(1)), "ENOTSOCK"],
  ];
  for (const [what, call, code] of bad)
    it(`throw ${code} for ${what}`, () => {
      const before = openSockets();
      assert.throws(call, { code });
      assert.equal(openSockets(), before);
    });

  it("are closed in a program that this one starts", () => {
    const descriptor = clockAddon.openDatagrams("127.0.0.1", 9);
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1];
    closeSync(descriptor);
    // O_CLOEXEC and O_NONBLOCK, fcntl.h of Linux.
    assert.equal(Number.parseInt(flags ?? "", 8) & 0o2004000, 0o2004000);
  });
});
