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

function put(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
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

/** A release as `current` or `previous`, newer than the package unless its version says otherwise. */
function release(link: "current" | "previous", id: string, version = "1.1.0"): string {
  const place = `var/lib/steward-releases/releases/${id}/lib/steward`;
  program(place, version);
  const slot = join(root, "var/lib/steward-releases/binary");
  mkdirSync(slot, { recursive: true });
  symlinkSync(`../releases/${id}`, join(slot, link));
  return place;
}

/** Returns the command line that the system's runtime, or a nearer one, got; with the root's path left out. */
function start(path: string, ...args: readonly string[]): string {
  put("bin/node", runtime("system"), 0o755);
  const { stdout, stderr } = spawnSync(join(root, path), args, { encoding: "utf8", env: {} });
  assert.equal(stderr, "");
  return stdout.trim().replaceAll(root, "");
}

const launcher = "usr/lib/steward/steward";
const current = "/var/lib/steward-releases/binary/current/lib/steward";
const previous = "/var/lib/steward-releases/binary/previous/lib/steward";
const packaged = "/usr/lib/steward";

describe("the launcher, where no release was ever installed", () => {
  it("starts the package's program, with every argument as it was given", () => {
    assert.equal(start(launcher, "serve", "a b", "*"), `system: ${packaged}/main.js serve a b *`);
  });

  it("starts it without any", () => {
    assert.equal(start(launcher), `system: ${packaged}/main.js`);
  });

  it("starts the package's installer for both of root's calls", () => {
    assert.equal(
      start(launcher, "installer", "install", "id"),
      `system: ${packaged}/installer.js install id`,
    );
    assert.equal(start(launcher, "guard", "--boot"), `system: ${packaged}/installer.js guard --boot`);
  });

  it("can be reached by a link", () => {
    mkdirSync(join(root, "usr/bin"));
    symlinkSync("../lib/steward/steward", join(root, "usr/bin/steward"));
    assert.equal(start("usr/bin/steward", "version"), `system: ${packaged}/main.js version`);
  });
});

describe("the launcher, where Steward updates itself", () => {
  it("starts the current release, and its installer", () => {
    release("current", "new");
    assert.equal(start(launcher, "version"), `system: ${current}/main.js version`);
    assert.equal(start(launcher, "installer", "install", "id"), `system: ${current}/installer.js install id`);
  });

  it("starts it by the link too", () => {
    release("current", "new");
    mkdirSync(join(root, "usr/bin"));
    symlinkSync("../lib/steward/steward", join(root, "usr/bin/steward"));
    assert.equal(start("usr/bin/steward", "version"), `system: ${current}/main.js version`);
  });

  it("never guards with the current release", () => {
    release("current", "new");
    assert.equal(start(launcher, "guard"), `system: ${packaged}/installer.js guard`);
  });

  it("guards with the release before", () => {
    release("current", "new");
    release("previous", "old");
    assert.equal(start(launcher, "guard"), `system: ${previous}/installer.js guard`);
  });

  it("starts the release that it lies in, whatever is current: so a release is tried", () => {
    release("current", "new");
    const trial = "var/lib/steward-releases/releases/trial/lib/steward";
    program(trial);
    assert.equal(start(`${trial}/steward`, "version"), `system: /${trial}/main.js version`);
  });
});

describe("the launcher, where the package is as new as the release", () => {
  it("starts the package's program and installer, and guards with its own", () => {
    release("current", "new", "1.1.0");
    release("previous", "old", "1.0.1");
    put("usr/lib/steward/version", "1.2.0\n");
    assert.equal(start(launcher, "version"), `system: ${packaged}/main.js version`);
    assert.equal(start(launcher, "installer", "guard"), `system: ${packaged}/installer.js guard`);
    assert.equal(start(launcher, "guard"), `system: ${packaged}/installer.js guard`);
  });

  it("guards with the package's where that is newer than the release before", () => {
    release("current", "new", "1.3.0");
    release("previous", "old", "1.1.0");
    put("usr/lib/steward/version", "1.2.0\n");
    assert.equal(start(launcher, "version"), `system: ${current}/main.js version`);
    assert.equal(start(launcher, "guard"), `system: ${packaged}/installer.js guard`);
  });

  it("starts the package's for a release that does not say its version", () => {
    rmSync(join(root, release("current", "new"), "version"));
    assert.equal(start(launcher, "version"), `system: ${packaged}/main.js version`);
  });

  it("tells the program the version of the package, and believes nothing of its caller", () => {
    put("usr/lib/steward/bin/node", answering('echo "$STEWARD_PACKAGED"'), 0o755);
    release("current", "new");
    const environment = { STEWARD_PACKAGED: "9.9.9" };
    const { stdout } = spawnSync(join(root, launcher), [], { encoding: "utf8", env: environment });
    assert.equal(stdout, "1.0.0\n");
  });
});

describe("the launcher's order of versions", () => {
  // Semantic Versioning 2.0.0, section 11, has all of these but the last ones.
  const versions = [
    ...["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11"],
    ...[
      "1.0.0-rc.1",
      "1.0.0",
      "1.0.0+build.7",
      "1.0.1-0",
      "1.0.9",
      "1.0.10",
      "1.1.0",
      "2.0.0",
      "2.0.0-x-y.z",
    ],
    ...["10.0.0", "2.0.0-1-2", "2.0.0-12.x", "999999999999999.0.0", "0.0.0-source"],
  ];
  it("is that of Semantic Versioning, as the installer has it", () => {
    release("current", "new");
    put("bin/node", answering('echo "$1"'), 0o755);
    const [here, there] = [join(root, "usr/lib/steward/version"), join(root, `${current}/version`)];
    // One shell for all pairs, which it reads one a line.
    const script = `while read -r one other; do
  echo "$one" >"${here}"; echo "$other" >"${there}"; "${join(root, launcher)}"
done`;
    const pairs = versions.flatMap((one) => versions.map((other) => [one, other] as const));
    const { stdout } = spawnSync("/bin/sh", ["-c", script], {
      encoding: "utf8",
      input: pairs.map((pair) => `${pair.join(" ")}\n`).join(""),
    });
    const started = stdout.trim().split("\n");
    assert.equal(started.length, pairs.length);
    for (const [index, [one, other]] of pairs.entries()) {
      const isRelease = started[index] === `${root}${current}/main.js`;
      assert.equal(isRelease, compareVersions(other, one) > 0, `package ${one}, release ${other}`);
    }
  });
});

describe("the launcher, with a release that is not whole", () => {
  const breakages: Readonly<Record<string, (place: string) => void>> = {
    "has lost its program": (place) => rmSync(join(root, place, "main.js")),
    "has an empty program": (place) => put(`${place}/main.js`, ""),
    "has a directory for a program": (place) => {
      rmSync(join(root, place, "main.js"));
      mkdirSync(join(root, place, "main.js"));
    },
    "is gone": (place) => rmSync(join(root, place), { recursive: true }),
  };
  for (const [what, breakIt] of Object.entries(breakages)) {
    it(`starts the package's program when the current release ${what}`, () => {
      breakIt(release("current", "new"));
      assert.equal(start(launcher, "version"), `system: ${packaged}/main.js version`);
    });
  }

  it("guards with the package's when the release before has lost its installer", () => {
    rmSync(join(root, release("previous", "old"), "installer.js"));
    assert.equal(start(launcher, "guard"), `system: ${packaged}/installer.js guard`);
  });
});

describe("the launcher's runtime", () => {
  it("is the one that the package brings, before the system's", () => {
    put("usr/lib/steward/bin/node", runtime("package"), 0o755);
    assert.equal(start(launcher, "version"), `package: ${packaged}/main.js version`);
  });

  it("is the package's for a release that brings none", () => {
    put("usr/lib/steward/bin/node", runtime("package"), 0o755);
    release("current", "new");
    assert.equal(start(launcher, "version"), `package: ${current}/main.js version`);
  });

  it("is a release's own, where it brings one", () => {
    put("usr/lib/steward/bin/node", runtime("package"), 0o755);
    put(`${release("current", "new")}/bin/node`, runtime("release"), 0o755);
    assert.equal(start(launcher, "version"), `release: ${current}/main.js version`);
  });

  it("is not one that cannot be executed", () => {
    put("usr/lib/steward/bin/node", runtime("package"), 0o755);
    put(`${release("current", "new")}/bin/node`, runtime("release"), 0o644);
    assert.equal(start(launcher, "version"), `package: ${current}/main.js version`);
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
  const putAs = (path: string, [text, , mode = 0o755]: (typeof unfit)[string]) => {
    put(path, "");
    writeFileSync(join(root, path), text);
    chmodSync(join(root, path), mode);
  };
  const refused = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(join(root, launcher), args, { encoding: "utf8", cwd: root });
    assert.deepEqual([status, stdout], [11, ""], stderr);
    return stderr.replaceAll(root, "");
  };

  for (const [what, one] of Object.entries(unfit)) {
    it(`passes one over that ${what}, and says so where there is no other`, () => {
      putAs(own, one);
      const before = readdirSync(root).sort();
      const said = refused("version");
      assert.equal(
        said,
        `Steward needs Node.js 20.19 or later: /${own} ${one[1]}. As root: make install PREFIX=/usr RUNTIME=$(command -v node)\n`,
      );
      assert.deepEqual(readdirSync(root).sort(), before);
      assert.equal(start(launcher, "version"), `system: ${packaged}/main.js version`);
    });
  }

  it("takes Debian's before one in /usr/local, and that one where Debian's is too old", () => {
    put("local/node", runtime("local"), 0o755);
    assert.equal(start(launcher, "version"), `system: ${packaged}/main.js version`);
    put("bin/node", runtime("system", "v18.20.4"), 0o755);
    const { stdout } = spawnSync(join(root, launcher), ["version"], { encoding: "utf8" });
    assert.equal(stdout.replaceAll(root, ""), `local: ${packaged}/main.js version\n`);
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
    rmSync(join(root, "local/node"));
    rmSync(join(root, "bin/node"));
    assert.match(refused("doctor"), /: there is none at \S+\/bin\/node, \S+ or \S+\. As root: apt /);
  });

  it("takes none from the caller's PATH, nor any other program, and gives the standard input to the program only", () => {
    for (const name of ["node", "timeout", "sed", "cmp", "sh", "sleep"])
      put(`callers/${name}`, `#!/bin/sh\ntouch ${root}/mark\n`, 0o755);
    const reading = '#!/bin/sh\ncat\n[ "$*" != --version ] || exec echo v20.19.0\necho "$PATH"\n';
    put("bin/node", reading, 0o755);
    const { stdout } = spawnSync(join(root, launcher), ["x"], {
      ...{ encoding: "utf8", input: "a password\n" },
      env: { PATH: join(root, "callers") },
    });
    assert.equal(stdout, `a password\n${root}/bin:/usr/sbin:/usr/bin:/sbin:/bin\n`);
    assert.equal(existsSync(join(root, "mark")), false);
  });

  it("finds itself by a path from where the caller is", () => {
    put("bin/node", runtime("system"), 0o755);
    const cwd = join(root, "usr/lib/steward");
    const { stdout } = spawnSync("/bin/sh", ["steward", "x"], { encoding: "utf8", cwd });
    assert.equal(stdout.replaceAll(root, ""), `system: ${packaged}/main.js x\n`);
  });
});

describe("the launcher's pause before a start", () => {
  const count = () => join(root, "run/failed-starts");
  beforeEach(() => put("bin/node", runtime("system"), 0o755));

  /** Starts so many `times` in a row, which fail, and returns the pause before each. */
  function pauses(times: number): (string | undefined)[] {
    put("bin/sleep", '#!/bin/sh\necho "slept $1"\n', 0o755);
    mkdirSync(join(root, "run"), { recursive: true });
    return Array.from({ length: times }, () => {
      const { status, stdout } = spawnSync("/bin/sh", [join(root, launcher), "pause"], {
        encoding: "utf8",
        env: { RUNTIME_DIRECTORY: join(root, "run") },
      });
      assert.equal(status, 0);
      return /slept (\d+)/.exec(stdout)?.[1];
    });
  }

  it("is none after up to three failures in a row, and then grows to a minute", () => {
    const none = undefined;
    assert.deepEqual(pauses(10), [none, none, none, none, "5", "10", "20", "40", "60", "60"]);
  });

  it("says of each wait that no runtime fits, which systemctl shows of the present start only", () => {
    put("bin/node", runtime("system", "v18.20.4"), 0o755);
    put("run/failed-starts", "4\n");
    put("bin/sleep", "#!/bin/sh\n", 0o755);
    const said = spawnSync("/bin/sh", [join(root, launcher), "pause"], {
      encoding: "utf8",
      env: { RUNTIME_DIRECTORY: join(root, "run") },
    });
    assert.match(
      said.stderr,
      /^Steward needs .*18\.20\.4\. As root: .+\n4 starts failed in a row: waiting 5 s/,
    );
  });

  it("is none again when the count is gone, and when it is no number", () => {
    assert.equal(pauses(5).at(-1), "5");
    rmSync(count());
    assert.deepEqual(pauses(1), [undefined]);
    writeFileSync(count(), "$(reboot)\n");
    assert.deepEqual(pauses(1), [undefined]);
    assert.equal(readFileSync(count(), "utf8"), "1\n");
  });

  it("is for units alone: typed by a person it goes to the program, which knows no such command", () => {
    assert.equal(start(launcher, "pause"), `system: ${packaged}/main.js pause`);
  });

  it("ends at once when it is stopped by hand, and the next start does not wait", async () => {
    mkdirSync(join(root, "run"));
    writeFileSync(count(), "50\n");
    put("bin/sleep", '#!/bin/sh\necho "sleeps $1"\nexec /usr/bin/sleep "$1"\n', 0o755);
    const child = spawn("/bin/sh", [join(root, launcher), "pause"], {
      stdio: ["ignore", "pipe", "pipe"],
      // As a group of its own, so that its sleep can be ended with it, as systemd does.
      detached: true,
      env: { RUNTIME_DIRECTORY: join(root, "run") },
    });
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
