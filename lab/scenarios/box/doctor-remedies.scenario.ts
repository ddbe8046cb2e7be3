import { hostname } from "node:os";
import type { Guest, Ran } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { timeSettings, untilStatus } from "../clock/clock-scenario.ts";
import { lan, otherBox } from "../https/neighbour.ts";
import { added, next, state } from "./rescue-situations.ts";

const unit = "steward.service";
const reload = `systemctl reload ${unit}`;
const restart = `systemctl restart ${unit}`;
const [stop, start] = [`systemctl stop ${unit}`, `systemctl start ${unit}`];
/** The rest is for a person to decide: the device's name, its updates, second factors. */
const well = "Nothing to do.";

/** One way in which a box breaks, and what mends it. */
interface Breakage {
  readonly what: string;
  /** Lines of the shell, or a function. */
  readonly breaks: string | ((guest: Guest) => Promise<unknown>);
  /** The last lines of doctor, each typed in turn. */
  readonly typed: readonly string[];
  /** The last of these lines prints it; a person then does what follows. */
  readonly shows?: string;
  readonly after?: string | ((guest: Guest) => Promise<unknown>);
}

const hostFile = "/etc/steward/steward.json";
const keptHostFile = "/var/lib/steward-host/steward.json";
const httpsOn = '{ "https": { "enabled": true } }';
const hostFileAsItWas = `rm -rf ${hostFile}.refused; echo '${httpsOn}' >${hostFile}; ${reload}`;
/** Root's umask of a hardened host. */
const closed = "umask 077; cd /etc/steward";
const mark = "/etc/steward/mark.svg";
const named = JSON.stringify({ https: { enabled: true }, maker: { name: "Pumpworks", mark } });

const tls = "/etc/steward/tls";
const certbot = "/etc/letsencrypt/live/edge-7";
const pair = (name: string) =>
  `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 90 -subj /CN=${name} -keyout ${name}.key -out ${name}.crt`;
const site = `mv ${tls}/site.crt ${tls}/site.crt.refused; ${reload}`;

const zones = "/usr/share/zoneinfo";
const users = `${state}/users.json`;
const ownKey = `${state}/.seal.key`;
const crowd = `${state}/lost+found/crowd`;
const filler = `${state}/lost+found/filler`;
const fill = `cat /dev/zero >${filler} 2>/dev/null`;
const usersOfForm = (from: string, to: string) =>
  `${stop}; sed -Ez -i 's/("migrations":\\s*\\{\\s*"version":\\s*")${from}\\./\\1${to}./' ${users} ${state}/users.good.json; ${start}`;

/** The state's disk is mounted here too, while something else has the place of the directory. */
const aside = "/srv/aside";
const inPlaceOfState = (line: string) =>
  `set -e; ${stop}; mkdir -p ${aside}; mount --bind ${state} ${aside}; umount ${state}; rmdir ${state}; ${line}; systemctl start --no-block ${unit}`;
const stateBack = `set -e; ${stop}; umount -q ${state} || true; rm -rf ${state} ${state}.unusable; : >/etc/fstab; systemctl daemon-reload
  mkdir ${state}; mount --bind ${aside} ${state}; umount ${aside}; ${start}`;
const mountFor = (target: string) =>
  `mount -a; rm ${state}; mkdir -p ${target} ${state}; echo '${target} ${state} none bind' >>/etc/fstab; systemctl daemon-reload; mount ${state}; ${restart}`;

const recipients = "/etc/steward/backup-recipients";
const [backupUnit, backupTimer] = ["steward-backup.service", "steward-backup.timer"];
const backUp = `systemctl start ${backupUnit}`;
/** A public key of age's. */
const recipient = "age1wv2pk2p3dnfrzp0tccnzcqnjdz89y82wag95pwh3mvkvcrytp9yswk437z";
/** The person who writes a file that doctor has opened in an editor. */
const editor = (script: string) =>
  `printf '#!/bin/sh\\n%s\\n' '${script}' >/usr/local/bin/editor; chmod 755 /usr/local/bin/editor`;

