import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createJournalLines, type SendEntry } from "../../../src/journal/logs/journal-lines.ts";
import { createLog } from "../../../src/journal/logs/log.ts";

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

const events = (entries: readonly Entry[]) =>
  entries.map(({ STEWARD_EVENT, STEWARD_COPY, MESSAGE }) => [STEWARD_EVENT, STEWARD_COPY, MESSAGE]);

describe("lines on their way to the journal", () => {
  const audited = ["user.created", undefined, "user.created: anna"];
  const copied = ["user.created", "1", "user.created: anna"];
  for (const [name, takes, journal, audit, isAccepted] of [
    [
      "are in the namespace if they are audit lines, and marked copies in the journal",
      {},
      [copied],
      [audited],
      true,
    ],
    ["are in the journal, and no copies, where there is no namespace", { audit: false }, [audited], [], true],
    ["count as kept where the namespace has them", { journal: false }, [copied], [audited], true],
    ["are lost where neither has them", { journal: false, audit: false }, [audited], [], false],
  ] as const)
    it(name, () => {
      const into = logInto(takes);
      into.log("notice", "user.created", { audit: true, subject: "anna" });
      assert.deepEqual(
        [events(into.journal), events(into.audit), into.accepted],
        [journal, audit, [isAccepted]],
      );
    });

  it("leave room in the journal however many audit lines there are, which are all in the namespace", () => {
    const { log, journal, audit, pass } = logInto();
    for (let count = 0; count < 5_000; count += 1) log("notice", "user.changed", { audit: true, count });
    log("warning", "clock stepped");
    assert.deepEqual([audit.length, journal.length], [5_000, 1_001]);
    assert.deepEqual(events(journal).at(-1), [undefined, undefined, "clock stepped"]);
    pass(31);
    log("notice", "user.changed", { audit: true });
    assert.deepEqual([audit.length, journal.length], [5_001, 1_002]);
  });
});

function write(members: Record<string, unknown>, message = "what happened"): string {
  const written: string[] = [];
  createLog(
    (line) => written.push(line),
    () => new Date("2026-11-20T12:00:00Z"),
  )("notice", message, members);
  return written.join();
}

it("writes one JSON line, and cuts one that journald would break, whose audit mark stays as it is", () => {
  assert.equal(
    write({ a: "1\n2" }),
    '{"time":"2026-11-20T12:00:00.000Z","severity":"notice","message":"what happened","a":"1\\n2"}\n',
  );
  const line = write({ audit: true, detail: "x".repeat(50_000) }, "m".repeat(5_000));
  assert.ok(line.length < 12_000, `${line.length} characters`);
  const { audit, cut, message, ...rest } = JSON.parse(line);
  assert.deepEqual([audit, cut, message], [true, true, "m".repeat(1_000)]);
  assert.deepEqual(Object.keys(rest), ["time", "severity"]);
  assert.equal(JSON.parse(write({ audit: "yes", detail: "x".repeat(50_000) })).audit, undefined);
});
