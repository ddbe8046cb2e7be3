import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { after, describe, it } from "node:test";
import { createServer, type TlsOptions } from "node:tls";
import { gzipSync } from "node:zlib";
import { heldPort } from "../../lab/basics/held-ports.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { createAuthority } from "../../lab/host/certificates.ts";
import { messageOf, noticeOf } from "../../lab/host/messages.ts";
import { listening, startRawServer, type WebServer } from "../../lab/host/web-server.ts";
import { createServerConnections } from "../../src/host/linux/transfers/connections.ts";
import { createTransfers } from "../../src/host/linux/transfers/transfers.ts";
import { createMail } from "../../src/outbox/mail.ts";
import { createOtlp } from "../../src/outbox/otlp.ts";
import type { Delivery, Receiver } from "../../src/outbox/receiver.ts";
import { createSyslog } from "../../src/outbox/syslog.ts";
import { createWebhook } from "../../src/outbox/webhook.ts";
import { makeWebhookSecret } from "../../src/outbox/webhook-signature.ts";

const authority = createAuthority(scratchDirectory());
const good = authority.certify("127.0.0.1");
const message = messageOf([noticeOf(7), noticeOf(8)]);
const signal = new AbortController().signal;

type Kind = "webhook" | "otlp" | "mail" | "syslog";

