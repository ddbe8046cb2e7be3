import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Guest, Ran } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { addUser } from "../people.ts";
import { buildPackages, putPackages } from "./built.ts";
import { apt, mainProcess } from "./life.ts";

const extraUsers = join(import.meta.dirname, "../../../.cache/system-test-packages/extrausers");

/** People and programs of the house that have the name before Steward comes, and after. */
export const scenario: TieredScenario = {
  title: "a person or a group called steward is refused with the line to type, and survives a purge",
  tiers: { container: {} },
  timeoutSeconds: 400,
  machine: "bookworm",
  prepare: async () => {
    await buildPackages();
    // Names from a second source, as those of a directory server are.
    rmSync(extraUsers, { recursive: true, force: true });
    mkdirSync(extraUsers, { recursive: true });
    const words = ["download", "-qq", "-o", "APT::Sandbox::User=root", "libnss-extrausers"];
    execFileSync("apt-get", words, { cwd: extraUsers });
  },
  folders: {
    "/root/now": putPackages("now"),
    "/root/next": putPackages("next"),
    "/root/extrausers": (directory) => cpSync(extraUsers, directory, { recursive: true }),
  },
  boots: [{ units: [], run: house }],
};

async function house(guest: Guest): Promise<void> {
  await person(guest);
  await otherProgram(guest);
  await group(guest);
  await directoryServer(guest);
  await readersName(guest);
  await image(guest);
  await takenBefore(guest);
}

const sh = (guest: Guest, line: string): Promise<Ran> => guest.run("sh", ["-c", line]);

async function done(guest: Guest, line: string): Promise<Ran> {
  const ran = await sh(guest, line);
  guest.check(line, ran.status === 0, ran);
  return ran;
}

const install = (guest: Guest, folder = "now") =>
  apt(guest, "install", `/root/${folder}/steward.deb`, `/root/${folder}/steward-runtime.deb`);

/** dpkg prints to a terminal of apt's. */
const textOf = ({ stdout, stderr }: Ran): string => `${stdout}${stderr}`.replaceAll("\r", "");

/** The installation is refused, says `what`, and has put nothing there; the line that it prints lets it pass. */
async function refused(guest: Guest, what: RegExp): Promise<void> {
  const ran = await install(guest);
  const text = textOf(ran);
  guest.check(`the package is refused: ${what.source}`, ran.status !== 0 && what.test(text), ran);
  const isSafe = /make administrators\./.test(text) && !existsSync("/usr/lib/steward/main.js");
  guest.check("it says why, and nothing is unpacked", isSafe && !existsSync("/var/lib/steward"), ran);
  const line = /^ {4}(\S.*)$/m.exec(text)?.[1] ?? "false";
  await done(guest, line);
}

/** Steward is installed and is a user of its own; then it is purged. */
async function lives(guest: Guest): Promise<void> {
  const ran = await install(guest);
  guest.check("then the package is installed", ran.status === 0, ran);
  await guest.stewardAnswers();
  const { uid } = statSync(`/proc/${await mainProcess(guest)}`);
  const entry = await sh(guest, "getent passwd steward");
  const isOwn = uid < 1_000 && entry.stdout.includes(`:${uid}:`) && entry.stdout.includes("/var/lib/steward");
  guest.check("and runs as a system account of its own", isOwn, { uid, entry });
  await purged(guest);
}

async function purged(guest: Guest): Promise<Ran> {
  const ran = await apt(guest, "purge", "steward", "steward-runtime");
  guest.check("it is purged", ran.status === 0 && !existsSync("/var/lib/steward"), ran);
  return ran;
}

async function gone(guest: Guest): Promise<void> {
  const left = await sh(guest, "grep -s ^steward: /etc/passwd /etc/group /etc/shadow");
  guest.check("with its user and its group", left.stdout === "", left);
}

