import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, it } from "node:test";
import { atEnd } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { selfSigned } from "../../../lab/host/certificates.ts";
import { startChronyd } from "../../../lab/host/chronyd.ts";
import {
  exportedKeys,
  isWholeKeyExchange,
  keyExchangeRequest,
  readKeyExchange,
} from "../../../src/clock/nts/key-exchange-messages.ts";
import { createRunCommand } from "../../../src/host/linux/commands.ts";
import { createKeyExchange } from "../../../src/host/linux/nts/key-exchange.ts";

const directory = scratchDirectory();
const caLine = "basicConstraints=critical,CA:TRUE";
const key = ["-newkey", "rsa:2048"];
const root = selfSigned(directory, { name: "Root", key, extensions: [caLine] });
const middle = root.issue({ name: "Middle", extensions: [caLine] });
const leaf = middle.issue({ name: "time.example", key, extensions: ["subjectAltName=DNS:time.example"] });
const place = { directory, caFile: root.path, own: process.getuid?.() };
const ask = createKeyExchange({ run: createRunCommand(), ...place });

describe("a key exchange with Debian's chronyd", () => {
  it("gives eight cookies and two keys, and none if its certificate has another name", async (test) => {
    const server = await startChronyd({ nts: { key: leaf.key, cert: leaf.cert + middle.cert } });
    atEnd(test, server.stop);
    const question = {
      ...{ address: { address: "127.0.0.1", port: server.ntsPort ?? 0 }, request: keyExchangeRequest() },
      ...{ isWhole: isWholeKeyExchange, exports: exportedKeys, atSeconds: Date.now() / 1_000 },
    };
    const answer = await ask({ ...question, host: "time.example" });
    assert.equal(answer.kind, "answer", JSON.stringify(answer));
    const read = readKeyExchange(answer.bytes);
    assert.equal(read.kind, "agreed");
    assert.equal(read.cookies.length, 8);
    assert.equal(read.port, server.port);
    const keys = answer.exported.map((one) => Buffer.from(one).toString("hex"));
    assert.equal(new Set(keys).size, 2);
    for (const one of keys) assert.match(one, /^[0-9a-f]{64}$/);
    const other = await ask({ ...question, host: "other.example" });
    assert.ok(other.kind === "failed" && other.reason.code === "nts_wrong_name", JSON.stringify(other));
  });
});

describe("a key exchange with openssl s_server", () => {
  it("sends the request, reads the answer and exports the same key", async (test) => {
    const label = "EXPORTER-network-time-security";
    const server = spawn("openssl", [
      ...["s_server", "-accept", "127.0.0.1:0", "-naccept", "1", "-tls1_3", "-alpn", "ntske/1"],
      ...["-cert", leaf.path, "-key", leaf.keyPath, "-cert_chain", middle.path],
      ...["-keymatexport", label, "-keymatexportlen", "32"],
    ]);
    const ended = once(server, "close");
    atEnd(test, () => {
      server.kill();
      return ended;
    });
    let output = "";
    let isAnswered = false;
    const port = await new Promise<number>((resolve, reject) => {
      server.once("close", () => reject(new Error(output)));
      server.stdout.on("data", (text) => {
        output += text;
        const at = /^ACCEPT .*:(\d+)$/m.exec(output)?.[1];
        if (at !== undefined) resolve(Number(at));
        if (isAnswered || !output.includes("the request")) return;
        isAnswered = true;
        server.stdin.write("answer\n");
      });
    });
    const answer = await ask({
      ...{ address: { address: "127.0.0.1", port }, host: "time.example", atSeconds: null },
      request: Buffer.from("the request\n"),
      isWhole: (bytes) => bytes.at(-1) === 10,
      // Under TLS 1.3 an empty context is the same as none (RFC 8446 §7.5), which is the program's.
      exports: [{ label, context: new Uint8Array(), bytes: 32 }],
    });
    assert.equal(answer.kind, "answer", JSON.stringify(answer));
    assert.equal(Buffer.from(answer.bytes).toString(), "answer\n");
    const exported = Buffer.from(answer.exported[0] ?? []).toString("hex");
    assert.equal(/Keying material: ([0-9A-F]+)/.exec(output)?.[1]?.toLowerCase(), exported);
  });
});
