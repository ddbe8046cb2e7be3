import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { until } from "../../../lab/basics/until.ts";
import { growJournal, ownFields, temporaryDirectory, writeCommand } from "../../../lab/host/journal.ts";
import { createVirtualTime } from "../../../lab/simulated/virtual-time.ts";
import { createJournalReader } from "../../../src/host/linux/systemd/journal-reader.ts";
import type { JournalEntry } from "../../../src/host/ports.ts";
import { createJournalFollower, type JournalFollower } from "../../../src/journal/logs/journal-follower.ts";

/** A growing journal whose followers are counted, and the ids of their processes. */
function counted(test: TestContext, instead = 'exec journalctl "$@"') {
  const pids = join(temporaryDirectory(test), "pids");
  const command = writeCommand(
    test,
    "journalctl",
    `case "$*" in *--follow*) echo $$ >> '${pids}';; esac\n${instead}`,
  );
  const journal = growJournal(test);
  return {
    write: (message: string) => journal.write(ownFields({ message })),
    reader: createJournalReader({ command, place: [journal.place] }),
    started: () => (existsSync(pids) ? readFileSync(pids, "utf8").trim().split("\n").map(Number) : []),
  };
}

/** Subscribes; the end of the test stops it, or a journalctl would keep the test's process from ending. */
function subscribe(test: TestContext, follower: JournalFollower, receive: (entry: JournalEntry) => void) {
  const stop = follower.subscribe(receive);
  test.after(stop);
  return stop;
}

const textOf = ({ message }: JournalEntry): string => JSON.parse(message).message;
const runs = (pid: number | undefined) => existsSync(`/proc/${pid}`);

describe("the journal's follower", () => {
  it("is one process for all: begun with the first subscriber, ended with the last", async (test) => {
    const { write, reader, started } = counted(test);
    write("before");
    await until("it is in the journal", async () => {
      const seen: string[] = [];
      await reader.read({ units: [], order: "newest-first" }, (entry) => {
        seen.push(textOf(entry));
        return false;
      });
      return seen.length > 0;
    });
    const follower = createJournalFollower(reader, createVirtualTime().hostTimers);
    const first: string[] = [];
    const second: string[] = [];
    assert.deepEqual(started(), []);
    const stops = [first, second].map((seen) =>
      subscribe(test, follower, (entry) => seen.push(textOf(entry))),
    );
    await follower.ready();
    write("one");
    await until("both have it", () => first.length === 1 && second.length === 1);
    stops[0]?.();
    write("two");
    await until("the other one has it", () => second.length === 2);
    assert.deepEqual([first, second], [["one"], ["one", "two"]]);
    const [pid, ...others] = started();
    assert.deepEqual([others, runs(pid)], [[], true]);
    stops[1]?.();
    await until("it has ended", () => !runs(pid));
    const stop = subscribe(test, follower, (entry) => first.push(textOf(entry)));
    await follower.ready();
    write("three");
    await until("a new subscriber gets what comes then", () => first.length === 2);
    assert.deepEqual([first, started().length], [["one", "three"], 2]);
    stop();
  });

  it("goes on where it was when journalctl dies", async (test) => {
    const { write, reader, started } = counted(test);
    const seen: string[] = [];
    const time = createVirtualTime();
    const follower = createJournalFollower(reader, time.hostTimers);
    const stop = subscribe(test, follower, (entry) => seen.push(textOf(entry)));
    // It begins with what comes after it has looked where the journal ends.
    await follower.ready();
    write("one");
    // A journalctl that finds no file of the journal yet has ended.
    await until("the first line", () => {
      time.pass(1);
      return seen.length === 1;
    });
    process.kill(started().at(-1) ?? 0, "SIGKILL");
    write("without a reader");
    await until("it is to be started again", () => time.dueIn(1) === 1);
    time.pass(1);
    await until("it was started again", () => seen.length === 2);
    write("three");
    await until("it follows", () => seen.length === 3);
    assert.deepEqual(seen, ["one", "without a reader", "three"]);
    stop();
  });

  it("tries a journalctl that fails again less and less often, and not at all when no reader is left", async (test) => {
    const { reader, started } = counted(test, "exit 1");
    const time = createVirtualTime();
    const stop = subscribe(test, createJournalFollower(reader, time.hostTimers), () => {});
    for (const [index, pause] of [1, 2, 4, 8].entries()) {
      await until(`a pause of ${pause} s`, () => time.dueIn(pause) === 1);
      assert.equal(started().length, index + 1);
      time.pass(pause);
    }
    await until("the next pause", () => time.dueIn(16) === 1);
    stop();
    assert.deepEqual([time.dueIn(16), time.nextAt(), started().length], [0, null, 5]);
  });
});
