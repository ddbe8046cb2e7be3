import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { beforeEach, describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { compareVersions } from "../../src/releases/semver.ts";

const source = readFileSync(join(import.meta.dirname, "../../systemd/steward.launcher"), "utf8");

let root = "";
beforeEach(() => {
  root = scratchDirectory();
  program("usr/lib/steward");
});

function put(path: string, content: string | Buffer, mode = 0o644): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
  chmodSync(join(root, path), mode);
}

/** A runtime that says its version, and else does what a script says. */
const answering = (script: string, version = "v20.19.0") =>
  `#!/bin/sh\n[ "$*" != --version ] || exec echo ${version}\n${script}\n`;

/** A runtime that says which one it is, and what it was to run. */
const runtime = (name: string, version?: string) => answering(`echo "${name}:" "$@"`, version);

/** The launcher with its places below this test's root, whose bin/ has the system's programs in front of this machine's. */
function below(text: string): string {
  return text
    .replace("packaged=/usr/", `packaged=${root}/usr/`)
    .replace("slot=/var/", `slot=${root}/var/`)
    .replace("PATH=/usr/sbin", `PATH=${root}/bin:/usr/sbin`)
    .replace("/usr/bin/node /usr/local/bin/node;", `${root}/bin/node ${root}/local/node;`)
    .replace("/etc/os-release ] || . /etc/os-release", `${root}/os-release ] || . ${root}/os-release`)
    .replace("/var/lib/dpkg/", `${root}/var/lib/dpkg/`);
}

/** The program in a directory, with the launcher as it would be installed below this test's root. */
function program(directory: string, version = "1.0.0"): void {
  put(`${directory}/version`, `${version}\n`);
  put(`${directory}/main.js`, "main");
  put(`${directory}/installer.js`, "installer");
  put(`${directory}/steward`, below(source), 0o755);
}

const slot = "var/lib/steward-releases/binary";

/** A release as `current` or `previous`. */
function release(link: "current" | "previous", version: string): void {
  program(`var/lib/steward-releases/releases/${link}-one/lib/steward`, version);
  mkdirSync(join(root, slot), { recursive: true });
  symlinkSync(`../releases/${link}-one`, join(root, slot, link));
}

/** The end of a call of a launcher, with the root's path left out. */
function called(path: string, args: readonly string[], { input = "", env = {} } = {}) {
  const ran = spawnSync(join(root, path), args, { encoding: "utf8", cwd: root, input, env });
  const [stdout, stderr] = [ran.stdout, ran.stderr].map((text) => text.replaceAll(root, ""));
  return { status: ran.status, stdout: stdout ?? "", stderr: stderr ?? "" };
}

/** The command line that the system's runtime, or a nearer one, gets. */
function start(path: string, ...args: readonly string[]): string {
  put("bin/node", runtime("system"), 0o755);
  const { stdout, stderr } = called(path, args);
  assert.equal(stderr, "");
  return stdout.trim();
}

const launcher = "usr/lib/steward/steward";
const places = {
  package: "/usr/lib/steward",
  current: `/${slot}/current/lib/steward`,
  previous: `/${slot}/previous/lib/steward`,
};

const inRoot: Readonly<Record<string, string>> = {
  package: "usr/lib/steward",
  current: "var/lib/steward-releases/releases/current-one/lib/steward",
  previous: "var/lib/steward-releases/releases/previous-one/lib/steward",
};

/** Brings one of these about: `current 1.1.0`, `no current/main.js`, `empty …`, `folder …`, `node current`, `closed …`. */
function arrange(verb: string, what: string): void {
  const [place = "", file] = what.split("/");
  const path = `${inRoot[place]}/${file ?? "bin/node"}`;
  if (verb === "package") put(`${inRoot.package}/version`, `${what}\n`);
  else if (verb === "current" || verb === "previous") release(verb, what);
  else if (verb === "node" || verb === "closed") put(path, runtime(place), verb === "node" ? 0o755 : 0o644);
  else if (verb === "empty") put(path, "");
  else rmSync(join(root, file === undefined ? (inRoot[place] ?? "") : path), { recursive: true });
  if (verb === "folder") mkdirSync(join(root, path));
}

