import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import type { Guest, Ran } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { timeSettings, untilStatus } from "../clock/clock-scenario.ts";
import { lan, otherBox } from "../https/neighbour.ts";
import { added, next, state } from "./rescue-situations.ts";

const unit = "steward.service";
const node = "/usr/lib/steward/bin/node";
const helper = "/run/steward-helper.socket";
const crowd = `${state}/lost+found/crowd`;
const filler = `${state}/lost+found/filler`;
const users = `${state}/users.json`;
const usersOfAll = [users, `${state}/users.good.json`];
const ownKey = `${state}/.seal.key`;
const hostFile = "/etc/steward/steward.json";
const keptHostFile = "/var/lib/steward-host/steward.json";
const dropIns = `/run/systemd/system/${unit}.d`;
const tls = "/etc/steward/tls";
const zones = "/usr/share/zoneinfo";
const localtime = "/etc/localtime";

/** One way in which a box breaks, and what mends it. */
interface Breakage {
  readonly what: string;
  readonly breaks: (guest: Guest) => unknown;
  /** The last lines of doctor, each typed in turn. */
  readonly typed: readonly string[];
  /** For a line that shows or fetches what a person then deals with: it has printed `ran`. */
  readonly after?: (guest: Guest, ran: Ran) => unknown;
}

const stop = (guest: Guest) => guest.run("systemctl", ["stop", unit]);
const systemctl =
  (...words: string[]) =>
  (guest: Guest) =>
    guest.run("systemctl", words);

/** The rest is for a person to decide: the device's name, its updates, second factors. */
const well = "Nothing to do.";

const httpsOn = '{ "https": { "enabled": true } }\n';
const failure = "the program is damaged";

const reload = "systemctl reload steward.service";
const restart = "systemctl restart steward.service";
/** Root's umask of a hardened host. */
const closed = "umask 077; cd /etc/steward";
const mark = "/etc/steward/mark.svg";
const named = { https: { enabled: true }, maker: { name: "Pumpworks", mark } };
const certbot = "/etc/letsencrypt/live/edge-7";
const pair = (name: string) =>
  `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 90 -subj /CN=${name} -keyout ${name}.key -out ${name}.crt`;
const twoPairs = `${pair("site")}; ${pair("other")}`;

/** The state's disk is mounted here too, while something else has the place of the directory. */
const aside = "/srv/aside";

const inPlaceOfState = (guest: Guest, line: string) =>
  guest.run("sh", [
    "-ec",
    `systemctl stop ${unit}; mkdir -p ${aside}; mount --bind ${state} ${aside}; umount ${state}; rmdir ${state}
    ${line}; systemctl start --no-block ${unit}`,
  ]);

const stateBack = (guest: Guest) =>
  guest.run("sh", [
    "-ec",
    `systemctl stop ${unit}; umount -q ${state} || true; rm -rf ${state} ${state}.unusable; : >/etc/fstab; systemctl daemon-reload
    mkdir ${state}; mount --bind ${aside} ${state}; umount ${aside}; systemctl start ${unit}`,
  ]);

const mountFor = (target: string) =>
  `mount -a; rm ${state}; mkdir -p ${target} ${state}; echo '${target} ${state} none bind' >>/etc/fstab; systemctl daemon-reload; mount ${state}; systemctl restart ${unit}`;
const recipients = "/etc/steward/backup-recipients";
const backupUnit = "steward-backup.service";
const backupTimer = "steward-backup.timer";
const backUp = `systemctl start ${backupUnit}`;
const lostToken = "/etc/steward/first-token.json";
const handOver = `mkdir -p /etc/systemd/system/${unit}.d; printf '[Service]\\nLoadCredential=steward.token:${lostToken}\\n' >/etc/systemd/system/${unit}.d/zzzz-credentials.conf; systemctl daemon-reload; systemctl restart ${unit}`;
/** A public key of age's. */
const recipient = "age1wv2pk2p3dnfrzp0tccnzcqnjdz89y82wag95pwh3mvkvcrytp9yswk437z";

const restartHelper = "systemctl unmask steward-helper.socket; systemctl restart steward-helper.socket";

