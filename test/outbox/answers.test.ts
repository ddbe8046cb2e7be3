import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { createServer, type TlsOptions } from "node:tls";
import { gzipSync } from "node:zlib";
import { heldPort } from "../../lab/basics/held-ports.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { createAuthority } from "../../lab/host/certificates.ts";
import { messageOf, noticeOf } from "../../lab/host/messages.ts";
import { listening, startRawServer } from "../../lab/host/web-server.ts";
import {
  createServerConnections,
  type LinuxSurroundings,
} from "../../src/host/linux/transfers/connections.ts";
import { createTransfers } from "../../src/host/linux/transfers/transfers.ts";
import { createMail } from "../../src/outbox/mail.ts";
import { createOtlp } from "../../src/outbox/otlp.ts";
import type { Delivery, Receiver } from "../../src/outbox/receiver.ts";
import { createSyslog } from "../../src/outbox/syslog.ts";
import { createWebhook } from "../../src/outbox/webhook.ts";
import { makeWebhookSecret } from "../../src/outbox/webhook-signature.ts";
import { authority, during, good, unending } from "./fixture.ts";

const message = messageOf([noticeOf(7), noticeOf(8)]);
const kinds = ["webhook", "otlp", "mail", "syslog"] as const;

interface Place extends Partial<LinuxSurroundings> {
  readonly port: number;
  readonly server?: string;
  /** In addresses of receivers by HTTP. */
  readonly scheme?: string;
}

/** A receiver of this kind at the server, by default one on this device that root has named. */
function receiverAt(
  kind: (typeof kinds)[number],
  { port, server = "127.0.0.1", scheme = "https", ...changes }: Place,
): Receiver {
  const surroundings = { allowLocalServers: true, caFile: authority.path, ...changes };
  const transfers = createTransfers({ ...surroundings, redirects: null });
  const connections = createServerConnections(surroundings);
  const [wall, hostName] = [() => 0, () => "edge-7"];
  const url = `${scheme}://${server.includes(":") ? `[${server}]` : server}:${port}`;
  if (kind === "webhook") {
    const secret = makeWebhookSecret();
    return createWebhook({ url, service: null, secret, transfers, allowHttp: true, wall });
  }
  if (kind === "otlp") {
    const resource = { version: "1", deviceId: "1", deviceName: null, hostName: "edge-7", product: "demo" };
    return createOtlp({ url, headers: async () => ({}), transfers, resource: () => resource, wall });
  }
  const place = { server, port, connections, wall, hostName };
  if (kind === "mail")
    return createMail({
      ...{ ...place, security: "tls", username: null, password: null, uptime: () => 0 },
      ...{ from: "steward@plant.example", to: ["owner@plant.example"] },
    });
  const timers = { after: () => () => undefined };
  return createSyslog({ ...place, timers, isAcknowledged: async () => false });
}

/** A request is there when its head and as many bytes as it names have come. */
function isWhole(request: string): boolean {
  const [head = "", ...rest] = request.split("\r\n\r\n");
  const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  return rest.length > 0 && rest.join("\r\n\r\n").length >= length;
}

/** Bytes, or something done to the connection. */
type Answer = string | Buffer | ((socket: Socket) => void);

/** The outcome of a delivery by HTTP whose request has this answer. */
async function answered(test: TestContext, kind: "webhook" | "otlp", answer: Answer): Promise<Delivery> {
  const starting = startRawServer((socket, first) => {
    let request = first.toString("latin1");
    const whole = (): void => {
      if (!isWhole(request)) return;
      if (typeof answer === "function") answer(socket);
      else socket.end(answer);
    };
    socket.on("data", (piece) => {
      request += piece.toString("latin1");
      whole();
    });
    whole();
  });
  const { port } = await during(test, starting);
  return receiverAt(kind, { port, scheme: "http" }).deliver(message, unending);
}

