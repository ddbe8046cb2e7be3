import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { deviceId, messageOf, noticeOf, testMessage } from "../../../lab/host/messages.ts";
import { type OtlpAnswer, type OtlpCollector, startCollector } from "../../../lab/host/otlp-collector.ts";
import type { MetricSink } from "../../../src/figures/metrics/exposition.ts";
import { createTransfers, type LinuxTransferOptions } from "../../../src/host/linux/transfers/transfers.ts";
import { UnusableHeaders } from "../../../src/outbox/otlp/exporter.ts";
import { createOtlp, type OtlpOptions } from "../../../src/outbox/otlp.ts";
import type { Delivery } from "../../../src/outbox/receiver.ts";

const collectors: OtlpCollector[] = [];

afterEach(async () => {
  for (const collector of collectors.splice(0)) await collector.stop();
});

async function collecting(certificate?: Parameters<typeof startCollector>[0]): Promise<OtlpCollector> {
  const collector = await startCollector(certificate);
  collectors.push(collector);
  return collector;
}

const now = Date.parse("2026-11-27T10:05:00Z");

function otlpAt(url: string, changes: Partial<OtlpOptions & LinuxTransferOptions> = {}) {
  const { allowLocalServers = true, caFile, resolveHost, ...rest } = changes;
  const names = resolveHost === undefined ? {} : { resolveHost };
  const resource = { version: "0.1.0", deviceId, deviceName: null, hostName: "edge-7", product: "steward" };
  return createOtlp({
    ...{ url, headers: async () => ({}), resource: () => resource, wall: () => now },
    transfers: createTransfers({ redirects: null, allowLocalServers, caFile, ...names }),
    ...rest,
  });
}

const unending = new AbortController().signal;
const message = messageOf([noticeOf(7), noticeOf(8)]);

async function deliveryAfter(answer: OtlpAnswer): Promise<Delivery> {
  const collector = await collecting();
  collector.answer = answer;
  const delivery = await otlpAt(collector.url).deliver(message, unending);
  assert.deepEqual([collector.received.length, collector.faults], [1, []]);
  return delivery;
}

describe("a collector", () => {
  it("gets events and metrics, compressed, under the headers of root's file", async () => {
    const collector = await collecting();
    const otlp = otlpAt(`${collector.url}/otlp/`, {
      headers: async () => ({ authorization: "Basic eA==", "x-scope-orgid": "plant" }),
    });
    assert.deepEqual(await otlp.deliver(message, unending), { outcome: "taken", answer: "200 OK" });
    assert.deepEqual(await otlp.deliver(testMessage(), unending), { outcome: "taken", answer: "200 OK" });
    const read = async (sink: MetricSink) => sink.add("steward_sessions", 3, {});
    assert.deepEqual(await otlp.pushMetrics(read, unending), { outcome: "taken", answer: "200 OK" });
    const { received, faults } = collector;
    assert.deepEqual(faults, []);
    assert.deepEqual(
      received.map(({ path }) => path),
      ["/v1/logs", "/v1/logs", "/v1/metrics"],
    );
    for (const { headers } of received) {
      assert.equal(headers.authorization, "Basic eA==");
      assert.equal(headers["x-scope-orgid"], "plant");
      assert.equal(headers["content-encoding"], "gzip");
    }
  });

  it("whose name leads to this device is not reached, and the error says how a local one is named", async () => {
    const collector = await collecting();
    const url = `http://collector.example:${collector.port}`;
    const otlp = otlpAt(url, { allowLocalServers: false, resolveHost: async () => ["127.0.0.1"] });
    const delivery = await otlp.deliver(message, unending);
    assert.match(JSON.stringify(delivery), /"retry".*leads to this device.*telemetry\.otlp\.url/);
    assert.equal(collector.received.length, 0);
  });

  it("gets nothing while root's headers cannot be read", async () => {
    const collector = await collecting();
    const headers = async () => {
      throw new UnusableHeaders("The headers cannot be read.");
    };
    const delivery = await otlpAt(collector.url, { headers }).deliver(message, unending);
    assert.deepEqual(delivery, { outcome: "retry", error: "The headers cannot be read." });
    assert.equal(collector.received.length, 0);
  });

  it("is not waited for when the agent stops", async () => {
    const ending = new AbortController();
    ending.abort();
    const delivery = await otlpAt("http://127.0.0.1:9").deliver(message, ending.signal);
    assert.match(JSON.stringify(delivery), /"retry".*was cancelled/);
  });
});

describe("a collector's answer", () => {
  it("of 429, 502, 503 or 504 asks for another attempt, after its Retry-After", async () => {
    for (const status of [429, 502, 503, 504]) {
      const plain = await deliveryAfter([status, '{"message":"later"}']);
      assert.ok(plain.outcome === "retry" && plain.retryAfterSeconds === undefined, JSON.stringify(plain));
      assert.match(plain.error, /answered .*“later”/);
      const later = await deliveryAfter([status, "", { "retry-after": "120" }]);
      assert.equal(later.outcome === "retry" && later.retryAfterSeconds, 120);
    }
  });

  it("that a person has to see to is a failure, tried again in an hour, and the record waits for it", async () => {
    for (const [status, words] of [
      [307, /Redirects are not followed/],
      [401, /headers_file/],
      [404, /Nothing takes OTLP there/],
      [500, /Check telemetry\.otlp/],
    ] as const) {
      const delivery = await deliveryAfter([status, "", { location: "http://127.0.0.1:9/" }]);
      assert.ok(
        delivery.outcome === "retry" && delivery.retryAfterSeconds === 3_600,
        JSON.stringify(delivery),
      );
      assert.match(delivery.error, words);
    }
  });

  for (const [form, body] of [
    ["its code, as Go has it", '{"code":3,"message":"too old","details":[]}'],
    ["a message only", '{"message":"too old"}'],
    ["Protobuf, as Loki answers JSON", Buffer.from("\b\x90\x03\x12\x07too old\x1a\x02hi", "latin1")],
  ] as const)
    it(`of 400 with a Status is a refusal: ${form}`, async () => {
      const delivery = await deliveryAfter([400, body]);
      assert.ok(delivery.outcome === "refused" && delivery.events === undefined, JSON.stringify(delivery));
      assert.match(delivery.error, /answered 400 Bad Request: “too old”\. /);
    });
});
