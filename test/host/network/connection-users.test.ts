import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, Socket } from "node:net";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { until } from "../../../lab/basics/until.ts";
import { asRoot } from "../../../lab/host/host-file-of-root.ts";
import { canonicalAddress } from "../../../src/accounts/throttle/client-key.ts";
import { loadClockAddon } from "../../../src/host/linux/clock/clock-addon.ts";
import { isAcknowledged, userOfConnection } from "../../../src/host/linux/network/connection-users.ts";
import { createBoundBuffers } from "../../../src/host/linux/network/socket-buffers.ts";
import type { BoundBuffers } from "../../../src/host/ports.ts";

describe("isAcknowledged", () => {
  for (const address of ["127.0.0.1", "::1"])
    it(`is true once ${address} has all and knows of the end, also of one that reads nothing and stays open`, async (test) => {
      const taken: Socket[] = [];
      const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (one) => taken.push(one));
      test.after(() => {
        for (const one of taken) one.destroy();
        server.close();
      });
      server.listen(0, address);
      await once(server, "listening");
      const { port } = server.address() as { port: number };
      const socket = connect(port, address);
      await once(socket, "connect");
      socket.write("x".repeat(1_000));
      assert.equal(await isAcknowledged(socket), false);
      socket.end();
      await until("it is acknowledged", () => isAcknowledged(socket));
      // More than its host takes while the server does not read.
      const other = connect(port, address);
      await once(other, "connect");
      other.on("error", () => undefined).end(Buffer.alloc(64 * 1_048_576));
      assert.equal(await isAcknowledged(other), false);
      for (const one of [socket, other]) one.destroy();
    });

  it("is false for a socket that has no connection", async () => {
    assert.equal(await isAcknowledged(new Socket()), false);
  });
});

const own = process.getuid?.() ?? -1;

/** This end of a connection, as the listener has it. */
const endsOf = ({ localAddress, localPort, remoteAddress, remotePort }: Socket) => ({
  localAddress: canonicalAddress(localAddress ?? "") ?? "",
  localPort: localPort ?? 0,
  remoteAddress: canonicalAddress(remoteAddress ?? "") ?? "",
  remotePort: remotePort ?? 0,
});

describe("the user at the other end of a connection over loopback", () => {
  let server: Server;
  let port: number;
  before(async () => {
    server = createServer().listen(0, "::");
    await once(server, "listening");
    port = (server.address() as AddressInfo).port;
  });
  after(() => server.close());

  /** The listener's end of what `begin` has begun. */
  const accepted = async <C>(begin: () => C): Promise<{ socket: Socket; client: C }> => {
    const arrival = once(server, "connection");
    const client = begin();
    const [socket] = (await arrival) as [Socket];
    return { socket, client };
  };

  for (const host of ["127.0.0.1", "127.8.7.6", "::1", "::ffff:127.0.0.1"])
    it(`is the one whose process connected to ${host}`, async (test) => {
      const { socket, client } = await accepted(() => connect({ host, port }));
      test.after(() => [socket, client].map((one) => one.destroy()));
      assert.equal(await userOfConnection(endsOf(socket)), own);
    });

  it("is another for a process of another user", asRoot, async (test) => {
    const script = 'exec 3<>"/dev/tcp/127.0.0.1/$1"; read -r line <&3';
    const { socket, client } = await accepted(() =>
      spawn("bash", ["-c", script, "bash", String(port)], { uid: 65_534, stdio: "ignore" }),
    );
    test.after(() => {
      socket.destroy();
      client.kill();
    });
    assert.equal(await userOfConnection(endsOf(socket)), 65_534);
  });

  it("is not known of a socket that its process has closed: the kernel says root there", async (test) => {
    const { socket, client } = await accepted(() => connect({ host: "127.0.0.1", port }));
    test.after(() => socket.destroy());
    const ended = once(socket.resume(), "end");
    client.destroy();
    await ended;
    assert.equal(await userOfConnection(endsOf(socket)), null);
  });

  it("is not known of a connection that there is none of", async () => {
    const ends = { localAddress: "127.0.0.1", localPort: 1, remoteAddress: "127.0.0.1", remotePort: 2 };
    assert.equal(await userOfConnection(ends), null);
  });
});

const addon = loadClockAddon(join(import.meta.dirname, "../../../dist/clock-steering.node"));

const kibibyte = 1024;

/** KiB that the kernel takes for a client that does not read, of 16 MiB. */
async function takenByKernel(t: TestContext, bound: BoundBuffers): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  bound(server);
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [socket] = (await once(server, "connection")) as [Socket];
  t.after(() => {
    client.destroy();
    socket.destroy();
    server.close();
  });
  let taken = 0;
  const piece = Buffer.alloc(16 * kibibyte);
  // The kernel takes a piece at once or not at all before the client reads.
  for (let count = 0; count < 1_024 && socket.writableLength === 0; count += 1)
    await new Promise<void>((resolve) => {
      socket.write(piece, () => {
        taken += 16;
      });
      setImmediate(resolve);
    });
  return taken;
}

describe("the buffers of a bounded server", () => {
  it("hold little for a client that does not read (512 of them had 468 MiB under the unit's 256)", async (t) => {
    assert.ok((await takenByKernel(t, () => undefined)) > 1_024, "the test is of use here");
    // This counts both ends: the client's own buffer is not bounded.
    const taken = await takenByKernel(t, createBoundBuffers(addon));
    assert.ok(taken < 320, `${taken} KiB`);
  });

  it("are left as they are without the addon, or before it listens", () => {
    createBoundBuffers(null)(createServer());
    createBoundBuffers(addon)(createServer());
  });
});
