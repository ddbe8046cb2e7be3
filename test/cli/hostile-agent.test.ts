import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { runSteward, temporaryDirectory } from "../../lab/command-line/run-steward.ts";
import { exampleUser, listen } from "../../lab/command-line/scripted-agent.ts";
import { createListEnd } from "../../src/cli/client/all-pages.ts";
import { BoundlessAnswer } from "../../src/cli/client/context.ts";

const mebibyte = 1024 * 1024;

/** At which a server that would go on for ever gives up, so that a reader without a bound is seen and not waited for. */
const mostMebibytes = 64;
const mostPages = 50;

/** Starts a server in the agent's place at its socket. */
async function startHostile(test: TestContext, answer: RequestListener): Promise<string> {
  const socketPath = join(temporaryDirectory(test), "steward.sock");
  await listen(test, createServer(answer), socketPath);
  return socketPath;
}

interface Endless {
  mebibytes: number;
}

/** A body that repeats a text without an end, as fast as it is taken; counts it. */
function pourInto(
  response: ServerResponse,
  { status = 200, type = "application/json", text = " " } = {},
): Endless {
  const poured = { mebibytes: 0 };
  const piece = Buffer.alloc(mebibyte, text);
  const pour = (): void => {
    while (poured.mebibytes < mostMebibytes && !response.destroyed) {
      poured.mebibytes += 1;
      if (!response.write(piece)) return void response.once("drain", pour);
    }
    response.end();
  };
  response.writeHead(status, { "content-type": type });
  pour();
  return poured;
}

describe("root's command line, with a server at the socket that means it harm", () => {
  for (const [what, type, status] of [
    ["an answer", "application/json", 200],
    ["a refusal", "application/problem+json", 403],
  ] as const) {
    it(`reads 16 MiB of ${what} that does not end, and says so (memory)`, async (test) => {
      let poured: Endless = { mebibytes: 0 };
      const socket = await startHostile(test, (_request, response) => {
        poured = pourInto(response, { status, type });
      });
      const { code, stderr } = await runSteward(`user list --socket ${socket}`);
      assert.equal(code, 8, stderr);
      assert.match(
        stderr,
        /sent more than 16 MiB, which the agent never does\. Find out which program answers/,
      );
      assert.ok(poured.mebibytes < 32, `${poured.mebibytes} MiB were taken`);
    });
  }

  const noEvents = { items: [], total: 0, next_cursor: null };
  const isStream = ({ url = "" }: IncomingMessage) => url.startsWith("/api/events/stream");
  for (const [what, type, text, expected] of [
    ["another media type and does not end", "application/json", " ", /sent more than 16 MiB/],
    ["one line that does not end", "text/event-stream", " ", /does not end after 1 MiB/],
    [
      "one event whose lines do not end",
      "text/event-stream",
      `data: ${"x".repeat(57)}\n`,
      /does not end after 1 MiB/,
    ],
  ] as const) {
    it(`gives a stream up that is ${what}, and does not come back to it`, async (test) => {
      let streams = 0;
      let poured: Endless = { mebibytes: 0 };
      const socket = await startHostile(test, (request, response) => {
        if (!isStream(request)) return sendJson(response, noEvents);
        streams += 1;
        poured = pourInto(response, { type, text });
      });
      const { code, stderr } = await runSteward(`events -f --socket ${socket}`);
      assert.equal(code, 8, stderr);
      assert.match(stderr, expected);
      assert.equal(streams, 1);
      assert.ok(poured.mebibytes < 32, `${poured.mebibytes} MiB were taken`);
    });
  }

  for (const [words, item] of Object.entries({
    "user list": exampleUser(),
    "token list": { id: "tok_1", username: "anna", name: "fleet", scopes: [] },
    "logs --limit 10000": { cursor: "1", time: "", priority: "info", unit: "steward", message: "" },
    "events --verify": { seq: 1, log: "changes", hash: "", previous_hash: "" },
  })) {
    it(`ends \`steward ${words}\` when a cursor comes back (a list without an end)`, async (test) => {
      let pages = 0;
      const socket = await startHostile(test, (_request, response) => {
        pages += 1;
        const next_cursor = pages < mostPages ? String(7 + (pages % 2)) : null;
        sendJson(response, { items: [item], total: 1, next_cursor, source: "agent" });
      });
      const { code, stderr } = await runSteward([...words.split(" "), "--socket", socket]);
      assert.deepEqual([code, pages], [8, 3], stderr);
      assert.match(stderr, /begins again instead of ending/);
    });
  }
});

describe("a list of which each page has another cursor", () => {
  for (const [what, characters] of [
    ["many small pages", 0],
    ["large pages", mebibyte],
  ] as const) {
    it(`comes to its end by ${what}`, () => {
      const checkEnd = createListEnd();
      const items = ["x".repeat(characters)];
      const readAll = (): void => {
        for (let page = 0; page < 20_000; page += 1) checkEnd({ items, next_cursor: String(page) } as never);
      };
      assert.throws(readAll, (error) => error instanceof BoundlessAnswer && error.exitCode === 8);
    });
  }
});

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}
