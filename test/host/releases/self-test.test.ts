import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { testProgram } from "../../../lab/basics/test-program.ts";
import { until } from "../../../lab/basics/until.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import { createRunCommand } from "../../../src/host/linux/commands.ts";
import { createSelfTest } from "../../../src/host/linux/releases/self-test.ts";

const isRoot = process.getuid?.() === 0;

/** Says why a self-test cannot be set apart here; false: it can. */
const forbidden = ((): string | false => {
  if (!isRoot) return "becoming another user needs root";
  try {
    execFileSync("unshare", ["--net", "--pid", "--ipc", "--fork", "true"], { stdio: "pipe" });
    return false;
  } catch (error) {
    return `namespaces are not permitted here: ${String(error)}`;
  }
})();

const isApart = forbidden === false;

interface Trial {
  /** The release's directory: root's, for everybody to read. */
  readonly directory: string;
  /** Everybody may write there, and the program notes something there. */
  readonly notes: string;
  /** Runs `sh -c SCRIPT` with $1 = notes. */
  run(script: string, options?: { seconds?: number; isRoot?: boolean }): Promise<void>;
  /** The same, which must fail; its message. */
  fails(script: string, options?: { seconds?: number; isRoot?: boolean }): Promise<string>;
  note(name: string): string;
}

function makeTrial(test: TestContext): Trial {
  const [directory, notes] = ["release", "notes"].map((name) => {
    const made = mkdtempSync(join(tmpdir(), `steward-self-test-${name}-`));
    test.after(() => rmSync(made, { recursive: true, force: true }));
    return made;
  });
  if (directory === undefined || notes === undefined) throw new Error("no directories");
  chmodSync(directory, 0o755);
  chmodSync(notes, 0o777);
  writeFileSync(join(directory, "rules.json"), "{}");
  const run: Trial["run"] = (script, { seconds = 20, isRoot: asRoot = isApart } = {}) => {
    const selfTest = createSelfTest(createRunCommand(), asRoot, seconds);
    return selfTest(["sh", "-c", script, "sh", notes], { kind: "rules", version: "1.2.3", directory });
  };
  const fails: Trial["fails"] = async (script, options) => {
    const failure = await run(script, options).then(
      () => null,
      (error: unknown) => error,
    );
    assert.ok(failure instanceof StewardError, `it did not fail: ${String(failure)}`);
    assert.equal(failure.code, "update_self_test_failed");
    return failure.message;
  };
  return { directory, notes, run, fails, note: (name) => readFileSync(join(notes, name), "utf8").trim() };
}

