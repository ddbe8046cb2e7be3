import { createCipheriv, createHash } from "node:crypto";
import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { StewardError } from "../../src/contract/errors.ts";
import { createTransfers } from "../../src/host/linux/transfers/transfers.ts";
import { fetchPayload } from "../../src/releases/download/payload.ts";
import { openRepository } from "../../src/releases/download/repository-files.ts";
import { caps } from "../../src/tuf/caps.ts";
import { startRawServer, type WebServer } from "./web-server.ts";

/** The file that each server is asked for: it does not compress, and is the same in every process. */
export const file = createCipheriv("aes-128-ctr", Buffer.alloc(16), Buffer.alloc(16)).update(
  Buffer.alloc(1_200_000),
);
const found = {
  path: "stable/rules/demo-1.0.0.tar.gz",
  role: "rules",
  file: { length: file.length, hashes: { sha512: createHash("sha512").update(file).digest("hex") } },
};

/** Tries in a row: a server that cuts needs some, and what fails each time has failed. */
const attempts = 4;

/** Fetches the file as an update is fetched. The error of the last try; null: it is in the directory. */
export async function fetchFrom(
  url: string,
  directory: string,
  seconds: number = caps.headSeconds,
): Promise<StewardError | null> {
  const limits = { ...caps, headSeconds: seconds, rateWindowSeconds: seconds };
  const transfers = createTransfers({ allowLocalServers: true, redirects: caps.redirects });
  const { signal } = new AbortController();
  const repository = openRepository({ transfers, url, caps: limits, signal });
  let last: StewardError | null = null;
  for (let tried = 0; tried < attempts; tried += 1) {
    try {
      const where = { directory, freeSpace: async () => 1e12 };
      await fetchPayload({ repository, found, ...where, caps, signal, isConsistentSnapshot: true });
      return null;
    } catch (error) {
      if (!(error instanceof StewardError)) throw error;
      last = error;
    }
  }
  return last;
}

/** A request that a server got. */
interface Asked {
  readonly path: string;
  /** First byte of its range; 0: it has none. */
  readonly from: number;
  /** 1 for the first connection. */
  readonly turn: number;
}

/** A server, by the bytes that it sends on each connection; it then ends it. */
export interface OddServer {
  readonly kind: "good" | "odd" | "hostile";
  readonly what: string;
  /** The code of the error that ends each of some attempts; null: the file arrives, whole. */
  readonly ends: string | null;
  /** Seconds without the head, or with too little of the body, that are enough for its case. */
  readonly patienceSeconds: number;
  readonly answer: (asked: Asked) => Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>;
}

/** Starts it on loopback. What it sends waits for the reader, and ends with the connection. */
export function startOddServer({ answer }: Pick<OddServer, "answer">): Promise<WebServer> {
  let turn = 0;
  return startRawServer((socket, request) => {
    const head = request.toString("latin1");
    const path = head.split(" ")[1] ?? "/";
    const from = Number(/^range: bytes=(\d+)-/im.exec(head)?.[1] ?? 0);
    turn += 1;
    send(socket, answer({ path, from, turn })).catch(() => socket.destroy());
  });
}

async function send(socket: Socket, pieces: ReturnType<OddServer["answer"]>): Promise<void> {
  const closed = new Promise((resolve) => socket.once("close", resolve));
  for await (const piece of pieces) {
    if (socket.destroyed) return;
    if (socket.write(piece)) await nextTurn();
    else await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), closed]);
  }
  socket.end();
}

/** A head; its fields in the order and case as given. */
export function head(status: string, fields: readonly string[] = []): string {
  return [`HTTP/1.1 ${status}`, ...fields, "", ""].join("\r\n");
}

const lengthOf = (bytes: Uint8Array): string => `Content-Length: ${bytes.length}`;
const whole = [head("200 OK", [lengthOf(file)]), file];
const chunked = "Transfer-Encoding: chunked";

export function chunks(bytes: Uint8Array, size: number, sizeLine = hex): Buffer[] {
  const all: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.subarray(at, at + size);
    all.push(Buffer.concat([Buffer.from(`${sizeLine(piece.length)}\r\n`), piece, Buffer.from("\r\n")]));
  }
  return all;
}

const hex = (size: number): string => size.toString(16);

/** The same again and again: 256 KiB at a time. It stops by itself after 64 MiB. */
function* withoutEnd(text: string): Generator<string> {
  const many = text.repeat(Math.ceil(262_144 / text.length));
  for (let sent = 0; sent < 67_108_864; sent += many.length) yield many;
}

/** The rest of the file, as a server with ranges sends it. */
function rest(from: number, fields: readonly string[] = []): (string | Uint8Array)[] {
  const bytes = file.subarray(from);
  const range = `Content-Range: bytes ${from}-${file.length - 1}/${file.length}`;
  return [head("206 Partial Content", [range, lengthOf(bytes), ...fields]), bytes];
}

