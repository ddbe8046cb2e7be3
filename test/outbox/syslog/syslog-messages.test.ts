import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createChance } from "../../../lab/basics/chance.ts";
import { deviceId, messageOf, noticeOf, testMessage } from "../../../lab/host/messages.ts";
import { readSyslog, type SyslogMessage } from "../../../lab/host/syslog-frames.ts";
import { eventTypes } from "../../../src/contract/event-types.ts";
import type { Message, Notice } from "../../../src/outbox/receiver.ts";
import { syslogFrames } from "../../../src/outbox/syslog/syslog-messages.ts";

const origin = { hostName: "edge-7", nowMilliseconds: Date.parse("2026-11-27T10:05:00.250Z") };

const sent = (message: Message, from = origin): SyslogMessage[] => readSyslog(syslogFrames(message, from));

function only(notice: Notice): SyslogMessage {
  const [one, ...others] = sent(messageOf([notice]));
  assert.ok(one !== undefined && others.length === 0);
  return one;
}

describe("an event as a syslog message", () => {
  it("is of RFC 5424, whatever its details are", () => {
    const { uniform } = createChance(5);
    const parts = ['"', "\\", "]", "[", "\n", "\u0000", "ä", "😀", "a", " ", "=", "\ud83d", "\ufeff"];
    const text = () =>
      Array.from({ length: uniform() * 12 }, () => parts[Math.floor(uniform() * parts.length)]).join("");
    for (let round = 0; round < 500; round += 1) {
      const details = { [`x${text()}`]: text(), list: [text(), text()], deep: { a: text() }, none: null };
      const notice = noticeOf(7, { details, text: text() });
      assert.equal(sent(messageOf([notice, noticeOf(8)], {}), { ...origin, hostName: text() }).length, 2);
    }
  });

  it("has the event's own time, host, type and sentence", () => {
    const { timestamp, hostName, appName, procId, msgId, text } = only(noticeOf(7, { text: "Fünf \u0007]" }));
    assert.deepEqual(
      [timestamp, hostName, appName, procId, msgId, text],
      ["2026-11-27T10:00:07.000Z", "edge-7", "steward", "-", "need.began", "Fünf  ]"],
    );
  });

  it("has its facts as parameters, those of a list each, and none that is empty", () => {
    const details = { need: 'a "b" ]\\', list: ["x", "y"], none: null, is_new: false };
    const { element, parameters } = only(noticeOf(7, { details }));
    assert.equal(element, "steward@32473");
    assert.deepEqual(
      parameters.map((pair) => pair.join("=")),
      [
        ...[`device=${deviceId}`, "seq=7", "outcome=success", "count=1", "actor_kind=agent", "from=local"],
        ...['details.need=a "b" ]\\', "details.list=x", "details.list=y", "details.is_new=false"],
        `hash=${"1".repeat(64)}`,
      ],
    );
  });

  it("is an error if it is grave, a warning if it was refused, by the facility of log audits", () => {
    const refused = noticeOf(2);
    const notices = [
      noticeOf(1, { level: "grave" }),
      { ...refused, event: { ...refused.event, outcome: "refused" as const } },
      noticeOf(3),
    ];
    // RFC 5424 §6.2.1: 13 · 8 + 3, 4 and 6.
    const priorities = sent(messageOf(notices)).map(({ priority }) => priority);
    assert.deepEqual(priorities, [107, 108, 110]);
  });

  it("stays within the bytes that receivers take, when a detail is long", () => {
    const details = { long: "ä".repeat(100_000), list: Array.from({ length: 1_000 }, () => "x") };
    const bytes = syslogFrames(messageOf([noticeOf(7, { details })]), origin);
    // RFC 5425 §4.3.1: a receiver should take 8,192.
    assert.ok(bytes.byteLength < 8_192, String(bytes.byteLength));
    const [one] = readSyslog(bytes);
    assert.match(one?.parameters.find(([name]) => name === "details.long")?.[1] ?? "", /^ä{512}…$/);
  });

  it("has names that syslog has room for, of every type and each of its details", () => {
    for (const [type, { details }] of Object.entries(eventTypes)) {
      const values = Object.fromEntries(Object.keys(details).map((name) => [name, "x"]));
      const { msgId, parameters } = only(noticeOf(7, { type, details: values }));
      assert.equal(msgId, type);
      const names = parameters.map(([name]) => name);
      for (const name of Object.keys(details))
        assert.ok(names.includes(`details.${name}`), `${type} ${name}`);
    }
  });
});

describe("a message as syslog messages", () => {
  it("says which events were dropped, before those that follow them", () => {
    const found = sent(messageOf([noticeOf(9)], { gap: { from: 3, to: 8 } }));
    const ids = found.map(({ msgId }) => msgId);
    assert.deepEqual(ids, ["gap", "need.began"]);
    assert.deepEqual(found[0]?.parameters.slice(1), [
      ["from", "3"],
      ["to", "8"],
    ]);
    assert.equal(found[0]?.timestamp, "2026-11-27T10:05:00.250Z");
  });

  it("of a test is one", () => {
    const tested = sent(testMessage()).map(({ msgId, priority }) => [msgId, priority]);
    assert.deepEqual(tested, [["test", 110]]);
  });
});
