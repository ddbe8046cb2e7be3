import { problem } from "../../src/contract/shapes.ts";
import { assertFits } from "../agents/answer-validators.ts";
import { type RawAnswers, requestText, sendRaw } from "../agents/raw-http.ts";
import type { Chance } from "../basics/chance.ts";
import { anyText, draw, oneOf, percent, randomBytes, spoiltBytes } from "./draw.ts";
import { startFuzzedAgent } from "./fuzzed-agent.ts";
import type { Fuzzing } from "./target.ts";

/** The mark of an answer to a request that is hidden in another one's body. */
const mark = "smuggled-request";
const hidden = requestText("GET /api/version", [`X-Request-Id: ${mark}`]);
const json = "Content-Type: application/json";

/** Milliseconds until the agent must have answered or ended a connection on which nothing more will come. */
const longestMilliseconds = 60_000;

/** Bytes to the socket that are no request, or almost one: refused, answered once at most, and the agent serves on. */
export async function fuzzSocket(fuzzing: Fuzzing): Promise<number> {
  const agent = await startFuzzedAgent();
  try {
    // Without an administrator all is 503.
    await agent.signedInAdmin();
    await fuzzPort(fuzzing, agent.port);
    const { status } = await agent.call("GET", "/api/health");
    if (status !== 200) fuzzing.ledger.find(`afterwards another is answered ${status}`);
    return agent.judgeProcess(fuzzing.ledger);
  } finally {
    await agent.dispose();
  }
}

/** The connections themselves, to whatever listens there. */
export async function fuzzPort({ chance, cases, ledger }: Fuzzing, port: number): Promise<void> {
  for (let made = 0; made < cases; made += 1) {
    const [kind, make] = oneOf(chance, kinds);
    const bytes = make(chance);
    ledger.begin(`${kind} ${JSON.stringify(bytes.toString("latin1").slice(0, 300))}`);
    const result = await sendRaw(bytes, { port, isEnding: true, milliseconds: longestMilliseconds });
    for (const fault of faultsOf(kind, result)) ledger.find(fault);
    if (result.answers.length === 0) ledger.count("closed");
    for (const { status } of result.answers) ledger.count(String(status));
  }
}

type Kind = readonly [name: string, make: (chance: Chance) => Buffer];

const kinds: readonly Kind[] = [
  ["bytes", (chance) => randomBytes(chance, draw(chance, 2_000))],
  ["smuggling", smuggling],
  ["smuggling", smuggling],
  ["spoilt request", (chance) => spoiltBytes(chance, Buffer.from(goodRequest(chance)))],
  ["spoilt pipeline", pipeline],
  ["headers", headers],
  ["chunks", chunks],
];

function goodRequest(chance: Chance): string {
  const path = oneOf(chance, ["/api/version", "/api/users", "/", "/api/events/stream", "/api/openapi.json"]);
  const body = oneOf(chance, ['{"username":"a","password":"b"}', "{}", ""]);
  if (percent(chance, 60)) return requestText(`${oneOf(chance, ["GET", "HEAD", "OPTIONS"])} ${path}`);
  return requestText("POST /api/auth/login", [json, `Content-Length: ${body.length}`], body);
}

/** Lengths that contradict each other: RFC 9112 §6.3 has them refused, and what is behind is no request. */
function smuggling(chance: Chance): Buffer {
  const coding = oneOf(chance, [
    "chunked",
    "Chunked",
    "x, chunked",
    "chunked, x",
    "\tchunked",
    "chunked;q=1",
  ]);
  const name = oneOf(chance, [
    "Transfer-Encoding",
    "transfer-encoding",
    "Transfer-Encoding ",
    "TRANSFER-ENCODING",
  ]);
  const length = oneOf(chance, [
    "4",
    "0",
    "+4",
    "0x4",
    "4, 4",
    "4 ",
    "-4",
    "4\u000b",
    "00000000000000000004",
    "1e1",
  ]);
  const lines = [`${name}: ${coding}`, `Content-Length: ${length}`];
  if (percent(chance, 30)) lines.push(`Content-Length: ${draw(chance, 60)}`);
  if (percent(chance, 50)) lines.reverse();
  const body = oneOf(chance, ["0\r\n\r\n", "4\r\nabcd\r\n0\r\n\r\n", "{}", "0\n\n", ""]);
  // Between its two lengths, so that one who believes the shorter one reads a request.
  return Buffer.from(requestText("POST /api/auth/login", [json, ...lines], `${body}${hidden}`), "latin1");
}

function pipeline(chance: Chance): Buffer {
  const requests = Array.from({ length: 2 + draw(chance, 20) }, () => goodRequest(chance));
  return spoiltBytes(chance, Buffer.from(requests.join("")));
}

function headers(chance: Chance): Buffer {
  const count = oneOf(chance, [1, 10, 100, 3_000]);
  const text = oneOf(chance, [
    anyText(chance),
    "a".repeat(20_000),
    "a, ".repeat(5_000),
    "\u0000",
    " \r\n folded",
  ]);
  const name = oneOf(chance, [
    "Host",
    "X-A",
    "Cookie",
    "Accept",
    "Connection",
    "Expect",
    "Upgrade",
    anyText(chance),
  ]);
  const lines = Array.from({ length: count }, () => `${name}: ${text.slice(0, 200_000 / count)}`);
  return Buffer.from(requestText("GET /api/version", lines), "latin1");
}

function chunks(chance: Chance): Buffer {
  const sizes = [
    "0",
    "2",
    "02",
    "-1",
    "0x2",
    "g",
    "",
    "ffffffffffffffff",
    "2;a=b",
    `2;${"e".repeat(20_000)}`,
    "2 ",
  ];
  const ends = ["\r\n", "\n", "\r", ""];
  const pieces = Array.from(
    { length: 1 + draw(chance, 4) },
    () => `${oneOf(chance, sizes)}${oneOf(chance, ends)}{}${oneOf(chance, ends)}`,
  );
  const trailer = oneOf(chance, ["0\r\n\r\n", "0\r\nX-A: b\r\n\r\n", "0\r\nContent-Length: 9\r\n\r\n", ""]);
  const body = `${pieces.join("")}${trailer}`;
  return Buffer.from(
    requestText("POST /api/auth/login", [json, "Transfer-Encoding: chunked"], body),
    "latin1",
  );
}

/** Faults of the answers to such bytes. */
function faultsOf(kind: string, { answers, isClosed, text }: RawAnswers): string[] {
  const faults: string[] = [];
  if (!isClosed) faults.push("the connection is still open");
  if (/HTTP\/1\.1 5\d\d/.test(text)) faults.push(`answered ${text.slice(0, 300)}`);
  if (kind === "smuggling" && text.includes(mark))
    faults.push("what was hidden in a body was read as a request");
  for (const { status, headers, json } of answers.filter(({ status }) => status >= 400)) {
    if (headers["content-type"] !== "application/problem+json")
      faults.push(`${status} is no problem document: ${headers["content-type"]}`);
    else if (json !== undefined) faults.push(...problemFaults(json, status));
  }
  return faults;
}

function problemFaults(json: unknown, status: number): string[] {
  try {
    assertFits(problem, json, String(status));
    return [];
  } catch (error) {
    return [String(error)];
  }
}