const ofPerson = ":x:1001:1001::/home/steward:/bin/bash";
const withPerson = [
  "systemctl stop steward.service steward-backup.service 'steward-helper.*' 'steward-logs.*' 'systemd-journald*@steward.*'",
  "unshare --pid --fork --mount-proc usermod --login steward-old steward",
  "groupmod --new-name steward-old steward",
  `echo 'u steward - "Steward, the operations agent" ${state}' | systemd-sysusers -`,
  "chown -hR --from=steward-old steward /var/lib/steward*/",
  "chown -hR --from=:steward-old :steward /var/lib/steward*/ /etc/steward/",
  `systemctl start ${unit}`,
];

const breakages: readonly Breakage[] = [
  {
    what: "a person is called steward, and an earlier version has run as them",
    breaks: (guest) =>
      guest.run("sh", [
        "-ec",
        `systemctl stop ${unit} 'steward-helper.*' 'steward-logs.*' 'systemd-journald*@steward.*'
        sed -i 's|^steward:.*|steward${ofPerson}|' /etc/passwd; sed -i 's|^steward:.*|steward:x:1001:|' /etc/group
        umask 027; echo ${"a".repeat(64)} >/etc/steward/seal.key; chown -R 1001:1001 ${state}; chgrp 1001 /etc/steward/seal.key
        systemd-run --uid=1001 --unit=theirs sleep 10000; systemctl start ${unit}`,
      ]),
    typed: [withPerson.join("; ")],
    after: async (guest) => {
      const ran = await guest.run("sh", [
        "-c",
        `stat -c %U:%G ${state} ${users} /etc/steward/seal.key; stat -c %U /proc/$(systemctl show --value --property=MainPID ${unit}); systemctl is-active theirs; id -nu 1001`,
      ]);
      const wanted = "steward:steward\nsteward:steward\nroot:steward\nsteward\nactive\nsteward-old\n";
      guest.check(
        "each file and the agent are the new user's, and the person's program goes on",
        ran.stdout.endsWith(wanted),
        ran,
      );
      rmSync("/etc/steward/seal.key");
      return guest.run("sh", ["-c", `systemctl restart ${unit}`]);
    },
  },
  { what: "the agent is stopped", breaks: stop, typed: [`systemctl start ${unit}`] },
  {
    what: "its unit is masked",
    breaks: systemctl("mask", "--now", unit),
    typed: [`systemctl unmask ${unit}`, `systemctl start ${unit}`],
  },
  {
    what: "its run directory is removed",
    breaks: () => rmSync("/run/steward", { recursive: true }),
    typed: [`systemctl restart ${unit}`],
  },
  {
    what: "port 8470 is another program's",
    breaks: async (guest) => {
      await stop(guest);
      const taker = "require('net').createServer().listen(8470, '127.0.0.1')";
      await guest.run("systemd-run", ["--unit=taker", "--uid=nobody", node, "-e", taker]);
      await guest.until("the port is taken", 20, async () => {
        const { stdout } = await guest.run("ss", ["-Hltn", "sport = :8470"]);
        return stdout !== "";
      });
      await guest.run("systemctl", ["start", unit]);
    },
    typed: ["ss -ltnp 'sport = :8470'"],
    after: async (guest) => {
      await guest.run("systemctl", ["stop", "taker.service"]);
      // The agent tries again each minute.
      await guest.stewardAnswers(90);
    },
  },
  {
    what: "the root helper's socket is stopped",
    breaks: systemctl("stop", "steward-helper.socket"),
    typed: [restartHelper],
  },
  { what: "the root helper's socket is removed", breaks: () => rmSync(helper), typed: [restartHelper] },
  {
    what: "the root helper's socket is masked",
    breaks: systemctl("mask", "--now", "steward-helper.socket"),
    typed: [restartHelper],
  },
  {
    what: "the host file lacks a brace",
    breaks: () => writeFileSync(hostFile, '{ "https": { "enabled": true }\n'),
    typed: ["steward host-file restore"],
  },
  {
    what: "the host file has a member of another release",
    breaks: (guest) => {
      writeFileSync(hostFile, '{ "https": { "enabled": true }, "colour": "red" }\n');
      return guest.run("sh", ["-c", reload]);
    },
    typed: ["steward host-file check"],
    after: (guest, { stdout }) => {
      guest.check("it shows which", stdout.includes("/colour"), stdout);
      writeFileSync(hostFile, httpsOn);
      return guest.run("sh", ["-c", reload]);
    },
  },
  {
    what: "the host file lacks a brace, and no accepted one is kept",
    breaks: async (guest) => {
      rmSync(keptHostFile);
      writeFileSync(hostFile, "{");
      // The person who corrects it.
      writeFileSync("/usr/local/bin/editor", `#!/bin/sh\necho '${httpsOn.trim()}' >"$1"\n`, { mode: 0o755 });
      return guest.run("systemctl", ["restart", unit]);
    },
    typed: [`editor ${hostFile}; systemctl restart ${unit}`],
  },
  {
    what: "each start of the agent fails",
    breaks: async (guest) => {
      mkdirSync(dropIns, { recursive: true });
      const failing = `/bin/sh -c 'echo "${failure}"; exit 1'`;
      writeFileSync(`${dropIns}/failing.conf`, `[Service]\nExecStart=\nExecStart=${failing}\n`);
      await guest.run("systemctl", ["daemon-reload"]);
      await guest.run("systemctl", ["restart", "--no-block", unit]);
      await guest.until("systemd has started it again", 60, async () => {
        const { stdout } = await guest.run("systemctl", ["show", "--property=NRestarts", "--value", unit]);
        return Number(stdout) > 0;
      });
    },
    typed: [`journalctl -u ${unit} -n 20 --no-pager`],
    after: async (guest, { stdout }) => {
      guest.check("it shows why", stdout.includes(failure), stdout);
      rmSync(`${dropIns}/failing.conf`);
      await guest.run("systemctl", ["daemon-reload"]);
      return guest.run("systemctl", ["restart", unit]);
    },
  },
  {
    what: "the time zone's file is gone, as its former name after an upgrade to Debian 13",
    breaks: () => {
      rmSync(`${zones}/US`, { recursive: true });
      rmSync(localtime);
      symlinkSync(`${zones}/US/Pacific`, localtime);
    },
    typed: ["steward system time-zone America/Los_Angeles"],
  },
  {
    what: "the time zone is a copy from another release of the database",
    breaks: () => {
      const bytes = readFileSync(`${zones}/Asia/Tokyo`);
      bytes.writeUInt8(bytes.readUInt8(200) ^ 1, 200);
      rmSync(localtime);
      writeFileSync(localtime, bytes);
    },
    typed: ["steward system time-zone Asia/Tokyo"],
  },
  {
    what: "others may write the host file",
    breaks: () => chmodSync(hostFile, 0o666),
    typed: [`chown root ${hostFile}; chmod go-w ${hostFile}; ${restart}`],
  },
  {
    what: "a certificate's key is that of another one",
    breaks: (guest) =>
      guest.run("sh", [
        "-c",
        `mkdir -p ${tls}; cd ${tls}; ${twoPairs}; mv other.key site.key; rm other.crt; chgrp steward site.key; chmod 640 site.key; ! ${reload}`,
      ]),
    typed: [`mv ${tls}/site.crt ${tls}/site.crt.refused; ${reload}`],
  },
  {
    what: "a certificate is a pipe",
    breaks: (guest) => guest.run("sh", ["-c", `mkfifo -m 644 ${tls}/site.crt; ! ${reload}`]),
    typed: [`mv ${tls}/site.crt ${tls}/site.crt.refused; ${reload}`],
  },
  {
    what: "only root can read the maker's mark",
    breaks: (guest) =>
      guest.run("sh", [
        "-c",
        `${closed}; echo '<svg xmlns="http://www.w3.org/2000/svg"/>' >${mark}; echo '${JSON.stringify(named)}' >${hostFile}; ${restart}`,
      ]),
    typed: [`chmod a+r ${mark}; ${restart}`],
  },
  {
    what: "only root can read the host file",
    breaks: (guest) => guest.run("sh", ["-c", `${closed}; chmod 600 ${hostFile}; ${restart}`]),
    typed: [`chmod a+r ${hostFile}; ${restart}`],
  },
  {
    what: "only root can read the directory of the host file",
    breaks: (guest) => guest.run("sh", ["-c", `chmod 700 /etc/steward; ! ${reload}`]),
    typed: [`chmod a+rx /etc/steward; chmod a+r ${hostFile}; ${restart}`],
  },
  {
    what: "the host file is a link that leads nowhere",
    breaks: (guest) => guest.run("sh", ["-c", `ln -sf /data/steward.json ${hostFile}; ${restart}`]),
    typed: ["steward host-file restore"],
  },
  {
    what: "the host file is a directory, and no accepted one is kept",
    breaks: (guest) =>
      guest.run("sh", ["-c", `rm -r ${hostFile} ${keptHostFile}; mkdir ${hostFile}; ${restart}`]),
    typed: [`mv --backup=t ${hostFile} ${hostFile}.refused; ${restart}`],
    after: async (guest) => {
      rmSync(`${hostFile}.refused`, { recursive: true });
      writeFileSync(hostFile, httpsOn);
      return guest.run("sh", ["-c", reload]);
    },
  },
  {
    what: "a certificate is a link into certbot's directory, which only root can read",
    breaks: (guest) =>
      guest.run("sh", [
        "-c",
        `${closed}; mkdir -p ${certbot}; cd ${certbot}; ${pair("linked")}; mv linked.crt fullchain.pem; mv linked.key privkey.pem; ln -s ${certbot}/fullchain.pem ${tls}/site.crt; ln -sf ${certbot}/privkey.pem ${tls}/site.key; ${restart}`,
      ]),
    typed: [
      `install -m 640 -g steward "$(realpath ${tls}/site.key)" ${tls}/site.key; install -m 644 "$(realpath ${tls}/site.crt)" ${tls}/site.crt; ${reload}`,
    ],
  },
  {
    what: "certbot's directory is linked as it is",
    breaks: (guest) => guest.run("sh", ["-c", `rm ${tls}/*; ln -s ${certbot} ${tls}/edge-7; ${restart}`]),
    typed: [
      `install -m 640 -g steward ${tls}/edge-7/privkey.pem ${tls}/50-ca.key; install -m 644 ${tls}/edge-7/fullchain.pem ${tls}/50-ca.crt; ${reload}`,
    ],
  },
  {
    what: "only root can read the directory of the certificates, and those in it",
    breaks: (guest) =>
      guest.run("sh", [
        "-c",
        `rm -r ${tls}; ${closed}; mkdir ${tls}; cd ${tls}; ${pair("site")}; ${restart}`,
      ]),
    typed: [
      `chmod a+rx ${tls}; ${reload}`,
      `chmod a+r ${tls}/site.crt; chown root:steward ${tls}/site.key; chmod 640 ${tls}/site.key; ${reload}`,
    ],
  },
  {
    what: "only root can read the key for second factors",
    breaks: (guest) => guest.run("sh", ["-c", `${closed}; head -c 32 /dev/urandom >seal.key; ${restart}`]),
    typed: [`chown root:steward /etc/steward/seal.key; chmod 640 /etc/steward/seal.key; ${restart}`],
  },
  {
    what: "another device on the LAN has its name",
    breaks: async (guest) => {
      await lan(guest);
      const name = await otherBox(guest, hostname());
      guest.check("Avahi has counted on", name === `${hostname()}-2.local`, name);
      return guest.run("systemctl", ["reload", unit]);
    },
    typed: [`steward system host-name ${hostname()}-2`],
  },
  {
    what: "the state's disk is read-only",
    breaks: async (guest) => {
      // The kernel refuses it while files are open for writing.
      await stop(guest);
      const ran = await guest.run("mount", ["-o", "remount,ro", state]);
      await guest.run("systemctl", ["start", unit]);
      return ran;
    },
    typed: [`mount -o remount,rw ${state}`],
    after: (guest) => guest.run("systemctl", ["restart", unit]),
  },
  {
    what: "the state's disk is full",
    breaks: async (guest) => {
      await stop(guest);
      rmSync(`${state}/.reserve`, { force: true });
      fill(filler);
      await guest.run("systemctl", ["start", unit]);
    },
    typed: [`du -xah ${state} | sort -h | tail -n 20`],
    after: (guest, { stdout }) => {
      guest.check("it shows what takes the space", stdout.includes(filler), stdout);
      rmSync(filler);
      return guest.run("systemctl", ["restart", unit]);
    },
  },
  {
    what: "the state's disk has no inode left",
    breaks: crowdInodes,
    typed: [`du -x --inodes ${state} | sort -n | tail -n 20`],
    after: (guest, { stdout }) => {
      guest.check("it shows where the files are", stdout.includes(crowd), stdout);
      rmSync(crowd, { recursive: true });
      return guest.run("systemctl", ["restart", unit]);
    },
  },
  {
    what: "a newer release has written the users",
    breaks: async (guest) => {
      await stop(guest);
      for (const path of usersOfAll) {
        const text = readFileSync(path, "utf8");
        const form = /(?<="migrations":\s*\{\s*"version":\s*")\d+/;
        writeFileSync(path, text.replace(form, "99"));
      }
      await guest.run("systemctl", ["start", unit]);
    },
    typed: ["apt-get install steward"],
    // No package source here has that release, which would read them.
    after: async (guest) => {
      await stop(guest);
      for (const path of usersOfAll) writeFileSync(path, readFileSync(path, "utf8").replace('"99.', '"1.'));
      await guest.run("systemctl", ["start", unit]);
    },
  },
  {
    what: "users.json is a pipe",
    breaks: async (guest) => {
      await stop(guest);
      rmSync(users);
      execFileSync("mkfifo", ["-m", "600", users]);
    },
    typed: ["steward state restore users", `systemctl start ${unit}`],
  },
  {
    what: "sessions.json is a link",
    breaks: async (guest) => {
      await stop(guest);
      rmSync(`${state}/sessions.json`);
      symlinkSync("/dev/zero", `${state}/sessions.json`);
    },
    typed: [`systemctl start ${unit}`, "steward state accept sessions"],
  },
  {
    what: "the agent's own key is a pipe of root's",
    breaks: async (guest) => {
      await stop(guest);
      rmSync(ownKey);
      execFileSync("mkfifo", ["-m", "600", ownKey]);
      await guest.run("systemctl", ["start", unit]);
    },
    typed: [`chown -h steward: ${ownKey}; ${restart}`, `mv ${ownKey} ${ownKey}.unusable; ${restart}`],
  },
  {
    what: "the state directory belongs to another user",
    breaks: () => chownSync(state, 0, 0),
    typed: [`chown -hR steward: ${state}; systemctl restart ${unit}`],
  },
  {
    what: "the state directory is a file",
    breaks: (guest) => inPlaceOfState(guest, `echo >${state}`),
    typed: [`mv ${state} ${state}.unusable; systemctl restart ${unit}`],
    after: stateBack,
  },
  {
    what: "the state directory is a link",
    breaks: (guest) => inPlaceOfState(guest, `ln -s ${aside} ${state}`),
    typed: [mountFor(aside)],
    after: async (guest) => {
      const list = await guest.steward("user", "list");
      guest.check("the users are there", list.stdout.includes("anna"), list);
      return stateBack(guest);
    },
  },
  {
    what: "the state directory is a link that leads nowhere",
    breaks: (guest) => inPlaceOfState(guest, `ln -s /srv/disk/state ${state}`),
    typed: [mountFor("/srv/disk/state")],
    after: stateBack,
  },
  {
    what: "the daily backup is switched on, and has no recipient; the person who writes it has umask 077",
    breaks: async (guest) => {
      const editor = `#!/bin/sh\numask 077; echo ${recipient} >"$1"\n`;
      writeFileSync("/usr/local/bin/editor", editor, { mode: 0o755 });
      await guest.run("systemctl", ["start", backupUnit]);
      return guest.run("systemctl", ["enable", "--now", backupTimer]);
    },
    typed: [`editor ${recipients}; ${backUp}`, `chmod a+rx /etc/steward; chmod a+r ${recipients}; ${backUp}`],
  },
  {
    what: "the timer of the daily backup is enabled and stopped",
    breaks: systemctl("stop", backupTimer),
    typed: [`systemctl start ${backupTimer}`],
  },
  {
    what: "the place of the daily backup is gone",
    breaks: async (guest) => {
      const command = `/bin/sh /usr/lib/steward/steward backup --to /mnt/gone --recipients-file ${recipients}`;
      mkdirSync(`/run/systemd/system/${backupUnit}.d`, { recursive: true });
      const text = `[Service]\nExecStart=\nExecStart=${command}\n`;
      writeFileSync(`/run/systemd/system/${backupUnit}.d/gone.conf`, text);
      await guest.run("systemctl", ["daemon-reload"]);
      await guest.run("systemctl", ["start", backupUnit]);
    },
    typed: [`${backUp}; journalctl -u ${backupUnit} -n 20 --no-pager`],
    after: async (guest, { stdout }) => {
      guest.check("it shows which", stdout.includes("/mnt/gone"), stdout);
      rmSync(`/run/systemd/system/${backupUnit}.d`, { recursive: true });
      // Its name has the minute, and a file that is there is not replaced.
      rmSync("/var/lib/steward-backups", { recursive: true });
      await guest.run("systemctl", ["daemon-reload"]);
      return guest.run("systemctl", ["start", backupUnit]);
    },
  },
  {
    what: "a container keeps the first API token from the agent",
    breaks: async (guest) => {
      const words = ["--user", "anna", "--name", "fleet", "--scope", "system:read"];
      await guest.steward("token", "prepare", lostToken, ...words);
      mkdirSync("/run/systemd/system/service.d", { recursive: true });
      writeFileSync("/run/systemd/system/service.d/zzz-lxc-service.conf", "[Service]\nLoadCredential=\n");
      await guest.run("systemctl", ["daemon-reload"]);
      return guest.run("systemctl", ["restart", unit]);
    },
    typed: [handOver],
  },
  {
    what: "a drop-in takes protections off",
    breaks: async (guest) => {
      mkdirSync(dropIns, { recursive: true });
      writeFileSync(`${dropIns}/open.conf`, "[Service]\nProtectSystem=no\nProtectHome=no\n");
      await guest.run("systemctl", ["daemon-reload"]);
      await guest.run("systemctl", ["restart", unit]);
      await guest.until("the self-check has looked", 60, async () => {
        const { stdout } = await guest.steward("status");
        return stdout.includes("ProtectSystem, ProtectHome");
      });
    },
    typed: [`systemctl cat ${unit}`],
    after: async (guest, { stdout }) => {
      guest.check("it shows the drop-in", stdout.includes("open.conf"), stdout);
      rmSync(`${dropIns}/open.conf`);
      await guest.run("systemctl", ["daemon-reload"]);
      return guest.run("systemctl", ["restart", unit]);
    },
  },
];

/** A box is broken in one way after the other; a person types the last line of doctor, and nothing else. */
export const scenario: TieredScenario = {
  title: "a broken box is brought back by the last line that doctor prints",
  tiers: { container: {} },
  timeoutSeconds: 900,
  servers: [{ port: 11_123 }],
  files: timeSettings({ servers: ["10.0.2.2:11123"] }),
  boots: [
    {
      units: [],
      run: async (guest) => {
        await mountState(guest);
        await guest.run("systemctl", ["enable", "--now", unit]);
        await guest.stewardAnswers();
        await added(guest, "anna", "admin");
        await guest.steward("tls", "enable");
        await untilStatus(guest, "the clock is measured", 90, ({ trust }) => trust !== "none");
        const last = await next(guest);
        guest.check("nothing is to be done on a sound box", last === well, last);
        for (const breakage of breakages) await mended(guest, breakage);
      },
    },
  ],
};

async function mended(guest: Guest, { what, breaks, typed, after }: Breakage): Promise<void> {
  guest.note(what);
  const broken = await breaks(guest);
  if (isRan(broken)) guest.check(`${what}: so it is`, broken.status === 0, broken);
  for (const wanted of typed) {
    const line = await next(guest);
    guest.check(`${what}: doctor has "${wanted}" typed`, line === wanted, line);
    // Here is no terminal on which a person would confirm it.
    const confirmed = line.startsWith("steward state ") ? `${line} --yes` : line;
    const ran = await guest.run("sh", ["-c", confirmed], { timeoutSeconds: 120 });
    await after?.(guest, ran);
  }
  const last = await guest
    .until(`${what}: the box is well again`, 20, async () => {
      const line = await next(guest);
      if (line !== well) throw new Error(line);
      return line;
    })
    .catch((error: unknown) => String(error));
  guest.check(`${what}: the box is well again`, last === well, last);
}

function isRan(value: unknown): value is Ran {
  return typeof value === "object" && value !== null && "status" in value;
}

/** A disk of its own for the state, small enough to be filled. */
async function mountState(guest: Guest): Promise<void> {
  const { uid, gid } = statSync(state);
  await guest.run("mount", ["-t", "tmpfs", "-o", "size=48m,nr_inodes=1000,mode=0700", "tmpfs", state]);
  chownSync(state, uid, gid);
  mkdirSync(`${state}/lost+found`, { mode: 0o700 });
}

/** Writes until there is no room for one more byte. */
function fill(path: string): void {
  for (let size = 1 << 20; size >= 1; ) {
    try {
      writeFileSync(path, Buffer.alloc(size), { flag: "a" });
    } catch {
      size >>= 1;
    }
  }
}

async function crowdInodes(guest: Guest): Promise<void> {
  await stop(guest);
  mkdirSync(crowd);
  try {
    for (let number = 0; ; number += 1) writeFileSync(`${crowd}/${number}`, "");
  } catch {
    // That was the last one.
  }
  await guest.run("systemctl", ["start", unit]);
}
