import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chownSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { runSteward, temporaryDirectory } from "../../../lab/command-line/run-steward.ts";
import { startAgent } from "../../../lab/command-line/scripted-agent.ts";

/** The run directory of an agent that answers. */
async function runDirectory(test: TestContext, status = "ok"): Promise<string> {
  const { socketPath } = await startAgent(test, {
    "GET /api/health": { body: { status } },
    "GET /api/status": { body: { needs: [] } },
  });
  return dirname(socketPath);
}

describe("steward setup-token", { concurrency: true }, () => {
  it("prints the content of the file beside the socket", async (test) => {
    const directory = await runDirectory(test);
    writeFileSync(join(directory, "setup-token"), "the-token\n", { mode: 0o600 });
    const args = ["setup-token", "--socket", join(directory, "steward.sock")];
    assert.deepEqual(await runSteward(args), { code: 0, stdout: "the-token\n", stderr: "" });
  });

  for (const options of [[], ["--new"]]) {
    it(`ends with 3 when there is none${options.length > 0 ? ", and makes none with --new" : ""}`, async (test) => {
      const directory = await runDirectory(test);
      const { code, stdout, stderr } = await runSteward(["setup-token", ...options], {
        environment: { STEWARD_SOCKET: join(directory, "steward.sock") },
      });
      assert.deepEqual([code, stdout], [3, ""]);
      assert.match(stderr, /setup is done/);
      assert.deepEqual(readdirSync(directory), ["steward.sock"]);
    });
  }

  it("replaces the token by 128 new bits that only the owner can read", async (test) => {
    const directory = await runDirectory(test);
    const path = join(directory, "setup-token");
    writeFileSync(path, "the-token\n", { mode: 0o644 });
    const args = ["setup-token", "--new", "--socket", join(directory, "steward.sock")];
    const first = await runSteward(args);
    const second = await runSteward(args);
    for (const { code, stdout } of [first, second]) {
      assert.equal(code, 0);
      // 16 bytes are 22 characters of base64url.
      assert.match(stdout, /^[A-Za-z0-9_-]{22}\n$/);
    }
    assert.notEqual(first.stdout, second.stdout);
    assert.equal(readFileSync(path, "utf8"), second.stdout);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(directory), ["setup-token", "steward.sock"]);
  });

  it("leaves the file to its owner when root replaces it", {
    skip: process.getuid?.() !== 0 && "needs root",
  }, async (test) => {
    const directory = await runDirectory(test);
    const path = join(directory, "setup-token");
    writeFileSync(path, "the-token\n");
    chownSync(path, 65534, 65533);
    await runSteward(`setup-token --new --socket ${join(directory, "steward.sock")}`);
    assert.deepEqual([statSync(path).uid, statSync(path).gid], [65534, 65533]);
  });

  for (const [what, make] of [
    ["64 MiB (memory)", (path: string) => truncateSync(path, 64 * 1024 * 1024)],
    ["escape sequences", (path: string) => writeFileSync(path, "\u001b]0;owned\u0007")],
    [
      "nothing, in a pipe that is never written to",
      (path: string) => execFileSync("mkfifo", [`${path}.pipe`]) && renameSync(`${path}.pipe`, path),
    ],
  ] as const) {
    it(`takes no file for a token that holds ${what}`, async (test) => {
      const directory = await runDirectory(test);
      const path = join(directory, "setup-token");
      writeFileSync(path, "");
      make(path);
      const { code, stdout, stderr } = await runSteward(
        `setup-token --socket ${join(directory, "steward.sock")}`,
      );
      assert.deepEqual([code, stdout], [1, ""]);
      assert.match(stderr, /holds no setup token\. Make a new one: steward setup-token --new/);
    });
  }

  it("does not follow a link that leads root to another file", async (test) => {
    const directory = await runDirectory(test);
    writeFileSync(join(directory, "secret"), "root's secret");
    symlinkSync(join(directory, "secret"), join(directory, "setup-token"));
    const { code, stdout } = await runSteward(`setup-token --socket ${join(directory, "steward.sock")}`);
    assert.deepEqual([code, stdout], [1, ""]);
  });

  for (const options of [[], ["--new"]]) {
    it(`prints none that an agent has left behind${options.length > 0 ? ", and makes none with --new" : ""} (exit 8)`, async (test) => {
      const directory = temporaryDirectory(test);
      writeFileSync(join(directory, "setup-token"), "dead\n", { mode: 0o600 });
      const places = ["--socket", join(directory, "steward.sock"), "--state", directory];
      const { code, stdout, stderr } = await runSteward(["setup-token", ...options, ...places]);
      assert.deepEqual([code, stdout], [8, ""]);
      assert.match(stderr, /The agent is not running/);
      assert.equal(readFileSync(join(directory, "setup-token"), "utf8"), "dead\n");
    });
  }

  it("prints none while the agent is in rescue (exit 5)", async (test) => {
    const directory = await runDirectory(test, "rescue");
    writeFileSync(join(directory, "setup-token"), "dead\n", { mode: 0o600 });
    const { code, stdout } = await runSteward(`setup-token --socket ${join(directory, "steward.sock")}`);
    assert.deepEqual([code, stdout], [5, ""]);
  });
});
