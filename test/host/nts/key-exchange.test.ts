import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { getEventListeners, once } from "node:events";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { afterEach, describe, it } from "node:test";
import { connect, createServer, type TLSSocket, type TlsOptions } from "node:tls";
import { heldPort } from "../../../lab/basics/held-ports.ts";
import { reaching } from "../../../lab/basics/ipv6.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { until } from "../../../lab/basics/until.ts";
import { type CertificateWish, type Issuer, selfSigned } from "../../../lab/host/certificates.ts";
import { createRunCommand } from "../../../src/host/linux/commands.ts";
import { createKeyExchange } from "../../../src/host/linux/nts/key-exchange.ts";
import type { KeyExchangeAnswer, KeyExchangeQuestion } from "../../../src/host/nts-ports.ts";
import type { RunCommand } from "../../../src/host/ports.ts";

const directory = scratchDirectory();
const run = createRunCommand();
const caLine = "basicConstraints=critical,CA:TRUE";
const root = selfSigned(directory, { name: "Root", extensions: [caLine] });
const middle = root.issue({ name: "Middle", extensions: [caLine] });
const forName: CertificateWish = {
  name: "time.example",
  extensions: ["subjectAltName=DNS:time.example,IP:127.0.0.1,IP:::1"],
};
const leaf = middle.issue(forName);
const over = { from: "20100101000000Z", until: "20110101000000Z" };

const label = "EXPORTER-network-time-security";
const context = Uint8Array.of(0, 0, 0, 15, 0);
const request = Buffer.from("the request");

const ending: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

async function listen(server: Server, address = "127.0.0.1"): Promise<number> {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => open.add(socket.on("error", () => undefined)));
  server.listen(0, address);
  await once(server, "listening");
  ending.push(async () => {
    for (const socket of open) socket.destroy();
    server.close();
    await once(server, "close");
  });
  return (server.address() as AddressInfo).port;
}

interface Heard {
  readonly port: number;
  /** The requests that came, and the names that they were for. */
  readonly requests: string[];
  readonly names: (string | false)[];
  readonly keys: Buffer[];
}

interface Serving extends TlsOptions {
  readonly chain?: readonly Issuer[];
  readonly address?: string;
  readonly answer?: (socket: TLSSocket) => void;
  readonly greet?: (socket: TLSSocket) => void;
}

/** A server of key exchanges that answers `whole.` in two pieces. */
async function serving({ chain = [leaf, middle], address, answer, greet, ...options }: Serving = {}) {
  const heard: Heard = { port: 0, requests: [], names: [], keys: [] };
  const cert = chain.map((one) => one.cert).join("");
  const key = chain[0]?.key ?? "";
  const server = createServer({ key, cert, ALPNProtocols: ["ntske/1"], ...options }, (socket) => {
    socket.on("error", () => undefined);
    heard.names.push(socket.servername ?? false);
    greet?.(socket);
    socket.on("data", (bytes) => {
      heard.requests.push(bytes.toString());
      heard.keys.push(socket.exportKeyingMaterial(32, label, Buffer.from(context)));
      if (answer !== undefined) return answer(socket);
      socket.write("who");
      setImmediate(() => socket.end("le."));
    });
  });
  server.on("tlsClientError", () => undefined);
  return { ...heard, port: await listen(server, address) };
}

interface Asked extends Partial<KeyExchangeQuestion> {
  readonly caFile?: string;
  readonly timeoutMilliseconds?: number;
  readonly signal?: AbortSignal;
  /** Runs openssl. */
  readonly verifier?: RunCommand;
}

function ask(
  port: number,
  { caFile = root.path, timeoutMilliseconds, signal, verifier = run, ...asked }: Asked = {},
) {
  const limit = timeoutMilliseconds === undefined ? {} : { timeoutMilliseconds };
  const place = { run: verifier, directory, caFile, own: process.getuid?.() };
  return createKeyExchange({ ...place, ...limit, ...(signal && { signal }) })({
    ...{ address: { address: "127.0.0.1", port }, host: "time.example", request },
    isWhole: (answer) => answer.at(-1) === ".".charCodeAt(0),
    exports: [{ label, context, bytes: 32 }],
    atSeconds: null,
    ...asked,
  });
}

