import assert from "node:assert/strict";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { checkEvent } from "../../../lab/agents/answer-rules.ts";
import { endOfSuite } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { until } from "../../../lab/basics/until.ts";
import { eventTypes } from "../../../src/contract/event-types.ts";
import type { AuditEvent } from "../../../src/contract/types.ts";
import {
  type JournalEntry,
  type ReleaseJournal,
  releaseJournalText,
} from "../../../src/releases/release-journal.ts";
import { type Publisher, startPublisher, startUpdatingAgent, type UpdatingAgent } from "./updating-agent.ts";

/** Types that a request causes; the agent finds the others without one. */
const asked = ["trust_confirmed", "check_requested", "postponed", "failure_dismissed"].map(
  (one) => `update.${one}`,
);

/** These need a device that has something to apply; the tests of whole applications look for them. */
const elsewhere = ["update.apply_requested", "update.rollback_requested"];

const journalEntry: Omit<JournalEntry, "sequence" | "outcome" | "detail"> = {
  ...{ at: "2026-11-20T12:00:00.000Z", kind: "rules", release_id: "1".repeat(32), name: "base" },
  ...{ version: "1.0.0", from_version: null, restored_healthy: null, seconds: 2, log: ["it said so"] },
};

/** As the installer leaves it after three attempts, in the midst of a fourth. */
const releaseJournal: ReleaseJournal = {
  sequence: 3,
  history: [
    { ...journalEntry, sequence: 1, outcome: "good", detail: "It proved healthy." },
    { ...journalEntry, sequence: 2, outcome: "failed", detail: "It did not answer.", restored_healthy: true },
    { ...journalEntry, sequence: 3, outcome: "refused", detail: "It is withdrawn." },
  ],
  slots: {
    rules: {
      ...{ good: [], trial: null },
      setAside: [
        {
          ...{ id: "1".repeat(32), name: "base", version: "1.0.0", at: journalEntry.at },
          ...{ why: "failed", reason: "It did not answer.", until: null },
        },
      ],
    },
    binary: {
      ...{ good: [], setAside: [] },
      trial: {
        ...{ release: { id: "2".repeat(32), name: "demo", version: "3.0.0" }, phase: "confirming" },
        ...{ begun_at: "2026-11-20T12:05:00.000Z", begun_uptime: 10, boot_id: "a-boot", boots: 1 },
        ...{ crashes: 0, deadline_uptime: 310, undo: null },
        health: { successes: 2, needed: 6, last: "200 of /health", at: "2026-11-20T12:05:10.000Z" },
      },
    },
  },
};

describe("the events of updates", () => {
  const ending = endOfSuite();
  const releases = scratchDirectory();
  let publisher: Publisher;
  let agent: UpdatingAgent;
  const events: AuditEvent[] = [];

  before(async () => {
    publisher = await startPublisher(ending);
    const { repository, server } = publisher;
    agent = await startUpdatingAgent({
      arguments: ["--releases", releases, "--trust", join(releases, "trust")],
    });
    await agent.install(repository.metadata("1.root"));
    await agent.confirm(publisher.fingerprint);
    await agent.set({ server: server.origin });
    server.behave(/timestamp/, ({ response }) => void response.writeHead(500).end());
    await agent.check();
    server.repent();
    repository.publishRoot();
    repository.addRelease({ version: "1.0.0" });
    const broken = repository.addRelease({ version: "1.0.0", kind: "binary", arch: process.arch });
    repository.publish("rules", "binary");
    repository.files.set(broken.file, Buffer.from("something else"));
    await agent.set({ auto_update_rules: true });
    await agent.check();
    await agent.set({ auto_update_binary: true });
    await agent.check();
    const root = (verb: string, body: object) =>
      agent.call("POST", `/api/updates/${verb}`, { local: true, body });
    assert.equal((await root("postpone", { kind: "binary", for: "2h" })).status, 202);
    // By rename, as the installer does it: a reader must not see half of one.
    writeFileSync(join(releases, ".journal"), releaseJournalText(releaseJournal));
    renameSync(join(releases, ".journal"), join(releases, "journal.json"));
    await until("the agent has read it", async () => (await agent.status()).trial !== null);
    for (const _ of [1, 2]) assert.equal((await root("dismiss", { release_id: "1".repeat(32) })).status, 200);
    const json = await agent.read("/api/events?after=0&limit=200");
    events.push(...json.items);
  });
  after(() => agent.dispose());

  for (const type of Object.keys(eventTypes).filter(
    (name) => name.startsWith("update.") && !elsewhere.includes(name),
  )) {
    it(`${type} is written down, with who it was`, () => {
      const event = events.find((one) => one.type === type);
      assert.ok(event, `there is none among ${[...new Set(events.map((one) => one.type))].join(", ")}`);
      checkEvent(event);
      assert.equal(event.actor.kind, asked.includes(type) ? "local-root" : "agent");
      assert.equal(event.request_id !== null, asked.includes(type));
    });
  }

  it("tell each entry of the installer once, and what was confirmed, postponed, dismissed or gone on to", () => {
    const of = (type: string) => events.filter((one) => one.type === `update.${type}`);
    for (const type of ["applied", "undone", "refused"]) assert.equal(of(type).length, 1, type);
    for (const [type, details] of Object.entries({
      applying: { release_id: "2".repeat(32), kind: "binary", name: "demo", version: "3.0.0" },
      failure_dismissed: { release_id: "1".repeat(32), kind: "rules", name: "base", version: "1.0.0" },
      trust_confirmed: { fingerprint: publisher.fingerprint },
      root_rotated: { from_version: 1, version: 2 },
      postponed: { kind: "binary", for: "2h" },
    })) {
      const told = of(type).map((one) => one.details);
      assert.deepEqual(told, [details], type);
    }
  });

  it("are beside a history with the installer's own words, newest first", async () => {
    const { items } = await agent.read("/api/updates/history");
    const shown = items.map(({ sequence, outcome }: Record<string, unknown>) => `${sequence} ${outcome}`);
    assert.deepEqual([shown.join(), items[0].log], ["3 refused,2 failed,1 good", ["it said so"]]);
  });
});
