import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  repeatedHosts,
  type TimeServerEntry,
  timeServer,
  timeServerText,
  withHost,
  withNts,
} from "../../../src/contract/clock/time-server.ts";

describe("an item of time.servers", () => {
  const entries: readonly TimeServerEntry[] = [
    "a.example:1123",
    { host: "b.example", nts: true },
    { host: "c.example", nts: false },
  ];

  it("is a server without NTS as a text, and with or without as an object", () => {
    assert.deepEqual(entries.map(timeServer), [
      { host: "a.example:1123", nts: false },
      { host: "b.example", nts: true },
      { host: "c.example", nts: false },
    ]);
    assert.deepEqual(entries.map(timeServerText), ["a.example:1123", "b.example (NTS)", "c.example"]);
  });

  it("keeps its form and its NTS under another host", () => {
    assert.deepEqual(
      entries.map((entry) => withHost(entry, "d")),
      ["d", { host: "d", nts: true }, { host: "d", nts: false }],
    );
  });

  it("is an object with NTS and a text without", () => {
    assert.deepEqual(
      entries.map((entry) => withNts(entry, true)),
      ["a.example:1123", "b.example", "c.example"].map((host) => ({ host, nts: true })),
    );
    assert.deepEqual(
      entries.map((entry) => withNts(entry, false)),
      ["a.example:1123", "b.example", "c.example"],
    );
  });

  it("repeats a host in any form", () => {
    assert.deepEqual(repeatedHosts(entries), []);
    assert.deepEqual(repeatedHosts([...entries, { host: "a.example:1123", nts: true }, "b.example"]), [3, 4]);
  });
});