const dropIn = (of: string, name: string, settings: string) =>
  `mkdir -p /run/systemd/system/${of}.d; printf '[Service]\\n${settings}\\n' >/run/systemd/system/${of}.d/${name}.conf; systemctl daemon-reload`;
const without = (of: string, name: string) =>
  `rm /run/systemd/system/${of}.d/${name}.conf; systemctl daemon-reload`;

const lostToken = "/etc/steward/first-token.json";
const restartHelper = "systemctl unmask steward-helper.socket; systemctl restart steward-helper.socket";
const others = "'steward-helper.*' 'steward-logs.*' 'systemd-journald*@steward.*'";
const ofPerson = ":x:1001:1001::/home/steward:/bin/bash";
const withPerson = [
  `systemctl stop steward.service steward-backup.service ${others}`,
  "unshare --pid --fork --mount-proc usermod --login steward-old steward",
  "groupmod --new-name steward-old steward",
  `echo 'u steward - "Steward, the operations agent" ${state}' | systemd-sysusers -`,
  "chown -hR --from=steward-old steward /var/lib/steward*/",
  "chown -hR --from=:steward-old :steward /var/lib/steward*/ /etc/steward/",
  start,
];

const breakages: readonly Breakage[] = [
  {
    what: "a person is called steward, and an earlier version has run as them",
    breaks: `set -e; systemctl stop ${unit} ${others}
      sed -i 's|^steward:.*|steward${ofPerson}|' /etc/passwd; sed -i 's|^steward:.*|steward:x:1001:|' /etc/group
      umask 027; echo ${"a".repeat(64)} >/etc/steward/seal.key; chown -R 1001:1001 ${state}; chgrp 1001 /etc/steward/seal.key
      systemd-run --uid=1001 --unit=theirs sleep 10000; ${start}`,
    typed: [withPerson.join("; ")],
    after: async (guest) => {
      await guest.types(
        `stat -c %U:%G ${state} ${users} /etc/steward/seal.key; stat -c %U /proc/$(systemctl show --value --property=MainPID ${unit}); systemctl is-active theirs; id -nu 1001; rm /etc/steward/seal.key; ${restart}`,
        {
          says: "steward:steward\nsteward:steward\nroot:steward\nsteward\nactive\nsteward-old\n",
          what: "each file and the agent are the new user's, and the person's program goes on",
        },
      );
    },
  },
  { what: "the agent is stopped", breaks: stop, typed: [start] },
  {
    what: "its unit is masked",
    breaks: `systemctl mask --now ${unit}`,
    typed: [`systemctl unmask ${unit}`, start],
  },
  { what: "its run directory is removed", breaks: "rm -r /run/steward", typed: [restart] },
  {
    what: "port 8470 is another program's",
    breaks: `${stop}; systemd-run --unit=taker --uid=nobody /usr/lib/steward/bin/node -e "require('net').createServer().listen(8470, '127.0.0.1')"
      until ss -Hltn 'sport = :8470' | grep -q .; do sleep 0.1; done; ${start}`,
    typed: ["ss -ltnp 'sport = :8470'"],
    shows: "8470",
    after: async (guest) => {
      await guest.types("systemctl stop taker.service");
      // The agent tries again each minute.
      await guest.stewardAnswers(90);
    },
  },
  {
    what: "the root helper's socket is stopped",
    breaks: "systemctl stop steward-helper.socket",
    typed: [restartHelper],
  },
  {
    what: "the root helper's socket is removed",
    breaks: "rm /run/steward-helper.socket",
    typed: [restartHelper],
  },
  {
    what: "the root helper's socket is masked",
    breaks: "systemctl mask --now steward-helper.socket",
    typed: [restartHelper],
  },
  {
    what: "the host file lacks a brace",
    breaks: `echo '{ "https": { "enabled": true }' >${hostFile}`,
    typed: ["steward host-file restore"],
  },
  {
    what: "the host file has a member of another release",
    breaks: `echo '{ "https": { "enabled": true }, "colour": "red" }' >${hostFile}; ${reload}`,
    typed: ["steward host-file check"],
    shows: "/colour",
    after: hostFileAsItWas,
  },
  {
    what: "the host file lacks a brace, and no accepted one is kept",
    breaks: `rm ${keptHostFile}; echo '{' >${hostFile}; echo '${httpsOn}' >/root/https-on; ${editor('cat /root/https-on >"$1"')}; ${restart}`,
    typed: [`editor ${hostFile}; ${restart}`],
    after: hostFileAsItWas,
  },
  {
    what: "each start of the agent fails",
    breaks: `${dropIn(unit, "failing", `ExecStart=\\nExecStart=/bin/sh -c "echo the program is damaged; exit 1"`)}; systemctl restart --no-block ${unit}
      until [ "$(systemctl show --property=NRestarts --value ${unit})" -gt 0 ]; do sleep 0.2; done`,
    typed: [`journalctl -u ${unit} -n 20 --no-pager`],
    shows: "the program is damaged",
    after: `${without(unit, "failing")}; ${restart}`,
  },
  {
    what: "the time zone's file is gone, as its former name after an upgrade to Debian 13",
    breaks: `rm -r ${zones}/US; ln -sf ${zones}/US/Pacific /etc/localtime`,
    typed: ["steward system time-zone America/Los_Angeles"],
  },
  {
    what: "the time zone is a copy from another release of the database",
    breaks: `rm /etc/localtime; { head -c 200 ${zones}/Asia/Tokyo; printf x; tail -c +202 ${zones}/Asia/Tokyo; } >/etc/localtime`,
    typed: ["steward system time-zone Asia/Tokyo"],
  },
  {
    what: "others may write the host file",
    breaks: `chmod 666 ${hostFile}`,
    typed: [`chown root ${hostFile}; chmod go-w ${hostFile}; ${restart}`],
  },
  {
    what: "a certificate's key is that of another one",
    breaks: `mkdir -p ${tls}; cd ${tls}; ${pair("site")}; ${pair("other")}; mv other.key site.key; rm other.crt; chgrp steward site.key; chmod 640 site.key; ! ${reload}`,
    typed: [site],
  },
  { what: "a certificate is a pipe", breaks: `mkfifo -m 644 ${tls}/site.crt; ! ${reload}`, typed: [site] },
  {
    what: "only root can read the maker's mark",
    breaks: `${closed}; echo '<svg xmlns="http://www.w3.org/2000/svg"/>' >${mark}; echo '${named}' >${hostFile}; ${restart}`,
    typed: [`chmod a+r ${mark}; ${restart}`],
  },
  {
    what: "only root can read the host file",
    breaks: `${closed}; chmod 600 ${hostFile}; ${restart}`,
    typed: [`chmod a+r ${hostFile}; ${restart}`],
  },
  {
    what: "only root can read the directory of the host file",
    breaks: `chmod 700 /etc/steward; ! ${reload}`,
    typed: [`chmod a+rx /etc/steward; chmod a+r ${hostFile}; ${restart}`],
  },
  {
    what: "the host file is a link that leads nowhere",
    breaks: `ln -sf /data/steward.json ${hostFile}; ${restart}`,
    typed: ["steward host-file restore"],
  },
  {
    what: "the host file is a directory, and no accepted one is kept",
    breaks: `rm -r ${hostFile} ${keptHostFile}; mkdir ${hostFile}; ${restart}`,
    typed: [`mv --backup=t ${hostFile} ${hostFile}.refused; ${restart}`],
    after: hostFileAsItWas,
  },
  {
    what: "a certificate is a link into certbot's directory, which only root can read",
    breaks: `${closed}; mkdir -p ${certbot}; cd ${certbot}; ${pair("linked")}; mv linked.crt fullchain.pem; mv linked.key privkey.pem; ln -s ${certbot}/fullchain.pem ${tls}/site.crt; ln -sf ${certbot}/privkey.pem ${tls}/site.key; ${restart}`,
    typed: [
      `install -m 640 -g steward "$(realpath ${tls}/site.key)" ${tls}/site.key; install -m 644 "$(realpath ${tls}/site.crt)" ${tls}/site.crt; ${reload}`,
    ],
  },
  {
    what: "certbot's directory is linked as it is",
    breaks: `rm ${tls}/*; ln -s ${certbot} ${tls}/edge-7; ${restart}`,
    typed: [
      `install -m 640 -g steward ${tls}/edge-7/privkey.pem ${tls}/50-ca.key; install -m 644 ${tls}/edge-7/fullchain.pem ${tls}/50-ca.crt; ${reload}`,
    ],
  },
  {
    what: "only root can read the directory of the certificates, and those in it",
    breaks: `rm -r ${tls}; ${closed}; mkdir ${tls}; cd ${tls}; ${pair("site")}; ${restart}`,
    typed: [
      `chmod a+rx ${tls}; ${reload}`,
      `chmod a+r ${tls}/site.crt; chown root:steward ${tls}/site.key; chmod 640 ${tls}/site.key; ${reload}`,
    ],
  },
  {
    what: "only root can read the key for second factors",
    breaks: `${closed}; head -c 32 /dev/urandom >seal.key; ${restart}`,
    typed: [`chown root:steward /etc/steward/seal.key; chmod 640 /etc/steward/seal.key; ${restart}`],
  },
  {
    what: "another device on the LAN has its name",
    breaks: async (guest) => {
      await lan(guest);
      const name = await otherBox(guest, hostname());
      guest.check("Avahi has counted on", name === `${hostname()}-2.local`, name);
      await guest.types(reload);
    },
    typed: [`steward system host-name ${hostname()}-2`],
  },
  {
    what: "the state's disk is read-only",
    // The kernel refuses it while files are open for writing.
    breaks: `${stop}; mount -o remount,ro ${state}; ${start}`,
    typed: [`mount -o remount,rw ${state}`],
    after: restart,
  },
  {
    what: "the state's disk is full",
    breaks: `${stop}; rm -f ${state}/.reserve; ${fill}; ${start}`,
    typed: [`du -xah ${state} | sort -h | tail -n 20`],
    shows: filler,
    after: `rm ${filler}; ${restart}`,
  },
  {
    what: "the state's disk has no inode left",
    breaks: `${stop}; mkdir ${crowd}; n=0; while : 2>/dev/null >${crowd}/$n; do n=$((n + 1)); done; ${start}`,
    typed: [`du -x --inodes ${state} | sort -n | tail -n 20`],
    shows: crowd,
    after: `rm -r ${crowd}; ${restart}`,
  },
  {
    what: "a newer release has written the users",
    breaks: usersOfForm("1", "99"),
    typed: ["apt-get install steward"],
    // No package source here has that release, which would read them.
    after: usersOfForm("99", "1"),
  },
  {
    what: "users.json is a pipe",
    breaks: `${stop}; rm ${users}; mkfifo -m 600 ${users}`,
    typed: ["steward state restore users", start],
  },
  {
    what: "sessions.json is a link",
    breaks: `${stop}; ln -sf /dev/zero ${state}/sessions.json`,
    typed: [start, "steward state accept sessions"],
  },
  {
    what: "the agent's own key is a pipe of root's",
    breaks: `${stop}; rm ${ownKey}; mkfifo -m 600 ${ownKey}; ${start}`,
    typed: [`chown -h steward: ${ownKey}; ${restart}`, `mv ${ownKey} ${ownKey}.unusable; ${restart}`],
  },
  {
    what: "the state directory belongs to another user",
    breaks: `chown root: ${state}`,
    typed: [`chown -hR steward: ${state}; ${restart}`],
  },
  {
    what: "the state directory is a file",
    breaks: inPlaceOfState(`echo >${state}`),
    typed: [`mv ${state} ${state}.unusable; ${restart}`],
    after: stateBack,
  },
  {
    what: "the state directory is a link",
    breaks: inPlaceOfState(`ln -s ${aside} ${state}`),
    typed: [mountFor(aside)],
    after: `steward user list | grep anna && ( ${stateBack} )`,
  },
  {
    what: "the state directory is a link that leads nowhere",
    breaks: inPlaceOfState(`ln -s /srv/disk/state ${state}`),
    typed: [mountFor("/srv/disk/state")],
    after: stateBack,
  },
  {
    what: "the daily backup is switched on, and has no recipient; the person who writes it has umask 077",
    breaks: `${editor(`umask 077; echo ${recipient} >"$1"`)}; ${backUp}; systemctl enable --now ${backupTimer}`,
    typed: [`editor ${recipients}; ${backUp}`, `chmod a+rx /etc/steward; chmod a+r ${recipients}; ${backUp}`],
  },
  {
    what: "the timer of the daily backup is enabled and stopped",
    breaks: `systemctl stop ${backupTimer}`,
    typed: [`systemctl start ${backupTimer}`],
  },
  {
    what: "the place of the daily backup is gone",
    breaks: `${dropIn(backupUnit, "gone", `ExecStart=\\nExecStart=/bin/sh /usr/lib/steward/steward backup --to /mnt/gone --recipients-file ${recipients}`)}; ! ${backUp}`,
    typed: [`${backUp}; journalctl -u ${backupUnit} -n 20 --no-pager`],
    shows: "/mnt/gone",
    // Its name has the minute, and a file that is there is not replaced.
    after: `${without(backupUnit, "gone")}; rm -r /var/lib/steward-backups; ${backUp}`,
  },
  {
    what: "a container keeps the first API token from the agent",
    breaks: `steward token prepare ${lostToken} --user anna --name fleet --scope system:read; ${dropIn("service", "zzz-lxc-service", "LoadCredential=")}; ${restart}`,
    typed: [
      `mkdir -p /etc/systemd/system/${unit}.d; printf '[Service]\\nLoadCredential=steward.token:${lostToken}\\n' >/etc/systemd/system/${unit}.d/zzzz-credentials.conf; systemctl daemon-reload; ${restart}`,
    ],
  },
  {
    what: "a drop-in takes protections off",
    breaks: `${dropIn(unit, "open", "ProtectSystem=no\\nProtectHome=no")}; ${restart}; until steward status | grep -q 'ProtectSystem, ProtectHome'; do sleep 0.2; done`,
    typed: [`systemctl cat ${unit}`],
    shows: "open.conf",
    after: `${without(unit, "open")}; ${restart}`,
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
        // A disk of its own for the state, small enough to be filled.
        await guest.types(
          `mount -t tmpfs -o size=48m,nr_inodes=1000,mode=0700 tmpfs ${state}; mkdir -m 700 ${state}/lost+found; chown steward: ${state}; systemctl enable --now ${unit}`,
        );
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

async function mended(guest: Guest, { what, breaks, typed, shows = "", after }: Breakage): Promise<void> {
  guest.note(what);
  await done(guest, breaks);
  let ran: Ran = { status: null, stdout: "", stderr: "" };
  for (const wanted of typed) {
    const line = await next(guest);
    guest.check(`${what}: doctor has "${wanted}" typed`, line === wanted, line);
    // Here is no terminal on which a person would confirm it.
    const confirmed = line.startsWith("steward state ") ? `${line} --yes` : line;
    ran = await guest.run("sh", ["-c", confirmed], { timeoutSeconds: 120 });
  }
  guest.check(`${what}: which shows it`, ran.stdout.includes(shows), ran);
  if (after !== undefined) await done(guest, after);
  const last = await guest
    .until(`${what}: the box is well again`, 20, async () => {
      const line = await next(guest);
      if (line !== well) throw new Error(line);
      return line;
    })
    .catch((error: unknown) => String(error));
  guest.check(`${what}: the box is well again`, last === well, last);
}

const done = (guest: Guest, act: NonNullable<Breakage["after"]>): Promise<unknown> =>
  typeof act === "string" ? guest.run("sh", ["-c", act], { timeoutSeconds: 120 }) : act(guest);
