import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { loadClockAddon } from "../../../src/host/linux/clock/clock-addon.ts";
import { createBoundBuffers } from "../../../src/host/linux/network/socket-buffers.ts";
import type { BoundBuffers } from "../../../src/host/ports.ts";

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
