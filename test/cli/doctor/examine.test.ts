import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { asNobody } from "../../../lab/host/credentials.ts";
import type { Answer, DoctorContext } from "../../../src/cli/doctor/doctor-context.ts";
import { examine } from "../../../src/cli/doctor/examine.ts";
import { type Entry, entriesOf, inOrder, nextLine } from "../../../src/cli/doctor/finding.ts";
import { lookAtKeys } from "../../../src/cli/doctor/look-at-keys.ts";
import { reportText } from "../../../src/cli/doctor/report.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import { finding, needOf } from "../../../src/contract/finding.ts";
import type { Status } from "../../../src/contract/types.ts";
import { type Device, deviceOf, livedInState, type Said, showUnit, troublesOf, unit } from "./examined.ts";

const setters =
  "systemctl is-active chrony.service chronyd.service systemd-timesyncd.service ntp.service ntpd.service ntpsec.service openntpd.service ntpd-rs.service";
const agent = showUnit("steward.service");
const restart = "systemctl restart steward.service";

/** A change of the device before it is looked at; `state`: its state directory. */
type Change = (state: string, device: DoctorContext) => unknown;

/** Each file of the users becomes this. */
const allUsers =
  (text: string): Change =>
  (state) => {
    for (const name of readdirSync(state))
      if (name.startsWith("users.")) writeFileSync(join(state, name), text);
  };
const pipe = (path: string) => execFileSync("mkfifo", ["-m", "600", path]);
const zeros = (path: string) => symlinkSync("/dev/zero", path);

