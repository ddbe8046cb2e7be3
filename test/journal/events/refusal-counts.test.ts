import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { refusal } from "../../../lab/state/event-directory.ts";
import { createTimers } from "../../../src/host/linux/timers.ts";
import type { EventFacts } from "../../../src/journal/events/event.ts";
import { createLoggedEvents } from "../../../src/journal/events/logged-events.ts";
import { createRefusalCounts } from "../../../src/journal/events/refusal-counts.ts";

function counts(test: TestContext, maximum?: number) {
  test.mock.timers.enable({ apis: ["setTimeout"] });
  const written: string[] = [];
  const write = ({ from, subject }: EventFacts, code: string, count: number): void =>
    void written.push(`${from} ${code}${subject ? ` ${subject.name}` : ""}: ${count}`);
  const refusals = createRefusalCounts(write, { timers: createTimers(), maximum });
  return { refusals, written, pass: (seconds: number) => test.mock.timers.tick(seconds * 1_000) };
}

const first = refusal("192.0.2.1");

describe("refusals", () => {
  it("are written at once the first time, then as one line with their number, ever fewer, down to one in ten minutes", (test) => {
    const { refusals, written, pass } = counts(test);
    const add = (times: number) => {
      for (let tries = 0; tries < times; tries += 1) refusals.add(first, "invalid_credentials");
    };
    const line = "192.0.2.1 invalid_credentials";
    add(50);
    assert.deepEqual(written, [`${line}: 1`]);
    pass(59);
    assert.equal(written.length, 1);
    pass(1);
    assert.deepEqual(written.splice(0), [`${line}: 1`, `${line}: 49`]);
    // After 2, 4 and 8 minutes more, and then every 10.
    const minutes: number[] = [];
    for (let minute = 1; minute <= 36; minute += 1) {
      add(1);
      pass(60);
      if (written.splice(0).length > 0) minutes.push(minute);
    }
    assert.deepEqual(minutes, [2, 6, 14, 24, 34]);
    add(4);
    refusals.close();
    assert.deepEqual(written, [`${line}: 6`], "at the end");
  });

  it("after a while without one are the first again", (test) => {
    const { refusals, written, pass } = counts(test);
    refusals.add(first, "invalid_credentials");
    pass(60);
    refusals.add(first, "invalid_credentials");
    assert.equal(written.length, 2);
  });

  const at = (name: string) => ({ id: `usr_${name}`, name });
  for (const [what, facts, code] of [
    ["address", refusal("192.0.2.2"), "invalid_credentials"],
    ["code", first, "forbidden"],
    ["reason", { ...first, details: { ...first.details, reason: "flow" } }, "invalid_credentials"],
    ["account", { ...first, subject: at("anna") }, "invalid_credentials"],
    ["operation", refusal("192.0.2.1", "refresh"), "invalid_credentials"],
  ] as const)
    it(`of another ${what} are told apart`, (test) => {
      const { refusals, written } = counts(test);
      refusals.add(first, "invalid_credentials");
      refusals.add(facts, code);
      assert.equal(written.length, 2);
    });

  it("from one /64 are one client's, as in throttling", (test) => {
    const { refusals, written } = counts(test);
    for (let host = 0; host < 100; host += 1)
      refusals.add({ ...refusal(`2001:db8::${host}`), client: "2001:db8:0:0::/64" }, "invalid_credentials");
    assert.equal(written.length, 1);
  });

  it("from more clients than there is room for share a line for each reason, and each account keeps its own", (test) => {
    const { refusals, written, pass } = counts(test, 4);
    for (let source = 0; source < 50; source += 1) {
      refusals.add(refusal(`192.0.2.${source}`), "invalid_credentials");
      refusals.add(refusal(`192.0.2.${source}`), "setup_token_invalid");
      for (const name of ["anna", "ben"])
        refusals.add({ ...refusal(`192.0.2.${source}`), subject: at(name) }, "invalid_credentials");
    }
    const lines = [
      ...["invalid_credentials", "setup_token_invalid"],
      ...["invalid_credentials anna", "invalid_credentials ben"],
    ];
    const from = (source: string, count: number) => lines.map((line) => `${source} ${line}: ${count}`);
    assert.deepEqual(written.splice(0), [...from("192.0.2.0", 1), ...from("others", 1)]);
    pass(60);
    assert.deepEqual(written, from("others", 48));
  });

  it("of strangers with many addresses leave the accounts' lines their addresses", (test) => {
    const { refusals, written } = counts(test, 8);
    for (let source = 0; source < 100; source += 1)
      refusals.add(refusal(`192.0.2.${source}`), "authentication_required");
    refusals.add({ ...refusal("198.51.100.7"), subject: at("anna") }, "invalid_credentials");
    assert.equal(written.at(-1), "198.51.100.7 invalid_credentials anna: 1");
  });

  it("at more accounts than there is room for are a line for each reason at last", (test) => {
    const { refusals, written } = counts(test, 4);
    for (let name = 0; name < 100; name += 1)
      refusals.add({ ...first, subject: at(`user-${name}`) }, "invalid_credentials");
    assert.equal(written.length, 9);
    assert.equal(written.at(-1), "others invalid_credentials: 1");
  });

  it("of an agent in rescue are counted in its log as well", (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const lines: unknown[] = [];
    const events = createLoggedEvents(
      (_severity, _message, members) => void lines.push(members?.count),
      createTimers(),
    );
    for (let tries = 0; tries < 50; tries += 1) events.refuse(first, "authentication_required");
    assert.deepEqual(lines, [1]);
    events.close();
    assert.deepEqual(lines, [1, 49]);
  });
});
