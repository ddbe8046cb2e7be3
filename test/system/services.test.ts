import assert from "node:assert/strict";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { createRunCommand } from "../../src/host/linux/commands.ts";
import { readServices } from "../../src/system/services.ts";

/** As systemctl of systemd 252 has written it for a service, one that failed, and one that does not exist. */
const shown = `LoadState=loaded
ActiveState=active

ActiveState=failed
LoadState=loaded

LoadState=not-found
ActiveState=inactive
`;

const units = ["pump.service", "pump-web.service", "none.service"];

describe("the services that the host file names", () => {
  it("have the states that systemctl says, in their order", async () => {
    const asked: (readonly string[])[] = [];
    const found = await readServices(async (program, args) => {
      asked.push([program, ...args]);
      return { status: 0, stdout: shown, stderr: "" };
    }, units);
    assert.deepEqual(
      found.map(({ unit, state }) => [unit, state]),
      [
        ["pump.service", "active"],
        ["pump-web.service", "failed"],
        ["none.service", "not-found"],
      ],
    );
    assert.deepEqual(asked.length, 1);
    assert.deepEqual(asked[0]?.slice(-4), ["--", ...units]);
  });

  it("have none without systemd, and take no process where there are none", async () => {
    const absent = createRunCommand({ path: "/nonexistent" });
    assert.deepEqual(await readServices(absent, ["pump.service"]), [{ unit: "pump.service", state: null }]);
    assert.deepEqual(await readServices(() => assert.fail("a process was started"), []), []);
  });

  it("have none where systemctl fails", async (test) => {
    const directory = await temporaryDirectory(test);
    const file = join(directory, "systemctl");
    await writeFile(
      file,
      "#!/bin/sh\necho ActiveState=active\necho 'Failed to connect to bus' >&2\nexit 1\n",
    );
    await chmod(file, 0o755);
    const run = createRunCommand({ path: `${directory}:/usr/bin:/bin` });
    assert.deepEqual(await readServices(run, ["pump.service"]), [{ unit: "pump.service", state: null }]);
  });
});
