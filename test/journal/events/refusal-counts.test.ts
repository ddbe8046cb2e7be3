import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { refusal } from "../../../lab/state/event-directory.ts";
import { createTimers } from "../../../src/host/linux/timers.ts";
import { createLoggedEvents } from "../../../src/journal/events/logged-events.ts";
import { createRefusalCounts } from "../../../src/journal/events/refusal-counts.ts";

interface Written {
  from: string;
  code: string;
  count: number;
}

function counts(test: TestContext, maximum?: number) {
  test.mock.timers.enable({ apis: ["setTimeout"] });
  const written: Written[] = [];
  const refusals = createRefusalCounts(({ from }, code, count) => void written.push({ from, code, count }), {
    timers: createTimers(),
    maximum,
  });
  return { refusals, written, pass: (seconds: number) => test.mock.timers.tick(seconds * 1_000) };
}

describe("refusals", () => {
  it("are written at once the first time, and then counted into one line a minute", (test) => {
    const { refusals, written, pass } = counts(test);
    for (let tries = 0; tries < 50; tries += 1) refusals.add(refusal("192.0.2.1"), "invalid_credentials");
    assert.deepEqual(written, [{ from: "192.0.2.1", code: "invalid_credentials", count: 1 }]);
    pass(59);
    assert.equal(written.length, 1);
    pass(1);
    assert.deepEqual(written[1], { from: "192.0.2.1", code: "invalid_credentials", count: 49 });
    refusals.add(refusal("192.0.2.1"), "invalid_credentials");
    assert.equal(written.length, 2);
    pass(60);
    assert.equal(written[2]?.count, 1);
    pass(60);
    assert.equal(written.length, 3);
    refusals.add(refusal("192.0.2.1"), "invalid_credentials");
    assert.equal(written.length, 4, "after a minute without one it is the first again");
  });

  const others = [
    ["address", refusal("192.0.2.2"), "invalid_credentials"],
    ["code", refusal("192.0.2.1"), "forbidden"],
    ["operation", refusal("192.0.2.1", "refresh"), "invalid_credentials"],
  ] as const;
  for (const [what, facts, code] of others) {
    it(`of another ${what} are told apart`, (test) => {
      const { refusals, written } = counts(test);
      refusals.add(refusal("192.0.2.1"), "invalid_credentials");
      refusals.add(facts, code);
      assert.equal(written.length, 2);
    });
  }

  it("from more sources than there is room for share one line", (test) => {
    const { refusals, written, pass } = counts(test, 3);
    for (let source = 0; source < 100; source += 1)
      refusals.add(refusal(`2001:db8::${source}`), "invalid_credentials");
    assert.deepEqual(
      written.map(({ from }) => from),
      ["2001:db8::0", "2001:db8::1", "2001:db8::2", "others"],
    );
    pass(60);
    assert.deepEqual(written.at(-1), { from: "others", code: "invalid_credentials", count: 96 });
    assert.equal(written.length, 5);
  });

  it("of an agent in rescue are counted in its log as well", (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const lines: unknown[] = [];
    const events = createLoggedEvents(
      (_severity, _message, members) => void lines.push(members?.count),
      createTimers(),
    );
    for (let tries = 0; tries < 50; tries += 1) {
      events.refuse(refusal("192.0.2.1"), "authentication_required");
    }
    assert.deepEqual(lines, [1]);
    events.close();
    assert.deepEqual(lines, [1, 49]);
  });

  it("that were only counted are written at the end", (test) => {
    const { refusals, written } = counts(test);
    for (let tries = 0; tries < 5; tries += 1) refusals.add(refusal("192.0.2.1"), "forbidden");
    refusals.close();
    assert.equal(written[1]?.count, 4);
  });
});
