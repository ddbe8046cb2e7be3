import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { atEnd } from "../../lab/basics/ending.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import { compiled } from "../../lab/host/compiled.ts";
import { startAgent } from "../../lab/state/state-directory.ts";
import { takeLock } from "../../src/store/files/lock.ts";

describe("an agent that systemd starts", () => {
  const home = scratchDirectory();
  const stateDirectory = join(home, "state");
  const socket = join(home, "notify");
  let output = "";
  const notices = () => output.split("\x1e").slice(1);
  let end = (): unknown => undefined;
  before(async () => {
    // A notify socket of the test's own, as systemd has one; the test ends the receiver before so many notices.
    const plenty = "1000";
    const stdio = ["ignore", "pipe", "inherit"] as const;
    const child = spawn(compiled("receive-datagram.c", home), [socket, plenty], { stdio: [...stdio] });
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    end = () => child.kill();
    await until("the notify socket is there", () => output.startsWith("ready\n"));
  });
  after(() => end());

  it("says that it is ready when it answers, feeds the watchdog, and says that it stops", async (test) => {
    const programs = join(home, "programs");
    mkdirSync(programs);
    // The agent starts flock where it waits for a command's lock; this one notes the environment that it was given.
    const noted = join(home, "environment-of-flock");
    const flock = `#!/bin/sh\nenv > ${noted}\nPATH=\${PATH#*:} exec flock "$@"\n`;
    writeFileSync(join(programs, "flock"), flock);
    chmodSync(join(programs, "flock"), 0o755);
    mkdirSync(stateDirectory);
    const command = await takeLock(stateDirectory);
    const watched = { NOTIFY_SOCKET: socket, WATCHDOG_USEC: "100000" };
    const environment = { PATH: `${programs}:${process.env.PATH}`, ...watched };
    const starting = startAgent(test, { stateDirectory, environment });
    await until("the agent waits", () => existsSync(noted));
    await command.release();
    const agent = await starting;
    assert.equal(readFileSync(`/proc/${agent.pid}/comm`, "utf8"), "steward\n");
    await until("the watchdog is fed", () => notices().includes("WATCHDOG=1"));
    assert.equal(await agent.stop(), 0);
    await until("it says that it stops", () => /^STOPPING=1/.test(notices().at(-1) ?? ""));
    // The first round begins within half a second, and without servers it is over at once.
    const clock = "clock (not measured yet|not synchronised)";
    const expected = new RegExp(
      `^READY=1\nSTATUS=Serving \\(.*steward\\.sock, http://127\\.0\\.0\\.1:${agent.port}\\), version \\S+; no administrator yet; ${clock}$`,
    );
    assert.match(notices()[0] ?? "", expected);
    assert.doesNotMatch(readFileSync(noted, "utf8"), /^(NOTIFY_SOCKET|WATCHDOG_USEC)=/m);
  });

  it("says that it is ready in rescue too, and where to look", async (test) => {
    for (const name of ["users.json", "users.good.json"]) writeFileSync(join(stateDirectory, name), "{");
    const before = notices().length;
    await startAgent(test, { stateDirectory, environment: { NOTIFY_SOCKET: socket } });
    await until("it is ready", () => notices().length > before);
    assert.match(notices()[before] ?? "", /^READY=1\nSTATUS=In rescue, see `steward doctor` \(/);
  });

  it("leaves the count of failed starts alone while it may still fail, and none behind when it is stopped", async (test) => {
    const agent = await startAgentInProcess();
    atEnd(test, () => agent.dispose());
    const count = join(agent.runDirectory, "failed-starts");
    // As the launcher's `pause` has left it before this start.
    writeFileSync(count, "3\n");
    assert.equal((await agent.call("GET", "/api/health")).status, 200);
    assert.equal(readFileSync(count, "utf8"), "3\n");
    await agent.stop();
    assert.equal(existsSync(count), false);
  });
});
