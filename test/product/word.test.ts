import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createVirtualTime } from "../../lab/simulated/virtual-time.ts";
import type { EventFacts } from "../../src/journal/events/event.ts";
import type { ProductReport } from "../../src/product/reports.ts";
import { createWord, type WordAnswer } from "../../src/product/word.ts";
import type { ToldNeed } from "../../src/system/need-watch.ts";

const unit = "pump.service";

const low: ProductReport = {
  ...{ code: "low", level: "failing", page: "pump", path: "/pressure", isMessage: false, ttlSeconds: 900 },
  text: { en: "The pressure is {bar} bar.", de: "Der Druck ist {bar} bar." },
};
const stuck: ProductReport = {
  ...{ code: "stuck", level: "notice", page: null, path: "/", isMessage: true, ttlSeconds: 900 },
  text: { en: "Valve {valve} of {valves} is stuck" },
};
const plain = (code: string): ProductReport => ({ ...stuck, code, level: "attention", text: { en: code } });
const codes = Array.from({ length: 20 }, (_, index) => `code_${index}`);

/** `begun`: the needs that the record says began and did not end. */
function world(begun: readonly ToldNeed[] = []) {
  const time = createVirtualTime();
  const events: EventFacts[] = [];
  const word = createWord({
    reports: [low, stuck, ...codes.map(plain)],
    ...{ uptime: time.now, timers: time.hostTimers },
    record: (facts) => void events.push(facts),
    told: async () => begun.map((details, seq) => ({ seq, type: "need.began", details })),
  });
  const say = (line: unknown) => word.take(unit, line);
  return {
    ...{ time, word, say },
    /** Recorded since the last time: the code of each line, and the number of events that it counts. */
    recorded: () => events.splice(0).map(({ details, count }) => [details.code, count ?? 1].join(" ")),
    events,
    needs: () => word.needs().map(({ code, facts }) => `${code} ${(facts as ToldNeed).name}`),
  };
}

const taken: WordAnswer = { status: "taken" };
const lowAt = (bar: number) => ({ need: "low", numbers: { bar } });