/** The file, cut off after some of it. */
function cut(fields: readonly string[] = []): (string | Uint8Array)[] {
  return [head("200 OK", [lengthOf(file), ...fields]), file.subarray(0, 500_000)];
}

function coded(coding: string, bytes: Uint8Array, framing = lengthOf(bytes)): string {
  return head("200 OK", [`Content-Encoding: ${coding}`, framing]);
}

/** An answer in chunks. */
const chunkwise = (...pieces: (string | Uint8Array)[]) => [head("200 OK", [chunked]), ...pieces, "0\r\n\r\n"];
const brief = (status: string, text = "no", ...fields: string[]) => [
  head(status, [`Content-Length: ${text.length}`, ...fields]),
  text,
];
/** A head or less, and then the same without end. */
const endless = (first: string, text: string) => after(first, withoutEnd(text));
const inChunks = head("200 OK", [chunked]);

const page = "<!DOCTYPE html><title>Welcome to Guest Wi-Fi</title>";
const longPage = Buffer.from(page.padEnd(2_000_000));
const twice = gzipSync(file);

const refused = "update_server_refused";
const unreachable = "update_server_unreachable";
const webPage = "update_web_page";
const tooLarge = "update_too_large";

type Case = readonly [what: string, answer: OddServer["answer"], ends?: string];

const good: readonly Case[] = [
  ["says its length", () => whole],
  ["sends chunks", () => chunkwise(...chunks(file, 16_384))],
  ["ends by closing, HTTP/1.1", () => [head("200 OK", ["Connection: close"]), file]],
  ["ends by closing, HTTP/1.0", () => ["HTTP/1.0 200 OK\r\n\r\n", file]],
  ["sends hints before its answer", () => [head("103 Early Hints", ["Link: </a>"]), ...whole]],
  ["sends trailers", () => [inChunks, ...chunks(file, 65_536), "0\r\nX-Sum: 1\r\n\r\n"]],
  ["writes names of fields in capitals", () => [head("200 OK", [lengthOf(file).toUpperCase()]), file]],
  ["says the coding identity", () => [coded("identity", file), file]],
  ["redirects", ({ path }) => (path.startsWith("/x") ? whole : brief("302 Found", "", "Location: /x"))],
  ["goes on after a cut", ({ from }) => (from === 0 ? cut() : rest(from))],
  [
    "has another ETag after a cut",
    ({ from, turn }) => (from === 0 ? cut(['ETag: "1"']) : rest(from, [`ETag: "${turn}"`])),
  ],
  ["calls the archive x-gzip coded", () => [coded("x-gzip", file), file]],
  ["calls the archive gzip coded", () => [coded("gzip", file), file]],
  ["compresses the archive again", () => [coded("gzip", twice), twice]],
];

const odd: readonly Case[] = [
  [
    "compresses the archive again, in chunks",
    () => [coded("GZip", twice, chunked), ...chunks(twice, 9_999), "0\r\n\r\n"],
  ],
  ["compresses by another coding", () => [coded("br", twice), twice], refused],
  ["calls the archive deflate coded", () => [coded("deflate", file), file]],
  [
    "calls the archive gzip coded, in chunks",
    () => [coded("gzip", file, chunked), ...chunks(file, 65_536), "0\r\n\r\n"],
  ],
  [
    "calls the archive zstd coded, and ends by closing",
    () => [coded("zstd", file, "Connection: close"), file],
  ],
  ["says gzip, and sends none", () => [coded("gzip", file.subarray(1)), file.subarray(1)], refused],
  ["ignores the range after a cut", ({ from }) => (from === 0 ? cut() : whole)],
  [
    "has no rest after a cut",
    ({ from, turn }) => (turn === 1 ? cut() : from > 0 ? brief("416 Range Not Satisfiable", "") : whole),
  ],
  [
    "sends another rest after a cut",
    ({ from, turn }) => (turn === 1 ? cut() : from > 0 ? rest(from + 1) : whole),
  ],
  [
    "cuts after each 500,000 bytes",
    ({ from }) => (from === 0 ? cut() : [rest(from)[0] ?? "", file.subarray(from, from + 500_000)]),
  ],
  ["sends a page in place of the file", () => brief("200 OK", page, "Content-Type: text/html"), webPage],
  [
    "sends a long page in place of the file, and calls it nothing",
    () => chunkwise(...chunks(longPage, 65_536)),
    webPage,
  ],
  [
    "sends a page, in chunks, in place of the rest after a cut",
    ({ from, turn }) => {
      if (turn === 2) return chunkwise(...chunks(Buffer.from(page), 9));
      return turn === 1 ? cut() : from === 500_000 ? rest(from) : [];
    },
  ],
  ["asks for a sign-in to its network", () => brief("511 Network Authentication Required", page), webPage],
  ["sends more than it said", () => [...whole, "and more"]],
  [
    "says more than is signed",
    () => [head("200 OK", [`Content-Length: ${file.length + 1}`]), file, "x"],
    tooLarge,
  ],
  ["sends more than is signed, in chunks", () => chunkwise(...chunks(file, 65_536), "1\r\nx\r\n"), tooLarge],
  ["adds extensions to its chunks", () => chunkwise(...chunks(file, 65_536, (size) => `${hex(size)};a=b`))],
  [
    "writes sizes of chunks with zeros, in capitals",
    () => chunkwise(...chunks(file, 65_530, (size) => `000${hex(size).toUpperCase()}`)),
  ],
  [
    "begins with one-byte chunks",
    () => chunkwise(...chunks(file.subarray(0, 400), 1), ...chunks(file.subarray(400), 65_536)),
  ],
  ["sends its head byte by byte", () => [...head("200 OK", [lengthOf(file)]), file]],
  ["says two lengths", () => [head("200 OK", [lengthOf(file), "Content-Length: 5"]), file], unreachable],
  [
    "says a length and sends chunks",
    () => [head("200 OK", [lengthOf(file), chunked]), ...chunks(file, 65_536)],
    unreachable,
  ],
  ["sends a body without a head", () => [file], unreachable],
  ["closes without a word", () => [], unreachable],
  ["has no such file", () => brief("404 Not Found"), "update_file_missing"],
  ["is busy", () => brief("503 Service Unavailable"), unreachable],
  [
    "switches to another protocol",
    () => [head("101 Switching Protocols", ["Upgrade: x", "Connection: upgrade"]), file],
    unreachable,
  ],
];

