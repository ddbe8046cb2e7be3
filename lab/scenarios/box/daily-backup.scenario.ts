import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { addUser } from "../people.ts";

/** A pair of keys of age, for this scenario only. */
const identity = "AGE-SECRET-KEY-1K43D5W9F6J8XR709XNW66Y7LNTNSH3LPCDXC0TVQX2TPZSX9U94QXANLR0";
const recipient = "age1wv2pk2p3dnfrzp0tccnzcqnjdz89y82wag95pwh3mvkvcrytp9yswk437z";

const directory = "/var/lib/steward-backups";

export const scenario: TieredScenario = {
  title:
    "the timer that is shipped switched off makes a backup to a public key, which opens with its private one",
  tiers: { container: {} },
  timeoutSeconds: 240,
  boots: [
    {
      run: async (guest) => {
        await guest.stewardAnswers();
        await addUser(guest);
        await isSwitchedOff(guest);
        await isHeardOf(guest);
        await isMade(guest);
        await isNoneOnFullDisk(guest);
        await opens(guest);
        await keepsOthers(guest);
      },
    },
  ],
};

async function isSwitchedOff(guest: Guest): Promise<void> {
  const { stdout } = await guest.run("systemctl", ["is-enabled", "steward-backup.timer"]);
  guest.check("the timer is switched off", stdout.trim() === "disabled", stdout);
  const begun = await guest.run("systemctl", ["start", "steward-backup.service"]);
  guest.check("without recipients nothing is made, and the unit fails", begun.status !== 0, begun);
}

/** Switched on three days ago, by the links and stamps that systemd makes: the clock is this computer's. */
async function isHeardOf(guest: Guest): Promise<void> {
  const lines = ["set -e", "systemctl enable --now steward-backup.timer"];
  lines.push("touch -h -d '3 days ago' /etc/systemd/system/timers.target.wants/steward-backup.timer");
  lines.push("touch -d '3 days ago' /var/lib/steward/.identity.json");
  lines.push("touch -d yesterday /var/lib/systemd/timers/stamp-steward-backup.timer");
  const ran = await guest.run("sh", ["-c", [...lines, "systemctl restart steward.service"].join("\n")]);
  guest.check("the timer is switched on, three days ago", ran.status === 0, ran);
  const need = await guest.until("the status needs a backup", 20, () => overdue(guest));
  guest.check("nothing was made since, and that is a need", need.level === "attention", need);
  const listed = await guest.steward("status");
  const isSaid = listed.status === 10 && /daily backup is switched on/.test(listed.stdout);
  guest.check("which status says in words", isSaid, listed);
  const metrics = await guest.run("sh", [
    "-c",
    "curl -s --unix-socket /run/steward/steward.sock http://localhost/api/metrics",
  ]);
  guest.check("the metric has it", /^steward_need\{code="unit"\} 1$/m.test(metrics.stdout), metrics.stderr);
}

async function overdue(guest: Guest): Promise<Need | undefined> {
  const { needs } = (await guest.api("/api/status")) as { needs: readonly Need[] };
  return needs.find(({ facts }) => facts.reason === "backup_overdue");
}

interface Need {
  readonly level: string;
  readonly facts: { readonly reason?: string };
}

async function isMade(guest: Guest): Promise<void> {
  const lines = ["set -e", `echo ${recipient} > /etc/steward/backup-recipients`];
  lines.push("systemctl enable --now steward-backup.timer", "systemctl start steward-backup.service");
  const made = await guest.run("sh", ["-c", lines.join("\n")]);
  const { stdout: log } = await guest.run("journalctl", ["-u", "steward-backup", "--no-pager", "-o", "cat"]);
  guest.check("the service makes a backup", made.status === 0, { made, log });
  const { stdout: timers } = await guest.run("systemctl", [
    "list-timers",
    "steward-backup.timer",
    "--no-pager",
  ]);
  guest.check("the timer waits for the next day", /steward-backup\.timer/.test(timers), timers);
  const { stdout } = await guest.run("stat", ["-c", "%a %U", directory, `${directory}/`]);
  guest.check("only the agent's user sees the directory", stdout.startsWith("700 steward"), stdout);
  const { stdout: status } = await guest.steward("status");
  guest.check("the status says when", /^last backup +\d{4}-/m.test(status), status);
}