describe("a self-test", { concurrency: 2 }, () => {
  it("passes when it ends with 0, is given the release, and sees nothing else of our environment", async (test) => {
    const { run, note, directory } = makeTrial(test);
    await run('env | sort > "$1/said"; pwd > "$1/where"');
    // Shells set these for themselves.
    const own = note("said")
      .split("\n")
      .filter((line) => !/^(PWD|OLDPWD|SHLVL|_)=/.test(line));
    const paths = ["HOME=/nonexistent", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"];
    const release = ["STEWARD_KIND=rules", `STEWARD_RELEASE=${directory}`, "STEWARD_VERSION=1.2.3"];
    assert.deepEqual([own, note("where")], [[...paths, ...release], directory]);
  });

  it("that ends with another status, or by a signal, fails with the last lines of what it said", async (test) => {
    const { fails } = makeTrial(test);
    const message = await fails("seq 1 100; echo 'rule 7 is broken' >&2; exit 3");
    assert.match(message, /it ended with 3\. It printed: .*99 \| 100 \| rule 7 is broken$/);
    assert.doesNotMatch(message, /\b50\b/);
    assert.match(await fails("kill -SEGV $$"), /it ended with 139|it was ended by SIGSEGV/);
  });

  it("cannot control the terminal that shows its output", async (test) => {
    const { fails } = makeTrial(test);
    const message = await fails(
      "printf '\\033[2J\\033]0;owned\\007red\\033[31m\\302\\205next\\342\\200\\256back\\n'; exit 1",
    );
    assert.doesNotMatch(message, /[\p{Cc}\p{Cf}]/u);
    assert.match(message, /red/);
  });

  it("that says megabytes is heard to the end, and its last lines are kept", async (test) => {
    const { fails } = makeTrial(test);
    const message = await fails("head -c 30000000 /dev/zero | tr '\\0' 'x'; echo; echo over; exit 1");
    assert.match(message, /over$/);
    assert.ok(message.length < 1_000, `${message.length} characters`);
  });

  it("that does not end in time is killed with all it started", async (test) => {
    const { fails, note } = makeTrial(test);
    const script = 'trap "" TERM INT HUP; echo "$$" > "$1/pid"; echo waiting; sleep 7234.5 & sleep 7234.5';
    assert.match(await fails(script, { seconds: 1 }), /it took longer than 1 s\. It printed: waiting$/);
    assert.notEqual(note("pid"), "");
    await until("nothing of it runs", () => !isRunning("sleep 7234.5"));
  });

  it("whose program is not there fails and says so", async (test) => {
    const { directory } = makeTrial(test);
    const selfTest = createSelfTest(createRunCommand(), isApart);
    await assert.rejects(selfTest(["/nonexistent/check"], { kind: "rules", version: "1.0.0", directory }), {
      code: "update_self_test_failed",
      message: /\/nonexistent\/check/,
    });
  });
});

describe("a self-test that root runs", { concurrency: 2, skip: forbidden }, () => {
  it("is an unused user, without groups or capabilities, and cannot become another", async (test) => {
    const { run, note } = makeTrial(test);
    await run('cat /proc/self/status > "$1/status"; id -u > "$1/id"');
    const status = note("status");
    const field = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, "m").exec(status)?.[1]?.trim();
    const id = Number(note("id"));
    assert.ok(id >= 61_184 && id <= 65_519, `user ${id}`);
    assert.equal(field("Uid"), `${id}\t${id}\t${id}\t${id}`);
    assert.equal(field("Gid"), `${id}\t${id}\t${id}\t${id}`);
    assert.match(status, /^Groups:\s*$/m);
    for (const set of ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"])
      assert.equal(field(set), "0000000000000000", set);
    assert.equal(field("NoNewPrivs"), "1");
    assert.doesNotMatch(readFileSync("/etc/passwd", "utf8"), new RegExp(`:${id}:`));
  });

  it("sees no network but a loopback that is down", async (test) => {
    const { run, note } = makeTrial(test);
    await run(
      'tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d " " > "$1/devices"; cat /proc/net/route > "$1/routes"',
    );
    assert.equal(note("devices"), "lo");
    assert.equal(note("routes").split("\n").length, 1, "no route but the head of the table");
    // Not even to a service of this very host.
    const connect = `import socket; socket.create_connection(("127.0.0.1", 1), 2)`;
    await assert.rejects(run(`python3 -c '${connect}'`), { message: /Network is unreachable/ });
  });

  it("cannot write into the release, take anything out of it, or signal a process of this host", async (test) => {
    const { fails, run, directory } = makeTrial(test);
    for (const script of ["echo more >> rules.json", "echo new > another", "rm -f rules.json"])
      assert.match(await fails(script), /Permission denied/);
    await run("cat rules.json");
    assert.deepEqual(readdirSync(directory), ["rules.json"]);
    assert.match(await fails(`kill -0 ${process.pid}`), /No such process/);
  });

  it("leaves no process behind in a session of its own, ended or killed", async (test) => {
    const { run, fails, notes } = makeTrial(test);
    await run('setsid sh -c \'sleep 1235.25; touch "$0/survived"\' "$1" > /dev/null 2>&1 & sleep 0.2');
    await fails("setsid sleep 1236.75 & setsid sleep 1236.75 & wait", { seconds: 1 });
    await until("nothing of it runs", () => !["1235.25", "1236.75"].some((one) => isRunning(`sleep ${one}`)));
    assert.equal(existsSync(join(notes, "survived")), false);
  });

  it("ends with the one who runs it, even if that one is killed", async (test) => {
    const { directory } = makeTrial(test);
    const program = testProgram(join(import.meta.dirname, "self-test-process.ts"));
    const words = [...program, directory, "sleep 1238.5"];
    const child = spawn(process.execPath, words, { stdio: "ignore" });
    test.after(() => child.kill("SIGKILL"));
    await until("it runs", () => isRunning("sleep 1238.5"));
    child.kill("SIGKILL");
    await until("nothing of it runs", () => !isRunning("sleep 1238.5"));
  });

  it("is not run at all where it cannot be set apart", (test) => {
    const { directory, notes } = makeTrial(test);
    const program = testProgram(join(import.meta.dirname, "self-test-process.ts"));
    const words = [process.execPath, ...program, directory, `touch ${notes}/ran`];
    const { status, stderr } = spawnSync("setpriv", ["--bounding-set=-sys_admin", ...words], {
      encoding: "utf8",
    });
    assert.notEqual(status, 0);
    assert.match(stderr, /failed its self-test: .*unshare failed: Operation not permitted/);
    assert.deepEqual(readdirSync(notes), []);
  });
});

describe("a self-test without root", () => {
  it("is run by the same user, and what it started in its group ends with it", async (test) => {
    const { run, note } = makeTrial(test);
    await run('id -u > "$1/id"; sleep 1237.5 & true', { isRoot: false });
    assert.equal(note("id"), String(process.getuid?.()));
    await until("nothing of it runs", () => !isRunning("sleep 1237.5"));
  });
});

/** A process with exactly these words. */
function isRunning(words: string): boolean {
  return readdirSync("/proc").some((name) => {
    if (!/^[0-9]+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").join(" ").trim() === words;
    } catch {
      return false;
    }
  });
}

describe("a self-test's command", () => {
  it("has the release's directory where it says {release}", async (test) => {
    const { directory } = makeTrial(test);
    const program = join(directory, "check");
    writeFileSync(program, '#!/bin/sh\n[ "$0" = "$1/check" ] && [ "$(pwd)" = "$1" ]\n');
    chmodSync(program, 0o755);
    const selfTest = createSelfTest(createRunCommand(), false);
    await selfTest(["{release}/check", "{release}"], { kind: "rules", version: "1.0.0", directory });
    await assert.rejects(
      async () => selfTest(["{release}/check", "elsewhere"], { kind: "rules", version: "1.0.0", directory }),
      /self-test/,
    );
  });
});
