import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chownSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { endedAlone, endsAlone, offline, runSteward, startAgent } from "../fixture.ts";

/** The run directory of an agent that answers, with what `make` puts there in the token's place. */
async function runDirectory(test: TestContext, make?: (path: string) => unknown, status = "ok") {
  const { socketPath } = await startAgent(test, {
    "GET /api/health": { body: { status } },
    "GET /api/status": { body: { needs: [] } },
  });
  const directory = dirname(socketPath);
  const path = join(directory, "setup-token");
  make?.(path);
  return { directory, path, words: ["setup-token", "--socket", socketPath] };
}

const written =
  (text: string, mode = 0o600) =>
  (path: string) =>
    writeFileSync(path, text, { mode });
const isRoot = process.getuid?.() === 0;

describe("steward setup-token", { concurrency: true }, () => {
  it("prints the content of the file beside the socket", async (test) => {
    const { words } = await runDirectory(test, written("the-token\n"));
    await endsAlone(words, { stdout: "the-token\n", stderr: "" });
  });

  for (const options of [[], ["--new"]]) {
    const also = options.length > 0 ? ", and makes none with --new" : "";

    it(`ends with 3 when there is none${also}`, async (test) => {
      const { directory, words } = await runDirectory(test);
      await endsAlone([...words, ...options], { code: 3, stdout: "", stderr: /setup is done/ });
      assert.deepEqual(readdirSync(directory), ["steward.sock"]);
    });

    it(`prints none that an agent has left behind${also} (exit 8)`, async (test) => {
      const { directory, places } = offline(test);
      const path = join(directory, "setup-token");
      written("dead\n")(path);
      const end = { code: 8, stdout: "", stderr: /The agent is not running/ };
      await endsAlone(["setup-token", ...options, ...places], end);
      assert.equal(readFileSync(path, "utf8"), "dead\n");
    });
  }

  it("replaces the token by 128 new bits that only the owner can read", async (test) => {
    const { directory, path, words } = await runDirectory(test, written("the-token\n", 0o644));
    // 16 bytes are 22 characters of base64url.
    const end = { stdout: /^[A-Za-z0-9_-]{22}\n$/ };
    const renew = () => endedAlone([...words, "--new"], end);
    const [one, two] = [await renew(), await renew()];
    assert.notEqual(one.stdout, two.stdout);
    assert.deepEqual([readFileSync(path, "utf8"), statSync(path).mode & 0o777], [two.stdout, 0o600]);
    assert.deepEqual(readdirSync(directory), ["setup-token", "steward.sock"]);
  });

  it("leaves the file to its owner", { skip: !isRoot && "needs root" }, async (test) => {
    const { path, words } = await runDirectory(test, written("the-token\n"));
    chownSync(path, 65534, 65533);
    await runSteward([...words, "--new"]);
    assert.deepEqual([statSync(path).uid, statSync(path).gid], [65534, 65533]);
  });

  const strange: Readonly<Record<string, (path: string) => unknown>> = {
    "64 MiB (memory)": (path) => {
      writeFileSync(path, "");
      truncateSync(path, 64 * 1024 * 1024);
    },
    "escape sequences": written("\u001b]0;owned\u0007"),
    "nothing, in a pipe that is never written to": (path) => execFileSync("mkfifo", [path]),
    "root's secret, behind a link": (path) => {
      writeFileSync(`${path}.secret`, "root's secret");
      symlinkSync(`${path}.secret`, path);
    },
  };
  for (const [what, make] of Object.entries(strange))
    it(`takes no file for a token that holds ${what}`, async (test) => {
      const { words } = await runDirectory(test, make);
      const stderr = /holds no setup token\. Make a new one: steward setup-token --new/;
      await endsAlone(words, { code: 1, stdout: "", stderr });
    });

  it("prints none while the agent is in rescue (exit 5)", async (test) => {
    const { words } = await runDirectory(test, written("dead\n"), "rescue");
    await endsAlone(words, { code: 5, stdout: "" });
  });
});
