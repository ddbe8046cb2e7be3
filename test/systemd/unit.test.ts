import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";

const systemd = join(import.meta.dirname, "../../systemd");
const units = readdirSync(systemd).filter((name) => /\.(service|socket|timer)$/.test(name));
const directory = scratchDirectory();
const textOf = (name: string): string => readFileSync(join(systemd, name), "utf8");

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
  return [...textOf(of).matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value = ""]) => value);
}

/** The unit as it is with the drop-in: systemd-analyze looks at one file. */
function withTimekeeper(): string {
  const path = join(mkdtempSync(join(directory, "timekeeper-")), "steward.service");
  writeFileSync(path, `${textOf("steward.service")}\n${textOf("steward-timekeeper.conf")}`);
  return path;
}

describe("systemd/", () => {
  it("has units and a drop-in that systemd-analyze verify accepts without a word", () => {
    // systemd-analyze looks whether the programs are there.
    const [copies, dist] = [mkdtempSync(join(directory, "units-")), join(systemd, "../dist")];
    for (const name of units) {
      const built = textOf(name).replaceAll(/\/usr\/lib\/steward\/(steward-(?:helper|logs))/g, `${dist}/$1`);
      writeFileSync(join(copies, name), built);
    }
    for (const path of [...units.map((name) => join(copies, name)), withTimekeeper()])
      assert.deepEqual(verify(path), { status: 0, output: "" }, path);
    const broken = join(directory, "steward.service");
    writeFileSync(broken, textOf("steward.service").replace("StateDirectoryMode=", "StateDirectoriesMode="));
    assert.match(verify(broken).output, /StateDirectoriesMode/, "which would point a misspelled one out");
  });

  it("names manual pages in each unit, and only those that the build makes", () => {
    const pages = readdirSync(join(systemd, "../dist/man")).map((name) =>
      name.replace(/^(.*)\.(\d)$/, "man:$1($2)"),
    );
    for (const name of units) {
      const named = settings("Documentation", name).join(" ").split(" ");
      assert.deepEqual(
        named.filter((one) => !pages.includes(one)),
        [],
        name,
      );
    }
  });

  it("lets no variable of the manager's environment say what code the program loads, in any of its units", () => {
    const ofAgent = settings("UnsetEnvironment").join(" ").split(" ");
    for (const name of ["NODE_OPTIONS", "NODE_EXTRA_CA_CERTS", "NODE_PATH", "NODE_V8_COVERAGE", "LD_PRELOAD"])
      assert.ok(ofAgent.includes(name), name);
    const ofProgram = units.filter((name) =>
      /\/steward\/steward /.test(settings("ExecStart", name)[0] ?? ""),
    );
    assert.ok(ofProgram.length >= 4, ofProgram.join(" "));
    for (const name of ofProgram) {
      assert.deepEqual(settings("UnsetEnvironment", name).join(" ").split(" "), ofAgent, name);
      assert.deepEqual(settings("LimitCORE", name), ["0"], name);
    }
  });
});

const agent = "steward.service";
const guard = "steward-guard.service";
const reader = "steward-logs.service";
const backup = "steward-backup.service";
const upload = "steward-upload.service";
const installer = "steward-install@.service";
const timekeeper = "steward-timekeeper.conf";
const slice = "system-steward.slice";
const steward = "/bin/sh /usr/lib/steward/steward";

type Line = readonly [unit: string, setting: string, ...values: string[]];

/** The lines of units: the values of a setting, one a line; none: there is no such line. */
function holds(...lines: readonly Line[]): void {
  for (const [of, setting, ...values] of lines)
    assert.deepEqual(settings(setting, of), values, `${of} ${setting}`);
}

/** The most that systemd-analyze security finds: each unit needs more or less for its task. */
const exposures: Readonly<Record<string, number>> = {
  [backup]: 0.7,
  "steward-chrony@.service": 0.5,
  "steward-guard-boot.service": 1.4,
  "steward-https.service": 1.8,
  [installer]: 2.4,
  [reader]: 0.3,
  [upload]: 1.1,
  [guard]: 2.1,
  "steward-helper.service": 1,
  "steward-rescue.service": 1.8,
  "steward-product@.service": 2.7,
};

