import { hostname } from "node:os";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { timeSettings, untilStatus } from "../clock/clock-scenario.ts";
import { lan, otherBox } from "../https/neighbour.ts";
import { added, next, state } from "./rescue-situations.ts";

const unit = "steward.service";
const reload = `systemctl reload ${unit}`;
const restart = `systemctl restart ${unit}`;
const [stop, start] = [`systemctl stop ${unit}`, `systemctl start ${unit}`];
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
const stateBack = `set -e; ${stop}; umount -q ${state} || true; rm -rf ${state} ${state}.unusable; : >/etc/fstab; systemctl daemon-reload; mkdir ${state}; mount --bind ${aside} ${state}; umount ${aside}; ${start}`;
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

/** Each file and the agent are the new user's, and the person's program goes on. */
const ofNewUser = `found=$(stat -c %U:%G ${state} ${users} /etc/steward/seal.key; stat -c %U /proc/$(systemctl show --value --property=MainPID ${unit}); systemctl is-active theirs; id -nu 1001); echo $found; [ "$(echo $found)" = "steward:steward steward:steward root:steward steward active steward-old" ] || exit 1`;

const lanName = "another device on the LAN has its name";

/**
 * The ways in which a box breaks. Each has its name, and lines of the shell: "-" breaks it, ">" is what doctor's last line has
 * typed, each in turn, and "=" is printed by the last of these; a person then does "+".
 */
