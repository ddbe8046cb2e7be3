import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";

const systemd = join(import.meta.dirname, "../../systemd");
const units = readdirSync(systemd).filter((name) => /\.(service|socket|timer)$/.test(name));
const unit = join(systemd, "steward.service");
const directory = scratchDirectory();

function run(command: string, ...args: readonly string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  return { status, output: stdout + stderr };
}

/** Its manual pages are not installed here. */
const verify = (path: string) => run("systemd-analyze", "verify", "--man=no", "--recursive-errors=no", path);

function exposure(path: string): number {
  const { output } = run("systemd-analyze", "security", "--offline=true", "--no-pager", path);
  return Number(/Overall exposure level for \S+: ([\d.]+)/.exec(output)?.[1]);
}

/** The values of a setting in the order of the file. */
function settings(name: string, of = "steward.service"): string[] {
  return [...readFileSync(join(systemd, of), "utf8").matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(
    ([, value = ""]) => value,
  );
}

const timekeeper = "steward-timekeeper.conf";

/** The unit as it is with the drop-in: systemd-analyze looks at one file. */
function withTimekeeper(): string {
  const path = join(mkdtempSync(join(directory, "timekeeper-")), "steward.service");
  const dropIn = readFileSync(join(systemd, timekeeper), "utf8");
  writeFileSync(path, `${readFileSync(unit, "utf8")}\n${dropIn}`);
  return path;
}

/** The units, with their programs where these are built: systemd-analyze looks whether they are there. */
function withBuiltPrograms(): string {
  const copies = mkdtempSync(join(directory, "units-"));
  const dist = join(systemd, "../dist");
  for (const name of units) {
    const text = readFileSync(join(systemd, name), "utf8");
    const built = text.replaceAll(/\/usr\/lib\/steward\/(steward-(?:helper|logs))/g, `${dist}/$1`);
    writeFileSync(join(copies, name), built);
  }
  return copies;
}

describe("systemd/", () => {
  for (const name of units) {
    it(`has a ${name} that systemd-analyze verify accepts without a word`, () => {
      assert.deepEqual(verify(join(withBuiltPrograms(), name)), { status: 0, output: "" });
    });
  }

  it("has a drop-in that systemd-analyze verify accepts without a word", () => {
    assert.deepEqual(verify(withTimekeeper()), { status: 0, output: "" });
  });

  it("names manual pages in each unit, and only those that the build makes", () => {
    const pages = readdirSync(join(systemd, "../dist/man")).map((name) =>
      name.replace(/^(.*)\.(\d)$/, "man:$1($2)"),
    );
    for (const name of units) {
      const named = settings("Documentation", name).join(" ").split(" ");
      assert.ok(
        named.every((one) => pages.includes(one)),
        `${name} names ${named.join(" ")}; the build makes ${pages.join(" ")}`,
      );
    }
  });

  it("lets no variable of the manager's environment say what code the program loads, in any of its units", () => {
    const ofAgent = settings("UnsetEnvironment").join(" ").split(" ");
    const worst = ["NODE_OPTIONS", "NODE_EXTRA_CA_CERTS", "NODE_PATH", "NODE_V8_COVERAGE", "LD_PRELOAD"];
    assert.deepEqual(
      worst.filter((name) => !ofAgent.includes(name)),
      [],
    );
    const ofProgram = units.filter((name) =>
      /\/steward\/steward /.test(settings("ExecStart", name)[0] ?? ""),
    );
    assert.ok(ofProgram.length >= 4, ofProgram.join(" "));
    for (const name of ofProgram) {
      assert.deepEqual(settings("UnsetEnvironment", name).join(" ").split(" "), ofAgent, name);
      assert.deepEqual(settings("LimitCORE", name), ["0"], name);
    }
  });

  it("would have a misspelled directive pointed out", () => {
    const broken = join(directory, "steward.service");
    writeFileSync(broken, readFileSync(unit, "utf8").replace("StateDirectoryMode=", "StateDirectoriesMode="));
    assert.match(verify(broken).output, /StateDirectoriesMode/);
  });
});

const agent = "steward.service";
const guard = "steward-guard.service";
const reader = "steward-logs.service";
const backup = "steward-backup.service";
const installer = "steward-install@.service";
const slice = "system-steward.slice";
const steward = "/bin/sh /usr/lib/steward/steward";

/** The lines of the units, each with its reason: the values of a setting, one a line; none: there is no such line. */
const has: readonly (readonly [why: string, unit: string, setting: string, ...values: string[]])[] = [
  ["has started when the agent says so", agent, "Type", "notify"],
  ["hears the agent alone, not its children", agent, "NotifyAccess", "main"],
  ["is never given up", agent, "StartLimitIntervalSec", "0"],
  ["is never given up", guard, "StartLimitIntervalSec", "0"],
  [
    "waits after failed starts; keeps the accepted host file as root",
    agent,
    "ExecStartPre",
    `-${steward} pause`,
    `+-${steward} keep-host-file`,
  ],
  ["waits after failed starts", guard, "ExecStartPre", `-${steward} pause`],
  // The count of failed starts is there: it must outlive them.
  ["keeps the count of failed starts", agent, "RuntimeDirectoryPreserve", "restart"],
  ["keeps the count of failed starts", guard, "RuntimeDirectoryPreserve", "restart"],
  ["ends a reload with an error where the agent refuses", agent, "ExecReload", `+${steward} tls reload`],
  ["gives the agent no capability", agent, "CapabilityBoundingSet", ""],
  ["gives the agent no capability", agent, "AmbientCapabilities"],
  ["gives it that for the clock, and no other", timekeeper, "CapabilityBoundingSet", "CAP_SYS_TIME"],
  ["gives it that for the clock, and no other", timekeeper, "AmbientCapabilities", "CAP_SYS_TIME"],
  ["has the agent set the clock", timekeeper, "ExecStart", "", `${settings("ExecStart")[0]} --steer-clock`],
  ["leaves nothing to write to but the state", agent, "ProtectSystem", "strict"],
  ["leaves nothing to write to but the state", agent, "ReadWritePaths"],
  ["leaves nothing to write to but the state", agent, "StateDirectory", "steward"],
  ["leaves the kernel's clock readable, which yes would not", agent, "ProtectClock", "no"],
  ["reads the journal", reader, "SupplementaryGroups", "systemd-journal steward"],
  ["reads the journal", "steward-upload.service", "SupplementaryGroups", "systemd-journal"],
  ["has no network where a release is installed", installer, "PrivateNetwork", "yes"],
  ["has no network where a release is installed", installer, "RestrictAddressFamilies", "AF_UNIX"],
  ["has no network", backup, "PrivateNetwork", "yes"],
  ["has no sight of the state", backup, "InaccessiblePaths", "-/var/lib/steward -/var/lib/steward-trust"],
  ["makes up for a night without power", "steward-backup.timer", "Persistent", "yes"],
  ["shares a bound, however often the agent asks", installer, "Slice", slice],
  ["shares a bound, however often the agent asks", "steward-chrony@.service", "Slice", slice],
  ["is a bound of the processor", slice, "CPUQuota", "100%"],
  ...["PartOf", "BindsTo", "Requires", "Requisite", "PropagatesStopTo", "StopPropagatedFrom"].map(
    (tie) => ["lives on when the agent or a product is restarted", guard, tie] as const,
  ),
];

describe("a unit", () => {
  for (const [why, of, setting, ...values] of has)
    it(`${of} ${why}: ${setting}=${values}`, () => assert.deepEqual(settings(setting, of), values));
});

/** Checks the rows of these settings. */
const holds = (...names: readonly string[]) => {
  const rows = has.filter(([, , setting]) => names.includes(setting));
  assert.ok(rows.length > names.length);
  for (const [, of, setting, ...values] of rows) assert.deepEqual(settings(setting, of), values, of);
};

describe("systemd/steward.service", () => {
  it("is never given up, and waits longer after each failed start, as the guard does", () => {
    holds("StartLimitIntervalSec", "ExecStartPre", "RuntimeDirectoryPreserve");
  });

  it("gives the agent no capability, and that for the clock with the drop-in of steward-timekeeper alone", () => {
    holds("CapabilityBoundingSet", "AmbientCapabilities");
  });

  it("gives the agent more time to stop than it takes, and half a minute before it counts as stuck", () => {
    assert.ok(Number(settings("TimeoutStopSec")[0]) > 5);
    assert.ok(Number(settings("WatchdogSec")[0]) >= 30);
  });

  it("lets the agent execute nothing of what it can write", () => {
    const forbidden = settings("NoExecPaths").join(" ").split(" ");
    for (const path of ["/", "/tmp", "/var/tmp", "/dev/shm", "/var/lib/steward", "/run/steward"])
      assert.ok(forbidden.includes(path), path);
  });

  it("keeps the module that hashes passwords from huge pages, of which it would hold one", () => {
    const script = `require("@node-rs/argon2").hashSync("x");
      console.log(/^THP_enabled:\\s+(\\d)$/m.exec(fs.readFileSync("/proc/self/status", "utf8"))[1]);`;
    const hugePages = (env: Record<string, string>) =>
      spawnSync(process.execPath, ["--eval", script], { encoding: "utf8", cwd: systemd, env }).stdout.trim();
    const words = settings("Environment").flatMap((line) => line.split(" "));
    const ofUnit = Object.fromEntries(words.map((word) => word.split("=")));
    assert.deepEqual([hugePages({}), hugePages(ofUnit)], ["1", "0"]);
  });

  it("is exposed by at most 1.8 in systemd-analyze security, and by 2.0 where it sets the clock", () => {
    const found = exposure(unit);
    assert.ok(found <= 1.8, `an exposure of at most 1.8, found ${found}`);
    const steering = exposure(withTimekeeper());
    assert.ok(steering > found && steering <= 2, `an exposure of at most 2.0, found ${steering}`);
  });

  it("would be more exposed without what confines it", () => {
    const open = join(directory, "open.service");
    writeFileSync(open, readFileSync(unit, "utf8").replace(/^SystemCallFilter=.*\n/gm, ""));
    assert.ok(exposure(open) > 1.8, "an exposure of more than 1.8 without the system call filter");
  });
});

describe("the units that the agent's own asks for", () => {
  // Each needs more or less for its task: a chronyc, a boot's count, a release as nobody, a product's programs.
  const bounds = {
    "steward-backup.service": 0.7,
    "steward-chrony@.service": 0.5,
    "steward-guard-boot.service": 1.4,
    "steward-install@.service": 2.4,
    "steward-logs.service": 0.3,
    "steward-upload.service": 1.1,
    "steward-guard.service": 2.1,
    "steward-helper.service": 1,
    "steward-rescue.service": 1.8,
    "steward-product@.service": 2.7,
  };
  for (const [name, bound] of Object.entries(bounds)) {
    it(`expose ${name} by at most ${bound}`, () => {
      const found = exposure(join(systemd, name));
      assert.ok(found <= bound, `an exposure of at most ${bound}, found ${found}`);
    });
  }

  it("let steward-logs and steward-upload alone read the journal, and the reader no key", () => {
    for (const name of units)
      if (![reader, "steward-upload.service"].includes(name))
        assert.deepEqual(settings("SupplementaryGroups", name), [], name);
    // The agent's group, for the host file, may read these too.
    const closed = settings("InaccessiblePaths", reader).join(" ").split(" ");
    for (const path of ["-/etc/steward/seal.key", "-/etc/steward/tls"])
      assert.ok(closed.includes(path), path);
  });

  it("leave backups to whoever enables them", () => {
    assert.doesNotMatch(readFileSync(join(systemd, "steward.preset"), "utf8"), /steward-backup/);
  });

  it("keep the rights of the guard from the product's programs, and the other way round", () => {
    const [ofProduct = "", ofGuard = ""] = ["steward-product@.service", guard].map((name) =>
      settings("CapabilityBoundingSet", name).join(" "),
    );
    assert.doesNotMatch(ofProduct, /CAP_DAC_OVERRIDE|CAP_SETUID|CAP_SETGID|CAP_SYS_/);
    assert.doesNotMatch(ofGuard, /SETUID|SETGID|KILL/);
  });

  it("share weights of processor and disk", () => {
    for (const weight of ["CPUWeight", "IOWeight"])
      assert.ok(Number(settings(weight, slice)[0]) <= 20, weight);
    assert.deepEqual(verify(join(systemd, slice)), { status: 0, output: "" });
  });
});

/** A root of its own with a copy of a file of systemd/: nothing of this machine is looked at or changed. */
function rootWith(place: string, file: string): string {
  const root = mkdtempSync(join(directory, "root-"));
  mkdirSync(join(root, place), { recursive: true });
  mkdirSync(join(root, "etc"));
  copyFileSync(join(systemd, file), join(root, place, "steward.conf"));
  return root;
}

describe("systemd/steward.sysusers", () => {
  it("makes a user and a group steward without a shell", () => {
    const root = rootWith("usr/lib/sysusers.d", "steward.sysusers");
    assert.deepEqual(run("systemd-sysusers", "--root", root).status, 0);
    const [name, , , , , home, shell] = readFileSync(join(root, "etc/passwd"), "utf8").trim().split(":");
    assert.deepEqual([name, home, basename(shell ?? "")], ["steward", "/var/lib/steward", "nologin"]);
    assert.match(readFileSync(join(root, "etc/group"), "utf8"), /^steward:/m);
  });
});

describe("systemd/steward.tmpfiles", () => {
  it("makes the folders of root's decisions and releases, and those that are the agent's or root's alone", () => {
    const root = rootWith("usr/lib/tmpfiles.d", "steward.tmpfiles");
    // The numbers that this test's own user has: --root looks names up in there.
    const { uid, gid } = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    writeFileSync(join(root, "etc/passwd"), `steward:x:${uid}:${gid}::/:/bin/sh\n`);
    writeFileSync(join(root, "etc/group"), `steward:x:${gid}:\n`);
    const { status, output } = run("systemd-tmpfiles", "--create", "--root", root);
    assert.deepEqual({ status, output }, { status: 0, output: "" });
    const paths = ["etc/steward", "var/lib/steward", "var/lib/steward-releases", "var/lib/steward-trust"];
    const modes = run("stat", "--format=%a", ...paths.map((path) => join(root, path))).output;
    assert.equal(modes, "755\n700\n755\n700\n");
  });
});
