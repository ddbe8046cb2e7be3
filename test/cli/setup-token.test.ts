import assert from "node:assert/strict";
import { chownSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { runSteward, temporaryDirectory } from "./run-steward.ts";

describe("steward setup-token", { concurrency: true }, () => {
  it("prints the content of the file beside the socket", async (test) => {
    const directory = temporaryDirectory(test);
    writeFileSync(join(directory, "setup-token"), "the-token\n", { mode: 0o600 });
    const args = ["setup-token", "--socket", join(directory, "steward.sock")];
    assert.deepEqual(await runSteward(args), { code: 0, stdout: "the-token\n", stderr: "" });
  });

  for (const options of [[], ["--new"]]) {
    it(`ends with 3 when there is none${options.length > 0 ? ", and makes none with --new" : ""}`, async (test) => {
      const directory = temporaryDirectory(test);
      const { code, stdout, stderr } = await runSteward(["setup-token", ...options], {
        environment: { STEWARD_SOCKET: join(directory, "steward.sock") },
      });
      assert.deepEqual([code, stdout], [3, ""]);
      assert.match(stderr, /either setup is done, or the agent is not running/);
      assert.deepEqual(readdirSync(directory), []);
    });
  }

  it("replaces the token by 128 new bits that only the owner can read", async (test) => {
    const directory = temporaryDirectory(test);
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
    assert.deepEqual(readdirSync(directory), ["setup-token"]);
  });

  it("leaves the file to its owner when root replaces it", {
    skip: process.getuid?.() !== 0,
  }, async (test) => {
    const directory = temporaryDirectory(test);
    const path = join(directory, "setup-token");
    writeFileSync(path, "the-token\n");
    chownSync(path, 65534, 65533);
    await runSteward(["setup-token", "--new", "--socket", join(directory, "steward.sock")]);
    assert.deepEqual([statSync(path).uid, statSync(path).gid], [65534, 65533]);
  });

  it("does not follow a link that leads root to another file", async (test) => {
    const directory = temporaryDirectory(test);
    writeFileSync(join(directory, "secret"), "root's secret");
    symlinkSync(join(directory, "secret"), join(directory, "setup-token"));
    const { code, stdout } = await runSteward(["setup-token", "--socket", join(directory, "steward.sock")]);
    assert.deepEqual([code, stdout], [1, ""]);
  });
});