const breakages = `
# a person is called steward, and an earlier version has run as them
- set -e; systemctl stop ${unit} ${others}; sed -i 's|^steward:.*|steward${ofPerson}|' /etc/passwd; sed -i 's|^steward:.*|steward:x:1001:|' /etc/group
- umask 027; echo ${"a".repeat(64)} >/etc/steward/seal.key; chown -R 1001:1001 ${state}; chgrp 1001 /etc/steward/seal.key; systemd-run --uid=1001 --unit=theirs sleep 10000; ${start}
> ${withPerson.join("; ")}
+ ${ofNewUser}; rm /etc/steward/seal.key; ${restart}
# the agent is stopped
- ${stop}
> ${start}
# its unit is masked
- systemctl mask --now ${unit}
> systemctl unmask ${unit}
> ${start}
# its run directory is removed
- rm -r /run/steward
> ${restart}
# port 8470 is another program's
- ${stop}; systemd-run --unit=taker --uid=nobody /usr/lib/steward/bin/node -e "require('net').createServer().listen(8470, '127.0.0.1')"
- until ss -Hltn 'sport = :8470' | grep -q .; do sleep 0.1; done; ${start}
> ss -ltnp 'sport = :8470'
= 8470
+ systemctl stop taker.service; until curl -s http://127.0.0.1:8470/api/health; do sleep 1; done
# the root helper's socket is stopped
- systemctl stop steward-helper.socket
> ${restartHelper}
# the root helper's socket is removed
- rm /run/steward-helper.socket
> ${restartHelper}
# the root helper's socket is masked
- systemctl mask --now steward-helper.socket
> ${restartHelper}
# the host file lacks a brace
- echo '{ "https": { "enabled": true }' >${hostFile}
> steward host-file restore
# the host file has a member of another release
- echo '{ "https": { "enabled": true }, "colour": "red" }' >${hostFile}; ${reload}
> steward host-file check
= /colour
+ ${hostFileAsItWas}
# the host file lacks a brace, and no accepted one is kept
- rm ${keptHostFile}; echo '{' >${hostFile}; echo '${httpsOn}' >/root/https-on; ${editor('cat /root/https-on >"$1"')}; ${restart}
> editor ${hostFile}; ${restart}
+ ${hostFileAsItWas}
# each start of the agent fails
- ${dropIn(unit, "failing", `ExecStart=\\nExecStart=/bin/sh -c "echo the program is damaged; exit 1"`)}; systemctl restart --no-block ${unit}
- until [ "$(systemctl show --property=NRestarts --value ${unit})" -gt 0 ]; do sleep 0.2; done
> journalctl -u ${unit} -n 20 --no-pager
= the program is damaged
+ ${without(unit, "failing")}; ${restart}
# the time zone's file is gone, as its former name after an upgrade to Debian 13
- rm -r ${zones}/US; ln -sf ${zones}/US/Pacific /etc/localtime
> steward system time-zone America/Los_Angeles
# the time zone is a copy from another release of the database
- rm /etc/localtime; { head -c 200 ${zones}/Asia/Tokyo; printf x; tail -c +202 ${zones}/Asia/Tokyo; } >/etc/localtime
> steward system time-zone Asia/Tokyo
# others may write the host file
- chmod 666 ${hostFile}
> chown root ${hostFile}; chmod go-w ${hostFile}; ${restart}
# a certificate's key is that of another one
- mkdir -p ${tls}; cd ${tls}; ${pair("site")}; ${pair("other")}; mv other.key site.key; rm other.crt; chgrp steward site.key; chmod 640 site.key; ! ${reload}
> ${site}
# a certificate is a pipe
- mkfifo -m 644 ${tls}/site.crt; ! ${reload}
> ${site}
# only root can read the maker's mark
- ${closed}; echo '<svg xmlns="http://www.w3.org/2000/svg"/>' >${mark}; echo '${named}' >${hostFile}; ${restart}
> chmod a+r ${mark}; ${restart}
# only root can read the host file
- ${closed}; chmod 600 ${hostFile}; ${restart}
> chmod a+r ${hostFile}; ${restart}
# only root can read the directory of the host file
- chmod 700 /etc/steward; ! ${reload}
> chmod a+rx /etc/steward; chmod a+r ${hostFile}; ${restart}
# the host file is a link that leads nowhere
- ln -sf /data/steward.json ${hostFile}; ${restart}
> steward host-file restore
# the host file is a directory, and no accepted one is kept
- rm -r ${hostFile} ${keptHostFile}; mkdir ${hostFile}; ${restart}
> mv --backup=t ${hostFile} ${hostFile}.refused; ${restart}
+ ${hostFileAsItWas}
# a certificate is a link into certbot's directory, which only root can read
- ${closed}; mkdir -p ${certbot}; cd ${certbot}; ${pair("linked")}; mv linked.crt fullchain.pem; mv linked.key privkey.pem
- ln -s ${certbot}/fullchain.pem ${tls}/site.crt; ln -sf ${certbot}/privkey.pem ${tls}/site.key; ${restart}
> install -m 640 -g steward "$(realpath ${tls}/site.key)" ${tls}/site.key; install -m 644 "$(realpath ${tls}/site.crt)" ${tls}/site.crt; ${reload}
# certbot's directory is linked as it is
- rm ${tls}/*; ln -s ${certbot} ${tls}/edge-7; ${restart}
> install -m 640 -g steward ${tls}/edge-7/privkey.pem ${tls}/50-ca.key; install -m 644 ${tls}/edge-7/fullchain.pem ${tls}/50-ca.crt; ${reload}
# only root can read the directory of the certificates, and those in it
- rm -r ${tls}; ${closed}; mkdir ${tls}; cd ${tls}; ${pair("site")}; ${restart}
> chmod a+rx ${tls}; ${reload}
> chmod a+r ${tls}/site.crt; chown root:steward ${tls}/site.key; chmod 640 ${tls}/site.key; ${reload}
# only root can read the key for second factors
- ${closed}; head -c 32 /dev/urandom >seal.key; ${restart}
> chown root:steward /etc/steward/seal.key; chmod 640 /etc/steward/seal.key; ${restart}
# ${lanName}
> steward system host-name ${hostname()}-2
# the state's disk is read-only, which the kernel refuses while files are open for writing
- ${stop}; mount -o remount,ro ${state}; ${start}
> mount -o remount,rw ${state}
+ ${restart}
# the state's disk is full
- ${stop}; rm -f ${state}/.reserve; ${fill}; ${start}
> du -xah ${state} | sort -h | tail -n 20
= ${filler}
+ rm ${filler}; ${restart}
# the state's disk has no inode left
- ${stop}; mkdir ${crowd}; n=0; while : 2>/dev/null >${crowd}/$n; do n=$((n + 1)); done; ${start}
> du -x --inodes ${state} | sort -n | tail -n 20
= ${crowd}
+ rm -r ${crowd}; ${restart}
# a newer release, which no package source here has, has written the users
- ${usersOfForm("1", "99")}
> apt-get install steward
+ ${usersOfForm("99", "1")}
# users.json is a pipe
- ${stop}; rm ${users}; mkfifo -m 600 ${users}
> steward state restore users
> ${start}
# sessions.json is a link
- ${stop}; ln -sf /dev/zero ${state}/sessions.json
> ${start}
> steward state accept sessions
# the agent's own key is a pipe of root's
- ${stop}; rm ${ownKey}; mkfifo -m 600 ${ownKey}; ${start}
> chown -h steward: ${ownKey}; ${restart}
> mv ${ownKey} ${ownKey}.unusable; ${restart}
# the state directory belongs to another user
- chown root: ${state}
> chown -hR steward: ${state}; ${restart}
# the state directory is a file
- ${inPlaceOfState(`echo >${state}`)}
> mv ${state} ${state}.unusable; ${restart}
+ ${stateBack}
# the state directory is a link
- ${inPlaceOfState(`ln -s ${aside} ${state}`)}
> ${mountFor(aside)}
+ steward user list | grep anna && ( ${stateBack} )
# the state directory is a link that leads nowhere
- ${inPlaceOfState(`ln -s /srv/disk/state ${state}`)}
> ${mountFor("/srv/disk/state")}
+ ${stateBack}
# the daily backup is switched on, and has no recipient; the person who writes it has umask 077
- ${editor(`umask 077; echo ${recipient} >"$1"`)}; ${backUp}; systemctl enable --now ${backupTimer}
> editor ${recipients}; ${backUp}
> chmod a+rx /etc/steward; chmod a+r ${recipients}; ${backUp}
# the timer of the daily backup is enabled and stopped
- systemctl stop ${backupTimer}
> systemctl start ${backupTimer}
# the place of the daily backup is gone; a file of the same minute is not replaced
- ${dropIn(backupUnit, "gone", `ExecStart=\\nExecStart=/bin/sh /usr/lib/steward/steward backup --to /mnt/gone --recipients-file ${recipients}`)}; ! ${backUp}
> ${backUp}; journalctl -u ${backupUnit} -n 20 --no-pager
= /mnt/gone
+ ${without(backupUnit, "gone")}; rm -r /var/lib/steward-backups; ${backUp}
# a container keeps the first API token from the agent
- steward token prepare ${lostToken} --user anna --name fleet --scope system:read; ${dropIn("service", "zzz-lxc-service", "LoadCredential=")}; ${restart}
> mkdir -p /etc/systemd/system/${unit}.d; printf '[Service]\\nLoadCredential=steward.token:${lostToken}\\n' >/etc/systemd/system/${unit}.d/zzzz-credentials.conf; systemctl daemon-reload; ${restart}
# a drop-in takes protections off
- ${dropIn(unit, "open", "ProtectSystem=no\\nProtectHome=no")}; ${restart}; until steward status | grep -q 'ProtectSystem, ProtectHome'; do sleep 0.2; done
> systemctl cat ${unit}
= open.conf
+ ${without(unit, "open")}; ${restart}
`;

