import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { clockAddon } from "../../../lab/host/host-clock.ts";
import { temporaryDirectory } from "../../../lab/host/journal.ts";
import { createReadPeer } from "../../../src/host/linux/network/socket-buffers.ts";

const readPeer = createReadPeer(clockAddon);

describe("the peer of a unix socket", () => {
  it("is the process that has connected, by the kernel, and its user", async (t) => {
    const path = join(temporaryDirectory(t), "socket");
    const server = createServer().listen(path);
    t.after(() => server.close());
    await once(server, "listening");
    const script = `require("node:net").connect(${JSON.stringify(path)})`;
    const other = spawn(process.execPath, ["--eval", script], { stdio: "ignore" });
    t.after(() => other.kill());
    const [socket] = (await once(server, "connection")) as [Socket];
    assert.deepEqual(readPeer(socket), { pid: other.pid, uid: process.getuid?.() });
    assert.equal(createReadPeer(null)(socket), null);
    socket.destroy();
    assert.equal(readPeer(socket), null);
  });
});
