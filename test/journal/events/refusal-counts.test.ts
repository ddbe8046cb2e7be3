import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { refusal } from "../../../lab/state/event-directory.ts";
import { createTimers } from "../../../src/host/linux/timers.ts";
import type { EventFacts } from "../../../src/journal/events/event.ts";
import { createLoggedEvents } from "../../../src/journal/events/logged-events.ts";
import { createRefusalCounts } from "../../../src/journal/events/refusal-counts.ts";

interface Written {
  from: string;
  code: string;
  count: number;
  /** The name of the account. */
  about: string | undefined;
}

function counts(test: TestContext, maximum?: number) {
  test.mock.timers.enable({ apis: ["setTimeout"] });
  const written: Written[] = [];
  const write = ({ from, subject }: EventFacts, code: string, count: number): void =>
    void written.push({ from, code, count, about: subject?.name });
  const refusals = createRefusalCounts(write, { timers: createTimers(), maximum });
  return { refusals, written, pass: (seconds: number) => test.mock.timers.tick(seconds * 1_000) };
}

const first = refusal("192.0.2.1");
const lineOf = ({ from, code, about, count }: Written) => [from, code, about, count];

describe("refusals", () => {
  it("are written at once the first time, and then counted into one line a minute", (test) => {
    const { refusals, written, pass } = counts(test);
    for (let tries = 0; tries < 50; tries += 1) refusals.add(refusal("192.0.2.1"), "invalid_credentials");
    assert.deepEqual(written.map(lineOf), [["192.0.2.1", "invalid_credentials", undefined, 1]]);
    pass(59);
    assert.equal(written.length, 1);
    pass(1);
    assert.deepEqual(written.map(lineOf)[1], ["192.0.2.1", "invalid_credentials", undefined, 49]);
    refusals.add(refusal("192.0.2.1"), "invalid_credentials");
    assert.equal(written.length, 2);
    pass(120);
    assert.equal(written[2]?.count, 1);
    pass(240);
    assert.equal(written.length, 3);
    refusals.add(refusal("192.0.2.1"), "invalid_credentials");
    assert.equal(written.length, 4, "after a while without one it is the first again");
  });

  it("become rarer while they go on, down to one line in ten minutes", (test) => {
    const { refusals, written, pass } = counts(test);
    const lines: number[] = [];
    for (let minute = 0; minute < 36; minute += 1) {
      for (const _half of [0, 1]) {
        refusals.add(refusal("192.0.2.1"), "invalid_credentials");
        pass(30);
      }
      lines.push(written.length);
    }
    const more = lines.flatMap((count, minute) => (count > (lines[minute - 1] ?? 1) ? [minute + 1] : []));
    // After 1, 2, 4 and 8 minutes more, and then every 10.
    assert.deepEqual(more, [1, 3, 7, 15, 25, 35]);
  });

  const at = (name: string) => ({ id: `usr_${name}`, name });
  const others = [
    ["address", refusal("192.0.2.2"), "invalid_credentials"],
    ["code", refusal("192.0.2.1"), "forbidden"],
    ["reason", { ...first, details: { ...first.details, reason: "flow" } }, "invalid_credentials"],
    ["account", { ...first, subject: at("anna") }, "invalid_credentials"],
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
    assert.deepEqual(written.map(lineOf), [
      ["192.0.2.0", "invalid_credentials", undefined, 1],
      ["192.0.2.0", "setup_token_invalid", undefined, 1],
      ["192.0.2.0", "invalid_credentials", "anna", 1],
      ["192.0.2.0", "invalid_credentials", "ben", 1],
      ["others", "invalid_credentials", undefined, 1],
      ["others", "setup_token_invalid", undefined, 1],
      ["others", "invalid_credentials", "anna", 1],
      ["others", "invalid_credentials", "ben", 1],
    ]);
    pass(60);
    assert.deepEqual(written.slice(8).map(lineOf), [
      ["others", "invalid_credentials", undefined, 48],
      ["others", "setup_token_invalid", undefined, 48],
      ["others", "invalid_credentials", "anna", 48],
      ["others", "invalid_credentials", "ben", 48],
    ]);
  });

  it("of strangers with many addresses leave the accounts' lines their addresses", (test) => {
    const { refusals, written } = counts(test, 8);
    for (let source = 0; source < 100; source += 1)
      refusals.add(refusal(`192.0.2.${source}`), "authentication_required");
    refusals.add({ ...refusal("198.51.100.7"), subject: at("anna") }, "invalid_credentials");
    assert.deepEqual(written.slice(-1).map(lineOf), [["198.51.100.7", "invalid_credentials", "anna", 1]]);
  });

  it("at more accounts than there is room for are a line for each reason at last", (test) => {
    const { refusals, written } = counts(test, 4);
    for (let name = 0; name < 100; name += 1)
      refusals.add({ ...first, subject: at(`user-${name}`) }, "invalid_credentials");
    assert.equal(written.length, 9);
    assert.deepEqual(written.slice(-1).map(lineOf), [["others", "invalid_credentials", undefined, 1]]);
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