describe("a line of the product", () => {
  const numbers = { bar: 1.2 };
  const rows: [name: string, line: unknown, code: string, detail: RegExp][] = [
    ["is an object", "low", "malformed_request", /such as \{"need"/],
    ["is no list", [{ need: "low" }], "malformed_request", /./],
    ["says one thing", { event: "stuck", need: "low" }, "malformed_request", /./],
    ["has no other member", { event: "low", numbers, text: "Call 0190 1234" }, "malformed_request", /./],
    ["has the code as a text", { event: 7 }, "malformed_request", /./],
    ["says something", { numbers }, "malformed_request", /./],
    ["is no member of every object", { constructor: "low" }, "malformed_request", /./],
    [
      "has a code of the host file",
      { event: "fire" },
      "not_found",
      /no code "fire"\. It has: low, stuck, code_0/,
    ],
    ["has one to end a need, too", { ok: "fire" }, "not_found", /./],
    [
      "has the numbers of its sentence",
      { event: "low" },
      "validation_failed",
      /these numbers and no other: bar/,
    ],
    ["has all of them", { event: "stuck", numbers: { valve: 1 } }, "validation_failed", /valve, valves/],
    ["has no others", { event: "low", numbers: { bar: 1, x: 1 } }, "validation_failed", /./],
    ["has none without a place", { event: "code_1", numbers }, "validation_failed", /no numbers/],
    ["has no text for a number", { event: "low", numbers: { bar: "9, call me" } }, "validation_failed", /./],
    ["has finite ones", { event: "low", numbers: { bar: JSON.parse("1e999") } }, "validation_failed", /./],
    ["has them by name", { event: "low", numbers: [1.2] }, "validation_failed", /./],
    [
      "has no need of a notice",
      { need: "stuck", numbers: { valve: 1, valves: 2 } },
      "validation_failed",
      /event/,
    ],
  ];
  for (const [name, line, code, detail] of rows)
    it(`${name}, or it is refused with what to do`, () => {
      const { say, events, needs } = world();
      const answer = say(line);
      assert.ok(answer.status === "refused");
      assert.equal(answer.code, code);
      assert.match(answer.detail, detail);
      assert.deepEqual([events, needs()], [[], []]);
    });

  it("becomes the host file's sentences with its numbers, in German with a comma, and no one else's words", () => {
    const { say, events } = world();
    for (const bar of [1.2, -0.05, 0.1 + 0.2, 1_234_567]) say({ event: "low", numbers: { bar } });
    say({ event: "stuck", numbers: { valve: 3, valves: 8 } });
    const of = (en: string, de: string) => ({
      en: `The pressure is ${en} bar`,
      de: `Der Druck ist ${de} bar`,
    });
    const [first] = events;
    assert.deepEqual(first, {
      ...{ type: "product.reported", actor: { kind: "product", id: unit, name: unit }, subject: null },
      ...{ from: "local", requestId: null },
      details: { code: "low", level: "failing", is_message: false, ...of("1.2", "1,2") },
    });
    const said = events.map(({ details: { en, de } }) => ({ en, ...(de !== undefined && { de }) }));
    assert.deepEqual(said, [
      ...[of("1.2", "1,2"), of("-0.05", "-0,05"), of("0.3", "0,3"), of("1234567", "1234567")],
      { en: "Valve 3 of 8 is stuck" },
    ]);
  });
});

describe("the product's events", () => {
  it("are thirty at once, then one a minute; the next line has the number of those between, by code", () => {
    const { time, say, recorded } = world();
    for (let index = 0; index < 40; index += 1) assert.deepEqual(say({ event: "code_1" }), taken);
    say({ event: "code_2" });
    assert.deepEqual(recorded(), Array(30).fill("code_1 1"));
    time.pass(62);
    assert.deepEqual(recorded(), ["code_1 10"]);
    say({ event: "code_1" });
    time.pass(62);
    assert.deepEqual(recorded(), ["code_2 1"]);
    time.pass(62);
    assert.deepEqual(recorded(), ["code_1 1"]);
  });

  it("are no more by many codes: a day of a flood is some 1,440 lines, and none is lost", () => {
    const { time, word, say, recorded } = world();
    for (let second = 0; second < 86_400; second += 10) {
      for (const code of codes.slice(0, 5)) say({ event: code });
      time.pass(10);
    }
    const lines = recorded();
    assert.ok(lines.length > 1_400 && lines.length <= 1_470, `${lines.length} lines`);
    word.stop();
    const rest = recorded();
    assert.ok(rest.length <= 5, `${rest.length} lines at the end`);
    const all = [...lines, ...rest].reduce((sum, line) => sum + Number(line.split(" ")[1]), 0);
    assert.equal(all, 5 * 8_640);
  });

  it("are written at a stop, those that are only counted, and not once more after it", () => {
    const { time, word, say, recorded } = world();
    for (let index = 0; index < 33; index += 1) say({ event: index < 31 ? "code_1" : "code_2" });
    recorded();
    word.stop();
    time.pass(600);
    assert.deepEqual(recorded(), ["code_1 1", "code_2 2"]);
  });
});

describe("a need of the product", () => {
  it("is one of the device, with its sentence, level, unit and the page that helps, until ok", () => {
    const { word, say, needs } = world();
    say(lowAt(1.2));
    assert.deepEqual(word.needs(), [
      {
        code: "product",
        level: "failing",
        facts: {
          ...{ name: "low", unit, page: "pump", path: "/pressure" },
          ...{ en: "The pressure is 1.2 bar", de: "Der Druck ist 1,2 bar" },
        },
        detail: "The pressure is 1.2 bar. The product reports it.",
        remedy: null,
      },
    ]);
    say(lowAt(0.9));
    assert.match(word.needs()[0]?.detail ?? "", /0\.9/);
    say({ need: "code_1" });
    assert.deepEqual(word.needs()[1]?.facts, { name: "code_1", unit, en: "code_1" });
    assert.deepEqual([say({ ok: "low" }), say({ ok: "code_2" })], [taken, taken]);
    assert.deepEqual(needs(), ["product code_1"]);
  });

  it("that is not repeated in its time is silent, and stays: a product that hangs has not been mended", () => {
    const { time, word, say, needs } = world();
    say(lowAt(1.2));
    time.pass(899);
    say(lowAt(1.1));
    time.pass(899);
    assert.deepEqual(needs(), ["product low"]);
    time.pass(1);
    assert.deepEqual(needs(), ["product_silent low"]);
    const [{ level, detail } = assert.fail()] = word.needs();
    assert.equal(level, "failing");
    assert.match(detail, /^No news of: The pressure is 1\.1 bar\. .*`systemctl status pump\.service`/);
    time.pass(864_000);
    assert.deepEqual(needs(), ["product_silent low"]);
    say(lowAt(1));
    assert.deepEqual(needs(), ["product low"]);
    time.pass(900);
    assert.deepEqual([needs(), say({ ok: "low" }), needs()], [["product_silent low"], taken, []]);
  });

  it("is one of sixteen at most; repeats and ends are taken all the same", () => {
    const { say, needs } = world();
    for (const need of codes.slice(0, 16)) assert.deepEqual(say({ need }), taken);
    const answer = say({ need: "code_16" });
    assert.ok(answer.status === "refused" && answer.code === "rate_limited");
    assert.deepEqual([needs().length, say({ need: "code_3" }), say({ ok: "code_4" })], [16, taken, taken]);
    assert.deepEqual([say({ need: "code_16" }), needs().length], [taken, 16]);
  });

  it("that comes and goes all the time stays: its ends are sixteen at once and six an hour", () => {
    const { time, say, needs } = world();
    let ends = 0;
    for (let minute = 0; minute < 24 * 60; minute += 1) {
      for (const need of codes.slice(0, 16)) say({ need });
      needs();
      for (const ok of codes.slice(0, 16)) say({ ok });
      ends += 16 - needs().length;
      time.pass(60);
    }
    assert.ok(ends > 150 && ends <= 16 + 24 * 6, `${ends} ends`);
    // All that was ended is over in the end.
    time.pass(16 * 600);
    assert.deepEqual(needs(), []);
  });

  it("that falls silent and is repeated all the time is silent for longer, by the same rate", () => {
    const { time, say, needs } = world();
    for (const need of codes.slice(0, 16)) say({ need });
    let returns = 0;
    for (let quarter = 0; quarter < 40; quarter += 1) {
      time.pass(900);
      assert.deepEqual(new Set(needs().map((need) => need.split(" ")[0])), new Set(["product_silent"]));
      for (const need of codes.slice(0, 16)) say({ need });
      returns += needs().filter((need) => need.startsWith("product ")).length;
    }
    assert.ok(returns > 60 && returns <= 16 + 10 * 6, `${returns} returns in ten hours`);
  });

  it("of before the agent's start goes on with its time from then, until the product speaks of it", async () => {
    const begun = (name: string, more: object = {}): ToldNeed => ({
      ...{ need: "product", level: "failing", name, unit, en: `${name} as it was` },
      ...more,
    });
    const { time, word, say, needs } = world([
      ...[begun("code_1"), begun("low", { de: "x" }), begun("code_2")],
      begun("code_3", { need: "product_silent" }),
      // Another need's event, and those of codes that root has taken out or made a notice since.
      ...[begun("code_4", { need: "update_failed" }), begun("gone"), begun("stuck")],
    ]);
    time.pass(50);
    await word.start();
    const rest = ["product code_2", "product_silent code_3"];
    assert.deepEqual(needs(), ["product code_1", "product low", ...rest]);
    say({ ok: "code_1" });
    say(lowAt(0.5));
    assert.deepEqual(needs(), ["product low", ...rest]);
    const details = word.needs().map(({ detail }) => detail);
    assert.match(details[0] ?? "", /^The pressure is 0\.5/);
    assert.match(details[1] ?? "", /^code_2 as it was\. /);
    time.pass(899);
    assert.deepEqual(needs()[1], "product code_2");
    time.pass(1);
    assert.deepEqual(needs()[1], "product_silent code_2");
    assert.deepEqual([say({ ok: "code_2" }), say({ need: "code_3" })], [taken, taken]);
    assert.deepEqual(needs(), ["product_silent low", "product code_3"]);
  });
});