describe("systemd/steward.service and its units", () => {
  it("is never given up, and waits longer after each failed start, as the guard does", () =>
    holds(
      [agent, "StartLimitIntervalSec", "0"],
      [agent, "ExecStartPre", `-${steward} pause`, `+-${steward} keep-host-file`],
      // The count of failed starts is there: it must outlive them.
      [agent, "RuntimeDirectoryPreserve", "restart"],
      [guard, "StartLimitIntervalSec", "0"],
      [guard, "ExecStartPre", `-${steward} pause`],
      [guard, "RuntimeDirectoryPreserve", "restart"],
    ));

  it("has started when the agent itself says so, and not its children", () =>
    holds([agent, "Type", "notify"], [agent, "NotifyAccess", "main"]));

  it("has a directory of its own, and one that it opens to the product, in this order", () =>
    holds([agent, "RuntimeDirectory", "steward steward-product"], [agent, "RuntimeDirectoryMode", "0700"]));

  it("ends a reload with an error where the agent refuses", () =>
    holds([agent, "ExecReload", `+${steward} tls reload`]));

  it("gives the agent no capability, and that for the clock with the drop-in of steward-timekeeper alone", () =>
    holds(
      [agent, "CapabilityBoundingSet", ""],
      [agent, "AmbientCapabilities"],
      [timekeeper, "CapabilityBoundingSet", "CAP_SYS_TIME"],
      [timekeeper, "AmbientCapabilities", "CAP_SYS_TIME"],
      [timekeeper, "ExecStart", "", `${settings("ExecStart")[0]} --steer-clock`],
    ));

  it("leaves nothing to write to but the state, and the kernel's clock readable, which ProtectClock=yes would not", () =>
    holds(
      [agent, "ProtectSystem", "strict"],
      [agent, "ReadWritePaths"],
      [agent, "StateDirectory", "steward"],
      [agent, "ProtectClock", "no"],
    ));

  it("lets the reader and the upload read the journal", () =>
    holds(
      [reader, "SupplementaryGroups", "systemd-journal steward"],
      [upload, "SupplementaryGroups", "systemd-journal"],
    ));

  it("has no network where a release is installed, or a backup is written, which has no sight of the state", () =>
    holds(
      [installer, "PrivateNetwork", "yes"],
      [installer, "RestrictAddressFamilies", "AF_UNIX"],
      [backup, "PrivateNetwork", "yes"],
      [backup, "InaccessiblePaths", "-/var/lib/steward -/var/lib/steward-trust"],
      ["steward-backup.timer", "Persistent", "yes"],
    ));

  it("has root switch HTTPS on without an argument, a network or a directory of the agent's", () =>
    holds(
      ["steward-https.service", "ExecStart", `${steward} tls enable-asked`],
      ["steward-https.service", "PrivateNetwork", "yes"],
      ["steward-https.service", "ReadWritePaths", "/etc"],
      ["steward-https.service", "Slice", slice],
    ));

  it("shares a bound of the processor among what the agent asks for, however often", () =>
    holds(
      [installer, "Slice", slice],
      ["steward-chrony@.service", "Slice", slice],
      [slice, "CPUQuota", "100%"],
    ));

  it("lets the guard live on when the agent or a product is restarted", () =>
    holds(
      ...["PartOf", "BindsTo", "Requires", "Requisite", "PropagatesStopTo", "StopPropagatedFrom"].map(
        (tie) => [guard, tie] as const,
      ),
    ));

  it("gives the agent more time to stop than it takes, and half a minute before it counts as stuck", () => {
    assert.ok(Number(settings("TimeoutStopSec")[0]) > 5);
    assert.ok(Number(settings("WatchdogSec")[0]) >= 30);
  });

  it("lets the agent execute nothing of what it can write", () => {
    const forbidden = settings("NoExecPaths").join(" ").split(" ");
    for (const path of [
      "/",
      "/tmp",
      "/var/tmp",
      "/dev/shm",
      "/var/lib/steward",
      "/run/steward",
      "/run/steward-product",
    ])
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
    const [found, steering] = [exposure(join(systemd, agent)), exposure(withTimekeeper())];
    assert.ok(found <= 1.8 && steering > found && steering <= 2, `${found}, and ${steering} with the clock`);
    const open = join(directory, "open.service");
    writeFileSync(open, textOf(agent).replace(/^SystemCallFilter=.*\n/gm, ""));
    assert.ok(exposure(open) > 1.8, "more without the system call filter");
  });

  it("exposes each other unit by no more than its task needs", () => {
    for (const [name, bound] of Object.entries(exposures)) {
      const found = exposure(join(systemd, name));
      assert.ok(found <= bound, `${name}: at most ${bound}, found ${found}`);
    }
  });

  it("lets steward-logs and steward-upload alone read the journal, and the reader no key", () => {
    for (const name of units)
      if (![reader, upload].includes(name)) assert.deepEqual(settings("SupplementaryGroups", name), [], name);
    // The agent's group, for the host file, may read these too.
    const closed = settings("InaccessiblePaths", reader).join(" ").split(" ");
    for (const path of ["-/etc/steward/seal.key", "-/etc/steward/tls"])
      assert.ok(closed.includes(path), path);
  });

  it("leaves backups to whoever enables them", () => {
    assert.doesNotMatch(textOf("steward.preset"), /steward-backup/);
  });

  it("keeps the rights of the guard from the product's programs, and the other way round", () => {
    const [ofProduct = "", ofGuard = ""] = ["steward-product@.service", guard].map((name) =>
      settings("CapabilityBoundingSet", name).join(" "),
    );
    assert.doesNotMatch(ofProduct, /CAP_DAC_OVERRIDE|CAP_SETUID|CAP_SETGID|CAP_SYS_/);
    assert.doesNotMatch(ofGuard, /SETUID|SETGID|KILL/);
  });

  it("gives what the agent asks for a small weight of processor and disk", () => {
    for (const weight of ["CPUWeight", "IOWeight"])
      assert.ok(Number(settings(weight, slice)[0]) <= 20, weight);
    assert.deepEqual(verify(join(systemd, slice)), { status: 0, output: "" });
  });
});

