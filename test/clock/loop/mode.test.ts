import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isSameWay, wayOf } from "../../../src/clock/loop/mode.ts";

const free = { daemon: null, hindrance: null, isContested: false } as const;
const daemon = { ...free, daemon: "chronyd" } as const;
const hindered = { ...free, hindrance: "no_capability" } as const;

const because = (mode: Parameters<typeof wayOf>[0], host: Parameters<typeof wayOf>[1]) => {
  const way = wayOf(mode, host);
  return way.kind === "observe" ? `observe: ${way.because}` : way.kind;
};

describe("whose turn it is", () => {
  const table = [
    ["auto", free, "discipline"],
    ["auto", daemon, "delegate"],
    ["auto", hindered, "observe: no_capability"],
    ["auto", { ...free, isContested: true }, "observe: external_change"],
    ["auto", { ...daemon, hindrance: "no_addon" }, "delegate"],
    ["discipline", free, "discipline"],
    ["discipline", daemon, "observe: other_daemon"],
    ["discipline", hindered, "observe: no_capability"],
    ["delegate", daemon, "delegate"],
    ["delegate", free, "observe: no_daemon"],
    ["observe", free, "observe: chosen"],
    ["observe", daemon, "observe: chosen"],
    ["manual", daemon, "manual"],
    ["manual", { ...free, isContested: true }, "manual"],
  ] as const;
  for (const [mode, host, expected] of table) {
    it(`is ${expected} in mode ${mode} with ${JSON.stringify(host)}`, () => {
      assert.equal(because(mode, host), expected);
    });
  }

  it("is another one when the reason or the daemon is", () => {
    assert.equal(isSameWay(wayOf("auto", daemon), wayOf("auto", { ...daemon, daemon: "ntpd" })), false);
    assert.equal(isSameWay(null, wayOf("auto", free)), false);
    assert.equal(isSameWay(wayOf("auto", free), wayOf("discipline", free)), true);
  });
});
