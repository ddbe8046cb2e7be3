import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Chance } from "../basics/chance.ts";
import { chunks, fetchFrom, file, head, startOddServer } from "../host/odd-servers.ts";
import { anyText, draw, oneOf, percent, randomBytes, spoiltBytes } from "./draw.ts";
import type { Fuzzing } from "./target.ts";

/** Answers of servers: they end in the signed file, or in an error by code with nothing staged, and in no connection. */
export async function fuzzDownloads({ chance, cases, ledger }: Fuzzing, fetch = fetchFrom): Promise<null> {
  const scratch = mkdtempSync(join(tmpdir(), "steward-fuzz-downloads-"));
  let bytes: readonly Uint8Array[] = [];
  const server = await startOddServer({ answer: () => bytes });
  try {
    for (let made = 0; made < cases; made += 1) {
      const directory = join(scratch, String(made));
      bytes = answerFrom(chance);
      ledger.begin(Buffer.concat(bytes).subarray(0, 2_000).toString("latin1"));
      const outcome = await fetch(server.url, directory).then(
        (error) => error?.code ?? "arrived",
        (error: unknown) => {
          ledger.find(`it threw ${String(error)}`);
          return "threw";
        },
      );
      ledger.count(outcome);
      for (const fault of faultsOf(directory, outcome)) ledger.find(fault);
      rmSync(directory, { recursive: true, force: true });
    }
  } finally {
    await server.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
  return null;
}

function faultsOf(directory: string, outcome: string): string[] {
  const staged = readdirSync(join(directory, "staged")).map((name) => join(directory, "staged", name));
  const isRight = outcome !== "arrived" ? staged.length === 0 : readFileSync(staged[0] ?? "").equals(file);
  return isRight ? [] : [`after ${outcome}, ${staged.length} files are staged`];
}

/** Most are nearly right: a head, maybe interim ones before it, a body in some framing, and a fault here and there. */
function answerFrom(chance: Chance): Uint8Array[] {
  const content = contentFrom(chance);
  const isChunked = percent(chance, 50);
  const sizes = [700, 5_000, 16_384, 65_536, 300_000];
  const body = isChunked ? [...chunks(content, oneOf(chance, sizes)), lastChunk(chance)] : [content];
  const all = [
    ...Array.from({ length: percent(chance, 20) ? draw(chance, 300) : 0 }, () =>
      head("103 E", fieldsFrom(chance)),
    ),
    head(statusFrom(chance), [...fieldsFrom(chance), ...framing(chance, content.length, isChunked)]),
  ].map((text) => Buffer.from(text, "latin1"));
  const spoilt = percent(chance, 20) ? all.map((piece) => spoiltBytes(chance, piece)) : all;
  if (percent(chance, 10)) body[draw(chance, body.length)] = randomBytes(chance, draw(chance, 40));
  return [...spoilt, ...(percent(chance, 10) ? body.slice(0, draw(chance, body.length + 1)) : body)];
}

function contentFrom(chance: Chance): Buffer {
  if (percent(chance, 70)) return file;
  if (percent(chance, 40)) return packed;
  return oneOf(chance, [file.subarray(1), file.subarray(0, 90_000), spoiltBytes(chance, file)]);
}

const packed = gzipSync(file);

function lastChunk(chance: Chance): Buffer {
  const trailers = percent(chance, 20) ? fieldsFrom(chance).map((field) => `${field}\r\n`) : [];
  return Buffer.from(`0\r\n${trailers.join("")}\r\n`, "latin1");
}

function statusFrom(chance: Chance): string {
  return percent(chance, 80)
    ? "200 OK"
    : oneOf(chance, ["206 P", "204 N", "304 N", "302 F", "404 N", "416 R", "500 E"]);
}

function framing(chance: Chance, length: number, isChunked: boolean): string[] {
  const right = isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`;
  if (percent(chance, 80)) return [right];
  const others = [
    "Content-Length: 0",
    "Content-Length: -1",
    `Content-Length: ${length + 1}`,
    "Transfer-Encoding: x",
  ];
  return oneOf(chance, [[], [right, right], [oneOf(chance, others)], [right, oneOf(chance, others)]]);
}

function fieldsFrom(chance: Chance): string[] {
  const known = [
    "Content-Encoding: gzip",
    "Content-Encoding: identity",
    "Content-Encoding: br",
    `Content-Range: bytes 0-${file.length - 1}/${file.length}`,
    "Location: /x",
    "Connection: keep-alive",
    "Trailer: x",
    `X: ${"x".repeat(draw(chance, 6_000))}`,
  ];
  const field = (): string =>
    percent(chance, 85)
      ? oneOf(chance, known)
      : `${anyText(chance).replace(/[^!-~]/g, "x")}: ${anyText(chance)}`;
  return Array.from({ length: draw(chance, 4) }, field);
}
