import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fs, { readdirSync, readFileSync, statSync } from "node:fs";
import { appendFile, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { allEvents, change, filesOf, linesOf, openLog, refusal } from "../../../lab/state/event-directory.ts";
import { replaced, watchDisk } from "../../../lab/state/watched-disk.ts";
import { createVerification } from "../../../src/cli/events/event-verification.ts";
import type { AuditEvent } from "../../../src/contract/types.ts";
import { agentEvent } from "../../../src/journal/events/event.ts";
import type { EventQuery } from "../../../src/journal/events/event-pages.ts";

function findingsOf(events: readonly AuditEvent[], chainFrom = 0) {
  const verification = createVerification();
  verification.beginAt(chainFrom);
  for (const event of events) verification.add(event);
  return verification.findings();
}

describe("an event log", () => {
  it("keeps both logs in one sequence, each with a chain of its own, over a restart", async (test) => {
    const { events, directory } = await openLog(test);
    await events.record(change("anna"));
    events.refuse(refusal("192.0.2.7"), "invalid_credentials");
    await events.record(change("berta"));
    await events.close();
    const next = await openLog(test, { directory });
    assert.equal(next.events.head(), 3);
    await next.events.record(change("carla"));
    const all = await allEvents(next.events);
    assert.deepEqual(
      all.map(({ seq, log }) => [seq, log]),
      [
        [1, "changes"],
        [2, "refusals"],
        [3, "changes"],
        [4, "changes"],
      ],
    );
    const [first, refused, third, fourth] = all;
    assert.equal(first?.previous_hash, "0".repeat(64));
    assert.equal(refused?.previous_hash, "0".repeat(64));
    assert.equal(third?.previous_hash, first?.hash);
    assert.equal(fourth?.previous_hash, third?.hash);
    assert.deepEqual(findingsOf(all), []);
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
    const heard: [head: number, lines: number][] = [];
    events.subscribe(() => {
      const files = readdirSync(directory).filter((name) => name.endsWith(".jsonl"));
      const texts = files.map((name) => readFileSync(join(directory, name), "utf8"));
      heard.push([events.head(), texts.join("").split("\n").length - 1]);
    });
    const recorded = events.record(change("anna"));
    assert.deepEqual([events.head(), heard], [0, []]);
    await recorded;
    events.refuse(refusal("192.0.2.7"), "invalid_credentials");
    await events.record(change("berta"));
    assert.deepEqual(
      heard.map(([head]) => head),
      [1, 2, 3],
    );
    assert.ok(
      heard.every(([head, lines]) => lines >= head),
      JSON.stringify(heard),
    );
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
    const hash = createHash("sha256")
      .update(begin + end)
      .digest("hex");
    assert.equal(line, `${begin}"hash":"${hash}",${end}`);
  });

  it("makes its directory and files for its user alone", async (test) => {
    const { events, directory } = await openLog(test);
    await events.record(change("anna"));
    await events.close();
    assert.equal((await stat(directory)).mode & 0o777, 0o700);
    for (const { path } of await filesOf(directory)) assert.equal((await stat(path)).mode & 0o777, 0o600);
  });

  it("keeps the order when the clock goes back", async (test) => {
    const times = ["2026-11-20T10:00:00Z", "2020-01-01T00:00:00Z", "2026-11-20T10:00:01Z"];
    const { events } = await openLog(test, { now: () => new Date(times.shift() ?? 0) });
    for (const name of ["a", "b", "c"]) await events.record(change(name));
    const all = await allEvents(events);
    assert.deepEqual(
      all.map(({ seq, time }) => `${seq} ${time.slice(0, 4)}`),
      ["1 2026", "2 2020", "3 2026"],
    );
    assert.deepEqual(findingsOf(all), []);
  });

  it("numbers and writes in one order what arrives together", async (test) => {
    const { events, directory } = await openLog(test);
    await Promise.all(Array.from({ length: 100 }, (_, index) => events.record(change(`user-${index}`))));
    const all = await allEvents(events, 7);
    assert.deepEqual(
      all.map(({ subject }) => subject?.name),
      Array.from({ length: 100 }, (_, index) => `user-${index}`),
    );
    assert.equal((await filesOf(directory)).length, 1);
  });

  it("writes nothing while nothing happens", async (test) => {
    const { events, directory, said } = await openLog(test);
    await events.list({ limit: 10 });
    await events.close();
    assert.deepEqual([await filesOf(directory), said], [[], []]);
  });

  it("shortens details that are too long", async (test) => {
    const { events } = await openLog(test);
    await events.record(change("anna", { text: "x".repeat(5_000) }));
    assert.deepEqual((await allEvents(events))[0]?.details, { is_too_long: true });
  });
});

describe("a filter of events", () => {
  it("goes by group, kind of who did it, name, outcome and time, alone and together", async (test) => {
    const { events } = await openLog(test);
    await events.record(change("anna"));
    await events.record({ ...change("bert"), actor: { kind: "token", id: "usr_1", name: "Anna.K" } });
    await events.record(agentEvent("clock.stepped", { seconds: 2 }));
    events.refuse(refusal("192.0.2.1", "login"), "invalid_credentials");
    const all = await allEvents(events);
    const seqs = async (filter: Partial<EventQuery>) =>
      (await events.list({ limit: 10, ...filter })).items.map(({ seq }) => seq);
    assert.deepEqual(await seqs({ group: "users" }), [2, 1]);
    assert.deepEqual(await seqs({ group: "clock" }), [3]);
    assert.deepEqual(await seqs({ actor_kind: "agent" }), [3]);
    assert.deepEqual(await seqs({ name: "ANNA" }), [2, 1]);
    assert.deepEqual(await seqs({ name: "anna", actor_kind: "token" }), [2]);
    assert.deepEqual(await seqs({ name: "usr_1" }), [2]);
    assert.deepEqual(await seqs({ name: "usr_" }), [], "a part of an id is no name");
    assert.deepEqual(await seqs({ outcome: "refused" }), [4]);
    const since = Date.parse(all[0]?.time ?? "");
    assert.deepEqual(await seqs({ sinceMilliseconds: since }), [4, 3, 2, 1]);
    assert.deepEqual(await seqs({ untilMilliseconds: since - 1 }), []);
    assert.equal((await events.list({ limit: 1, name: "anna" })).total, 2, "the total is of what matches");
  });
});

describe("the bounds of an event log", () => {
  it("hold for bytes and files, and the remaining events verify from their anchor", async (test) => {
    const totalBytes = 40_000;
    const { events, directory, said } = await openLog(test, { totalBytes });
    for (let index = 0; index < 400; index += 1) await events.record(change(`user-${index}`));
    const files = await filesOf(directory);
    const used = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    assert.ok(used <= totalBytes, `${used} bytes`);
    assert.ok(used > totalBytes / 2, `only ${used} bytes are used`);
    assert.ok(files.length <= 12, `${files.length} files`);
    const whole = await allEvents(events);
    const { chain_from } = events.reach();
    assert.deepEqual(findingsOf(whole, chain_from), []);
    const all = whole.filter(({ seq }) => seq >= chain_from);
    assert.ok(whole.length > all.length, "nothing was kept");
    assert.equal(all.at(-1)?.seq, 400);
    assert.ok((all[0]?.seq ?? 0) > 100, "nothing was dropped");
    const drops = said.filter(({ message }) => message === "event log segment dropped");
    const last = drops.at(-1);
    assert.deepEqual([last?.log, last?.last_seq, last?.audit], ["changes", (all[0]?.seq ?? 0) - 1, true]);
    assert.equal(last?.hash, all[0]?.previous_hash);
    assert.equal(await events.firstComplete(), all[0]?.seq);
  });

  it("of the refusals are their own: a flood cannot push changes out", async (test) => {
    const { events } = await openLog(test, { totalBytes: 40_000, refusalKinds: 100_000 });
    for (let index = 0; index < 20; index += 1) await events.record(change(`user-${index}`));
    for (let index = 0; index < 2_000; index += 1) {
      events.refuse(refusal(`192.0.2.${index % 250}`, `operation-${index}`), "invalid_credentials");
      if (index % 10 === 0) await events.record(change(`user-${20 + index}`)).then(() => undefined);
      if (index === 100) break;
    }
    for (let index = 0; index < 2_000; index += 1) {
      events.refuse(refusal("192.0.2.1", `more-${index}`), "forbidden");
      // One turn each, so that they are written and not only wait.
      if (index % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const all = await allEvents(events);
    const changes = all.filter(({ log }) => log === "changes");
    assert.equal(changes.length, 31);
    assert.equal(changes[0]?.seq, 1);
    assert.ok(all.length - changes.length < 30, `${all.length - changes.length} refusals are kept`);
    assert.deepEqual(findingsOf(all), []);
  });
});

describe("an event log that a crash left", () => {
  it("cuts a torn last line off, says so, and goes on", async (test) => {
    const { events, directory } = await openLog(test);
    await events.record(change("anna"));
    await events.close();
    const [file] = await filesOf(directory);
    await appendFile(file?.path ?? "", '{"actor":{"id":"usr_1');
    const next = await openLog(test, { directory });
    assert.match(next.said[0]?.message ?? "", /torn line/);
    assert.equal(next.events.trouble(), null);
    await next.events.record(change("berta"));
    const all = await allEvents(next.events);
    assert.deepEqual(
      all.map(({ seq, subject }) => `${seq} ${subject?.name}`),
      ["1 anna", "2 berta"],
    );
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
  async function tampered(
    test: Parameters<typeof openLog>[0],
    how: (lines: string[]) => string[],
  ): Promise<AuditEvent[]> {
    const { events, directory } = await openLog(test);
    for (let index = 1; index <= 9; index += 1) await events.record(change(`user-${index}`));
    await events.close();
    const [file] = await filesOf(directory);
    const path = file?.path ?? "";
    const lines = how(await linesOf(path));
    await writeFile(path, lines.map((line) => `${line}\n`).join(""));
    const next = await openLog(test, { directory });
    await next.events.record(change("later"));
    const all = await allEvents(next.events);
    await next.events.close();
    return all;
  }
  const attacks: [name: string, how: (lines: string[]) => string[], seq: number][] = [
    ["a flipped byte", (lines) => lines.with(4, (lines[4] ?? "").replace("user-5", "user-4")), 5],
    ["a flipped byte that makes it no JSON", (lines) => lines.with(4, (lines[4] ?? "").replace("{", "[")), 5],
    ["a line that was taken out", (lines) => lines.toSpliced(4, 1), 5],
    ["two lines that changed places", (lines) => lines.with(4, lines[5] ?? "").with(5, lines[4] ?? ""), 5],
    ["a flipped byte in the last line", (lines) => lines.with(8, (lines[8] ?? "").replace("user-9", "x")), 9],
    ["a line that was written twice", (lines) => lines.toSpliced(5, 0, lines[4] ?? ""), 5],
  ];
  for (const [name, how, seq] of attacks) {
    it(`shows ${name} by its number`, async (test) => {
      const [first] = findingsOf(await tampered(test, how));
      // A line that is no event any more is missing; its successor names it too.
      assert.ok(first && first.seq >= seq && first.seq <= seq + 1, `found ${JSON.stringify(first)}`);
    });
  }

  it("keeps damage at the end as it is, begins a new file, and says so in health", async (test) => {
    const { events, directory } = await openLog(test);
    for (const name of ["anna", "berta"]) await events.record(change(name));
    await events.close();
    const [file] = await filesOf(directory);
    const path = file?.path ?? "";
    await writeFile(path, (await readFile(path, "utf8")).replace('"berta"', '"clara"'));
    const damaged = await readFile(path, "utf8");
    const next = await openLog(test, { directory });
    const { code, detail = "" } = next.events.trouble() ?? {};
    assert.deepEqual([code, /events --verify/.test(detail)], ["events_damaged", true]);
    await next.events.record(change("later"));
    await next.events.close();
    assert.equal(await readFile(path, "utf8"), damaged);
    assert.deepEqual(
      (await filesOf(directory)).map(({ name }) => name),
      ["changes-0000000000000001.jsonl", "changes-0000000000000003.jsonl"],
    );
    const again = await openLog(test, { directory });
    assert.equal(again.events.head(), 3);
  });

  it("with its end cut off shows it only by what the journal knows", async (test) => {
    const { events, directory } = await openLog(test);
    for (let index = 1; index <= 5; index += 1) await events.record(change(`user-${index}`));
    await events.close();
    const [file] = await filesOf(directory);
    const lines = await linesOf(file?.path ?? "");
    await truncate(file?.path ?? "", Buffer.byteLength(`${lines.slice(0, 3).join("\n")}\n`));
    const next = await openLog(test, { directory });
    assert.deepEqual(findingsOf(await allEvents(next.events)), []);
    assert.equal(next.events.head(), 3);
  });
});

describe("an event log on a disk that takes nothing", () => {
  it("records in memory, says so, and writes when it can", async (test) => {
    const { directory } = await openLog(test);
    // A file where the directory should be refuses everybody, root too.
    const blocked = `${directory}-blocked`;
    await writeFile(blocked, "");
    const { events } = await openLog(test, { directory: `${blocked}/events` });
    assert.equal(events.trouble(), null, "nothing is damaged");
    await events.record(change("anna"));
    assert.match(events.trouble()?.detail ?? "", /1 wait in memory/);
    assert.equal((await events.list({ limit: 10 })).items[0]?.subject?.name, "anna");
    assert.equal((await events.list({ limit: 10 })).total, 1);
  });

  it("holds no more in memory than a segment, and counts what found no room", async (test) => {
    const { directory } = await openLog(test);
    await writeFile(`${directory}-blocked`, "");
    const { events, said } = await openLog(test, {
      directory: `${directory}-blocked/events`,
      totalBytes: 40_000,
    });
    for (let index = 0; index < 50; index += 1) await events.record(change(`user-${index}`));
    assert.match(events.trouble()?.detail ?? "", /\d+ wait in memory, [1-9]\d* found no room/);
    assert.ok((await events.list({ limit: 200 })).total < 20, "more is held than one segment");
    // The journal has every one of them all the same.
    assert.equal(said.filter(({ message }) => message === "user.changed").length, 50);
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
  it("has a change there, and the refusals before it, before it is acknowledged", async (test) => {
    const calls = watchDisk(test);
    const { events } = await openLog(test);
    events.refuse(refusal("192.0.2.7"), "invalid_credentials");
    await events.record(change("anna"));
    const synced = calls.filter(({ what, path }) => what === "sync" && path.endsWith(".jsonl"));
    assert.deepEqual(
      synced.map(({ path }) => basename(path).split("-")[0]),
      ["refusals", "changes"],
    );
  });

  it("is given the reserve for changes, and none for refusals, which strangers cause", async (test) => {
    let releases = 0;
    const release = async () => {
      releases += 1;
      return false;
    };
    const reserve = { release, isGivenUp: () => false, refill: async () => true };
    const { events } = await openLog(test, { reserve });
    failOpens(test, "ENOSPC", (path) => path.endsWith(".jsonl"));
    events.refuse(refusal("192.0.2.7"), "invalid_credentials");
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([releases, events.trouble()?.code], [0, "events_not_written"]);
    await events.record(change("anna"));
    assert.equal(releases, 1);
  });

  for (const log of ["changes", "refusals"] as const)
    it(`does not use the number of a damaged line again: ${log}`, async (test) => {
      const { events, directory } = await openLog(test);
      await events.record(change("anna"));
      events.refuse(refusal("192.0.2.7"), "invalid_credentials");
      await events.close();
      const file = (await filesOf(directory)).find(({ name }) => name.startsWith(log));
      assert.ok(file);
      await writeFile(file.path, (await readFile(file.path, "utf8")).replace("}", ")"));
      const next = await openLog(test, { directory });
      await next.events.record(change("berta"));
      assert.equal((await allEvents(next.events)).at(-1)?.seq, log === "changes" ? 4 : 3);
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
    for (let index = 0; index < 150; index += 1) await events.record(change(`user-${index}`));
    assert.equal(failures, 1);
    const { total } = await events.list({ limit: 1 });
    const all = await allEvents(events);
    assert.deepEqual([total, new Set(all.map(({ seq }) => seq)).size], [all.length, all.length]);
  });
});
