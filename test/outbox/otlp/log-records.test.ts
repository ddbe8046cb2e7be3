import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deviceId, messageOf, noticeOf, testMessage } from "../../../lab/host/messages.ts";
import { judgeOtlp } from "../../../lab/host/otlp-requests.ts";
import { logsRequestOf } from "../../../src/outbox/otlp/log-records.ts";
import type { Message } from "../../../src/outbox/receiver.ts";

const now = Date.parse("2026-11-27T10:05:00.250Z");
const resource = {
  ...{ version: "0.1.0", deviceId, deviceName: "Boiler house", hostName: "edge-7", product: "pump-7" },
};

/** The request as a collector reads it, after the protocol's files have judged it. */
function sent(message: Message) {
  const request = JSON.parse(JSON.stringify(logsRequestOf(message, resource, now)));
  judgeOtlp("/v1/logs", request);
  const [{ resource: about, scopeLogs }] = request.resourceLogs;
  return { about: plain(about.attributes), records: scopeLogs[0].logRecords };
}

type Pair = { key: string; value: Record<string, unknown> };

function plain(attributes: readonly Pair[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

describe("an event as a log record", () => {
  it("is one of the protocol, whatever its details are", () => {
    const details = { name: "ä\n\u0000", list: ["a", "b"], none: null, is_new: true, seconds: 0.5, "": "" };
    const { records } = sent(messageOf([noticeOf(7, { details })]));
    const attributes = plain(records[0].attributes);
    assert.equal(attributes["steward.event.details.name"], "ä\n\u0000");
    assert.deepEqual(attributes["steward.event.details.list"], {
      values: [{ stringValue: "a" }, { stringValue: "b" }],
    });
    assert.equal(attributes["steward.event.details.seconds"], 0.5);
    assert.equal("steward.event.details.none" in attributes, false);
  });

  it("of an earlier release, whose details have another form, is still sent", () => {
    const details = { deep: { a: [1] }, numbers: [1, 2] };
    const { records } = sent(messageOf([noticeOf(7, { details })]));
    const attributes = plain(records[0].attributes);
    assert.equal(attributes["steward.event.details.deep"], '{"a":[1]}');
    assert.deepEqual(attributes["steward.event.details.numbers"], {
      values: [{ stringValue: "1" }, { stringValue: "2" }],
    });
  });

  it("has the event's own time, its sentence, and an id that is the same at each attempt", () => {
    const message = messageOf([noticeOf(7, { text: "To do: the disk is nearly full." }), noticeOf(8)]);
    const { records } = sent(message);
    // 2026-11-27T10:00:07Z, by `date -d`.
    assert.equal(records[0].timeUnixNano, "1795773607000000000");
    assert.equal(records[0].observedTimeUnixNano, records[0].timeUnixNano);
    assert.deepEqual(records[0].body, { stringValue: "To do: the disk is nearly full." });
    assert.equal(records[0].eventName, "steward.need.began");
    const ids = records.map(({ attributes }: { attributes: Pair[] }) => plain(attributes)["log.record.uid"]);
    assert.deepEqual(ids, [`${deviceId}-7`, `${deviceId}-8`]);
    assert.deepEqual(sent(message).records, records);
  });

  it("has the members of the record, but those that are empty", () => {
    const { records } = sent(messageOf([noticeOf(7, { title: "To do" })]));
    assert.deepEqual(plain(records[0].attributes), {
      "log.record.uid": `${deviceId}-7`,
      "steward.event.seq": "7",
      "steward.event.type": "need.began",
      "steward.event.title": "To do",
      "steward.event.log": "changes",
      "steward.event.outcome": "success",
      "steward.event.count": "1",
      "steward.event.actor.kind": "agent",
      "steward.event.from": "local",
      "steward.event.details.need": "disk_full",
      "steward.event.details.level": "attention",
      "steward.event.hash": "1".repeat(64),
    });
  });

  it("is an error if it is grave, a warning if it was refused", () => {
    const refused = noticeOf(2, { type: "sign_in.refused" });
    const notices = [
      noticeOf(1, { level: "grave" }),
      { ...refused, event: { ...refused.event, outcome: "refused" as const } },
      noticeOf(3),
    ];
    const { records } = sent(messageOf(notices));
    const severities = records.map((one: { severityNumber: number }) => one.severityNumber);
    assert.deepEqual(severities, [17, 13, 9]);
  });

  it("is of a resource that the conventions name", () => {
    assert.deepEqual(sent(messageOf([noticeOf(1)])).about, {
      "service.name": "steward",
      "service.version": "0.1.0",
      "service.instance.id": deviceId,
      "host.name": "edge-7",
      "os.type": "linux",
      "steward.device.name": "Boiler house",
      "steward.product": "pump-7",
    });
  });
});

describe("a message as log records", () => {
  it("says which events were dropped, before those that follow them", () => {
    const { records } = sent(messageOf([noticeOf(9)], { gap: { from: 3, to: 8 } }));
    const names = records.map((one: { eventName: string }) => one.eventName);
    assert.deepEqual(names, ["steward.gap", "steward.need.began"]);
    assert.equal(plain(records[0].attributes)["steward.gap.to"], "8");
  });

  it("of a test is one record", () => {
    const { records } = sent(testMessage());
    assert.deepEqual(
      records.map((one: { eventName: string; severityNumber: number }) => [
        one.eventName,
        one.severityNumber,
      ]),
      [["steward.test", 9]],
    );
  });
});
