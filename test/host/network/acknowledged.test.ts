import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, Socket } from "node:net";
import { describe, it } from "node:test";
import { until } from "../../../lab/basics/until.ts";
import { isAcknowledged } from "../../../src/host/linux/network/connection-users.ts";

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
