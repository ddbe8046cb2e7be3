import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, it, type TestContext } from "node:test";
import type { Client, CommandContext } from "../../../src/cli/client/context.ts";
import type { Places } from "../../../src/cli/client/places.ts";
import { wholeTable } from "../../../src/cli/command-table.ts";
import { logs } from "../../../src/cli/system/logs.ts";
import type { OperationId } from "../../../src/contract/operations.ts";
import type { LogEntry, Output } from "../../../src/contract/types.ts";
import { splitLine } from "../../../src/terminal/commands/command-line.ts";
import { createOutput } from "../../../src/terminal/output.ts";
import { type Answers, ended, ends, endsAlone, offline } from "../fixture.ts";

const commandTable = await wholeTable();

function entry(message: string, change: Partial<LogEntry> = {}): LogEntry {
  return {
    time: "2026-11-20T12:00:00.000Z",
    unit: "steward.service",
    identifier: "node",
    priority: "notice",
    message,
    pid: 77,
    audit: false,
    members: null,
    cursor: message,
    ...change,
  };
}

const page = (items: LogEntry[], next_cursor: string | null = null) => ({
  body: { items, total: next_cursor === null ? items.length : null, next_cursor, source: "journal" },
});

describe("steward logs", { concurrency: true }, () => {
  it("prints the oldest line first, with what it says besides", (test) => {
    const members = { mode: "serving", addresses: ["a"] };
    const newest = entry("listening", { priority: "err", members });
    const answers = { "GET /api/logs": page([newest, entry("first")]) };
    return ends(test, "logs", answers, {
      stdout:
        "2026-11-20T12:00:00.000Z notice  steward.service first\n" +
        '2026-11-20T12:00:00.000Z err     steward.service listening mode="serving" addresses=["a"]\n',
      asked: ["GET /api/logs?limit=100"],
    });
  });

  it("asks for what was asked for, page after page", async (test) => {
    const many = Array.from({ length: 200 }, (_, count) => entry(`line ${count}`));
    const answers: Answers = {
      "GET /api/logs": (query) =>
        query.has("cursor") ? page(many.slice(0, 50), "more") : page(many, "page-2"),
    };
    const line = "logs --unit a.service --since 15m --until 1m --priority err --search (x --limit 250";
    const filters = "unit=a.service&since=15m&priority=err&q=%28x&until=1m";
    const { stdout } = await ended(test, line, answers, {
      asked: [`GET /api/logs?${filters}&limit=200`, `GET /api/logs?${filters}&limit=50&cursor=page-2`],
    });
    assert.equal(stdout.split("\n").length, 251);
  });

  it("keeps hostile lines from driving the terminal", (test) => {
    const hostile = entry("\u001b[2J\u202eevil\r\nfake line", { members: { "\u009b": "\u001b" } });
    const stdout = /^.* \\x1b\[2J\\x\{202e\}evil\\x0d\\x0afake line \\x9b="\\u001b"\n$/;
    return ends(test, "logs", { "GET /api/logs": page([hostile]) }, { stdout });
  });

  for (const [options, stderr] of [
    ["--limit 0", /--limit must be a number from 1 to 10000, not "0"/],
    ["--limit 1e3", /not "1e3"/],
    ["--limit 10001", /not "10001"/],
    ["--priority error", /--priority is one of emerg, alert.*not "error"/],
    ["-f --until 1m", /--follow and --until exclude each other/],
    ["--grep x", /no option --grep/],
  ] as const)
    it(`refuses ${options} before it asks the agent`, (test) =>
      ends(test, `logs ${options}`, {}, { code: 2, stderr, asked: [] }));
});

describe("steward logs --follow", () => {
  /** Runs the command on a client that streams these entries. */
  async function follow(test: TestContext, args: string[], present: LogEntry[], coming: LogEntry[]) {
    const asked: { id: string; query: unknown; lastEventId?: string | undefined }[] = [];
    const interruption = new AbortController();
    const client: Client = {
      async call<Id extends OperationId>(id: Id, { query }: { query?: unknown }) {
        asked.push({ id, query });
        return page(present).body as unknown as Output<Id>;
      },
      async stream(id, input, onMessage, options) {
        const { query } = input as { query?: unknown };
        asked.push({ id, query, lastEventId: options?.lastEventId });
        for (const data of coming) await onMessage({ id: data.cursor, event: "log", data });
        interruption.abort();
      },
      async close() {},
    };
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    test.after(() => stdout.destroy());
    const { options } = splitLine(["logs", "-f", ...args], commandTable);
    const isJson = options.text("output") === "json";
    const output = createOutput({ stdout, stderr, isJson, isQuiet: false, program: "steward" });
    const context = { stdout, interruption: () => interruption.signal } as unknown as CommandContext;
    const places = {} as Places;
    const given = {
      program: "steward",
      typed: [],
      positionals: [],
      options,
      places,
      context,
      output,
      client,
    };
    await assert.rejects(logs.run(given), { exitCode: 130 });
    return { asked, stdout: textIn(stdout) };
  }
  /** One reading gives all that was written, and from Node 26 on only the first piece. */
  const textIn = (stream: PassThrough): string => {
    const piece = stream.read();
    return piece === null ? "" : `${piece}${textIn(stream)}`;
  };
  const texts = (stdout: string) =>
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(" ").at(-1));

  it("prints the last lines, then those behind them", async (test) => {
    const later = entry("two", { time: "2026-11-20T12:00:01.000Z" });
    const run = await follow(test, ["--unit", "a.service"], [later, entry("one")], [entry("three")]);
    assert.deepEqual(texts(run.stdout), ["one", "two", "three"]);
    assert.deepEqual(run.asked, [
      { id: "listLogs", query: { unit: "a.service", limit: 10 } },
      { id: "streamLogs", query: { unit: "a.service" }, lastEventId: later.cursor },
    ]);
  });

  it("begins now where there is no line yet", async (test) => {
    const { asked } = await follow(test, [], [], []);
    assert.deepEqual(asked[1], { id: "streamLogs", query: { since: "0s" }, lastEventId: undefined });
  });

  it("prints a JSON document a line, safe in a terminal", async (test) => {
    const { stdout } = await follow(test, ["-o", "json"], [entry("one")], [entry("\u202etwo")]);
    const lines = stdout.trimEnd().split("\n");
    const messages = lines.map((line) => JSON.parse(line).message);
    assert.deepEqual(messages, ["one", "\u202etwo"]);
    assert.doesNotMatch(stdout, /\u202e/);
  });

  it("says that nothing can be followed while the agent is down", (test) => {
    const { places } = offline(test, { listLogs: page([entry("kept")]).body });
    return endsAlone(["logs", "-f", ...places], { code: 1, stderr: /agent/ });
  });
});