/** A person who is signed in, or has a program running. */
async function person(guest: Guest): Promise<void> {
  guest.note("a person is called steward");
  await done(guest, "useradd -m -s /bin/bash -u 1001 steward; echo steward:secret | chpasswd");
  await done(guest, "systemd-run --uid=steward --unit=theirs sleep 1000");
  await refused(
    guest,
    /The user steward of this device \(uid 1001, home \/home\/steward, shell \/bin\/bash\)/,
  );
  const kept = await sh(
    guest,
    "systemctl is-active theirs; id -nG steward-old; grep -c '^steward-old:\\$' /etc/shadow",
  );
  guest.check("their program, group and password go on", kept.stdout === "active\nsteward-old\n1\n", kept);
  await lives(guest);
  await gone(guest);
  await done(guest, "systemctl stop theirs; getent passwd steward-old; test -d /home/steward");
  await done(guest, "userdel -r steward-old");
}

async function otherProgram(guest: Guest): Promise<void> {
  guest.note("another program has the system user steward");
  await done(guest, "useradd --system --home-dir /opt/wine --shell /usr/sbin/nologin steward");
  await refused(guest, /The user steward of this device \(uid \d+, home \/opt\/wine,/);
  await done(guest, "userdel steward-old");
}

async function group(guest: Guest): Promise<void> {
  guest.note("a group of people is called steward, by a system's number");
  await done(
    guest,
    "useradd anna; groupadd --system --users anna steward || { groupadd --system steward; gpasswd -a anna steward; }",
  );
  await refused(guest, /The group steward of this device \(gid \d+, with anna\)/);
  await done(guest, "id -nG anna | grep -w steward-old; groupdel steward-old");
}

async function directoryServer(guest: Guest): Promise<void> {
  guest.note("a directory server has a person called steward");
  await done(
    guest,
    "dpkg -i /root/extrausers/*.deb && sed -i '/^passwd\\|^group/s/files/files extrausers/' /etc/nsswitch.conf",
  );
  mkdirSync("/var/lib/extrausers", { recursive: true });
  appendFileSync("/var/lib/extrausers/passwd", "steward:x:71001:71001::/home/steward:/bin/bash\n");
  appendFileSync("/var/lib/extrausers/group", "steward:x:71001:\n");
  await refused(guest, /The user steward of this device \(uid 71001/);
  await lives(guest);
  await done(guest, "getent passwd steward | grep 71001; rm -r /var/lib/extrausers");
}

/** The reader of logs is a short-lived user of this name, unless somebody else has it. */
async function readersName(guest: Guest): Promise<void> {
  guest.note("a person is called steward-logs");
  await done(guest, "useradd steward-logs");
  await refused(guest, /The user steward-logs of this device/);
  await done(guest, "userdel steward-logs-old");
}

async function image(guest: Guest): Promise<void> {
  guest.note("an image was made with the account beforehand");
  await done(guest, "printf 'u steward 450 - /var/lib/steward\\n' | systemd-sysusers -");
  await lives(guest);
  await gone(guest);
}

/** As a version left it that did not look. */
async function takenBefore(guest: Guest): Promise<void> {
  guest.note("an earlier version has taken a person's account for its own");
  await install(guest);
  await addUser(guest);
  await done(
    guest,
    "systemctl stop steward; sed -i '/^steward:/s|:.*|:x:1001:1001::/home/steward:/bin/bash|' /etc/passwd",
  );
  await done(
    guest,
    "sed -i '/^steward:/s|:.*|:x:1001:|' /etc/group; chown -R 1001:1001 /var/lib/steward; install -d -o 1001 /home/steward",
  );
  await done(guest, "systemctl daemon-reload; systemctl start steward");
  const up = await install(guest, "next");
  const warns = /The user steward of this device \(uid 1001.*\n.*steward doctor/;
  guest.check("an upgrade goes on, and says so", up.status === 0 && warns.test(textOf(up)), up);
  const { stdout } = await guest.steward("user", "list");
  guest.check("the agent answers", stdout.includes("root-admin"), stdout);
  const ran = await purged(guest);
  guest.check(
    "a purge names the person",
    /the user steward, who is not Steward's own/.test(textOf(ran)),
    ran,
  );
  await done(guest, "getent passwd steward | grep :1001:; test -d /home/steward; getent group steward");
  guest.check("and their home is there", readdirSync("/home").includes("steward"));
}
