import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { scratchDirectory } from "../basics/scratch.ts";
import { chunks, fetchFrom, file, head, startOddServer } from "../host/odd-servers.ts";
import { bytes, changes, rarely, spoil, texts, weighed } from "./arbitraries.ts";
import { judgeCases, type Outcomes } from "./cases.ts";

const packed = gzipSync(file);
const contents = [file, file, file, file, file, packed, file.subarray(1), file.subarray(0, 90_000)];

const otherFields = [
  ...["Content-Encoding: gzip", "Content-Encoding: identity", "Content-Encoding: br", "Location: /x"],
  ...[`Content-Range: bytes 0-${file.length - 1}/${file.length}`, "Connection: keep-alive", "Trailer: x"],
];
const fields = fc.array(
  weighed(
    [7, fc.constantFrom(...otherFields)],
    [1, fc.nat(6_000).map((length) => `X: ${"x".repeat(length)}`)],
    [1, fc.tuple(texts, texts).map(([name, value]) => `${name.replace(/[^!-~]/g, "x")}: ${value}`)],
  ),
  { maxLength: 3 },
);
const wrongFraming = fc.constantFrom(
  ...["Content-Length: 0", "Content-Length: -1", `Content-Length: ${file.length + 1}`],
  "Transfer-Encoding: x",
);

/** An answer, mostly nearly right: a head, maybe interim ones before it, a body in some framing, and a fault here and there. */
const answers = fc.record({
  content: fc.constantFrom(...contents),
  spoiltContent: rarely(5, changes),
  chunkBytes: fc.option(fc.constantFrom(700, 5_000, 16_384, 65_536, 300_000), { freq: 2 }),
  interim: rarely(20, fc.array(fields, { maxLength: 300 })),
  status: weighed(
    [4, fc.constant("200 OK")],
    [1, fc.constantFrom("206 P", "204 N", "304 N", "302 F", "404 N", "416 R", "500 E")],
  ),
  fields,
  framing: rarely(20, fc.tuple(fc.nat(2), fc.array(wrongFraming, { maxLength: 1 }))),
  trailers: rarely(20, fields),
  spoiltHead: rarely(20, changes),
  foreign: rarely(10, fc.tuple(fc.maxSafeNat(), bytes(0, 40))),
  end: rarely(10, fc.maxSafeNat()),
});

function bytesOf(answer: typeof answers extends fc.Arbitrary<infer T> ? T : never): Uint8Array[] {
  const { chunkBytes, spoiltContent, spoiltHead, foreign, end } = answer;
  const content = spoil(answer.content, spoiltContent ?? []);
  const right = chunkBytes === null ? `Content-Length: ${content.length}` : "Transfer-Encoding: chunked";
  const [times, others] = answer.framing ?? [1, []];
  const framing = [...Array.from({ length: times }, () => right), ...others];
  const heads = [
    ...(answer.interim ?? []).map((lines) => head("103 E", lines)),
    head(answer.status, [...answer.fields, ...framing]),
  ].map((text) => spoil(Buffer.from(text, "latin1"), spoiltHead ?? []));
  const trailers = (answer.trailers ?? []).map((field) => `${field}\r\n`).join("");
  const last = Buffer.from(`0\r\n${trailers}\r\n`, "latin1");
  const body = chunkBytes === null ? [content] : [...chunks(content, chunkBytes), last];
  if (foreign) body[foreign[0] % body.length] = foreign[1];
  return [...heads, ...(end === null ? body : body.slice(0, end % (body.length + 1)))];
}

/** Answers of servers: they end in the signed file, or in an error by code with nothing staged, and in no connection. */
export async function fuzzDownloads(cases: number, fetch = fetchFrom): Promise<Outcomes> {
  const directory = scratchDirectory();
  let sent: readonly Uint8Array[] = [];
  const server = await startOddServer({ answer: () => sent });
  try {
    return await judgeCases(cases, answers, async (answer) => {
      sent = bytesOf(answer);
      rmSync(directory, { recursive: true, force: true });
      const outcome = (await fetch(server.url, directory))?.code ?? "arrived";
      const staged = readdirSync(join(directory, "staged"));
      assert.equal(staged.length, outcome === "arrived" ? 1 : 0, `staged after ${outcome}`);
      for (const name of staged)
        assert.ok(readFileSync(join(directory, "staged", name)).equals(file), "another file arrived");
      return outcome;
    });
  } finally {
    await server.stop();
  }
}
