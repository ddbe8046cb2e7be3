import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { openSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { noOtherUser } from "../../lab/basics/other-user.ts";
import {
  ended,
  ends,
  endsAlone,
  exampleUser,
  notedCalls,
  offline,
  pageOf,
  problem,
  runStewardProcess,
  startAgent,
  stewardCommand,
  temporaryDirectory,
} from "./fixture.ts";

const usage = /^steward: There is no command "usr"; did you mean "user"\?\nUsage: /;
const refusing = {
  "GET /api/users": problem({ code: "forbidden", status: 403, detail: "For \u001b[1mme." }),
};

describe("steward", { concurrency: true }, () => {
  for (const [what, line, end] of [
    ["help on standard output", "--help", { stdout: /^Usage: steward COMMAND/, stderr: "" }],
    ["a usage error on standard error", "usr", { code: 2, stdout: "", stderr: usage }],
    ["one as JSON", "usr -o json", { code: 2, stdout: "", stderr: /^{\s*"[\s\S]*"exit_code": ?2/ }],
    ["its own version without an agent", "--version", { stdout: "steward 0.1.0\n", stderr: "" }],
  ] as const)
    it(`prints ${what}`, () => endsAlone(line, end));

  it("ends with the code's exit when the agent refuses, and says why on standard error", (test) =>
    ends(test, "user list", refusing, { code: 4, stdout: "", stderr: "steward: For \\x1b[1mme.\n" }));

  it("prints the problem document on standard error in json mode", async (test) => {
    const { stderr } = await ended(test, "-o json user list", refusing, { code: 4, stdout: "" });
    assert.deepEqual(JSON.parse(stderr), refusing["GET /api/users"].body);
  });

  describe("when the agent is not running", () => {
    it("does the operation in process, says so, and closes", async (test) => {
      const { directory, socket } = offline(test, { listUsers: pageOf(exampleUser()).body });
      await endsAlone(`user list --state ${directory}`, {
        environment: { STEWARD_SOCKET: socket },
        stdout: /^anna /m,
        stderr: `The agent is not running; reading its state in ${directory} directly.\n`,
      });
      const listed = { id: "listUsers", query: { sort: "username", limit: 200 } };
      assert.deepEqual(notedCalls(directory), [listed, { id: "close" }]);
    });

    it("says nothing of it with --quiet, and takes the directory from STEWARD_STATE", (test) => {
      const { directory, socket } = offline(test, { listUsers: pageOf().body });
      const environment = { STEWARD_SOCKET: socket, STEWARD_STATE: directory };
      return endsAlone("user list --quiet", { environment, stderr: "" });
    });

    it("does not touch this machine's state when a URL was given", async (test) => {
      const { directory } = offline(test, { listUsers: pageOf().body });
      const stderr = /^steward: The agent at http:\/\/127\.0\.0\.1:1 cannot be reached/;
      await endsAlone(`user list --url http://127.0.0.1:1 --state ${directory}`, { code: 8, stderr });
      assert.deepEqual(notedCalls(directory), []);
    });

    it("does not work offline when a running agent refuses", async (test) => {
      const { directory } = offline(test, { listUsers: pageOf().body });
      const stopping = { "GET /api/users": problem({ code: "shutting_down", status: 503 }) };
      await ends(test, `user list --state ${directory}`, stopping, { code: 8 });
      assert.deepEqual(notedCalls(directory), []);
    });

    it("ends `version` with 8, and says its own version", (test) =>
      endsAlone(`version --socket ${join(temporaryDirectory(test), "s")}`, {
        code: 8,
        stdout: "",
        stderr: /The agent is not running[\s\S]*This program is version 0\.1\.0\./,
      }));
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
    const answers = { "GET /api/version": { body } };
    const stdout = "name         steward\nversion      1.2.3\napi version  1\n";
    await ends(test, "version", answers, { stdout, stderr: "" });
    const program = await ended(test, "version -o json", answers);
    assert.deepEqual(JSON.parse(program.stdout), body);
  });
});

describe("the address of the agent", { concurrency: true }, () => {
  for (const [options, stderr] of [
    ["--url device.example", /--url expects an address/],
    ["--url ftp://device.example", /neither https nor http/],
    ["--url https://anna:secret@device.example", /takes no user name or password/],
    ["--cacert /ca.pem", /--cacert is for --url/],
    ["--url http://192.0.2.1:8470 --token-file /t", /plain http.*--insecure-http/],
    ["--url http://device.example --token-file /t", /anyone on the way could read a token/],
    ["--url http://127.0.0.1.example --token-file /t", /plain http/],
  ] as const)
    it(`is refused as ${options}`, () => endsAlone(`version ${options}`, { code: 2, stderr }));

  // The file is read only when the address was found good.
  for (const options of [
    ...["--url http://127.0.0.1:1", "--url http://[::1]:1", "--url http://localhost:1"],
    ...["--url http://192.0.2.1:1 --insecure-http", "--url https://192.0.2.1:1"],
  ])
    it(`takes a token as ${options}`, () =>
      endsAlone(`version ${options} --token-file /nonexistent/token`, {
        code: 3,
        stderr: /\/nonexistent\/token does not exist/,
      }));

  it("is refused for a password too, before it is asked for", () =>
    endsAlone("user 2fa setup anna --url http://192.0.2.1:1 --password-stdin", {
      stdin: "secret\n",
      code: 2,
      stderr: /anyone on the way could read the password/,
    }));
});

describe("the output of steward", () => {
  const [program = "", ...words] = stewardCommand;
  for (const [what, line, out, code, stderr] of [
    ["ends quietly when its reader goes away", "completion bash", "pipe", 0, /^$/],
    ["ends with 1 when it is lost", "--version", "/dev/full", 1, /The output could not be written: .*ENOSPC/],
  ] as const)
    it(what, async () => {
      const stdout = out === "pipe" ? out : openSync(out, "w");
      const child = spawn(program, [...words, ...line.split(" ")], { stdio: ["ignore", stdout, "pipe"] });
      child.stdout?.destroy();
      let text = "";
      child.stderr?.on("data", (chunk) => {
        text += chunk;
      });
      assert.equal(await new Promise((resolve) => child.on("close", resolve)), code);
      assert.match(text, stderr);
    });
});