/** The agent has sent all of it before the disk refuses it. */
async function isNoneOnFullDisk(guest: Guest): Promise<void> {
  guest.check("the need has ended with the first one", (await overdue(guest)) === undefined);
  const place = "/mnt/nas";
  const dropIn = "/etc/systemd/system/steward-backup.service.d";
  const command = `/bin/sh /usr/lib/steward/steward backup --to ${place} --keep 7 --recipients-file /etc/steward/backup-recipients`;
  const lines = [
    "set -e",
    `mkdir -p ${place} ${dropIn}`,
    `mount -t tmpfs -o size=16k,mode=0777 tmpfs ${place}`,
  ];
  lines.push(
    `printf '[Service]\\nExecStart=\\nExecStart=${command}\\nReadWritePaths=${place}\\n' >${dropIn}/nas.conf`,
  );
  const put = await guest.run("sh", ["-c", [...lines, "systemctl daemon-reload"].join("\n")]);
  guest.check("backups go to a small disk", put.status === 0, put);
  const before = ((await guest.api("/api/status")) as { last_backup_at: string }).last_backup_at;
  const begun = await guest.run("systemctl", ["start", "steward-backup.service"]);
  guest.check("which is full: the unit fails", begun.status !== 0, begun);
  const after = ((await guest.api("/api/status")) as { last_backup_at: string }).last_backup_at;
  guest.check("and no backup counts as made", after === before, { before, after });
  const left = await guest.run("ls", ["-A", place]);
  guest.check("nothing of it is left there", left.stdout === "", left);
  const undone = await guest.run("sh", [
    "-c",
    `rm ${dropIn}/nas.conf; systemctl daemon-reload; umount ${place}`,
  ]);
  guest.check("the place of before is back", undone.status === 0, undone);
}

/** By the program's own process: age is not on this machine. */
async function opens(guest: Guest): Promise<void> {
  const order = JSON.stringify({ mode: "open", identity });
  const open = `{ echo '${order}'; cat ${directory}/*.age; } | /usr/lib/steward/bin/node /usr/lib/steward/backup.js | tar -xO state/users.json`;
  const { stdout, stderr } = await guest.run("sh", ["-c", open]);
  guest.check("it has the user", stdout.includes('"username":"root-admin"'), {
    stdout: stdout.slice(0, 500),
    stderr,
  });
}

/** A second box of this name on the same share, a file of an earlier release, and days on which the clock said 2038. */
async function keepsOthers(guest: Guest): Promise<void> {
  const lines = ["set -e", `cd ${directory}`, "own=$(ls *.age)"];
  lines.push("base=$(echo $own | sed 's/-20[0-9][0-9]-.*//')", "id=$(echo $own | sed 's/.*Z-//; s/-.*//')");
  for (const number of [2, 3, 4, 5, 6, 7, 8])
    lines.push(`cp -p "$own" "$base-2038-01-0${number}T0130Z-$id-${number}.age"`);
  for (const ending of ["-001122334455-1", "-001122334455-2", ""])
    lines.push(`cp -p "$own" "$base-2026-11-01T0130Z${ending}.age"`);
  lines.push("systemctl start steward-backup.service", "ls | sed 's/.*Z//' | sort");
  const { stdout, stderr } = await guest.run("sh", ["-c", lines.join("\n")]);
  const numbers = [...stdout.matchAll(/^-[0-9a-f]{12}-(\d+)\.age$/gm)].map(([, number]) => Number(number));
  guest.check(
    "of this device the last seven written stay, and all of the other box",
    numbers.sort((one, next) => one - next).join() === "1,2,3,4,5,6,7,8,9",
    { stdout, stderr },
  );
  guest.check("and the file without an id", /^\.age$/m.test(stdout), stdout);
  const { stdout: log } = await guest.run("journalctl", ["-u", "steward-backup", "--no-pager", "-o", "cat"]);
  guest.check("the journal says why", /2 files: left; of another device\./.test(log), log);
}