/** Receivers of each kind at this port of 127.0.0.1; those by HTTP at `scheme`. */
function receiverAt(kind: Kind, port: number, scheme = "https"): Receiver {
  const surroundings = { allowLocalServers: true, caFile: authority.path };
  const transfers = createTransfers({ ...surroundings, redirects: null });
  const connections = createServerConnections(surroundings);
  const [url, wall, server] = [`${scheme}://127.0.0.1:${port}`, () => 0, "127.0.0.1"];
  const hostName = () => "edge-7";
  if (kind === "webhook")
    return createWebhook({
      ...{ url, service: null, secret: makeWebhookSecret(), transfers, allowHttp: true, wall },
    });
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

const servers: WebServer[] = [];
after(async () => {
  for (const server of servers) await server.stop();
});

/** A request is there when its head and as many bytes as it names have come. */
function isWhole(request: string): boolean {
  const [head = "", ...rest] = request.split("\r\n\r\n");
  const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  return rest.length > 0 && rest.join("\r\n\r\n").length >= length;
}

/** The outcome of a delivery by HTTP whose request has this answer: the bytes, or something done to the connection. */
async function answered(kind: "webhook" | "otlp", answer: Answer): Promise<Delivery> {
  const server = await startRawServer((socket, first) => {
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
  servers.push(server);
  return receiverAt(kind, server.port, "http").deliver(message, signal);
}

type Answer = string | Buffer | ((socket: Socket) => void);

function http(status: number, body: string | Buffer = "", headers = "content-type: text/plain"): Buffer {
  const bytes = Buffer.from(body);
  const head = `HTTP/1.1 ${status} X\r\n${headers}\r\ncontent-length: ${bytes.byteLength}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}

const json = "content-type: application/json";
const page = (title: string) => `<html>\n<head><title>${title}</title></head><body><h1>x</h1></body></html>`;
const packed = (body: string, status = 200) =>
  http(status, gzipSync(body), "content-encoding: gzip\r\ncontent-type: application/json");

/** The beginning of an outcome, and words of its sentence. */
type Expected = readonly ["taken" | "refused" | "retry", RegExp];

const taken: Expected = ["taken", /^20\d /];
const notOfCollector: Expected = ["retry", /That is not the answer of an OTLP collector/];
const cut: Expected = ["retry", /did not answer in full: it closed the connection/];
const unreadable: Expected = ["retry", /did not answer in full: its answer cannot be read as HTTP/];
const fault: Expected = ["retry", /has a fault of its own/];
const busy: Expected = ["retry", /look at the collector's load/];
const setUp: Expected = ["retry", /Check telemetry\.otlp of the host file/];
const cloudEvents: Expected = ["retry", /does not take the message: check the address/];
const redirect: Expected = ["retry", /Redirects are not followed/];
const nothingThere: Expected = ["retry", /Nothing receives messages at this address/];
const noOtlp: Expected = ["retry", /Nothing takes OTLP there/];
const secret: Expected = ["retry", /compare the secret at both ends/];
const token: Expected = ["retry", /headers_file/];

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
  ["200 with a page", http(200, page("Sign in")), taken, ["retry", /“Sign in”\. That is not the answer/]],
  [
    "200 with a partial success",
    http(200, '{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"too old"}}', json),
    taken,
    ["refused", /refused 1 of its events: “too old”/],
  ],
  [
    "200 with a partial success, compressed",
    packed('{"partialSuccess":{"rejectedLogRecords":2}}'),
    taken,
    ["refused", /refused 2 of its events/],
  ],
  [
    "200 with a warning",
    http(200, '{"partialSuccess":{"rejectedLogRecords":"0","errorMessage":"deprecated"}}', json),
    taken,
    ["taken", /200 OK: “deprecated”/],
  ],
  ["200 with a list", http(200, "[]", json), taken, taken],
  ["200 with another part", http(200, '{"partialSuccess":{"errorMessage":{}}}', json), taken, taken],
  ["301", http(301, "", "location: https://127.0.0.1:1/"), redirect, redirect],
  ["304", "HTTP/1.1 304 X\r\n\r\n", redirect, redirect],
  ["308", http(308, "", "location: https://127.0.0.1:1/"), redirect, redirect],
  ["400 in words", http(400, "no_text"), cloudEvents, notOfCollector],
  ["400 with a Status", http(400, '{"code":3,"message":"bad"}', json), cloudEvents, ["refused", /“bad”/]],
  [
    "400 with a Status, compressed",
    packed('{"message":"bad"}', 400),
    ["retry", /“{"message":"bad"}”/],
    ["refused", /: “bad”\. The/],
  ],
  [
    "400 Protobuf",
    http(400, Buffer.from("\b\x90\x03\x12\x07too old")),
    cloudEvents,
    ["refused", /“too old”/],
  ],
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
  ["503", http(503, "", "retry-after: 90"), fault, busy],
  ["504", http(504), fault, busy],
  ["no HTTP", "SSH-2.0-OpenSSH_9.2\r\n", unreadable, unreadable],
  ["a head without an end", "HTTP/1.1 200 OK\r\n", cut, cut],
  ["a head of 20 KB", http(200, "", `x: ${"a".repeat(20_000)}`), unreadable, unreadable],
  ["another protocol", "HTTP/1.1 101 Switching\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n", cut, cut],
  ["a close", (socket: Socket) => void socket.end(), cut, cut],
  ["a reset", (socket: Socket) => void socket.resetAndDestroy(), cut, cut],
];

function judge(delivery: Delivery, [outcome, words]: Expected): void {
  const text = delivery.outcome === "taken" ? delivery.answer : delivery.error;
  assert.equal(delivery.outcome, outcome, text);
  assert.match(text, words);
  assert.doesNotMatch(text, /update/i);
}

for (const kind of ["webhook", "otlp"] as const)
  describe(`an answer to ${kind}`, () => {
    for (const [name, answer, webhook, otlp] of answers)
      it(`of ${name}`, async () => {
        const delivery = await answered(kind, answer);
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

/** Servers that nothing may be sent to, by what they do to a handshake. */
const handshakes: readonly (readonly [string, TlsOptions | Answer, Expected])[] = [
  ["a certificate of another authority", others, notKnown],
  ["a certificate for another name", authority.certify("other.example"), ["retry", /it is for another name/]],
  ["a certificate that has ended", authority.certify("127.0.0.1", past), wrongDate],
  ["a certificate that has not begun", authority.certify("127.0.0.1", future), wrongDate],
  ["TLS up to 1.1", { ...good, minVersion: "TLSv1", maxVersion: "TLSv1.1" }, ["retry", /no TLS from/]],
  ["no common cipher", { ...good, ciphers: "PSK-AES128-GCM-SHA256", maxVersion: "TLSv1.2" }, noCipher()],
  ["plain HTTP", http(400, page("The plain HTTP request was sent to HTTPS port")), noTls],
  ["plain SMTP", "220 mail.example ESMTP\r\n", noTls],
  ["a close", (socket: Socket) => void socket.end(), noTls],
  ["a reset", (socket: Socket) => void socket.resetAndDestroy(), noTls],
];

function noCipher(): Expected {
  return ["retry", /shares no TLS cipher with this device.*Nothing was sent/];
}

async function shaken(kind: Kind, how: TlsOptions | Answer): Promise<Delivery> {
  const server =
    typeof how === "object" && "cert" in how
      ? await listening(createServer(how, (socket) => socket.resume()) as never, "https", [])
      : await startRawServer((socket) => {
          if (typeof how === "function") how(socket);
          else socket.end(how as string | Buffer);
        });
  servers.push(server);
  return receiverAt(kind, server.port).deliver(message, signal);
}

for (const kind of ["webhook", "otlp", "mail", "syslog"] as const)
  describe(`a handshake with ${kind}`, () => {
    for (const [name, how, expected] of handshakes)
      it(`that meets ${name}`, async () => judge(await shaken(kind, how), expected));

    it("that meets nothing", async () => {
      const delivery = await receiverAt(kind, await heldPort()).deliver(message, signal);
      judge(delivery, ["retry", /nothing listens there\. Nothing was sent\. Check the address/]);
    });
  });
