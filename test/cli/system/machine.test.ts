import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { runSteward } from "../../../lab/command-line/run-steward.ts";

describe("the commands for the machine", () => {
  let directory: string;
  let places: string[];
  beforeEach(() => {
    directory = scratchDirectory();
    places = ["--state", directory, "--socket", join(directory, "none.sock")];
    const answers = {
      getHost: { host_name: "pump-7", time_zone: "UTC", support_until: null, support: "unknown" },
      changeHost: { host_name: "pump-8", time_zone: "UTC", support_until: null, support: "unknown" },
      getStatus: { device_name: "hall 2" },
      factoryReset: { device_name: "hall 2" },
      reboot: { boot_id: "1" },
    };
    writeFileSync(join(directory, "offline.json"), JSON.stringify(answers));
  });

  const calls = () =>
    readFileSync(join(directory, "calls.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ id }) => id !== "close");

  it("show the host name without a word, and change it with one", async () => {
    const shown = await runSteward(["system", "host-name", ...places]);
    const changed = await runSteward(["system", "host-name", "pump-8", ...places]);
    assert.deepEqual([shown.stdout, changed.stdout], ["pump-7\n", "pump-8\n"]);
    assert.deepEqual(calls(), [{ id: "getHost" }, { id: "changeHost", body: { host_name: "pump-8" } }]);
  });

  it("restart only what is confirmed, and by force only where that is typed", async () => {
    const asked = await runSteward(["reboot", ...places]);
    assert.deepEqual([asked.code, asked.stderr.includes("--yes")], [2, true]);
    assert.equal((await runSteward(["reboot", "--yes", "--force", ...places])).code, 0);
    assert.deepEqual(calls(), [{ id: "reboot", body: { force: true } }]);
  });

  it("reset the device by its own name, and say what to type next", async () => {
    const { code, stderr } = await runSteward(["factory-reset", "--yes", ...places]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /hall 2 is reset\. Next: `steward user add NAME --role admin`,/);
    assert.deepEqual(calls().at(-1), { id: "factoryReset", body: { confirm: "hall 2" } });
  });

  it("prepare an image here alone, and only show it with --dry-run", async () => {
    const url = ["--url", "https://device.example"];
    assert.equal((await runSteward(["factory-reset", "--image", "--yes", ...url])).code, 2);
    const dry = await runSteward(["factory-reset", "--image", "--dry-run", ...places]);
    assert.match(dry.stdout, /audit lines .* and the machine-id are deleted too/);
    assert.throws(calls, "nothing was called");
    assert.equal((await runSteward(["factory-reset", "--image", "--yes", ...places])).code, 0);
    assert.deepEqual(calls(), [{ image: true }]);
  });
});
