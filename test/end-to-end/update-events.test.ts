import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { eventTypes } from "../../src/contract/event-types.ts";
import { endOfSuite } from "../store/state-directory.ts";
import { type Publisher, startPublisher, startUpdatingAgent, type UpdatingAgent } from "./updating-agent.ts";

interface Written {
  type: string;
  actor: { kind: string };
  request_id: string | null;
  details: Record<string, unknown>;
}

/** What somebody asked for; the others the agent notices by itself. */
const asked = ["update.trust_confirmed", "update.check_requested"];

describe("the events of updates", () => {
  const ending = endOfSuite();
  const stick = mkdtempSync(join(tmpdir(), "steward-stick-"));
  let publisher: Publisher;
  let agent: UpdatingAgent;
  const events: Written[] = [];

  before(async () => {
    publisher = await startPublisher(ending);
    const { repository, server } = publisher;
    agent = await startUpdatingAgent();
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
    const { json } = await agent.call("GET", "/api/events?limit=200", { local: true });
    events.push(...json.items);
  });
  after(async () => {
    await agent.dispose();
    rmSync(stick, { recursive: true, force: true });
  });

  for (const type of Object.keys(eventTypes).filter((name) => name.startsWith("update."))) {
    it(`${type} is written down, with who it was`, () => {
      const event = events.find((one) => one.type === type);
      assert.ok(event, `there is none among ${[...new Set(events.map((one) => one.type))].join(", ")}`);
      assert.equal(event.actor.kind, asked.includes(type) ? "local-root" : "agent");
      assert.equal(event.request_id !== null, asked.includes(type));
    });
  }

  const detailsOf = (type: string) => events.find((one) => one.type === type)?.details;

  it("name the fingerprint that was installed and the one that was confirmed", () => {
    assert.equal(detailsOf("update.trust_installed")?.fingerprint, publisher.fingerprint);
    assert.deepEqual(detailsOf("update.trust_confirmed"), { fingerprint: publisher.fingerprint });
  });

  it("name from which root to which was gone on", () => {
    assert.deepEqual(detailsOf("update.root_rotated"), { from_version: 1, version: 2 });
  });

  it("name the directory that somebody had looked into", async () => {
    await publisher.repository.writeTo(stick);
    const repository = pathToFileURL(stick).href;
    await agent.check({ repository });
    const { json } = await agent.call("GET", "/api/events?limit=1&type=update.check_requested", {
      local: true,
    });
    assert.deepEqual(json.items[0].details, { repository });
  });
});
