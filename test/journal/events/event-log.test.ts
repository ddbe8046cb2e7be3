import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fs, { readdirSync, readFileSync, statSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import {
  allEvents,
  change,
  filesOf,
  linesOf,
  openLog,
  refusal,
  report,
} from "../../../lab/state/event-directory.ts";
import { replaced, watchDisk } from "../../../lab/state/watched-disk.ts";
import { createVerification } from "../../../src/cli/events/event-verification.ts";
import type { AuditEvent } from "../../../src/contract/types.ts";
import { agentEvent } from "../../../src/journal/events/event.ts";
import type { EventLog } from "../../../src/journal/events/event-log.ts";
import type { EventQuery } from "../../../src/journal/events/event-pages.ts";

function findingsOf(events: readonly AuditEvent[], chainFrom = 0) {
  const verification = createVerification();
  verification.beginAt(chainFrom);
  for (const event of events) verification.add(event);
  return verification.findings();
}

async function recordUsers(events: EventLog, count: number): Promise<void> {
  for (let index = 1; index <= count; index += 1) await events.record(change(`user-${index}`));
}

const users = (events: readonly AuditEvent[]) => events.map(({ seq, subject }) => `${seq} ${subject?.name}`);

describe("an event log", () => {
  it("keeps its logs in one sequence, each with a chain of its own, over a restart", async (test) => {
    const { events, directory } = await openLog(test);
    await events.record(change("anna"));
    events.refuse(refusal("192.0.2.7"), "invalid_credentials");
    await events.record(report("stuck", 3));
    await events.record(change("berta"));
    await events.close();
    assert.equal((await stat(directory)).mode & 0o777, 0o700);
    for (const { path } of await filesOf(directory)) assert.equal((await stat(path)).mode & 0o777, 0o600);
    const next = await openLog(test, { directory });
    assert.equal(next.events.head(), 4);
    await next.events.record(report("stuck"));
    await next.events.record(change("carla"));
    const all = await allEvents(next.events);
    const [first, , third, fourth] = all;
    const none = "0".repeat(64);
    assert.deepEqual(
      all.map(({ seq, log, count, previous_hash }) => `${seq} ${log} ${count} ${previous_hash}`),
      [
        ...[`1 changes 1 ${none}`, `2 refusals 1 ${none}`, `3 reports 3 ${none}`],
        ...[`4 changes 1 ${first?.hash}`, `5 reports 1 ${third?.hash}`, `6 changes 1 ${fourth?.hash}`],
      ],
    );
    assert.deepEqual(findingsOf(all), []);
    const backup = await next.events.snapshot(() => null);
    const names = backup.files.map(({ name }) => name.split("-")[0]);
    await backup.close();
    assert.deepEqual(names, ["changes", "refusals", "reports"]);
  });

  it("has what another server said in the line of the log only: neither event nor listener gets it", async (test) => {
    const { events, said } = await openLog(test);
    const heard: AuditEvent[] = [];
    events.subscribe((event) => void heard.push(event));
    events.refuse({ ...refusal("192.0.2.7"), said: "untrusted" }, "provider_refused");
    events.refuse(refusal("192.0.2.8"), "provider_refused");
    await events.close();
    const [line, other] = said;
    assert.deepEqual([line?.said, line?.audit, other && "said" in other], ["untrusted", true, false]);
    assert.doesNotMatch(JSON.stringify([await allEvents(events), heard]), /untrusted/);
    assert.equal(heard.length, 2);
  });

  it("hands an event over when its line is in the file: one whose number a killed process takes along would come twice", async (test) => {
    const { events, directory } = await openLog(test);
    const heard: [head: number, isWritten: boolean][] = [];
    events.subscribe(() => {
      const files = readdirSync(directory).filter((name) => name.endsWith(".jsonl"));
      const texts = files.map((name) => readFileSync(join(directory, name), "utf8"));
      heard.push([events.head(), texts.join("").split("\n").length - 1 >= events.head()]);
    });
    const recorded = events.record(change("anna"));
    assert.deepEqual([events.head(), heard], [0, []]);
    await recorded;
    events.refuse(refusal("192.0.2.7"), "invalid_credentials");
    await events.record(change("berta"));
    assert.equal(heard.join("; "), "1,true; 2,true; 3,true");
  });

  it("writes the line that RFC 8785 says, and its hash is that of the line without it", async (test) => {
    const { events, directory } = await openLog(test, { now: () => new Date("2026-11-20T10:00:00.5Z") });
    const subject = { id: `usr_${"2".repeat(32)}`, name: "änna" };
    const details = { role: "admin", enabled: true, changed: ["b", "a"] };
    await events.record({ ...change("änna", details), subject });
    const [file] = await filesOf(directory);
    const [line = ""] = await linesOf(file?.path ?? "");
    const begin =
      '{"actor":{"id":"usr_11111111111111111111111111111111","kind":"user","name":"root-admin"},"code":null,' +
      '"count":1,"details":{"changed":["b","a"],"enabled":true,"role":"admin"},"from":"192.0.2.1",';
    const end =
      `"log":"changes","outcome":"success","previous_hash":"${"0".repeat(64)}","request_id":"request-1","seq":1,` +
      '"subject":{"id":"usr_22222222222222222222222222222222","name":"änna"},"time":"2026-11-20T10:00:00.500Z",' +
      '"type":"user.changed"}';
    const hash = createHash("sha256");
    assert.equal(line, `${begin}"hash":"${hash.update(begin + end).digest("hex")}",${end}`);
  });

  it("numbers and writes in one order what arrives together, also when the clock goes back", async (test) => {
    let hour = 24;
    const now = () => new Date(Date.UTC(2026, 10, 20, hour--));
    const { events, directory } = await openLog(test, { now });
    await Promise.all(Array.from({ length: 100 }, (_, index) => events.record(change(`user-${index + 1}`))));
    const all = await allEvents(events, 7);
    assert.deepEqual(
      users(all),
      Array.from({ length: 100 }, (_, index) => `${index + 1} user-${index + 1}`),
    );
    assert.deepEqual([findingsOf(all), (await filesOf(directory)).length], [[], 1]);
  });

  it("writes nothing while nothing happens, and shortens details that are too long", async (test) => {
    const { events, directory, said } = await openLog(test);
    await events.list({ limit: 10 });
    assert.deepEqual([await filesOf(directory), said], [[], []]);
    await events.record(change("anna", { text: "x".repeat(5_000) }));
    assert.deepEqual((await allEvents(events))[0]?.details, { is_too_long: true });
  });
});

it("filters events by group, kind of who did it, name, outcome and time", async (test) => {
  const { events } = await openLog(test, { now: () => new Date("2026-11-20T10:00:00Z") });
  await events.record(change("anna"));
  await events.record({ ...change("bert"), actor: { kind: "token", id: "usr_1", name: "Anna.K" } });
  await events.record(agentEvent("clock.stepped", { seconds: 2 }));
  events.refuse(refusal("192.0.2.1", "login"), "invalid_credentials");
  const time = Date.parse("2026-11-20T10:00:00Z");
  for (const [filter, expected] of [
    [{ group: "users" }, [2, 1]],
    [{ group: "clock" }, [3]],
    [{ actor_kind: "agent" }, [3]],
    [{ name: "ANNA" }, [2, 1]],
    [{ name: "anna", actor_kind: "token" }, [2]],
    [{ name: "usr_1" }, [2]],
    // A part of an id is no name.
    [{ name: "usr_" }, []],
    [{ outcome: "refused" }, [4]],
    [{ sinceMilliseconds: time, untilMilliseconds: time }, [4, 3, 2, 1]],
    [{ sinceMilliseconds: time + 1 }, []],
    [{ untilMilliseconds: time - 1 }, []],
  ] as [Partial<EventQuery>, number[]][]) {
    const { items, total } = await events.list({ limit: 10, ...filter });
    assert.deepEqual(
      [items.map(({ seq }) => seq), total],
      [expected, expected.length],
      JSON.stringify(filter),
    );
  }
  assert.equal((await events.list({ limit: 1, name: "anna" })).total, 2, "the total is of what matches");
});

describe("the bounds of an event log", () => {
  it("hold for bytes and files, and the remaining events verify from their anchor", async (test) => {
    const totalBytes = 40_000;
    const { events, directory, said } = await openLog(test, { totalBytes });
    await recordUsers(events, 400);
    const files = await filesOf(directory);
    const used = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    assert.ok(used <= totalBytes && used > totalBytes / 2, `${used} bytes`);
    assert.ok(files.length <= 12, `${files.length} files`);
    const whole = await allEvents(events);
    const { chain_from } = events.reach();
    assert.deepEqual(findingsOf(whole, chain_from), []);
    const all = whole.filter(({ seq }) => seq >= chain_from);
    assert.ok(whole.length > all.length, "nothing was kept");
    assert.equal(all.at(-1)?.seq, 400);
    assert.ok((all[0]?.seq ?? 0) > 100, "nothing was dropped");
    const last = said.filter(({ message }) => message === "event log segment dropped").at(-1);
    assert.deepEqual(
      [last?.log, last?.last_seq, last?.audit, last?.hash],
      ["changes", (all[0]?.seq ?? 0) - 1, true, all[0]?.previous_hash],
    );
    assert.equal(await events.firstComplete(), all[0]?.seq);
  });

  it("of the refusals are their own: a flood cannot push changes out", async (test) => {
    const { events } = await openLog(test, { totalBytes: 40_000, refusalKinds: 100_000 });
    await recordUsers(events, 31);
    for (let index = 0; index < 2_000; index += 1) {
      events.refuse(refusal(`192.0.2.${index % 250}`, `operation-${index}`), "invalid_credentials");
      // One turn each, so that they are written and not only wait.
      if (index % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const all = await allEvents(events);
    const changes = all.filter(({ log }) => log === "changes");
    assert.deepEqual([changes.length, changes[0]?.seq], [31, 1]);
    assert.ok(all.length - 31 < 30, `${all.length - 31} refusals are kept`);
    assert.deepEqual(findingsOf(all), []);
  });

  it("of the product's reports are their own: a flood cannot push changes or refusals out", async (test) => {
    const { events, directory } = await openLog(test, { totalBytes: 400_000 });
    await recordUsers(events, 31);
    events.refuse(refusal("192.0.2.7"), "invalid_credentials");
    for (let index = 0; index < 300; index += 1) await events.record(report(`code_${index}`));
    const all = await allEvents(events);
    const [changes, refusals] = ["changes", "refusals"].map((name) => all.filter(({ log }) => log === name));
    assert.deepEqual([changes?.length, changes?.[0]?.seq, refusals?.length], [31, 1, 1]);
    const files = await filesOf(directory);
    const ofReports = files.filter(({ name }) => name.startsWith("reports"));
    const used = ofReports.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    assert.ok(used <= 40_000 && used > 30_000, `${used} bytes of reports`);
    assert.deepEqual([all.at(-1)?.details.code, findingsOf(all)], ["code_299", []]);
  });
});

/** The next agent's log, after one recorded changes of nine users and its file was changed like this. */
async function afterDamage(test: TestContext, how: (text: string) => string) {
  const { events, directory } = await openLog(test);
  await recordUsers(events, 9);
  await events.close();
  const path = (await filesOf(directory))[0]?.path ?? "";
  const damaged = how(await readFile(path, "utf8"));
  await writeFile(path, damaged);
  return { ...(await openLog(test, { directory })), path, damaged };
}

describe("an event log that a crash left", () => {
  it("cuts a torn last line off, says so, and goes on", async (test) => {
    const { events, said } = await afterDamage(test, (text) => `${text}{"actor":{"id":"usr_1`);
    assert.match(said[0]?.message ?? "", /torn line/);
    assert.equal(events.trouble(), null);
    await events.record(change("berta"));
    const all = await allEvents(events);
    assert.deepEqual(users(all).slice(8), ["9 user-9", "10 berta"]);
    assert.deepEqual(findingsOf(all), []);
  });

  it("takes away a file that was begun and has no whole line", async (test) => {
    const { events, directory } = await openLog(test);
    await events.record(change("anna"));
    await events.close();
    await writeFile(`${directory}/changes-0000000000000002.jsonl`, '{"actor"');
    const next = await openLog(test, { directory });
    await next.events.record(change("berta"));
    assert.deepEqual(findingsOf(await allEvents(next.events)), []);
    assert.equal((await filesOf(directory)).length, 1);
  });
});

describe("an event log that was tampered with", () => {
  for (const [name, how, seq] of [
    ["a flipped byte", (lines) => lines.with(4, (lines[4] ?? "").replace("user-5", "user-4")), 5],
    ["a flipped byte that makes it no JSON", (lines) => lines.with(4, (lines[4] ?? "").replace("{", "[")), 5],
    ["a line that was taken out", (lines) => lines.toSpliced(4, 1), 5],
    ["two lines that changed places", (lines) => lines.with(4, lines[5] ?? "").with(5, lines[4] ?? ""), 5],
    ["a flipped byte in the last line", (lines) => lines.with(8, (lines[8] ?? "").replace("user-9", "x")), 9],
    ["a line that was written twice", (lines) => lines.toSpliced(5, 0, lines[4] ?? ""), 5],
  ] as [string, (lines: string[]) => string[], number][])
    it(`shows ${name} by its number`, async (test) => {
      const { events } = await afterDamage(test, (text) => how(text.split("\n")).join("\n"));
      await events.record(change("later"));
      const [first] = findingsOf(await allEvents(events));
      // A line that is no event any more is missing; its successor names it too.
      assert.ok(first && first.seq >= seq && first.seq <= seq + 1, `found ${JSON.stringify(first)}`);
    });

  it("keeps damage at the end as it is, begins a new file, and says so in health", async (test) => {
    const { path, damaged, ...next } = await afterDamage(test, (text) => text.replace('"user-9"', '"clara"'));
    const { code, detail = "" } = next.events.trouble() ?? {};
    assert.deepEqual([code, /events --verify/.test(detail)], ["events_damaged", true]);
    await next.events.record(change("later"));
    await next.events.close();
    assert.equal(await readFile(path, "utf8"), damaged);
    assert.deepEqual(
      (await filesOf(next.directory)).map(({ name }) => name),
      ["changes-0000000000000001.jsonl", "changes-0000000000000010.jsonl"],
    );
    const again = await openLog(test, { directory: next.directory });
    assert.equal(again.events.head(), 10);
  });

  it("with its end cut off shows it only by what the journal knows", async (test) => {
    const { events } = await afterDamage(test, (text) => `${text.split("\n").slice(0, 3).join("\n")}\n`);
    assert.deepEqual([findingsOf(await allEvents(events)), events.head()], [[], 3]);
  });

  for (const log of ["changes", "refusals", "reports"] as const)
    it(`does not use the number of a damaged line again: ${log}`, async (test) => {
      const { events, directory } = await openLog(test);
      await events.record(change("anna"));
      events.refuse(refusal("192.0.2.7"), "invalid_credentials");
      await events.record(report("stuck"));
      await events.close();
      const path = (await filesOf(directory)).find(({ name }) => name.startsWith(log))?.path ?? "";
      await writeFile(path, (await readFile(path, "utf8")).replace("}", ")"));
      const next = await openLog(test, { directory });
      await next.events.record(change("berta"));
      assert.equal((await allEvents(next.events)).at(-1)?.seq, log === "reports" ? 4 : 5);
    });
});

/** Opens for which it is so fail with this code. */
function failOpens(test: TestContext, code: string, isMeant: (path: string) => boolean): void {
  const { own, put } = replaced(test, fs.promises, "open");
  put(async (...given) => {
    if (isMeant(String(given[0]))) throw Object.assign(new Error(`${code}: refused`), { code });
    return own(...given);
  });
}

describe("the record of events on its disk", () => {
  it("is in memory where the disk takes nothing, up to a segment; what found no room is counted", async (test) => {
    const { directory } = await openLog(test);
    // A file where the directory should be refuses everybody, root too.
    await writeFile(`${directory}-blocked`, "");
    const blocked = { directory: `${directory}-blocked/events`, totalBytes: 40_000 };
    const { events, said } = await openLog(test, blocked);
    assert.equal(events.trouble(), null, "nothing is damaged");
    await events.record(change("anna"));
    assert.match(events.trouble()?.detail ?? "", /1 queued in memory/);
    const { items, total } = await events.list({ limit: 10 });
    assert.deepEqual([users(items), total], [["1 anna"], 1]);
    await recordUsers(events, 50);
    assert.match(events.trouble()?.detail ?? "", /\d+ queued in memory, [1-9]\d* dropped/);
    assert.ok((await events.list({ limit: 200 })).total < 20, "more is held than one segment");
    // The journal has every one of them all the same.
    assert.equal(said.filter(({ message }) => message === "user.changed").length, 51);
  });

  for (const [log, one] of [
    ["changes", change("anna")],
    ["reports", report("stuck")],
  ] as const)
    it(`has one of the ${log} there, and the refusals before it, before it is acknowledged`, async (test) => {
      const calls = watchDisk(test);
      const { events } = await openLog(test);
      events.refuse(refusal("192.0.2.7"), "invalid_credentials");
      await events.record(one);
      const synced = calls.filter(({ what, path }) => what === "sync" && path.endsWith(".jsonl"));
      assert.deepEqual(
        synced.map(({ path }) => basename(path).split("-")[0]),
        ["refusals", log],
      );
    });

  it("is given the reserve for changes, and none for what strangers and the product cause", async (test) => {
    let releases = 0;
    const release = async () => {
      releases += 1;
      return false;
    };
    const reserve = { release, isGivenUp: () => false, refill: async () => true };
    const { events } = await openLog(test, { reserve });
    failOpens(test, "ENOSPC", (path) => path.endsWith(".jsonl"));
    events.refuse(refusal("192.0.2.7"), "invalid_credentials");
    await events.record(report("stuck"));
    assert.deepEqual([releases, events.trouble()?.code], [0, "events_not_written"]);
    await events.record(change("anna"));
    assert.equal(releases, 1);
  });

  it("takes a segment over once, also where the disk would not confirm it the first time", async (test) => {
    const { events, directory } = await openLog(test, { totalBytes: 90_000 });
    const kept = join(directory, "kept-changes.jsonl");
    let first: number | undefined;
    let failures = 0;
    // The second file in that place, which has taken the place of the first by then.
    failOpens(test, "EIO", (path) => {
      const present = statSync(kept, { throwIfNoEntry: false })?.ino;
      if (path !== directory || failures > 0 || present === undefined) return false;
      first ??= present;
      if (present === first) return false;
      failures += 1;
      return true;
    });
    await recordUsers(events, 150);
    assert.equal(failures, 1);
    const { total } = await events.list({ limit: 1 });
    const all = await allEvents(events);
    assert.deepEqual([total, new Set(all.map(({ seq }) => seq)).size], [all.length, all.length]);
  });
});
