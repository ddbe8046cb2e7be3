import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isSameMode, resolveMode } from "../../../src/clock/state/mode.ts";

const free = { daemon: null, blocker: null, isBackingOff: false } as const;
const daemon = { ...free, daemon: "chronyd" } as const;
const blocked = { ...free, blocker: "no_capability" } as const;

const because = (setting: Parameters<typeof resolveMode>[0], host: Parameters<typeof resolveMode>[1]) => {
  const mode = resolveMode(setting, host);
  return mode.kind === "observe" ? `observe: ${mode.because}` : mode.kind;
};

describe("the effective mode", () => {
  const table = [
    ["auto", free, "discipline"],
    ["auto", daemon, "delegate"],
    ["auto", blocked, "observe: no_capability"],
    ["auto", { ...free, isBackingOff: true }, "observe: external_change"],
    ["auto", { ...daemon, blocker: "no_addon" }, "delegate"],
    ["discipline", free, "discipline"],
    ["discipline", daemon, "observe: other_daemon"],
    ["discipline", blocked, "observe: no_capability"],
    ["delegate", daemon, "delegate"],
    ["delegate", free, "observe: no_daemon"],
    ["observe", free, "observe: chosen"],
    ["observe", daemon, "observe: chosen"],
    ["manual", daemon, "manual"],
    ["manual", { ...free, isBackingOff: true }, "manual"],
  ] as const;
  for (const [mode, host, expected] of table) {
    it(`is ${expected} in mode ${mode} with ${JSON.stringify(host)}`, () => {
      assert.equal(because(mode, host), expected);
    });
  }

  it("is another one when the reason or the daemon is", () => {
    assert.equal(
      isSameMode(resolveMode("auto", daemon), resolveMode("auto", { ...daemon, daemon: "ntpd" })),
      false,
    );
    assert.equal(isSameMode(null, resolveMode("auto", free)), false);
    assert.equal(isSameMode(resolveMode("auto", free), resolveMode("discipline", free)), true);
  });
});