function http(status: number, body: string | Buffer = "", headers = "content-type: text/plain"): Buffer {
  const bytes = Buffer.from(body);
  const head = `HTTP/1.1 ${status} X\r\n${headers}\r\ncontent-length: ${bytes.byteLength}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}

const json = "content-type: application/json";
const page = (title: string) => `<html>\n<head><title>${title}</title></head><body><h1>x</h1></body></html>`;
const packed = (body: string, status = 200) =>
  http(status, gzipSync(body), "content-encoding: gzip\r\ncontent-type: application/json");

/** The outcome, words of its sentence, and the seconds to wait at least, or how many events were refused. */
type Expected = readonly ["taken" | "refused" | "retry", RegExp, number?];

const hour = 3_600;
const taken: Expected = ["taken", /^20\d /];
const notOfCollector: Expected = ["retry", /That is not the answer of an OTLP collector/, hour];
const cut: Expected = ["retry", /did not answer in full: it closed the connection/];
const unreadable: Expected = ["retry", /did not answer in full: its answer cannot be read as HTTP/];
const fault: Expected = ["retry", /has a fault of its own/];
const busy: Expected = ["retry", /look at the collector's load/];
const setUp: Expected = ["retry", /Check telemetry\.otlp of the host file/, hour];
const cloudEvents: Expected = ["retry", /does not take the message: check the address/];
const redirect: Expected = ["retry", /Redirects are not followed/];
const otlpRedirect: Expected = [...(["retry", /Redirects are not followed/] as const), hour];
const nothingThere: Expected = ["retry", /Nothing receives messages at this address/];
const noOtlp: Expected = ["retry", /Nothing takes OTLP there/, hour];
const secret: Expected = ["retry", /compare the secret at both ends/];
const token: Expected = ["retry", /headers_file/, hour];

const status = '{"code":3,"message":"bad","details":[]}';
const protobuf = Buffer.from("\b\x90\x03\x12\x07too old\x1a\x02hi", "latin1");
const rejected = '{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"too old"}}';
const warned = '{"partialSuccess":{"rejectedLogRecords":"0","errorMessage":"deprecated"}}';
const someRejected = packed('{"partialSuccess":{"rejectedLogRecords":2}}');

const answers: readonly (readonly [name: string, Answer, webhook: Expected, otlp: Expected])[] = [
  ["200 ok", http(200, "ok"), taken, taken],
  ["200 with JSON", http(200, "{}", json), taken, taken],
  ["200 without a body", http(200), taken, taken],
  ["202", http(202, ""), taken, taken],
  ["204", "HTTP/1.1 204 X\r\n\r\n", taken, taken],
  ["200 in HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nok", taken, taken],
  ["in chunks", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", taken, taken],
  ["100, then 200", `HTTP/1.1 100 Continue\r\n\r\n${http(200, "{}")}`, taken, taken],
  ["103, then 204", "HTTP/1.1 103 Early\r\nlink: </x>\r\n\r\nHTTP/1.1 204 X\r\n\r\n", taken, taken],
  ["200 compressed unasked", packed("{}"), taken, taken],
  ["200 compressed by another coding", http(200, "\x0b\x02\x80ok\x03", "content-encoding: br"), taken, taken],
  ["200, cut off", "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{}", taken, taken],
  ["200 with a page", http(200, page("Sign in")), taken, ["retry", /“Sign in”\. That is not the/, hour]],
  ["200 in part", http(200, rejected, json), taken, ["refused", /refused 1 of its events: “too old”/, 1]],
  ["200 in part, compressed", someRejected, taken, ["refused", /refused 2 of its events/, 2]],
  ["200 with a warning", http(200, warned, json), taken, ["taken", /200 OK: “deprecated”/]],
  ["200 with a list", http(200, "[]", json), taken, taken],
  ["200 with another part", http(200, '{"partialSuccess":{"errorMessage":{}}}', json), taken, taken],
  ["301", http(301, "", "location: https://127.0.0.1:1/"), redirect, otlpRedirect],
  ["304", "HTTP/1.1 304 X\r\n\r\n", redirect, otlpRedirect],
  ["308", http(308, "", "location: https://127.0.0.1:1/"), redirect, otlpRedirect],
  ["400 in words", http(400, "no_text"), cloudEvents, notOfCollector],
  ["400 with a Status", http(400, status, json), cloudEvents, ["refused", /400 Bad Request: “bad”\. The/]],
  ["400 with a Status, compressed", packed(status, 400), cloudEvents, ["refused", /: “bad”\. The/]],
  ["400 with a message", http(400, '{"message":"bad"}', json), cloudEvents, ["refused", /: “bad”\. The/]],
  ["400 in Protobuf, as of Loki", http(400, protobuf), cloudEvents, ["refused", /: “too old”\. The/]],
  ["400 in Protobuf, cut off", http(400, Buffer.from("\x12\x7ftoo old")), cloudEvents, notOfCollector],
  ["400 with an empty object", http(400, "{}", json), cloudEvents, notOfCollector],
  ["400 with a code of HTTP", http(400, '{"code":400,"message":"no"}', json), cloudEvents, notOfCollector],
  ["a proxy's 400", http(400, page("400 No certificate was sent")), cloudEvents, notOfCollector],
  ["400 of a chat service", http(400, '{"message":"empty","code":50006}', json), cloudEvents, notOfCollector],
  ["401", http(401, "no"), secret, token],
  ["403", http(403, "no"), secret, token],
  ["404", http(404, page("404")), nothingThere, noOtlp],
  ["405", http(405), cloudEvents, noOtlp],
  ["407", http(407), cloudEvents, setUp],
  ["408", http(408), cloudEvents, setUp],
  ["410", http(410, "gone"), nothingThere, setUp],
  ["413", http(413, page("413 Request Entity Too Large")), cloudEvents, setUp],
  ["415", http(415), cloudEvents, setUp],
  ["421", http(421), cloudEvents, setUp],
  ["422", http(422, '{"message":"no"}', json), cloudEvents, setUp],
  ["429", http(429, "slow down"), ["retry", /receives more than it takes/], busy],
  ["500", http(500, "\x1b[31moops\x1b[0m"), ["retry", /“\[31moops \[0m”\. It has a fault/], setUp],
  ["501", http(501), fault, setUp],
  ["502", http(502, page("502 Bad Gateway")), fault, busy],
  ["503", http(503, "", "retry-after: 90"), [fault[0], fault[1], 90], [busy[0], busy[1], 90]],
  ["504", http(504), fault, busy],
  ["no HTTP", "SSH-2.0-OpenSSH_9.2\r\n", unreadable, unreadable],
  ["a head without an end", "HTTP/1.1 200 OK\r\n", cut, cut],
  ["a head of 20 KB", http(200, "", `x: ${"a".repeat(20_000)}`), unreadable, unreadable],
  ["another protocol", "HTTP/1.1 101 Switching\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n", cut, cut],
  ["a close", (socket: Socket) => void socket.end(), cut, cut],
  ["a reset", (socket: Socket) => void socket.resetAndDestroy(), cut, cut],
];

function judge(delivery: Delivery, [outcome, words, number]: Expected): void {
  const text = delivery.outcome === "taken" ? delivery.answer : delivery.error;
  assert.equal(delivery.outcome, outcome, text);
  assert.match(text, words);
  assert.doesNotMatch(text, /update/i);
  if (delivery.outcome === "retry") assert.equal(delivery.retryAfterSeconds, number);
  if (delivery.outcome === "refused") assert.equal(delivery.events, number);
}

for (const kind of ["webhook", "otlp"] as const)
  describe(`an answer to ${kind}`, () => {
    for (const [name, answer, webhook, otlp] of answers)
      it(`of ${name}`, async (test) => {
        const delivery = await answered(test, kind, answer);
        judge(delivery, kind === "otlp" ? otlp : webhook);
        // The request was sent, whatever became of it.
        if (delivery.outcome !== "taken") assert.doesNotMatch(delivery.error, /Nothing was sent/);
      });
  });

const others = createAuthority(scratchDirectory()).certify("127.0.0.1");
const [past, future] = [
  { from: "20000101000000Z", until: "20010101000000Z" },
  { from: "20900101000000Z", until: "20991231235959Z" },
];
const notKnown: Expected = ["retry", /its authority is not one that this device knows.*Nothing was sent/];
const wrongDate: Expected = ["retry", /Check this device's clock, then the certificate\. .*Nothing was sent/];
const noTls: Expected = ["retry", /(it does not speak TLS there|closed the connection).*Nothing was sent/];
const noCipher: Expected = ["retry", /shares no TLS cipher with this device.*Nothing was sent/];

/** Servers that nothing may be sent to, by what they do to a handshake. */
const handshakes: readonly (readonly [string, TlsOptions | Answer, Expected])[] = [
  ["a certificate of another authority", others, notKnown],
  ["a certificate for another name", authority.certify("other.example"), ["retry", /it is for another name/]],
  ["a certificate that has ended", authority.certify("127.0.0.1", past), wrongDate],
  ["a certificate that has not begun", authority.certify("127.0.0.1", future), wrongDate],
  ["TLS up to 1.1", { ...good, minVersion: "TLSv1", maxVersion: "TLSv1.1" }, ["retry", /no TLS from/]],
  ["no common cipher", { ...good, ciphers: "PSK-AES128-GCM-SHA256", maxVersion: "TLSv1.2" }, noCipher],
  ["plain HTTP", http(400, page("The plain HTTP request was sent to HTTPS port")), noTls],
  ["plain SMTP", "220 mail.example ESMTP\r\n", noTls],
  ["a close", (socket: Socket) => void socket.end(), noTls],
  ["a reset", (socket: Socket) => void socket.resetAndDestroy(), noTls],
];

for (const kind of kinds)
  describe(`a server of ${kind}`, () => {
    for (const [name, how, expected] of handshakes)
      it(`gets nothing at a handshake that meets ${name}`, async (test) => {
        const starting =
          typeof how === "object" && "cert" in how
            ? listening(createServer(how, (socket) => socket.resume()) as never, "https", [])
            : startRawServer((socket) => {
                if (typeof how === "function") how(socket);
                else socket.end(how as string | Buffer);
              });
        judge(await receiverAt(kind, await during(test, starting)).deliver(message, unending), expected);
      });

    it("that does not listen is a mistake in its address, or of the network", async () => {
      const delivery = await receiverAt(kind, { port: await heldPort() }).deliver(message, unending);
      judge(delivery, ["retry", /nothing listens there\. Nothing was sent\. Check the address/]);
    });

    it("is not waited for when the agent stops", async (test) => {
      const ending = new AbortController();
      const { port } = await during(
        test,
        startRawServer(() => ending.abort()),
      );
      const delivery = await receiverAt(kind, { port }).deliver(message, ending.signal);
      judge(delivery, ["retry", /was cancelled/]);
    });

    const ownLink = kind === "otlp" ? /telemetry\.otlp\.url/ : /is on its own link: it is not used/;
    for (const server of ["127.0.0.1", "localhost", "169.254.169.254", "::1", "::ffff:127.0.0.1"])
      it(`may not be ${server}, unless root allows local ones`, async () => {
        const receiver = receiverAt(kind, { server, port: 587, allowLocalServers: false });
        judge(await receiver.deliver(message, unending), ["retry", ownLink]);
      });

    it("may not have a name that leads to this device", async (test) => {
      let isReached = false;
      const starting = startRawServer(() => {
        isReached = true;
      });
      const { port } = await during(test, starting);
      const resolveHost = async () => ["127.0.0.1"];
      const place = { server: "receiver.example", port, allowLocalServers: false, resolveHost };
      const delivery = await receiverAt(kind, place).deliver(message, unending);
      judge(delivery, ["retry", kind === "otlp" ? ownLink : /leads to 127\.0\.0\.1, which is this device/]);
      assert.equal(isReached, false);
    });
  });