/** Things besides the package of version 1.0.0 | the call | the place of the program that it starts. */
const calls = `
                                                 | version               | package/main.js version
                                                 |                       | package/main.js
                                                 | installer install id  | package/installer.js install id
                                                 | guard --boot          | package/installer.js guard --boot
current 1.1.0                                    | version               | current/main.js version
current 1.1.0                                    | installer install id  | current/installer.js install id
current 1.1.0                                    | guard                 | package/installer.js guard
current 1.1.0, previous 1.1.0                    | guard                 | previous/installer.js guard
current 1.1.0, previous 1.0.1, package 1.2.0     | version               | package/main.js version
current 1.1.0, previous 1.0.1, package 1.2.0     | installer guard       | package/installer.js guard
current 1.1.0, previous 1.0.1, package 1.2.0     | guard                 | package/installer.js guard
current 1.3.0, previous 1.1.0, package 1.2.0     | version               | current/main.js version
current 1.3.0, previous 1.1.0, package 1.2.0     | guard                 | package/installer.js guard
current 1.0.0                                    | version               | package/main.js version
current 1.1.0, no current/version                | version               | package/main.js version
current 1.1.0, no current/main.js                | version               | package/main.js version
current 1.1.0, empty current/main.js             | version               | package/main.js version
current 1.1.0, folder current/main.js            | version               | package/main.js version
current 1.1.0, no current                        | version               | package/main.js version
previous 1.1.0, no previous/installer.js         | guard                 | package/installer.js guard
node package                                     | version               | package: package/main.js version
current 1.1.0, node package                      | version               | package: current/main.js version
current 1.1.0, node package, node current        | version               | current: current/main.js version
current 1.1.0, node package, closed current      | version               | package: current/main.js version
`;

describe("the launcher", () => {
  for (const line of calls.split("\n").slice(1, -1)) {
    const [given = "", call = "", wanted = ""] = line.split("|").map((cell) => cell.trim());
    it(`with ${given || "the package alone"}, starts for "${call}" ${wanted}`, () => {
      for (const step of given.split(", ").filter((one) => one !== "")) {
        const [verb = "", what = ""] = step.split(" ");
        arrange(verb, what);
      }
      const [, by = "system", place = "", rest = ""] = /^(?:(\w+): )?(\w+)(\/.*)$/.exec(wanted) ?? [];
      const program = `${by}: ${places[place as keyof typeof places]}${rest}`;
      assert.equal(start(launcher, ...call.split(" ").filter((word) => word !== "")), program);
    });
  }

  it("passes every argument on as it was given, and can be reached by a link, also to a release", () => {
    assert.equal(start(launcher, "serve", "a b", "*"), `system: ${places.package}/main.js serve a b *`);
    mkdirSync(join(root, "usr/bin"));
    symlinkSync("../lib/steward/steward", join(root, "usr/bin/steward"));
    assert.equal(start("usr/bin/steward", "version"), `system: ${places.package}/main.js version`);
    release("current", "1.1.0");
    assert.equal(start("usr/bin/steward", "version"), `system: ${places.current}/main.js version`);
  });

  it("starts the release that it lies in, whatever is current: so a release is tried", () => {
    release("current", "1.1.0");
    const trial = "var/lib/steward-releases/releases/trial/lib/steward";
    program(trial);
    assert.equal(start(`${trial}/steward`, "version"), `system: /${trial}/main.js version`);
  });

  it("tells the program the version of the package, and believes nothing of its caller", () => {
    put("usr/lib/steward/bin/node", answering('echo "$STEWARD_PACKAGED"'), 0o755);
    release("current", "1.1.0");
    assert.equal(called(launcher, [], { env: { STEWARD_PACKAGED: "9.9.9" } }).stdout, "1.0.0\n");
  });
});

describe("the launcher's order of versions", () => {
  // Semantic Versioning 2.0.0, section 11, has all of these but the last ones.
  const versions =
    `1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.0.0+build.7
    1.0.1-0 1.0.9 1.0.10 1.1.0 2.0.0 2.0.0-x-y.z 10.0.0 2.0.0-1-2 2.0.0-12.x 999999999999999.0.0 0.0.0-source`.split(
      /\s+/,
    );
  it("is that of Semantic Versioning, as the installer has it", () => {
    release("current", "1.1.0");
    put("bin/node", answering('echo "$1"'), 0o755);
    const [here, there] = [join(root, "usr/lib/steward/version"), join(root, `${places.current}/version`)];
    // One shell for all pairs, which it reads one a line.
    const script = `while read -r one other; do
  echo "$one" >"${here}"; echo "$other" >"${there}"; "${join(root, launcher)}"
done`;
    const pairs = versions.flatMap((one) => versions.map((other) => [one, other] as const));
    const input = pairs.map((pair) => `${pair.join(" ")}\n`).join("");
    const { stdout } = spawnSync("/bin/sh", ["-c", script], { encoding: "utf8", input });
    const started = stdout.trim().split("\n");
    assert.equal(started.length, pairs.length);
    for (const [index, [one, other]] of pairs.entries()) {
      const isRelease = started[index] === `${root}${places.current}/main.js`;
      assert.equal(isRelease, compareVersions(other, one) > 0, `package ${one}, release ${other}`);
    }
  });
});

