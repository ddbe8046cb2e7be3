import assert from "node:assert/strict";
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
import { after, before, describe, it } from "node:test";
import { asNobody } from "../../../lab/host/credentials.ts";
import { type LivedInState, makeLivedInState } from "../../../lab/state/damaged-state.ts";
import type { Answer } from "../../../src/cli/doctor/doctor-context.ts";
import { examine } from "../../../src/cli/doctor/examine.ts";
import { nextLine } from "../../../src/cli/doctor/finding.ts";
import { lookAtKeys } from "../../../src/cli/doctor/look-at-keys.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import { finding, needOf } from "../../../src/contract/finding.ts";
import type { Status } from "../../../src/contract/types.ts";
import { deviceOf, type Said, showUnit, troublesOf, unit } from "./examined.ts";

const setters =
  "systemctl is-active chrony.service chronyd.service systemd-timesyncd.service ntp.service ntpd.service ntpsec.service openntpd.service ntpd-rs.service";

const agent = showUnit("steward.service");

describe("steward doctor", () => {
  const cleanUps: (() => unknown)[] = [];
  let lived: LivedInState;
  before(async () => {
    lived = await makeLivedInState({ after: (call) => void cleanUps.push(call) });
  });
  after(async () => {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  });

  it("starts an agent that is not started, and finds nothing else", async (test) => {
    const device = deviceOf(test, { state: lived.original, said: { [agent]: unit("inactive") } });
    const troubles = await troublesOf(device);
    assert.deepEqual(
      troubles.map(({ area, code }) => `${area} ${code}`),
      ["agent not_running", "log no_journal"],
    );
    assert.equal(nextLine(troubles, true), "systemctl start steward.service");
  });

  it("waits for an agent that is being started, and shows why one is started again and again", async (test) => {
    const agentOf = async (state: string) => {
      const said = { [showUnit("steward.service")]: state };
      const found = (await troublesOf(deviceOf(test, { state: lived.original, said }))).find(
        ({ area }) => area === "agent",
      );
      return [found?.code, found?.level, found?.remedy?.line];
    };
    const first = unit("activating").replace("dead", "start");
    assert.deepEqual(await agentOf(first), ["starting", "attention", "systemctl start steward.service"]);
    const lines = "journalctl -u steward.service -n 20 --no-pager";
    for (const later of [first.replace("NRestarts=0", "NRestarts=3"), first.replace("start", "auto-restart")])
      assert.deepEqual(await agentOf(later), ["does_not_start", "failing", lines]);
  });

  const [timer, service] = ["steward-backup.timer", "steward-backup.service"];
  const again = `systemctl start ${service}`;
  const file = "/etc/steward/backup-recipients";
  const shown = `systemctl show --property=ExecStart ${service}`;
  const command = `ExecStart={ path=/bin/sh ; argv[]=/bin/sh steward backup --to /x --recipients-file ${file} ; ignore_errors=no }\n`;
  const asAgent = `runuser -u steward -- test -r ${file}`;
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
      ...([false, "backup_failed", `editor ${file}; ${again}`] as const),
    ],
    [
      "has recipients that its user may not read",
      { ...on, [showUnit(service)]: failed, [shown]: command },
      ...([true, "backup_failed", `chmod a+rx /etc/steward; chmod a+r ${file}; ${again}`] as const),
    ],
    [
      "says why it fails",
      {
        ...on,
        [showUnit(service)]: failed,
        [shown]: command,
        [asAgent]: "",
        [newest]: "The disk is full.\n",
      },
      ...([true, "backup_failed", `${again}; journalctl -u ${service} -n 20 --no-pager`] as const),
    ],
  ];
  for (const [what, said, hasFile, code, line] of backups)
    it(`looks at the daily backup, which ${what}`, async (test) => {
      const files: Record<string, string> = hasFile ? { [file]: "" } : {};
      const program = { userId: () => 0 };
      const found = await troublesOf(deviceOf(test, { state: lived.original, said, files, program }));
      const own = found.find(({ area }) => area === "device");
      assert.deepEqual([own?.code, own?.remedy?.line], [code, line]);
      if (said[newest] !== undefined) assert.match(own?.detail ?? "", /It said last: The disk is full\.$/);
    });

  it("sends a user who is not root to root, as the last line", async (test) => {
    const device = deviceOf(test, { state: lived.original, said: { [agent]: unit("inactive") } });
    assert.equal(nextLine(await troublesOf(device), false), "su -c 'steward doctor'");
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

  it("restores users from their good copy", async (test) => {
    const device = deviceOf(test, { state: lived.original, said: { [agent]: unit("inactive") } });
    writeFileSync(join(device.places.stateDirectory, "users.json"), "{ half a file");
    const troubles = await troublesOf(device);
    assert.equal(troubles[0]?.code, "document_lost");
    assert.equal(nextLine(troubles, true), "steward state restore users");
  });

  it("restores users from the newest version where the good copy is damaged too", async (test) => {
    const device = deviceOf(test, { state: lived.original });
    const { stateDirectory } = device.places;
    for (const name of ["users.json", "users.good.json"]) writeFileSync(join(stateDirectory, name), "\0\0\0");
    const command = nextLine(await troublesOf(device), true);
    assert.match(command ?? "", /^steward state restore users --from users\.\S+\.json$/);
  });

  it("begins users anew where there is no copy at all, and says so", async (test) => {
    const device = deviceOf(test, { state: lived.original });
    const { stateDirectory } = device.places;
    for (const name of readdirSync(stateDirectory))
      if (name.startsWith("users.")) writeFileSync(join(stateDirectory, name), "");
    const [first] = await troublesOf(device);
    assert.equal(first?.remedy?.line, "steward state reset users");
    assert.match(first?.detail ?? "", /without a user/);
  });

  it("notices settings that have disappeared", async (test) => {
    const device = deviceOf(test, { state: lived.original });
    rmSync(join(device.places.stateDirectory, "settings.json"));
    const [first] = await troublesOf(device);
    assert.match(first?.detail ?? "", /settings\.json is missing/);
    assert.equal(first?.remedy?.line, "steward state restore settings");
  });

  it("makes an administrator where there is none", async (test) => {
    const device = deviceOf(test, {});
    const command = nextLine(
      (await troublesOf(device)).filter(({ area }) => area === "people"),
      true,
    );
    assert.equal(command, null);
    const empty = deviceOf(test, { state: lived.original });
    const users = join(empty.places.stateDirectory, "users.json");
    writeFileSync(users, '{"accounts": [], "__internal__": {"migrations": {"version": "1.0.0"}}}');
    const found = (await troublesOf(empty)).find(({ area }) => area === "people");
    assert.equal(found?.remedy?.line, "steward user add admin --role admin --generate");
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

  it("lets a user in whose second factor lost its key", async (test) => {
    const device = deviceOf(test, { state: lived.original });
    rmSync(join(device.places.stateDirectory, ".seal.key"));
    const found = (await troublesOf(device)).find(({ area }) => area === "keys");
    assert.equal(found?.code, "sealing_key_missing");
    assert.equal(found?.remedy?.line, "steward user rescue ana");
  });

  it("knows a clock at 1970, and takes the battery-backed clock where that is right", async (test) => {
    const now = new Date(1_000_000);
    const lost = deviceOf(test, { state: lived.original, now });
    const found = (await troublesOf(lost)).find(({ area }) => area === "clock");
    assert.equal(found?.code, "before_floor");
    assert.equal(found?.remedy?.line, "steward time set --yes TIME");
    const battery = new Date(1_795_000_000_000);
    const kept = deviceOf(test, { state: lived.original, now, battery });
    const better = (await troublesOf(kept)).find(({ area }) => area === "clock");
    assert.equal(better?.remedy?.line, "steward time set --yes 2026-11-18T11:06:40.000Z");
  });

  it("has a battery-backed clock that is wrong for certain set by the right one", async (test) => {
    const battery = new Date(1_000_000);
    const files = { "/usr/sbin/hwclock": "" };
    const lineOf = async (device: Parameters<typeof deviceOf>[1]) =>
      (await troublesOf(deviceOf(test, { state: lived.original, ...device }))).find(
        ({ code }) => code === "battery_clock_apart",
      )?.remedy?.line;
    assert.equal(await lineOf({ battery, files }), "hwclock --systohc");
    assert.equal(await lineOf({ battery }), "steward time status");
    const soon = new Date(Date.now() + 2 * 3_600_000);
    assert.equal(await lineOf({ battery: soon, files }), "steward time status");
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
    assert.deepEqual(
      clock.map(({ code }) => code),
      ["two_daemons", "second_setter"],
    );
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
    const files = { "/steward.json": "{}", "/etc/steward/seal.key": "a".repeat(64) };
    const device = deviceOf(test, { state: lived.original, files });
    const [file, key] = [device.places.hostFile, join(device.root, "etc/steward/seal.key")];
    chmodSync(file, 0o666);
    chmodSync(key, 0o644);
    const troubles = await troublesOf(device);
    const commandFor = (wanted: string) => troubles.find(({ area }) => area === wanted)?.remedy?.line;
    assert.equal(
      commandFor("host file"),
      `chown root ${file}; chmod go-w ${file}; systemctl restart steward.service`,
    );
    const given = `chown root:steward ${key}; chmod 640 ${key}`;
    assert.equal(commandFor("keys"), `${given}; systemctl restart steward.service`);
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
    const person = "steward:x:1001:1001::/home/steward:/bin/bash\n";
    const passwd = (text: string) =>
      deviceOf(test, { state: lived.original, files: { "/etc/passwd": text } });
    const device = passwd(person);
    const [first] = await troublesOf(device);
    assert.deepEqual([first?.code, first?.level], ["account_foreign", "failing"]);
    assert.match(
      first?.detail ?? "",
      /^The user steward of this device \(uid 1001, .* can make administrators\.$/,
    );
    assert.equal(
      first?.remedy?.line,
      `unshare --pid --fork --mount-proc usermod --prefix ${device.root} --login steward-old steward`,
    );
    const own = "steward:x:996:996:Steward:/var/lib/steward:/usr/sbin/nologin\n";
    assert.ok((await troublesOf(passwd(own))).every(({ code }) => code !== "account_foreign"));
  });

  it("says of a state directory that systemd or the agent cannot use which one it is, and mends it", async (test) => {
    const restart = "; systemctl restart steward.service";
    const rows: [name: string, put: (path: string) => void, said: RegExp, line: (path: string) => string][] =
      [
        [
          "a file",
          (path) => writeFileSync(path, ""),
          /is no directory/,
          (path) => `mv ${path} ${path}.unusable`,
        ],
        [
          "a link that leads nowhere",
          (path) => symlinkSync("../disk/state", path),
          /is a link to \/.*disk\/state, which is not there: connect the disk/,
          (path) => {
            const to = join(path, "../../disk/state");
            return `mount -a; rm ${path}; mkdir -p ${to} ${path}; echo '${to} ${path} none bind' >>/etc/fstab; systemctl daemon-reload; mount ${path}`;
          },
        ],
        [
          "another's",
          (path) => mkdirSync(path),
          /belongs to user \d+, and/,
          (path) => `chown -hR steward: ${path}`,
        ],
      ];
    for (const [name, put, said, line] of rows) {
      const device = deviceOf(test, { said: { "id -u steward": "996\n" } });
      const path = device.places.stateDirectory;
      rmSync(path, { recursive: true });
      put(path);
      const found = (await troublesOf(device)).find(({ area }) => area === "state");
      assert.deepEqual(
        [found?.code, found?.level, found?.remedy?.line],
        ["state_unusable", "failing", line(path) + restart],
        name,
      );
      assert.match(found?.detail ?? "", said, name);
    }
  });

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
