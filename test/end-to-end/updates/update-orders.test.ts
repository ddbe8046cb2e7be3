import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { runSteward } from "../../../lab/agents/agent-in-process.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { installDemoProduct } from "../../../lab/run/demo-product/install.ts";

const [former, tried] = ["a".repeat(32), "b".repeat(32)] as const;

/** Writes the files of a device whose agent and guard died while rules were on trial. */
function brokenDevice() {
  const home = scratchDirectory();
  const at = (path: string) => join(home, path);
  installDemoProduct({ product: at("product"), hostFile: at("etc/steward.json") });
  for (const [id, rules] of [
    [former, "alert tcp any any -> any 23\n"],
    [tried, "alert telnet\n"],
  ] as const) {
    mkdirSync(at(`releases/releases/${id}`), { recursive: true });
    writeFileSync(at(`releases/releases/${id}/base.rules`), rules);
  }
  mkdirSync(at("releases/rules"));
  symlinkSync(`../releases/${tried}`, at("releases/rules/current"));
  symlinkSync(`../releases/${former}`, at("releases/rules/previous"));
  writeFileSync(at("product/loaded"), "alert telnet\n");
  writeFileSync(at("releases/journal.json"), JSON.stringify(journal()));
  mkdirSync(at("state"), { mode: 0o700 });
  const environment = {
    ...{ STEWARD_SOCKET: at("none.sock"), STEWARD_STATE: at("state"), STEWARD_TRUST: at("trust") },
    ...{ STEWARD_RELEASES: at("releases"), STEWARD_HOST_FILE: at("etc/steward.json") },
  };
  return {
    update: (...words: string[]) => runSteward(["update", ...words], { environment }),
    current: () => readlinkSync(at("releases/rules/current")),
    loaded: () => readFileSync(at("product/loaded"), "utf8"),
  };
}

function journal(): object {
  const trial = {
    ...{ release: { id: tried, name: "base", version: "1.1.0" }, phase: "confirming" },
    ...{ begun_at: new Date().toISOString(), begun_uptime: uptime(), boots: 1, crashes: 0 },
    boot_id: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
    deadline_uptime: uptime() + 600,
    health: { successes: 0, needed: 3, last: null, at: null },
    undo: null,
  };
  const good = [{ id: former, name: "base", version: "1.0.0" }];
  const empty = { good: [], trial: null, setAside: [] };
  return {
    ...{ format: 1, sequence: 4, history: [] },
    slots: { rules: { good, trial, setAside: [] }, binary: empty },
  };
}

describe("root's word on a release that is on trial, with agent and guard dead", {
  concurrency: true,
}, () => {
  it("abort puts the former release back to work and sees that it is healthy", async () => {
    const device = brokenDevice();
    const { code, stdout, stderr } = await device.update("abort");
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      /^rules base 1\.1\.0 was undone and is held\. .* 1\.0\.0 is installed again and healthy\.$/m,
    );
    assert.deepEqual(
      [device.current(), device.loaded()],
      [`../releases/${former}`, "alert tcp any any -> any 23\n"],
    );
  });
});