describe("the launcher, among runtimes of others", () => {
  const own = "usr/lib/steward/bin/node";
  const foreign = Buffer.from(readFileSync("/bin/true"));
  // Its ">" is what a shell would take it by.
  foreign.writeUInt16LE(0xff_3e, 18);
  const missing = "error while loading shared libraries: libatomic.so.1: cannot open shared object file";
  /** Files that are no runtime for Steward, each with the reason. */
  const unfit: Readonly<Record<string, readonly [text: string | Buffer, why: string, mode?: number]>> = {
    "is too old": [runtime("old", "v20.18.3"), "is version 20.18.3"],
    "is older by far": [runtime("old", "v16.20.2"), "is version 16.20.2"],
    "lacks a library": [`#!/bin/sh\necho "$0: ${missing}" >&2; exit 127\n`, `does not start (${missing})`],
    "is no Node.js": ["#!/bin/sh\necho Hello\n", "is no Node.js"],
    "is no program": ["", "is no Node.js"],
    "may not be executed": [runtime("closed"), "does not start (Permission denied)", 0o644],
    "is for another kind of machine": [foreign, "is for another kind of machine"],
    "says more than a line": [
      "#!/bin/sh\nprintf 'a\\033[2Jb\\nc\\n' >&2; exit 3\n",
      "does not start (a[2Jb)",
    ],
  };
  const refused = (...args: readonly string[]) => {
    const { status, stdout, stderr } = called(launcher, args);
    assert.deepEqual([status, stdout], [11, ""], stderr);
    return stderr;
  };

  for (const [what, [text, why, mode = 0o755]] of Object.entries(unfit)) {
    it(`passes one over that ${what}, and says so where there is no other`, () => {
      put(own, text, mode);
      const before = readdirSync(root).sort();
      const line = "make install PREFIX=/usr RUNTIME=$(command -v node)";
      const said = `Steward needs Node.js 20.19 or later: /${own} ${why}. As root: ${line}\n`;
      assert.equal(refused("version"), said);
      assert.deepEqual(readdirSync(root).sort(), before);
      assert.equal(start(launcher, "version"), `system: ${places.package}/main.js version`);
    });
  }

  it("takes Debian's before one in /usr/local, and that one where Debian's is too old", () => {
    put("local/node", runtime("local"), 0o755);
    assert.equal(start(launcher, "version"), `system: ${places.package}/main.js version`);
    put("bin/node", runtime("system", "v18.20.4"), 0o755);
    assert.equal(called(launcher, ["version"]).stdout, `local: ${places.package}/main.js version\n`);
  });

  it("names all of them, one that leads nowhere too, and the line for this system", () => {
    put("var/lib/dpkg/info/steward.list", "");
    put("bin/node", runtime("system", "v18.20.4"), 0o755);
    mkdirSync(join(root, "local"));
    symlinkSync("/nowhere/node", join(root, "local/node"));
    const both = "/bin/node is version 18.20.4, /local/node does not start (No such file or directory)";
    for (const [release, line] of [
      ["ID=debian\nVERSION_ID='12'\n", "apt install -f --reinstall ./steward-runtime_*.deb"],
      ["ID=debian\nVERSION_ID='13'\n", "apt install -f --reinstall nodejs"],
      ["ID=debian\n", "apt install -f --reinstall nodejs"],
      ["ID=ubuntu\nVERSION_ID='24.04'\n", "apt install -f --reinstall ./steward-runtime_*.deb"],
    ] as const) {
      put("os-release", release);
      assert.equal(refused("doctor"), `Steward needs Node.js 20.19 or later: ${both}. As root: ${line}\n`);
    }
    for (const path of ["local/node", "bin/node"]) rmSync(join(root, path));
    assert.match(refused("doctor"), /: there is none at \S+\/bin\/node, \S+ or \S+\. As root: apt /);
  });

  it("takes none from the caller's PATH, nor any other program, and gives the standard input to the program only", () => {
    for (const name of ["node", "timeout", "sed", "cmp", "sh", "sleep"])
      put(`callers/${name}`, `#!/bin/sh\ntouch ${root}/mark\n`, 0o755);
    put("bin/node", '#!/bin/sh\ncat\n[ "$*" != --version ] || exec echo v20.19.0\necho "$PATH"\n', 0o755);
    const given = { input: "a password\n", env: { PATH: join(root, "callers") } };
    assert.equal(called(launcher, ["x"], given).stdout, "a password\n/bin:/usr/sbin:/usr/bin:/sbin:/bin\n");
    assert.equal(existsSync(join(root, "mark")), false);
  });

  it("finds itself by a path from where the caller is", () => {
    put("bin/node", runtime("system"), 0o755);
    const cwd = join(root, "usr/lib/steward");
    const { stdout } = spawnSync("/bin/sh", ["steward", "x"], { encoding: "utf8", cwd });
    assert.equal(stdout.replaceAll(root, ""), `system: ${places.package}/main.js x\n`);
  });
});

