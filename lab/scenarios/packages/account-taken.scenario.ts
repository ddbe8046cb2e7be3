import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Guest, Ran } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { addUser } from "../people.ts";
import { packagesIn } from "./built.ts";
import { apt, hasAccount } from "./life.ts";

const packages = packagesIn("now", "next");
const extraUsers = join(import.meta.dirname, "../../../.cache/system-test-packages/extrausers");

/** People and programs of the house that have the name before Steward comes, and after. */
export const scenario: TieredScenario = {
  title: "a person or a group called steward is refused with the line to type, and survives a purge",
  tiers: { container: {} },
  timeoutSeconds: 400,
  machine: "bookworm",
  prepare: async () => {
    await packages.prepare?.();
    // Names from a second source, as those of a directory server are.
    rmSync(extraUsers, { recursive: true, force: true });
    mkdirSync(extraUsers, { recursive: true });
    const words = ["download", "-qq", "-o", "APT::Sandbox::User=root", "libnss-extrausers"];
    execFileSync("apt-get", words, { cwd: extraUsers });
  },
  folders: {
    ...packages.folders,
    "/root/extrausers": (directory) => cpSync(extraUsers, directory, { recursive: true }),
  },
  boots: [{ units: [], run: living }],
};

/**
 * A person or program that is there before Steward comes. `refused`: the package says this and has put nothing there, and the
 * line that it prints lets it pass; `lives`: then Steward is installed, is a user of its own, and is purged.
 */
interface House {
  readonly what: string;
  readonly before: string;
  readonly refused?: RegExp;
  readonly lives?: boolean;
  readonly after?: string;
}

const withoutUser = "! grep -s ^steward: /etc/passwd /etc/group /etc/shadow";

const houses: readonly House[] = [
  {
    what: "a person is called steward, who is signed in, or has a program running",
    before:
      "useradd -m -s /bin/bash -u 1001 steward; echo steward:secret | chpasswd; systemd-run --uid=steward --unit=theirs sleep 1000",
    refused: /The user steward of this device \(uid 1001, home \/home\/steward, shell \/bin\/bash\)/,
    lives: true,
    // Their program, group, password and home go on.
    after: `systemctl is-active theirs && [ "$(id -nG steward-old)" = steward-old ] && grep '^steward-old:[$]' /etc/shadow && test -d /home/steward && ${withoutUser} && systemctl stop theirs && userdel -r steward-old`,
  },
  {
    what: "another program has the system user steward",
    before: "useradd --system --home-dir /opt/wine --shell /usr/sbin/nologin steward",
    refused: /The user steward of this device \(uid \d+, home \/opt\/wine,/,
    after: "userdel steward-old",
  },
  {
    what: "a group of people is called steward, by a system's number",
    before:
      "useradd anna; groupadd --system --users anna steward || { groupadd --system steward; gpasswd -a anna steward; }",
    refused: /The group steward of this device \(gid \d+, with anna\)/,
    after: "id -nG anna | grep -w steward-old && groupdel steward-old",
  },
  {
    what: "a directory server has a person called steward",
    before: `dpkg -i /root/extrausers/*.deb && sed -Ei '/^passwd|^group/s/files/files extrausers/' /etc/nsswitch.conf; mkdir -p /var/lib/extrausers
echo 'steward:x:71001:71001::/home/steward:/bin/bash' >/var/lib/extrausers/passwd; echo 'steward:x:71001:' >/var/lib/extrausers/group`,
    refused: /The user steward of this device \(uid 71001/,
    lives: true,
    after: "getent passwd steward | grep 71001 && rm -r /var/lib/extrausers",
  },
  {
    // The reader of logs is a short-lived user of this name, unless somebody else has it.
    what: "a person is called steward-logs",
    before: "useradd steward-logs",
    refused: /The user steward-logs of this device/,
    after: "userdel steward-logs-old",
  },
  {
    what: "an image was made with the account beforehand",
    before: "printf 'u steward 450 - /var/lib/steward\\n' | systemd-sysusers -",
    lives: true,
    after: withoutUser,
  },
];

async function living(guest: Guest): Promise<void> {
  for (const { what, before, refused, lives: isInstalled, after = "true" } of houses) {
    await guest.types(before, { what });
    if (refused !== undefined) await isRefused(guest, refused);
    if (isInstalled) await lives(guest);
    await guest.types(after, { what: `${what}: who was there goes on` });
  }
  await takenBefore(guest);
}

const install = (guest: Guest, folder = "now") =>
  apt(guest, "install", `/root/${folder}/steward.deb`, `/root/${folder}/steward-runtime.deb`);

/** dpkg prints to a terminal of apt's. */
const textOf = ({ stdout, stderr }: Ran): string => `${stdout}${stderr}`.replaceAll("\r", "");

async function isRefused(guest: Guest, why: RegExp): Promise<void> {
  const ran = await install(guest);
  const text = textOf(ran);
  const isUnpacked = ["/usr/lib/steward/main.js", "/var/lib/steward"].some((path) => existsSync(path));
  const isSaid = why.test(text) && /make administrators\./.test(text);
  guest.check(`the package is refused: ${why.source}`, ran.status !== 0 && isSaid && !isUnpacked, ran);
  await guest.types(/^ {4}(\S.*)$/m.exec(text)?.[1] ?? "false");
}

async function lives(guest: Guest): Promise<void> {
  const ran = await install(guest);
  guest.check("then the package is installed", ran.status === 0, ran);
  await guest.stewardAnswers();
  const { uid } = statSync(`/proc/${await guest.property("MainPID")}`);
  guest.check("and runs as a system account", uid < 1_000, uid);
  await guest.types("getent passwd steward", { says: [`:${uid}:`, "/var/lib/steward"] });
  await purged(guest);
}

async function purged(guest: Guest): Promise<string> {
  const ran = await apt(guest, "purge", "steward", "steward-runtime");
  guest.check("it is purged", ran.status === 0 && !existsSync("/var/lib/steward"), ran);
  return textOf(ran);
}

/** As a version left it that did not look: it has taken a person's account for its own. */
async function takenBefore(guest: Guest): Promise<void> {
  await install(guest);
  await addUser(guest);
  await guest.types(`systemctl stop steward; sed -i '/^steward:/s|:.*|:x:1001:1001::/home/steward:/bin/bash|' /etc/passwd
sed -i '/^steward:/s|:.*|:x:1001:|' /etc/group; chown -R 1001:1001 /var/lib/steward; install -d -o 1001 /home/steward
systemctl daemon-reload; systemctl start steward`);
  const up = await install(guest, "next");
  const isSaid = /The user steward of this device \(uid 1001.*\n.*steward doctor/.test(textOf(up));
  guest.check("an upgrade goes on, and says so", up.status === 0 && isSaid, up);
  await hasAccount(guest);
  const said = await purged(guest);
  guest.check("a purge names the person", said.includes("the user steward, who is not Steward's own"), said);
  await guest.types("getent passwd steward | grep :1001: && test -d /home/steward && getent group steward");
}
