import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { deviceId, testMessage } from "../../lab/host/messages.ts";
import { createVirtualTime } from "../../lab/simulated/virtual-time.ts";
import { openLog } from "../../lab/state/event-directory.ts";
import { createSeal } from "../../src/accounts/second-factor/seal.ts";
import type { Settings } from "../../src/contract/types.ts";
import { openConnections, openTransfers } from "../../src/host/linux/transfers/open-transfers.ts";
import { makeWebhookSecret } from "../../src/outbox/webhook-signature.ts";
import { createReceiverMaker } from "../../src/programs/agent/outbox/make-receivers.ts";
import { createNotifications } from "../../src/programs/agent/outbox/notifications.ts";
import type { OutboxPlan } from "../../src/programs/agent/outbox/outbox-plan.ts";
import { noDecisions } from "../../src/programs/host-file/host-file.ts";
import { openDocument } from "../../src/store/documents/document.ts";
import { createReserve } from "../../src/store/files/reserve.ts";

type ReceiverSettings = Settings["notify"]["receivers"][number];

const wall = () => Date.parse("2026-11-27T10:00:00Z");

/** The parts of a device that messages need, in virtual time, on real files and the real network. */
async function device(
  test: TestContext,
  { allowLocalServers = false, receivers = [] as readonly ReceiverSettings[] },
) {
  const directory = await temporaryDirectory(test);
  const time = createVirtualTime();
  const clock = { uptime: time.now, timers: time.hostTimers, wall, now: () => new Date(wall()) };
  const { events } = await openLog(test, { directory, ...clock });
  const plan = {
    config: {
      notify: { ...noDecisions().forRooms.notify, allowLocalServers, allowHttp: allowLocalServers },
      telemetry: { otlp: null, syslog: null },
      build: { version: "0.1.0" },
      product: "pump-7",
      log: assert.fail,
    },
    host: { time: clock, network: { openTransfers, openConnections } },
    settings: { read: () => ({ notify: { receivers }, console: { language: "en" } }) },
    state: {
      events,
      openLater: async (kind: Parameters<OutboxPlan["state"]["openLater"]>[0]) => {
        const reserve = createReserve(directory);
        const document = await openDocument(directory, kind, { isFirstStart: true, reserve });
        test.after(() => document.close());
        return document;
      },
    },
    seal: createSeal([randomBytes(32)]),
    device: () => ({ id: deviceId, name: null }),
    now: clock.now,
    readMetrics: async () => undefined,
    rootReceivers: {},
  } as unknown as OutboxPlan;
  return { plan };
}

const hook = {
  ...{ name: "alerts", kind: "webhook", url: "https://localhost:1/", takes: "all" },
} as const satisfies ReceiverSettings;

const mailbox = {
  ...{ name: "duty", kind: "mail", server: "localhost", port: 1, security: "starttls", takes: "all" },
  ...{ from: "a@plant.example", to: ["b@plant.example"] },
} as const satisfies ReceiverSettings;

describe("a test of a receiver", () => {
  it("reaches it also in the first seconds after the start", async (test) => {
    const notifications = createNotifications((await device(test, { receivers: [hook] })).plan);
    test.after(() => notifications.stop());
    notifications.start();
    const { ok, error } = await notifications.test("alerts");
    assert.deepEqual([ok, /alerts has no secret/.test(error ?? "")], [false, true]);
  });
});

describe("a receiver of the settings", () => {
  const unused = async () => assert.fail();
  const secrets = { of: makeWebhookSecret, isSet: () => true, set: unused, keepOnly: unused };
  for (const [what, settings] of [
    ["webhook", hook],
    ["mail", mailbox],
  ] as const)
    it(`on the device itself gets no ${what}, unless root allows it`, async (test) => {
      const signal = new AbortController().signal;
      for (const allowLocalServers of [false, true]) {
        const { plan } = await device(test, { allowLocalServers });
        const receiver = await createReceiverMaker(plan, secrets)(settings);
        const delivery = await receiver.deliver(testMessage(), signal);
        assert.ok(delivery.outcome === "retry");
        const words = allowLocalServers
          ? /nothing listens there/
          : /is this device or .* unless notify\.allow_local_servers in the/;
        assert.match(delivery.error, words);
      }
    });
});
