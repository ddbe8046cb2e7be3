import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deviceId, messageOf, noticeOf, testMessage } from "../../../lab/host/messages.ts";
import { startCollector } from "../../../lab/host/otlp-collector.ts";
import type { MetricSink } from "../../../src/figures/metrics/exposition.ts";
import { createTransfers } from "../../../src/host/linux/transfers/transfers.ts";
import { UnusableHeaders } from "../../../src/outbox/otlp/exporter.ts";
import { createOtlp, type OtlpOptions } from "../../../src/outbox/otlp.ts";
import { during, unending } from "../fixture.ts";

const resource = { version: "0.1.0", deviceId, deviceName: null, hostName: "edge-7", product: "steward" };

const otlpAt = (url: string, headers: OtlpOptions["headers"]) =>
  createOtlp({
    ...{ url, headers, resource: () => resource, wall: () => Date.parse("2026-11-27T10:05:00Z") },
    transfers: createTransfers({ redirects: null, allowLocalServers: true }),
  });

const message = messageOf([noticeOf(7), noticeOf(8)]);

describe("a collector", () => {
  it("gets events and metrics, compressed, under the headers of root's file", async (test) => {
    const { url, received, faults } = await during(test, startCollector());
    const ofRoot = { authorization: "Basic eA==", "x-scope-orgid": "plant" };
    const otlp = otlpAt(`${url}/otlp/`, async () => ofRoot);
    const read = async (sink: MetricSink) => sink.add("steward_sessions", 3, {});
    for (const delivery of [
      await otlp.deliver(message, unending),
      await otlp.deliver(testMessage(), unending),
      await otlp.pushMetrics(read, unending),
    ])
      assert.deepEqual(delivery, { outcome: "taken", answer: "200 OK" });
    assert.deepEqual(faults, []);
    const paths = received.map(({ path }) => path);
    assert.deepEqual(paths, ["/v1/logs", "/v1/logs", "/v1/metrics"]);
    for (const { headers } of received)
      for (const [name, value] of Object.entries({ ...ofRoot, "content-encoding": "gzip" }))
        assert.equal(headers[name], value);
  });

  it("gets nothing while root's headers cannot be read", async (test) => {
    const { url, received } = await during(test, startCollector());
    const otlp = otlpAt(url, async () => {
      throw new UnusableHeaders("The headers cannot be read.");
    });
    const delivery = await otlp.deliver(message, unending);
    assert.deepEqual(delivery, { outcome: "retry", error: "The headers cannot be read." });
    assert.equal(received.length, 0);
  });
});