describe("steward doctor", () => {
  const lived = livedInState();

  /** The finding of an area or code, with the line to type (ROOT: where its files are), and words of its detail. */
  async function found(
    test: Parameters<typeof deviceOf>[0],
    [what, line, words]: readonly [found: string, line: string | undefined, words?: RegExp],
    { change, ...given }: Device & { change?: Change } = {},
  ): Promise<Entry[]> {
    const device = deviceOf(test, { state: lived.original, ...given });
    change?.(device.places.stateDirectory, device);
    const troubles = await troublesOf(device);
    const [area, code] = what.split(/ (?=\S+$)/);
    const one = troubles.find((entry) => entry.area === area && entry.code === code);
    assert.ok(one ?? code === "none", troubles.map((entry) => `${entry.area} ${entry.code}`).join());
    assert.equal(one?.remedy?.line.replaceAll(device.root, "ROOT"), line);
    if (words) assert.match(one?.detail ?? "", words);
    return troubles;
  }
  const finds = async (...given: Parameters<typeof found>): Promise<void> => void (await found(...given));

  it("starts an agent that is not started, and finds nothing else", async (test) => {
    const device = deviceOf(test, { state: lived.original, said: { [agent]: unit("inactive") } });
    const troubles = await troublesOf(device);
    const codes = troubles.map(({ area, code }) => `${area} ${code}`);
    assert.deepEqual(codes, ["agent not_running", "log no_journal"]);
    const next = [true, false].map((isRoot) => nextLine(troubles, isRoot));
    assert.deepEqual(next, ["systemctl start steward.service", "su -c 'steward doctor'"]);
  });

  const first = unit("activating").replace("dead", "start");
  const lines = "journalctl -u steward.service -n 20 --no-pager";
  const file = "/proc/self/net/tcp";
  const own = "   0: 0100007F:2116 00000000:0000 0A 00000000:00000000 00:00000000";
  const agents: readonly (readonly [name: string, shown: string, found: string, line: string])[] = [
    ["waits for one that is being started", first, "starting", "systemctl start steward.service"],
    ["shows why one is started again", first.replace("NRestarts=0", "NRestarts=3"), "does_not_start", lines],
    ["shows why one waits for that", first.replace("start", "auto-restart"), "does_not_start", lines],
    ["restarts one whose run directory is gone, no other program", unit("active"), "no_answer", restart],
  ];
  for (const [name, shown, code, line] of agents)
    it(`of the agent ${name}`, async (test) => {
      const device = { said: { [agent]: shown }, files: { [file]: `  sl  local_address\n${own}\n` } };
      const troubles = await found(test, [`agent ${code}`, line], device);
      assert.equal(nextLine(troubles, true), line);
    });

  const [timer, service] = ["steward-backup.timer", "steward-backup.service"];
  const again = `systemctl start ${service}`;
  const recipients = "/etc/steward/backup-recipients";
  const shown = `systemctl show --property=ExecStart ${service}`;
  const command = `ExecStart={ path=/bin/sh ; argv[]=/bin/sh steward backup --to /x --recipients-file ${recipients} ; ignore_errors=no }\n`;
  const asAgent = `runuser -u steward -- test -r ${recipients}`;
  const failed = unit("failed").replace("success", "exit-code");
  const on = { [showUnit(timer)]: unit("active") };
  const newest = `journalctl -n 1 -o cat --no-pager _SYSTEMD_UNIT=${service}`;
  const backups: [what: string, said: Said, hasFile: boolean, code: string | undefined, line?: string][] = [
    ["is off", { [showUnit(timer)]: unit("inactive").replace("enabled", "disabled") }, false, undefined],
    ["is on and has not failed", { ...on, [showUnit(service)]: unit("inactive") }, false, undefined],
    [
      "is enabled and was not started",
      { [showUnit(timer)]: unit("inactive") },
      ...([false, "backup_failed", `systemctl start ${timer}`] as const),
    ],
    [
      "has no recipients",
      { ...on, [showUnit(service)]: failed, [shown]: command },
      ...([false, "backup_failed", `editor ${recipients}; ${again}`] as const),
    ],
    [
      "has recipients that its user may not read",
      { ...on, [showUnit(service)]: failed, [shown]: command },
      ...([true, "backup_failed", `chmod a+rx /etc/steward; chmod a+r ${recipients}; ${again}`] as const),
    ],
    [
      "says why it fails",
      { ...on, [showUnit(service)]: failed, [shown]: command, [asAgent]: "", [newest]: "The disk is full\n" },
      ...([true, "backup_failed", `${again}; journalctl -u ${service} -n 20 --no-pager`] as const),
    ],
  ];
  for (const [what, said, hasFile, code, line] of backups)
    it(`looks at the daily backup, which ${what}`, async (test) => {
      const files: Record<string, string> = hasFile ? { [recipients]: "" } : {};
      const program = { userId: () => 0 };
      const found = await troublesOf(deviceOf(test, { state: lived.original, said, files, program }));
      const own = found.find(({ area }) => area === "device");
      assert.deepEqual([own?.code, own?.remedy?.line], [code, line]);
      if (said[newest] !== undefined) assert.match(own?.detail ?? "", /It said last: The disk is full$/);
    });

  it("calls nothing sound that a user must not look at", async (test) => {
    const device = deviceOf(test, { state: lived.original, program: { userId: () => 65_534 } });
    const read = () => examine(device);
    chmodSync(device.root, 0o755);
    chmodSync(device.places.stateDirectory, 0o000);
    try {
      const unseen = (await asNobody(read)).filter(({ level }) => level === "unseen").map(({ area }) => area);
      for (const area of ["keys", "log"]) assert.ok(unseen.includes(area as "keys"), unseen.join(" "));
    } finally {
      chmodSync(device.places.stateDirectory, 0o700);
    }
  });

  it("restores users from their good copy, or the newest version, and begins them anew without any", async (test) => {
    const cut: Change = (state) => writeFileSync(join(state, "users.json"), "{ half a file");
    await finds(test, ["state document_lost", "steward state restore users"], { change: cut });
    const both: Change = (state) => {
      for (const name of ["users.json", "users.good.json"]) writeFileSync(join(state, name), "\0\0\0");
    };
    const device = deviceOf(test, { state: lived.original });
    both(device.places.stateDirectory, device);
    const newest = nextLine(await troublesOf(device), true) ?? "";
    assert.match(newest, /^steward state restore users --from users\.\S+\.json$/);
    const anew = ["state document_lost", "steward state reset users", /without a user/] as const;
    const troubles = await found(test, anew, { change: allUsers("") });
    const lost = troubles.find(({ code }) => code === "document_lost") ?? assert.fail();
    assert.match(lost.remedy?.deletes ?? "", /^all accounts/);
    const report = { version: "1", device_time: "", is_root: true, findings: troubles, next: null };
    assert.match(reportText(report), /> steward state reset users\n +It deletes all accounts/);
    assert.equal(nextLine([lost], true), "steward state reset users");
    // It is no next line where another one mends as much.
    const other = entriesOf("agent").failing("not_running", "It is off.", "systemctl start steward.service");
    assert.equal(nextLine(inOrder([lost, other]), true), "systemctl start steward.service");
  });

  it("notices settings that have disappeared", (test) =>
    finds(test, ["state document_lost", "steward state restore settings", /settings\.json is missing/], {
      change: (state) => rmSync(join(state, "settings.json")),
    }));

  for (const keepsCopies of [false, true])
    it(`installs the newer release for a state that it has written${keepsCopies ? "" : ", also without copies"}`, (test) => {
      const words = keepsCopies ? /steward state restore users/ : /steward state reset users/;
      return finds(test, ["state document_newer", "apt-get install steward", words], {
        change: (state) => {
          const path = join(state, "users.json");
          const text = readFileSync(path, "utf8");
          const newer = text.replace(/"version":\s*"\d+\.\d+\.\d+"/g, '"version": "99.0.0"');
          for (const name of readdirSync(state))
            if (name.startsWith("users.") && !keepsCopies) rmSync(join(state, name));
          writeFileSync(path, newer);
        },
      });
    });

  it("makes an administrator where there is none, and says nothing of a new device", async (test) => {
    const text = '{"accounts": [], "__internal__": {"migrations": {"version": "1.0.0"}}}';
    const change: Change = (state) => writeFileSync(join(state, "users.json"), text);
    const line = "steward user add admin --role admin --generate";
    await finds(test, ["people setup_required", line], { change });
    const fresh = await troublesOf(deviceOf(test, {}));
    assert.equal(
      nextLine(
        fresh.filter(({ area }) => area === "people"),
        true,
      ),
      null,
    );
  });

  it("lets an administrator in where none can sign in, unless the agent knows one who still can", async (test) => {
    const device = deviceOf(test, { state: lived.original });
    const users = join(device.places.stateDirectory, "users.json");
    const put = (from: string, to: string) =>
      writeFileSync(users, readFileSync(users, "utf8").replaceAll(from, to));
    const look = async (answer: Answer) => {
      const { code, level, remedy } =
        (await lookAtKeys(device, answer)).find(({ area }) => area === "people") ?? assert.fail("nothing");
      return [code, level, remedy?.line ?? null];
    };
    const silent = new Error("The agent does not answer.");
    assert.deepEqual(await look(silent), ["administrator", "ok", null]);
    put('"chosen"', '"spent"');
    const shut = ["no_administrator", "failing", "steward user rescue root-admin"];
    assert.deepEqual(await look(silent), shut);
    const need = needOf(finding("no_administrator", { users: 1 }));
    assert.deepEqual(await look({ needs: [need] } as unknown as Status), shut);
    assert.deepEqual(await look({ needs: [] } as unknown as Status), ["administrator", "ok", null]);
    put('"spent"', '"initial"');
    assert.deepEqual(await look(silent), ["administrator", "ok", null]);
  });

  it("lets a user in whose second factor lost its key", (test) =>
    finds(test, ["keys sealing_key_missing", "steward user rescue ana"], {
      change: (state) => rmSync(join(state, ".seal.key")),
    }));

  for (const [what, put] of Object.entries({ pipe, zeros, text: (path: string) => writeFileSync(path, "x") }))
    it(`sets what is in the place of the agent's own key aside: ${what}`, (test) => {
      const line = `mv ROOT/state/.seal.key ROOT/state/.seal.key.unusable; ${restart}`;
      return finds(test, ["keys sealing_key_unusable", line], {
        change: (state) => {
          rmSync(join(state, ".seal.key"));
          put(join(state, ".seal.key"));
        },
      });
    });

  for (const [what, put] of Object.entries({ pipe, link: zeros }))
    it(`has the guard make a new release journal where a ${what} is in its place`, (test) => {
      const words = /journal\.json is a (pipe|link), and no regular file/;
      return finds(test, ["updates journal_damaged", "systemctl restart steward-guard.service", words], {
        change: (_, { places }) => put(join(places.releasesDirectory, "journal.json")),
      });
    });

  it("knows a clock at 1970, and takes the battery-backed clock where that is right", async (test) => {
    const now = new Date(1_000_000);
    await finds(test, ["clock before_floor", "steward time set --yes TIME"], { now });
    const line = "steward time set --yes 2026-11-18T11:06:40.000Z";
    await finds(test, ["clock before_floor", line], { now, battery: new Date(1_795_000_000_000) });
  });

  it("has a battery-backed clock that is wrong for certain set by the right one", async (test) => {
    const [battery, soon] = [new Date(1_000_000), new Date(Date.now() + 2 * 3_600_000)];
    const files = { "/usr/sbin/hwclock": "" };
    const apart = "clock battery_clock_apart";
    await finds(test, [apart, "hwclock --systohc"], { battery, files });
    await finds(test, [apart, "steward time status"], { battery });
    await finds(test, [apart, "steward time status"], { battery: soon, files });
  });

  it("finds two time daemons, and the program in a crontab that sets the clock too", async (test) => {
    const said = { [setters]: "active\ninactive\nactive\n" };
    const files = {
      "/etc/cron.d/clock":
        "# ntpdate is not called here\n*/5 * * * * root /usr/sbin/ntpdate -s pool.ntp.org\n",
      "/etc/cron.daily/other": "#!/bin/sh\n# hwclock -s\nexit 0\n",
    };
    const device = deviceOf(test, { state: lived.original, files, said });
    const clock = (await troublesOf(device)).filter(({ area }) => area === "clock");
    const codes = clock.map(({ code }) => code);
    assert.deepEqual(codes, ["two_daemons", "second_setter"]);
    assert.equal(clock[0]?.remedy?.line, "systemctl disable --now systemd-timesyncd.service");
    assert.equal(clock[1]?.remedy?.line, `mv ${device.root}/etc/cron.d/clock /root/clock.off`);
  });

  it("starts the guard of a trial that is not watched", async (test) => {
    const slot = { good: [], trial: null, setAside: [] };
    const trial = {
      release: { id: "0".repeat(32), name: "steward", version: "2.0.0" },
      ...{ phase: "confirming", begun_at: "2026-11-22T10:00:00.000Z", begun_uptime: 10, boot_id: "one" },
      ...{ boots: 2, crashes: 0, deadline_uptime: null, undo: null },
      health: { successes: 1, needed: 6, last: null, at: null },
    };
    const slots = { rules: slot, binary: { ...slot, trial } };
    const journal = JSON.stringify({ format: 1, sequence: 0, slots, history: [] });
    const files = { "/releases/journal.json": journal };
    const dead = deviceOf(test, { state: lived.original, files });
    const found = (await troublesOf(dead)).find(({ area }) => area === "updates");
    assert.equal(found?.remedy?.line, "systemctl start steward-guard.service");
    const said = { [showUnit("steward-guard.service")]: unit("active") };
    const watched = deviceOf(test, { state: lived.original, files, said });
    const waits = (await troublesOf(watched)).find(({ area }) => area === "updates");
    assert.equal(waits?.level, "attention");
    assert.equal(waits?.remedy?.line, "steward update status");
  });

  it("takes the rights of others away from the host file, and from the key", async (test) => {
    const device = {
      files: { "/steward.json": "{}", "/etc/steward/seal.key": "a".repeat(64) },
      change: (_: string, { root }: DoctorContext) => {
        chmodSync(join(root, "steward.json"), 0o666);
        chmodSync(join(root, "etc/steward/seal.key"), 0o644);
      },
    };
    const key = "ROOT/etc/steward/seal.key";
    const ofFile = `chown root ROOT/steward.json; chmod go-w ROOT/steward.json; ${restart}`;
    await finds(test, ["host file host_file_without_copy", ofFile], device);
    const ofKey = `chown root:steward ${key}; chmod 640 ${key}; ${restart}`;
    await finds(test, ["keys sealing_key_unusable", ofKey], device);
  });

  it("names the members of the host file that have no effect, and changes none of them", (test) =>
    finds(test, ["host file host_file_members_unknown", "steward host-file check", /\/colour/], {
      files: { "/steward.json": '{"colour": "red"}' },
    }));

  for (const state of ["inactive", "masked"])
    it(`brings the root helper back whose socket is ${state}`, async (test) => {
      const shown = state === "masked" ? unit("inactive").replace("loaded", "masked") : unit(state);
      const said = { [showUnit("steward-helper.socket")]: shown };
      const device = deviceOf(test, { state: lived.original, said });
      const line = "systemctl restart steward-helper.socket";
      const found = async (absence: string | null) => {
        const host = { ...device.host, helper: { absence: () => absence } };
        const one = (await troublesOf({ ...device, host })).find(
          ({ code }) => code === "root_helper_missing",
        );
        return one && [one.level, one.remedy?.line];
      };
      assert.deepEqual(await found(`There is none. As root: ${line}.`), ["failing", line]);
      assert.equal(await found(null), undefined);
    });

  it("notices a program with a damaged part", async (test) => {
    const sound = deviceOf(test, { state: lived.original, isTried: true });
    assert.ok((await examine(sound)).some(({ code }) => code === "program_works"));
    const script = join(sound.root, "self-check.js");
    copyFileSync(join(import.meta.dirname, "../../../dist/self-check.js"), script);
    // The addon is not beside it; the packages for passwords are not either, but a newer Node needs none.
    const damaged = deviceOf(test, { state: lived.original, isTried: true, program: { selfCheck: script } });
    const [first] = await troublesOf(damaged);
    assert.equal(first?.code, "program_broken");
    assert.match(first?.detail ?? "", /the clock cannot be set.*clock-steering\.node/);
  });

  it("takes no person called steward for an account of its own", async (test) => {
    const passwd = (text: string) => ({ files: { "/etc/passwd": text } });
    const line = "unshare --pid --fork --mount-proc usermod --prefix ROOT --login steward-old steward";
    const words = /^The user steward of this device \(uid 1001, .* can make administrators\.$/;
    const person = passwd("steward:x:1001:1001::/home/steward:/bin/bash\n");
    await finds(test, ["program account_foreign", line, words], person);
    const own = passwd("steward:x:996:996:Steward:/var/lib/steward:/usr/sbin/nologin\n");
    await finds(test, ["program none", undefined], own);
  });

  const toDisk =
    "mount -a; rm ROOT/state; mkdir -p ROOT/disk/state ROOT/state; echo 'ROOT/disk/state ROOT/state none bind' >>/etc/fstab; systemctl daemon-reload; mount ROOT/state";
  const leadsNowhere = /is a link to \/.*disk\/state, which is not there: connect the disk/;
  for (const [what, put, words, line] of [
    [
      "a file",
      (path: string) => writeFileSync(path, ""),
      /is not a directory/,
      "mv ROOT/state ROOT/state.unusable",
    ],
    ["a link that leads nowhere", (path: string) => symlinkSync("disk/state", path), leadsNowhere, toDisk],
    ["another's", (path: string) => mkdirSync(path), /belongs to user \d/, "chown -hR steward: ROOT/state"],
  ] as const)
    it(`says of a state directory that cannot be used that it is ${what}, and mends it`, (test) =>
      finds(test, ["state state_unusable", `${line}; ${restart}`, words], {
        said: { "id -u steward": "996\n" },
        change: (state) => {
          rmSync(state, { recursive: true });
          put(state);
        },
      }));

  it("calls it failing that root cannot become the state's owner", async (test) => {
    const device = deviceOf(test, { state: lived.original });
    const kept = new StewardError("internal_error", "Root's rights cannot be given up.");
    const findings = await examine({ ...device, openState: async () => Promise.reject(kept) });
    const found = findings.find(({ code }) => code === "program_broken");
    assert.deepEqual([found?.level, found?.remedy?.line], ["failing", "apt-get install --reinstall steward"]);
  });

  it("goes on where one look fails", async (test) => {
    const device = deviceOf(test, { state: lived.original, said: { [agent]: unit("inactive") } });
    const broken = { ...device, openState: async () => Promise.reject(new Error("EIO: i/o error")) };
    const findings = await examine(broken);
    const state = findings.find(({ area }) => area === "state");
    assert.equal(state?.level, "unseen");
    assert.match(state?.detail ?? "", /EIO/);
    assert.equal(nextLine(findings, true), "systemctl start steward.service");
  });
});
