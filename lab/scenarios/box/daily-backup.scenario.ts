import type { Guest } from "../../machines/guest/vocabulary.ts";
import { type TieredScenario, walk } from "../../machines/scenario.ts";
import { addUser } from "../people.ts";

/** A pair of keys of age, for this scenario only. */
const identity = "AGE-SECRET-KEY-1K43D5W9F6J8XR709XNW66Y7LNTNSH3LPCDXC0TVQX2TPZSX9U94QXANLR0";
const recipient = "age1wv2pk2p3dnfrzp0tccnzcqnjdz89y82wag95pwh3mvkvcrytp9yswk437z";

const directory = "/var/lib/steward-backups";
const [service, timer] = ["steward-backup.service", "steward-backup.timer"];

export const scenario: TieredScenario = {
  title:
    "the timer that is shipped switched off makes a backup to a public key, which opens with its private one",
  tiers: { container: {} },
  timeoutSeconds: 240,
  boots: [{ run: walk(addUser, isHeardOf, isMade, isNoneOnFullDisk, opens) }],
};

/** Switched on three days ago, by the links and stamps that systemd makes: the clock is this computer's. */
async function isHeardOf(guest: Guest): Promise<void> {
  await guest.types(`systemctl is-enabled ${timer}`, { status: 1, says: "disabled" });
  await guest.types(`systemctl start ${service}`, { status: "fails", what: "without recipients it fails" });
  await guest.types(`systemctl enable --now ${timer}; touch -d yesterday /var/lib/systemd/timers/stamp-${timer}
touch -h -d '3 days ago' /etc/systemd/system/timers.target.wants/${timer} /var/lib/steward/.identity.json
systemctl restart steward.service`);
  const need = await guest.until("the status needs a backup", 20, () => overdue(guest));
  guest.check("nothing was made since, and that is a need", need.level === "attention", need);
  await guest.types("steward status", { status: 10, says: "daily backup is switched on" });
}

async function overdue(guest: Guest): Promise<{ level: string } | undefined> {
  const { needs } = await guest.api("/api/status");
  return needs.find(({ facts }: { facts: { reason?: string } }) => facts.reason === "backup_overdue");
}

async function isMade(guest: Guest): Promise<void> {
  await guest.types(`echo ${recipient} >/etc/steward/backup-recipients; systemctl start ${service}`);
  await guest.types(`systemctl list-timers ${timer} --no-pager`, { says: timer });
  await guest.types(`stat -c '%a %U' ${directory}`, { says: "700 steward" });
  await guest.types("steward status", { status: 10, says: /^last backup +\d{4}-/m });
  guest.check("the need has ended with the first one", (await overdue(guest)) === undefined);
}

/** The agent has sent all of it before the disk refuses it. */
async function isNoneOnFullDisk(guest: Guest): Promise<void> {
  const [place, dropIn] = ["/mnt/nas", `/etc/systemd/system/${service}.d`];
  const command = `/bin/sh /usr/lib/steward/steward backup --to ${place} --keep 7 --recipients-file /etc/steward/backup-recipients`;
  await guest.types(`mkdir -p ${place} ${dropIn}; mount -t tmpfs -o size=16k,mode=0777 tmpfs ${place}
printf '[Service]\\nExecStart=\\nExecStart=${command}\\nReadWritePaths=${place}\\n' >${dropIn}/nas.conf; systemctl daemon-reload`);
  const before = (await guest.api("/api/status")).last_backup_at;
  await guest.types(`systemctl start ${service}`, { status: "fails", what: "on a full disk the unit fails" });
  const after = (await guest.api("/api/status")).last_backup_at;
  guest.check("and no backup counts as made", after === before, { before, after });
  await guest.types(`[ -z "$(ls -A ${place})" ]`, { what: "nothing of it is left there" });
}

/** By the program's own process: age is not on this machine. */
async function opens(guest: Guest): Promise<void> {
  const order = JSON.stringify({ mode: "open", identity });
  const open = `{ echo '${order}'; cat ${directory}/*.age; } | /usr/lib/steward/bin/node /usr/lib/steward/backup.js`;
  await guest.types(`${open} | tar -xO state/users.json`, { says: '"username":"root-admin"' });
}