const hostile: readonly Case[] = [
  ["sends interim answers without end", () => withoutEnd(head("103 E")), refused],
  [
    "sends interim answers with fields, without end",
    () => withoutEnd(head("103 E", [`Link: ${"x".repeat(8_000)}`])),
    refused,
  ],
  ["sends one-byte chunks without end", () => endless(inChunks, "1\r\nx\r\n"), refused],
  [
    "pads sizes of chunks with zeros",
    () => endless(inChunks, "0000000000000000000000000000001\r\nx\r\n"),
    refused,
  ],
  ["adds an extension without end", () => endless(`${inChunks}5;`, "x"), unreachable],
  ["adds extensions to one-byte chunks", () => endless(inChunks, `1;${"x".repeat(900)}\r\nx\r\n`), refused],
  ["sends a field without end", () => endless("HTTP/1.1 200 OK\r\nX: ", "x"), unreachable],
  ["sends fields without end", () => endless("HTTP/1.1 200 OK\r\n", "a:\r\n"), refused],
  ["sends a status without end", () => endless("HTTP/1.1 200 ", "x"), unreachable],
  ["sends blank lines without end", () => withoutEnd("\r\n"), refused],
  ["sends trailers without end", () => endless(`${inChunks}0\r\n`, "a: b\r\n"), unreachable],
  ["sends a body without end", () => endless(head("200 OK"), "x"), tooLarge],
  ["sends chunks without end", () => endless(inChunks, `ffff\r\n${"x".repeat(65_535)}\r\n`), tooLarge],
  [
    "sends empty members of gzip without end",
    () => after(coded("gzip", file, "A: b"), bytesWithoutEnd(gzipSync(""))),
    tooLarge,
  ],
  ["sends what unpacks a thousandfold", () => [coded("gzip", bomb()), bomb()], tooLarge],
  ["redirects in a circle", ({ path }) => brief("302 Found", "", `Location: ${path}`), refused],
  ["redirects without end", ({ turn }) => brief("302 Found", "", `Location: /${turn}`), refused],
  ["sends its head drop by drop", () => drops("HTTP/1.1 200 OK\r\nX: "), "update_too_slow"],
  ["sends its body drop by drop", () => drops(head("200 OK", [lengthOf(file)])), "update_too_slow"],
];

/** The servers of the table in docs/performance.md. */
export const oddServers: readonly OddServer[] = Object.entries({ good, odd, hostile } as const).flatMap(
  ([kind, cases]) =>
    cases.map(([what, answer, ends = null]) => ({
      ...{ kind: kind as OddServer["kind"], what, answer, ends },
      patienceSeconds: ends === "update_too_slow" ? 0.3 : caps.headSeconds,
    })),
);

function* after<T>(first: string, then: Iterable<T>): Generator<string | T> {
  yield first;
  yield* then;
}

function* bytesWithoutEnd(bytes: Uint8Array): Generator<Uint8Array> {
  const many = Buffer.concat(Array.from({ length: Math.ceil(262_144 / bytes.length) }, () => bytes));
  for (let sent = 0; sent < 67_108_864; sent += many.length) yield many;
}

let packedZeros: Buffer | undefined;
function bomb(): Buffer {
  packedZeros ??= gzipSync(Buffer.alloc(200_000_000), { level: 9 });
  return packedZeros;
}

/** A byte each 10 ms, for longer than anyone waits for it here. */
async function* drops(text: string): AsyncGenerator<string> {
  for (const byte of text.padEnd(3_000, "x")) {
    yield byte;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