/** A root of its own with a copy of a file of systemd/: nothing of this machine is looked at or changed. */
function rootWith(place: string, file: string): string {
  const root = mkdtempSync(join(directory, "root-"));
  for (const path of [place, "etc"]) mkdirSync(join(root, path), { recursive: true });
  copyFileSync(join(systemd, file), join(root, place, "steward.conf"));
  return root;
}

describe("what systemd makes of systemd/", () => {
  it("is a user and a group steward without a shell", () => {
    const root = rootWith("usr/lib/sysusers.d", "steward.sysusers");
    assert.equal(run("systemd-sysusers", "--root", root).status, 0);
    assert.match(
      readFileSync(join(root, "etc/passwd"), "utf8"),
      /^steward:.*:\/var\/lib\/steward:\S*\/nologin$/m,
    );
    assert.match(readFileSync(join(root, "etc/group"), "utf8"), /^steward:/m);
  });

  it("is folders of root's decisions and releases, and those that are the agent's or root's alone", () => {
    const root = rootWith("usr/lib/tmpfiles.d", "steward.tmpfiles");
    // The numbers that this test's own user has: --root looks names up in there.
    const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
    writeFileSync(join(root, "etc/passwd"), `steward:x:${uid}:${gid}::/:/bin/sh\n`);
    writeFileSync(join(root, "etc/group"), `steward:x:${gid}:\n`);
    assert.deepEqual(run("systemd-tmpfiles", "--create", "--root", root), { status: 0, output: "" });
    const paths = ["etc/steward", "var/lib/steward", "var/lib/steward-releases", "var/lib/steward-trust"];
    const modes = run("stat", "--format=%a", ...paths.map((path) => join(root, path))).output;
    assert.equal(modes, "755\n700\n755\n700\n");
  });
});