/** The rest is for a person to decide: the device's name, its updates, second factors. */
const well = "Nothing to do.";

/** A box is broken in one way after the other; a person types the last line of doctor, and nothing else. */
export const scenario: TieredScenario = {
  title: "a broken box is brought back by the last line that doctor prints",
  tiers: { container: {} },
  timeoutSeconds: 900,
  servers: [{ port: 11_123 }],
  files: timeSettings({ servers: ["10.0.2.2:11123"] }),
  boots: [{ units: [], run: broken }],
};

async function broken(guest: Guest): Promise<void> {
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
  for (const text of breakages.trim().split(/\n(?=# )/)) await mended(guest, text.split("\n"));
}

async function mended(guest: Guest, [title = "", ...lines]: readonly string[]): Promise<void> {
  const what = title.replace("# ", "");
  const marked = (mark: string) => lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(2));
  const done = (mark: string) => guest.run("sh", ["-c", marked(mark).join("\n")], { timeoutSeconds: 120 });
  guest.note(what);
  if (what === lanName) await nameIsTaken(guest);
  await done("-");
  let said = "";
  for (const wanted of marked(">")) {
    const line = await next(guest);
    guest.check(`${what}: doctor has "${wanted}" typed`, line === wanted, line);
    // Here is no terminal on which a person would confirm it.
    const confirmed = line.startsWith("steward state ") ? `${line} --yes` : line;
    said = (await guest.run("sh", ["-c", confirmed], { timeoutSeconds: 120 })).stdout;
  }
  for (const shown of marked("=")) guest.check(`${what}: which shows it`, said.includes(shown), said);
  const after = await done("+");
  if (title.includes("called steward")) guest.check("all is the new user's", after.status === 0, after);
  const last = await guest
    .until(`${what}: the box is well again`, 20, async () => {
      const line = await next(guest);
      if (line !== well) throw new Error(line);
      return line;
    })
    .catch((error: unknown) => String(error));
  guest.check(`${what}: the box is well again`, last === well, { last, after });
}

async function nameIsTaken(guest: Guest): Promise<void> {
  await lan(guest);
  const name = await otherBox(guest, hostname());
  guest.check("Avahi has counted on", name === `${hostname()}-2.local`, name);
  await guest.types(reload);
}
