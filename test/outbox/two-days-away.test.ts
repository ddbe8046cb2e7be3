import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { atEnd, temporaryDirectory } from "../../lab/basics/ending.ts";
import { heldPort } from "../../lab/basics/held-ports.ts";
import { createAuthority } from "../../lab/host/certificates.ts";
import { mailUser, startMailServer } from "../../lab/host/mail-server.ts";
import { deviceId } from "../../lab/host/messages.ts";
import { type OtlpRequest, startCollector } from "../../lab/host/otlp-collector.ts";
import { type OutboxWorld, openOutboxWorld } from "../../lab/state/outbox-world.ts";
import { finding, needFinding, needOf } from "../../src/contract/finding.ts";
import type { Need } from "../../src/contract/types.ts";
import { createServerConnections } from "../../src/host/linux/transfers/connections.ts";
import { createTransfers } from "../../src/host/linux/transfers/transfers.ts";
import { agentEvent } from "../../src/journal/events/event.ts";
import { createMail } from "../../src/outbox/mail.ts";
import { noticeOf } from "../../src/outbox/notices.ts";
import type { logsRequestOf } from "../../src/outbox/otlp/log-records.ts";
import { createOtlp } from "../../src/outbox/otlp.ts";
import type { Receiver } from "../../src/outbox/receiver.ts";
import { createNeedWatch } from "../../src/system/need-watch.ts";

const ended = { certificate: "fleet", ends_at: "2026-11-27T11:00:00Z" };
const broken: readonly Need[] = [
  needOf(finding("clock_no_time_source", { server: "" })),
  needOf(
    finding("disk_space_low", {
      path: "/var/lib/steward",
      free_bytes: 9,
      least_bytes: 99,
      has_reserve: true,
    }),
  ),
  needOf(finding("https_certificate_expired", ended)),
  needOf(finding("root_helper_missing", {})),
  needOf(needFinding("update_failed", { kind: "rules", name: "base", version: "1.3.0" })),
  needOf(finding("document_waiting", { document: "users" })),
];

const hour = 3_600;

/** The types and needs of the notices that each receiver gets, in their order. */
const whole = [
  ...broken.map(({ code }) => ["need.began", code]),
  ...broken.map(({ code }) => ["need.ended", code]),
];

/** Breaks the device in six ways without a network, and mends it: three while it is away, three after that. */
async function breakAndMend(world: OutboxWorld, cut: (isCut: boolean) => void): Promise<void> {
  let present: readonly Need[] = [];
  const watch = createNeedWatch({
    needs: () => present,
    told: async () => [],
    record: (type, details) => void world.record(agentEvent(type, { ...details })),
    timers: world.time.hostTimers,
  });
  watch.start();
  cut(true);
  for (const [index, need] of broken.entries()) {
    present = [...present, need];
    await world.pass(5 * hour);
    if (index === 3) await world.restart();
  }
  present = present.slice(3);
  await world.pass(18 * hour);
  for (const { waiting } of world.outbox.states()) assert.equal(waiting, 9);
  cut(false);
  await world.pass(2 * hour);
  present = [];
  await world.pass(2 * hour);
  watch.stop();
}

describe("a device that breaks in six ways while its network is cut for two days", () => {
  for (const takes of ["all", "record"] as const)
    it(`tells a webhook of ${takes} each of them once, in order, with its end`, async (test) => {
      const world = await openOutboxWorld(test);
      await world.configure([world.receiver("far", takes)]);
      await breakAndMend(world, (isCut) => {
        assert.deepEqual(world.arrived, []);
        world.fate = () => (isCut ? "dropped" : "delivered");
      });
      const told = world.attempts.filter(({ message }) => world.arrived.some(({ id }) => id === message.id));
      const notices = new Map(told.flatMap(({ message }) => message.notices.map((one) => [one.seq, one])));
      assert.deepEqual(
        [...notices.values()].map(({ type, event }) => [type, event.details.need]),
        whole,
      );
      const arrivals = world.arrived.flatMap(({ seqs }) => seqs);
      assert.deepEqual(arrivals, [...notices.keys()], "each once, in order");
    });

  it("tells a mailbox and a collector the same", async (test) => {
    const authority = createAuthority(await temporaryDirectory(test));
    const [mail, collector] = [await startMailServer(authority.certify("127.0.0.1")), await startCollector()];
    atEnd(test, () => Promise.all([mail.stop(), collector.stop()]));
    const closed = await heldPort();
    let isCut = false;
    const world = await openOutboxWorld(test);
    const [wall, uptime] = [() => Date.parse("2026-11-27T10:00:00Z") + uptime() * 1_000, world.time.now];
    const mailbox = (port: number) =>
      createMail({
        ...{
          server: "127.0.0.1",
          port,
          security: "starttls",
          ...mailUser,
          hostName: () => "edge-7",
          wall,
          uptime,
        },
        ...{ from: "box@plant.example", to: ["owner@plant.example"] },
        connections: createServerConnections({ allowLocalServers: true, caFile: authority.path }),
      });
    const resource = { version: "1.0.0", deviceId, deviceName: "box", hostName: "box", product: "steward" };
    const otlp = (url: string) =>
      createOtlp({
        ...{ url, wall, headers: async () => ({}), resource: () => resource },
        transfers: createTransfers({ redirects: null, allowLocalServers: true }),
      });
    const whileUp = (up: Receiver, away: Receiver): Receiver =>
      world.reached({ deliver: (message, signal) => (isCut ? away : up).deliver(message, signal) });
    await world.configure([
      { name: "duty", takes: "all", receiver: whileUp(mailbox(mail.port), mailbox(closed)) },
      {
        ...{ name: "otlp", takes: "record" },
        receiver: whileUp(otlp(collector.url), otlp(`http://127.0.0.1:${closed}`)),
      },
    ]);
    await breakAndMend(world, (next) => {
      isCut = next;
      assert.deepEqual([mail.mails, collector.received], [[], []]);
    });
    assert.deepEqual(collector.faults, []);
    assert.deepEqual(collector.received.flatMap(recordsOf), whole);
    const record = await world.events.list({ limit: 50, after: 0 });
    const titles = record.items.map((event) => noticeOf(event).title);
    const lines = mail.mails.flatMap(({ text }) => text.split("\n")).filter((line) => titles.includes(line));
    assert.deepEqual(lines, titles);
  });
});

/** Type and need of each record in a request of OTLP. */
function recordsOf({ json }: OtlpRequest): string[][] {
  const { resourceLogs } = json as ReturnType<typeof logsRequestOf>;
  const records = resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords));
  return records.map(({ attributes }) =>
    ["steward.event.type", "steward.event.details.need"].map((name) => {
      const found = attributes.find(({ key }) => key === name)?.value;
      return (found as { stringValue?: string } | undefined)?.stringValue ?? "";
    }),
  );
}