describe("the launcher's pause before a start", () => {
  const count = () => join(root, "run/failed-starts");
  beforeEach(() => put("bin/node", runtime("system"), 0o755));
  const sleeping = (script: string) => put("bin/sleep", `#!/bin/sh\n${script}\n`, 0o755);
  // systemd names all that the unit has; the first one is the agent's own.
  const env = () => ({ RUNTIME_DIRECTORY: `${join(root, "run")}:${join(root, "run-product")}` });

  /** Starts so many `times` in a row, which fail, and returns the pause before each. */
  function pauses(times: number): (string | undefined)[] {
    sleeping('echo "slept $1"');
    mkdirSync(join(root, "run"), { recursive: true });
    return Array.from({ length: times }, () => {
      const { status, stdout } = called(launcher, ["pause"], { env: env() });
      assert.equal(status, 0);
      return /slept (\S+)/.exec(stdout)?.[1];
    });
  }

  it("is none after up to three failures in a row, then grows to a minute, and is none without a count", () => {
    const none = undefined;
    assert.deepEqual(pauses(10), [none, none, none, none, "5", "10", "20", "40", "60", "60"]);
    rmSync(count());
    assert.deepEqual(pauses(1), [none]);
    writeFileSync(count(), "$(reboot)\n");
    assert.deepEqual(pauses(1), [none]);
    assert.equal(readFileSync(count(), "utf8"), "1\n");
  });

  it("says of each wait that no runtime fits, which systemctl shows of the present start only", () => {
    put("bin/node", runtime("system", "v18.20.4"), 0o755);
    put("run/failed-starts", "4\n");
    sleeping("");
    assert.match(
      called(launcher, ["pause"], { env: env() }).stderr,
      /^Steward needs .*18\.20\.4\. As root: .+\n4 starts failed in a row: waiting 5 s/,
    );
  });

  it("is for units alone: typed by a person it goes to the program, which knows no such command", () => {
    assert.equal(start(launcher, "pause"), `system: ${places.package}/main.js pause`);
  });

  it("ends at once when it is stopped by hand, and the next start does not wait", async () => {
    put("run/failed-starts", "50\n");
    sleeping('echo "sleeps $1"\nexec /usr/bin/sleep "$1"');
    // As a group of its own, so that its sleep can be ended with it, as systemd does.
    const options = { stdio: ["ignore", "pipe", "pipe"] as ["ignore", "pipe", "pipe"], detached: true };
    const child = spawn("/bin/sh", [join(root, launcher), "pause"], { ...options, env: env() });
    const firstOf = (stream: Readable) =>
      new Promise((resolve) => stream.setEncoding("utf8").once("data", resolve));
    const [said, slept] = [firstOf(child.stderr), firstOf(child.stdout)];
    assert.equal(
      await said,
      "50 starts failed in a row: waiting 60 s; systemctl restart starts it at once\n",
    );
    // Stopped before, it has no sleep to end.
    assert.equal(await slept, "sleeps 60\n");
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    assert.equal(await ended, 0);
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    assert.equal(existsSync(count()), false);
  });
});
