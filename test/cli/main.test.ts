import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { openSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { noOtherUser } from "../../lab/basics/other-user.ts";
import {
  notedCalls,
  runSteward,
  runStewardProcess,
  stewardCommand,
  temporaryDirectory,
  writeOffline,
} from "../../lab/command-line/run-steward.ts";
import {
  exampleUser,
  pageOf,
  problem,
  runAgainst,
  startAgent,
} from "../../lab/command-line/scripted-agent.ts";

describe("steward", { concurrency: true }, () => {
  it("prints help on standard output and ends with 0", async () => {
    const { code, stdout, stderr } = await runSteward(["--help"]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^Usage: steward COMMAND/);
  });

  it("prints a usage error on standard error and ends with 2", async () => {
    const { code, stdout, stderr } = await runSteward(["usr"]);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /^steward: There is no command "usr"; did you mean "user"\?\nUsage: /);
  });

  it("prints a usage error as a document when json is asked for", async () => {
    const { code, stdout, stderr } = await runSteward("usr -o json");
    assert.deepEqual([code, stdout], [2, ""]);
    assert.equal(JSON.parse(stderr).exit_code, 2);
  });

  it("prints its own version without an agent", async () => {
    assert.deepEqual(await runSteward(["--version"]), { code: 0, stdout: "steward 0.1.0\n", stderr: "" });
  });

  describe("when the agent refuses", () => {
    const answers = {
      "GET /api/users": problem({ code: "forbidden", status: 403, detail: "Only \u001b[1madmins." }),
    };

    it("ends with the code's exit and says why on standard error", async (test) => {
      const { socketPath } = await startAgent(test, answers);
      const ended = await runSteward(`user list --socket ${socketPath}`);
      assert.deepEqual(ended, { code: 4, stdout: "", stderr: "steward: Only \\x1b[1madmins.\n" });
    });

    it("prints the problem document on standard error in json mode", async (test) => {
      const { code, stdout, stderr } = await runAgainst(test, "-o json user list", answers);
      assert.deepEqual([code, stdout], [4, ""]);
      assert.deepEqual(JSON.parse(stderr), answers["GET /api/users"].body);
    });
  });

  describe("when the agent is not running", () => {
    it("does the operation in process, says so, and closes", async (test) => {
      const directory = temporaryDirectory(test);
      writeOffline(directory, { listUsers: pageOf(exampleUser()).body });
      const { code, stdout, stderr } = await runSteward(`user list --state ${directory}`, {
        environment: { STEWARD_SOCKET: join(directory, "none.sock") },
      });
      assert.equal(code, 0);
      assert.match(stdout, /^anna /m);
      assert.equal(stderr, `The agent is not running; reading its state in ${directory} directly.\n`);
      assert.deepEqual(notedCalls(directory), [
        { id: "listUsers", query: { sort: "username", limit: 200 } },
        { id: "close" },
      ]);
    });

    it("says nothing of it with --quiet, and takes the directory from STEWARD_STATE", async (test) => {
      const directory = temporaryDirectory(test);
      writeOffline(directory, { listUsers: pageOf().body });
      const { code, stderr } = await runSteward("user list --quiet", {
        environment: { STEWARD_SOCKET: join(directory, "none.sock"), STEWARD_STATE: directory },
      });
      assert.deepEqual([code, stderr], [0, ""]);
    });

    it("does not touch this machine's state when a URL was given", async (test) => {
      const directory = temporaryDirectory(test);
      writeOffline(directory, { listUsers: pageOf().body });
      const { code, stderr } = await runSteward(`user list --url http://127.0.0.1:1 --state ${directory}`);
      assert.equal(code, 8);
      assert.match(stderr, /^steward: The agent at http:\/\/127\.0\.0\.1:1 cannot be reached/);
      assert.deepEqual(notedCalls(directory), []);
    });

    it("does not work offline when a running agent refuses", async (test) => {
      const directory = temporaryDirectory(test);
      writeOffline(directory, { listUsers: pageOf().body });
      const { code } = await runAgainst(test, `user list --state ${directory}`, {
        "GET /api/users": problem({ code: "shutting_down", status: 503 }),
      });
      assert.equal(code, 8);
      assert.deepEqual(notedCalls(directory), []);
    });

    it("ends `version` with 8, and says its own version", async (test) => {
      const { code, stdout, stderr } = await runSteward(
        `version --socket ${join(temporaryDirectory(test), "s")}`,
      );
      assert.deepEqual([code, stdout], [8, ""]);
      assert.match(stderr, /The agent is not running[\s\S]*This program is version 0\.1\.0\./);
    });
  });

  it("ends with 4 at a socket that this user may not open", { skip: noOtherUser() }, async (test) => {
    const { socketPath } = await startAgent(test, {});
    // The temporary directory is 0700 and root's, as the agent's run directory is closed to others.
    const { code, stderr } = await runStewardProcess(`user list --socket ${socketPath}`, { uid: 65534 });
    assert.equal(code, 4);
    assert.match(stderr, /as root or as the service's user/);
  });

  it("shows the agent's version", async (test) => {
    const body = { name: "steward", version: "1.2.3", api_version: "1" };
    const { socketPath } = await startAgent(test, { "GET /api/version": { body } });
    const people = await runSteward(`version --socket ${socketPath}`);
    assert.deepEqual(people, {
      code: 0,
      stdout: "name         steward\nversion      1.2.3\napi version  1\n",
      stderr: "",
    });
    const program = await runSteward(`version --socket ${socketPath} -o json`);
    assert.deepEqual(JSON.parse(program.stdout), body);
  });

  describe("the address of the agent", () => {
    const mistakes: [args: string[], message: RegExp][] = [
      [["--url", "device.example"], /--url expects an address/],
      [["--url", "ftp://device.example"], /neither https nor http/],
      [["--url", "https://anna:secret@device.example"], /takes no user name or password/],
      [["--cacert", "/ca.pem"], /--cacert is for --url/],
      [["--url", "http://192.0.2.1:8470", "--token-file", "/t"], /plain http.*--insecure-http/],
      [["--url", "http://device.example", "--token-file", "/t"], /everyone on the way could read a token/],
      [["--url", "http://127.0.0.1.example", "--token-file", "/t"], /plain http/],
    ];
    for (const [args, message] of mistakes) {
      it(`is refused as ${args.join(" ")}`, async () => {
        const { code, stderr } = await runSteward(["version", ...args]);
        assert.equal(code, 2);
        assert.match(stderr, message);
      });
    }
  });

  describe("a token over plain http", () => {
    const allowed: [args: string[], what: string][] = [
      [["--url", "http://127.0.0.1:1"], "to loopback"],
      [["--url", "http://[::1]:1"], "to loopback of IPv6"],
      [["--url", "http://localhost:1"], "to localhost"],
      [["--url", "http://192.0.2.1:1", "--insecure-http"], "when it is forced"],
      [["--url", "https://192.0.2.1:1"], "is no matter of https"],
    ];
    for (const [args, what] of allowed) {
      it(`goes ${what}`, async () => {
        // The file is read only when the address was found good.
        const { code, stderr } = await runSteward(["version", ...args, "--token-file", "/nonexistent/token"]);
        assert.equal(code, 3);
        assert.match(stderr, /\/nonexistent\/token does not exist/);
      });
    }

    it("is refused for a password too, before it is asked for", async () => {
      const args = ["user", "2fa", "setup", "anna", "--url", "http://192.0.2.1:1", "--password-stdin"];
      const { code, stderr } = await runSteward(args, { stdin: "secret\n" });
      assert.equal(code, 2);
      assert.match(stderr, /everyone on the way could read the password/);
    });
  });

  describe("when the reader of its output goes away", () => {
    it("ends quietly", async () => {
      const [program = "", ...words] = stewardCommand;
      const child = spawn(program, [...words, "completion", "bash"], { stdio: ["ignore", "pipe", "pipe"] });
      child.stdout.destroy();
      let stderr = "";
      child.stderr.on("data", (chunk) => {
        stderr += chunk;
      });
      const code = await new Promise((resolve) => child.on("close", resolve));
      assert.deepEqual([code, stderr], [0, ""]);
    });

    it("ends with 1 when the output is lost for another reason", async () => {
      const [program = "", ...words] = stewardCommand;
      const full = openSync("/dev/full", "w");
      const child = spawn(program, [...words, "--version"], { stdio: ["ignore", full, "pipe"] });
      let stderr = "";
      child.stderr?.on("data", (chunk) => {
        stderr += chunk;
      });
      const code = await new Promise((resolve) => child.on("close", resolve));
      assert.equal(code, 1);
      assert.match(stderr, /The output could not be written: .*ENOSPC/);
    });
  });
});
