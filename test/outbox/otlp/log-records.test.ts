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

interface LogRecord {
  readonly eventName: string;
  readonly severityNumber: number;
  readonly attributes: readonly Pair[];
}
type Pair = { key: string; value: Record<string, unknown> };

const plain = (attributes: readonly Pair[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** The request as a collector reads it, after the protocol's files have judged it. */
function sent(message: Message) {
  const request = JSON.parse(JSON.stringify(logsRequestOf(message, resource, now)));
  judgeOtlp("/v1/logs", request);
  const [{ resource: about, scopeLogs }] = request.resourceLogs;
  const records: LogRecord[] = scopeLogs[0].logRecords;
  return {
    ...{ about: plain(about.attributes), records },
    attributes: plain(records[0]?.attributes ?? []),
    names: records.map(({ eventName, severityNumber }) => `${eventName} ${severityNumber}`),
  };
}

const listOf = (...values: string[]) => ({ values: values.map((stringValue) => ({ stringValue })) });

describe("an event as a log record", () => {
  const text = "ä\n\u0000";
  for (const [what, details, expected] of [
    [
      "is one of the protocol, whatever its details are",
      { name: text, list: ["a", "b"], none: null, is_new: true, seconds: 0.5, "": "" },
      { name: text, list: listOf("a", "b"), none: undefined, seconds: 0.5 },
    ],
    [
      "of an earlier release, whose details have another form, is still sent",
      { deep: { a: [1] }, numbers: [1, 2] },
      { deep: '{"a":[1]}', numbers: listOf("1", "2") },
    ],
  ] as const)
    it(what, () => {
      const { attributes } = sent(messageOf([noticeOf(7, { details: details as never })]));
      for (const [name, value] of Object.entries(expected))
        assert.deepEqual(attributes[`steward.event.details.${name}`], value, name);
    });

  it("has the event's own time, its sentence, and an id that is the same at each attempt", () => {
    const message = messageOf([noticeOf(7, { text: "To do: the disk is nearly full." }), noticeOf(8)]);
    const { records } = sent(message);
    // 2026-11-27T10:00:07Z, by `date -d`.
    const timeUnixNano = "1795773607000000000";
    const { attributes: _, ...first } = records[0] ?? assert.fail();
    assert.deepEqual(first, {
      ...{ timeUnixNano, observedTimeUnixNano: timeUnixNano, eventName: "steward.need.began" },
      ...{
        severityNumber: 9,
        severityText: "INFO",
        body: { stringValue: "To do: the disk is nearly full." },
      },
    });
    const ids = records.map(({ attributes }) => plain(attributes)["log.record.uid"]);
    assert.deepEqual(ids, [`${deviceId}-7`, `${deviceId}-8`]);
    assert.deepEqual(sent(message).records, records);
  });

  it("has the members of the record, but those that are empty, and is of a resource that the conventions name", () => {
    const { attributes, about } = sent(messageOf([noticeOf(7, { title: "To do" })]));
    assert.deepEqual(attributes, {
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
    assert.deepEqual(about, {
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
  it("has an error for what is grave, a warning for what was refused", () => {
    const refused = noticeOf(2, { type: "sign_in.refused" });
    const event = { ...refused.event, outcome: "refused" as const };
    const notices = [noticeOf(1, { level: "grave" }), { ...refused, event }, noticeOf(3)];
    const { names } = sent(messageOf(notices));
    assert.deepEqual(names, ["steward.need.began 17", "steward.sign_in.refused 13", "steward.need.began 9"]);
  });

  it("says which events were dropped, before those that follow them; of a test it is one record", () => {
    const { names, attributes } = sent(messageOf([noticeOf(9)], { gap: { from: 3, to: 8 } }));
    assert.deepEqual(
      names.map((name) => name.split(" ")[0]),
      ["steward.gap", "steward.need.began"],
    );
    assert.equal(attributes["steward.gap.to"], "8");
    assert.deepEqual(sent(testMessage()).names, ["steward.test 9"]);
  });
});
