import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createJournalLines, type SendEntry } from "../../../src/journal/logs/journal-lines.ts";
import { createLog, type Severity } from "../../../src/journal/logs/log.ts";

type Entry = Parameters<SendEntry>[0];

/** A log into a journal and a namespace, which take what `takes` says. */
function logInto(takes: { journal?: boolean; audit?: boolean } = {}) {
  const journal: Entry[] = [];
  const audit: Entry[] = [];
  const accepted: boolean[] = [];
  let now = 100;
  const lines = createJournalLines(
    (entry) => journal.push(entry) > 0 && takes.journal !== false,
    (entry) => takes.audit !== false && audit.push(entry) > 0,
    () => now,
  );
  const log = createLog(
    (line, severity, said) => accepted.push(lines(line, severity, said)),
    () => new Date("2026-11-20T12:00:00Z"),
  );
  return { log, journal, audit, accepted, pass: (seconds: number) => (now += seconds) };
}

describe("lines on their way to the journal", () => {
  it("are in the namespace if they are audit lines, and marked copies in the journal", () => {
    const { log, journal, audit, accepted } = logInto();
    log("notice", "listening");
    log("notice", "user.created", { audit: true, subject: "anna" });
    assert.deepEqual(
      audit.map((entry) => [entry.STEWARD_EVENT, entry.STEWARD_COPY]),
      [["user.created", undefined]],
    );
    assert.deepEqual(
      journal.map((entry) => [entry.MESSAGE, entry.STEWARD_COPY]),
      [
        ["listening", undefined],
        ["user.created: anna", "1"],
      ],
    );
    assert.deepEqual(accepted, [true, true]);
  });

  it("are in the journal alone, and no copies, where there is no namespace", () => {
    const { log, journal, accepted } = logInto({ audit: false });
    log("notice", "user.created", { audit: true });
    assert.deepEqual(
      journal.map((entry) => [entry.STEWARD_EVENT, entry.STEWARD_COPY]),
      [["user.created", undefined]],
    );
    assert.deepEqual(accepted, [true]);
  });

  it("count as kept where one of the two has them, and as lost where neither has", () => {
    const kept = logInto({ journal: false });
    kept.log("notice", "user.created", { audit: true });
    const lost = logInto({ journal: false, audit: false });
    lost.log("notice", "user.created", { audit: true });
    assert.deepEqual([kept.accepted, lost.accepted], [[true], [false]]);
  });

  it("leave room in the journal however many audit lines there are, which are all in the namespace", () => {
    const { log, journal, audit, pass } = logInto();
    for (let count = 0; count < 5_000; count += 1) log("notice", "user.changed", { audit: true, count });
    log("warning", "clock stepped");
    assert.deepEqual([audit.length, journal.length], [5_000, 1_001]);
    assert.equal(journal.at(-1)?.MESSAGE, "clock stepped");
    pass(31);
    log("notice", "user.changed", { audit: true });
    assert.deepEqual([audit.length, journal.length], [5_001, 1_002]);
  });
});

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
