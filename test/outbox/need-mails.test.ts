import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deviceId, messageOf, noticeOf } from "../../lab/host/messages.ts";
import { createNeedMails } from "../../src/outbox/need-mails.ts";

const hour = 3_600;
const disk = { need: "disk_full", level: "attention" };

/** Plans a mail of each event, `[hours, seq, began or ended]`, and says whether it shows the event, with a remark or without. */
function mailsOf(events: readonly (readonly [number, number, "began" | "ended"])[], details = () => disk) {
  let now = 0;
  const planOf = createNeedMails(() => now);
  return events.map(([hours, seq, what]) => {
    now = hours * hour;
    const { notices, references, done } = planOf(
      messageOf([noticeOf(seq, { type: `need.${what}`, details: details() })]),
    );
    done();
    const [shown] = notices;
    return {
      shown: shown === undefined ? "nothing" : shown.remark === undefined ? what : "comes and goes",
      references,
    };
  });
}

describe("the mails about a need", () => {
  it("are one of its beginning, and one of its end that refers to it", () => {
    const [began = assert.fail(), ended = assert.fail()] = mailsOf([
      [0, 1, "began"],
      [30, 2, "ended"],
    ]);
    assert.deepEqual([began.shown, ended.shown], ["began", "ended"]);
    const [quickly = assert.fail(), over = assert.fail()] = mailsOf([
      [0, 1, "began"],
      [1, 2, "ended"],
    ]);
    assert.equal(quickly.references.length, 1);
    assert.deepEqual(over.references, [...quickly.references, `${deviceId}-1-1`]);
    // After a day, or a restart, the beginning is forgotten: the thread is still the same.
    assert.deepEqual(ended.references, began.references);
  });

  it("are three in a day of one that comes and goes, and the last does not say that it is over", () => {
    const flapping = Array.from(
      { length: 40 },
      (_, index) => [index / 4, index + 1, index % 2 === 0 ? "began" : "ended"] as const,
    );
    const shown = mailsOf(flapping).map((mail) => mail.shown);
    assert.deepEqual(shown.slice(0, 4), ["began", "ended", "comes and goes", "nothing"]);
    assert.deepEqual(new Set(shown.slice(3)), new Set(["nothing"]));
  });

  it("begin again after a day", () => {
    const shown = mailsOf([
      [0, 1, "began"],
      [1, 2, "ended"],
      [2, 3, "began"],
      [3, 4, "ended"],
      [24, 5, "began"],
      [25, 6, "ended"],
    ]);
    assert.deepEqual(
      shown.map((mail) => mail.shown),
      ["began", "ended", "comes and goes", "nothing", "began", "ended"],
    );
  });

  it("are counted for each need by itself", () => {
    let turn = 0;
    const names = ["first", "second"];
    const shown = mailsOf(
      [
        [0, 1, "began"],
        [0, 2, "began"],
      ],
      () => ({ ...disk, name: names[turn++] ?? "" }),
    );
    assert.deepEqual(
      shown.map((mail) => mail.shown),
      ["began", "began"],
    );
    assert.notDeepEqual(shown[0]?.references, shown[1]?.references);
  });

  it("are the same at each attempt until one is accepted", () => {
    const planOf = createNeedMails(() => 0);
    const message = messageOf([noticeOf(1)]);
    const first = planOf(message);
    const second = planOf(message);
    assert.deepEqual([second.notices, second.references], [first.notices, first.references]);
    second.done();
    assert.equal(planOf(messageOf([noticeOf(2)])).notices[0]?.remark?.startsWith("This came back"), true);
  });

  it("leave events of other kinds as they are", () => {
    const planOf = createNeedMails(() => 0);
    const lost = [
      noticeOf(1, { type: "clock.lost", details: {} }),
      noticeOf(2, { type: "clock.lost", details: {} }),
    ];
    const { notices, references } = planOf(messageOf(lost));
    assert.deepEqual([notices, references], [lost, []]);
  });
});
