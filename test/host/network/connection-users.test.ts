import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { asRoot } from "../../../lab/host/host-file-of-root.ts";
import { canonicalAddress } from "../../../src/accounts/throttle/client-key.ts";
import { userOfConnection } from "../../../src/host/linux/network/connection-users.ts";

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
