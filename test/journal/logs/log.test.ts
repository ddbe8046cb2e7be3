import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createLog, type Severity } from "../../../src/journal/logs/log.ts";

function write(
  members: Record<string, unknown>,
  message = "what happened",
): { line: string; severity: Severity } {
  const written: { line: string; severity: Severity }[] = [];
  createLog(
    (line, severity) => written.push({ line, severity }),
    () => new Date("2026-11-20T12:00:00Z"),
  )("notice", message, members);
  const [only = { line: "", severity: "info" }] = written;
  return only;
}

describe("the log", () => {
  it("writes one JSON line, with its severity", () => {
    assert.deepEqual(write({ a: "1\n2" }), {
      line: '{"time":"2026-11-20T12:00:00.000Z","severity":"notice","message":"what happened","a":"1\\n2"}\n',
      severity: "notice",
    });
  });

  it("cuts a line that journald would break, and still says that it is an audit line", () => {
    const { line } = write({ audit: true, detail: "x".repeat(50_000) }, "m".repeat(5_000));
    assert.ok(line.length < 12_000, `${line.length} characters`);
    const { audit, cut, message, ...rest } = JSON.parse(line);
    assert.deepEqual([audit, cut, message], [true, true, "m".repeat(1_000)]);
    assert.deepEqual(Object.keys(rest), ["time", "severity"]);
  });

  it("makes no audit line of one that is none by cutting it", () => {
    assert.equal(JSON.parse(write({ audit: "yes", detail: "x".repeat(50_000) }).line).audit, undefined);
  });
});