function answered(answer: KeyExchangeAnswer) {
  assert.equal(answer.kind, "answer", JSON.stringify(answer));
  return answer;
}

function failing(answer: KeyExchangeAnswer, code: string, cause: RegExp = /^/): void {
  assert.equal(answer.kind, "failed");
  assert.equal(answer.reason.code, code);
  assert.match(answer.reason.cause ?? "", cause);
}

describe("a key exchange", () => {
  it("sends its request, reads the whole answer and exports the keys that the server has", async () => {
    const server = await serving();
    const { bytes, exported } = answered(await ask(server.port));
    assert.equal(Buffer.from(bytes).toString(), "whole.");
    assert.deepEqual(server.requests, ["the request"]);
    const found = exported.map((key) => Buffer.from(key));
    assert.deepEqual(found, server.keys);
    assert.deepEqual(server.names, ["time.example"]);
  });

  const extensions = ["subjectAltName=DNS:time.example,DNS:time_1.example,IP:127.0.0.1,IP:::1"];
  it("asks for the name without the dot at its end, and for none by an address", async () => {
    const chain = [middle.issue({ name: "time", extensions }), middle];
    for (const [host, name, address = "127.0.0.1"] of [
      ["time.example.", "time.example"],
      ["time_1.example", "time_1.example"],
      ["time_1.example.", "time_1.example"],
      ["127.0.0.1", false],
      ["::1", false, "::1"],
    ] as const) {
      if (reaching(address).skip) continue;
      const { port, names } = await serving({ chain, address });
      answered(await ask(port, { host, address: { address, port } }));
      assert.deepEqual(names, [name]);
    }
  });

  it("keeps no server waiting while it verifies, as chronyd gives up after two seconds", async () => {
    const { port, requests } = await serving();
    const verifier: RunCommand = async (...command) => {
      await until("the server has the request", () => requests.length === 1);
      return run(...command);
    };
    assert.equal(answered(await ask(port, { verifier })).bytes.length, 6);
  });

  describe("sends nothing to a server", () => {
    const stranger = selfSigned(directory, { name: "Stranger", extensions: [caLine] });
    const strange = stranger.issue({ ...forName, validity: over });

    it("of an unknown authority, whose wrong date is all that Node sees", async () => {
      const { port } = await serving({ chain: [strange, stranger] });
      const trusting = { host: "127.0.0.1", port, ca: root.cert, servername: "time.example" };
      const socket = connect({ ...trusting, ALPNProtocols: ["ntske/1"] });
      const [error] = await once(socket, "error");
      assert.equal(error.code, "CERT_HAS_EXPIRED");
      failing(await ask(port), "nts_unknown_authority");
      failing(await ask(port, { atSeconds: Date.now() / 1_000 }), "nts_unknown_authority");
    });

    it("of another name, and ends the connection", async () => {
      let closed = 0;
      const greet = (socket: TLSSocket): void => void socket.once("close", () => (closed += 1));
      const { port } = await serving({ greet });
      failing(await ask(port, { host: "other.example" }), "nts_wrong_name");
      failing(await ask(port, { host: "127.0.0.2" }), "nts_wrong_name");
      await until("both connections have ended", () => closed === 2);
    });

    it("of TLS 1.2, or that knows no ALPN, or another protocol", async () => {
      for (const [options, code] of [
        [{ maxVersion: "TLSv1.2" }, "nts_tls_version"],
        [{ ALPNProtocols: [] }, "nts_not_offered"],
        [{ ALPNProtocols: ["http/1.1"] }, "nts_not_offered"],
      ] as const) {
        const { port, requests } = await serving(options as Serving);
        failing(await ask(port), code);
        assert.deepEqual(requests, []);
      }
    });
  });

  describe("fails", () => {
    it("where nothing listens, or a server of another kind does", async () => {
      failing(await ask(await heldPort()), "nts_unreachable", /^ECONNREFUSED$/);
      failing(await ask(99_999), "nts_unreachable", /ERR_SOCKET_BAD_PORT/);
      const port = await listen(createTcpServer((socket) => socket.write("SSH-2.0-server\r\n")));
      failing(await ask(port), "nts_not_offered", /^(E|ERR_)/);
    });

    it("with one that closes at once, in its answer, or while it is verified", async () => {
      failing(await ask(await listen(createTcpServer((socket) => socket.destroy()))), "nts_closed");
      for (const early of [(one: TLSSocket) => one.end("who"), (one: TLSSocket) => one.destroy()] as const)
        for (const how of ["answer", "greet"])
          failing(await ask((await serving({ [how]: early })).port), "nts_closed", /./);
    });

    it("with one that sends without end", async () => {
      const answer = (socket: TLSSocket): void => {
        const more = (): void => {
          while (!socket.destroyed && socket.write(Buffer.alloc(4_096)));
        };
        socket.on("drain", more);
        more();
      };
      failing(await ask((await serving({ answer })).port), "nts_not_offered", /16384 bytes/);
    });

    it("when its time is over: a silent server, before TLS and after, and one that dribbles", async () => {
      const timeoutMilliseconds = 700;
      const port = await listen(createTcpServer());
      failing(await ask(port, { timeoutMilliseconds }), "nts_no_answer");
      const silent = await serving({ answer: () => undefined });
      failing(await ask(silent.port, { timeoutMilliseconds }), "nts_no_answer");
      assert.equal(silent.requests.length, 1);
      const answer = (socket: TLSSocket): void => {
        const timer = setInterval(() => socket.write("x"), 50);
        socket.on("close", () => clearInterval(timer));
      };
      failing(await ask((await serving({ answer })).port, { timeoutMilliseconds }), "nts_no_answer");
    });

    it("at once where its signal ends it", async () => {
      const ending = new AbortController();
      const greet = (): void => ending.abort();
      const { port } = await serving({ greet, answer: () => undefined });
      const asked = ask(port, { timeoutMilliseconds: 3_600_000, signal: ending.signal });
      failing(await asked, "nts_no_answer");
    });

    it("and leaves nothing on the signal of its process, however many there are", async () => {
      const { signal } = new AbortController();
      const { port } = await serving();
      const closed = await heldPort();
      for (let count = 0; count < 3; count += 1) {
        answered(await ask(port, { signal }));
        failing(await ask(closed, { signal }), "nts_unreachable");
        assert.deepEqual(getEventListeners(signal, "abort"), []);
      }
    });

    it("where the answer cannot be read, and ends no process", async () => {
      const isWhole = (): boolean => {
        throw new Error("cannot be read");
      };
      failing(await ask((await serving()).port, { isWhole }), "nts_not_offered", /cannot be read/);
    });
  });
});

it("a key exchange with openssl s_server sends the request, reads the answer and exports the same key", async () => {
  const server = spawn("openssl", [
    ...["s_server", "-accept", "127.0.0.1:0", "-naccept", "1", "-tls1_3", "-alpn", "ntske/1"],
    ...["-cert", leaf.path, "-key", leaf.keyPath, "-cert_chain", middle.path],
    ...["-keymatexport", label, "-keymatexportlen", "32"],
  ]);
  const ended = once(server, "close");
  ending.push(() => {
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
      server.stdin.write("answer.\n");
    });
  });
  const { bytes, exported } = answered(
    await ask(port, {
      request: Buffer.from("the request\n"),
      isWhole: (answer) => answer.at(-1) === 10,
      // Under TLS 1.3 an empty context is the same as none (RFC 8446 §7.5), which is the program's.
      exports: [{ label, context: new Uint8Array(), bytes: 32 }],
    }),
  );
  assert.equal(Buffer.from(bytes).toString(), "answer.\n");
  const key = Buffer.from(exported[0] ?? []).toString("hex");
  assert.equal(/Keying material: ([0-9A-F]+)/.exec(output)?.[1]?.toLowerCase(), key);
});
