import assert from "node:assert/strict";
import { closeSync, openSync, readFileSync } from "node:fs";
import { after, describe, it } from "node:test";
import { until } from "../../../lab/basics/until.ts";
import { clockAddon, hostClock } from "../../../lab/host/host-clock.ts";
import { createDatagrams } from "../../../src/host/linux/network/datagrams.ts";
import type { Datagrams } from "../../../src/host/ports.ts";
import { bound, openSockets } from "./sockets.ts";

// With the first comes one that stays.
closeSync(clockAddon.openDatagrams("127.0.0.1", 9));

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

  it("is 0 over node:dgram alone", async () => {
    const travels = await burst(createDatagrams(null));
    assert.deepEqual(
      travels.map(({ age }) => age),
      Array.from({ length: count }, () => 0),
    );
  });

  it("is 0 where nothing has been received, and where nothing is known", () => {
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
    ["port 0", () => clockAddon.openDatagrams("127.0.0.1", 0), "EINVAL"],
    ["port 65536", () => clockAddon.openDatagrams("127.0.0.1", 65_536), "EINVAL"],
    ["a link that is not there", () => clockAddon.openDatagrams("fe80::1%nosuchlink", 123), "ENODEV"],
    ["the broadcast address", () => clockAddon.openDatagrams("255.255.255.255", 123), "EACCES"],
    ["a descriptor below 0", () => clockAddon.sendDatagram(-1, Buffer.alloc(1)), "EINVAL"],
    ["a descriptor that is not open", () => clockAddon.sendDatagram(2 ** 31 - 1, Buffer.alloc(1)), "EBADF"],
    ["a descriptor that is no socket", () => clockAddon.sendDatagram(noSocket, Buffer.alloc(1)), "ENOTSOCK"],
  ];
  for (const [what, call, code] of bad) {
    it(`throw ${code} for ${what}`, () => {
      const before = openSockets();
      assert.throws(call, { code });
      assert.equal(openSockets(), before);
    });
  }

  it("are closed in a program that this one starts", () => {
    const descriptor = clockAddon.openDatagrams("127.0.0.1", 9);
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1];
    closeSync(descriptor);
    // O_CLOEXEC and O_NONBLOCK, fcntl.h of Linux.
    assert.equal(Number.parseInt(flags ?? "", 8) & 0o2004000, 0o2004000);
  });
});
