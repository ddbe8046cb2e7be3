/** The life of the packages on a bare Debian: installation, upgrade, downgrade, removal, purge. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Guest, Ran } from "../../machines/guest/vocabulary.ts";
import { addUser } from "../people.ts";

const packageOf = (name: string, folder = "now"): string => `/root/${folder}/${name}.deb`;

/** Runs apt without questions. */
export function apt(guest: Guest, ...words: readonly string[]): Promise<Ran> {
  const environment = { DEBIAN_FRONTEND: "noninteractive" };
  return guest.run("apt-get", ["--yes", "--quiet", ...words], { environment, timeoutSeconds: 180 });
}

export async function installed(guest: Guest, ...names: readonly string[]): Promise<void> {
  const ran = await apt(guest, "install", ...names.map((name) => packageOf(name)));
  guest.check(`apt install ${names.join(" ")}`, ran.status === 0, ran);
  const next = /Make its first administrator:\s+steward user add NAME --role admin/;
  guest.check("ends with the next line to type", next.test(ran.stdout), ran.stdout.slice(-600));
  guest.check(
    "and with the one for HTTPS",
    /^ +steward tls enable\s*$/m.test(ran.stdout),
    ran.stdout.slice(-600),
  );
  await guest.stewardAnswers();
  const added = await addUser(guest);
  guest.check("the first administrator is added", added.status === 0, added);
  await has(guest, "root-admin");
  const enabled = await guest.run("systemctl", ["is-enabled", "steward.service", "steward-guard.service"]);
  guest.check("the preset's units are enabled", enabled.stdout === "enabled\nenabled\n", enabled);
}

/** The agent is the user steward, without a capability, and has code caches of this machine's V8. */
export async function confined(guest: Guest): Promise<void> {
  const id = await mainProcess(guest);
  const status = readFileSync(`/proc/${id}/status`, "utf8");
  const sets = [...status.matchAll(/^Cap\w+:\t(\w+)$/gm)].map(([, set = ""]) => Number.parseInt(set, 16));
  guest.check(
    "the agent has no capability, and can get none",
    sets.length === 5 && sets.every((one) => one === 0),
    status,
  );
  guest.check("and is not root", !/^Uid:\t0\t/m.test(status), status);
  const caches = readdirSync("/usr/lib/steward/parts").filter((name) => name.endsWith(".cache"));
  guest.check("code caches were made on the machine", caches.length > 3, caches);
}

export async function mainProcess(guest: Guest): Promise<string> {
  const { stdout } = await guest.run("systemctl", [
    "show",
    "--property=MainPID",
    "--value",
    "steward.service",
  ]);
  return stdout.trim();
}

/** Asks the API and the command line, which the launcher starts each for itself. */
export async function answersAs(guest: Guest, version: string): Promise<void> {
  await guest.until(`Steward ${version} answers`, 120, async () => {
    const { body } = await guest.http("/api/version");
    if (body.version === version) return true;
    throw new Error(JSON.stringify(body));
  });
  const command = await guest.steward("--version");
  guest.check(`Steward ${version} answers, and its command line`, command.stdout.includes(version), command);
}

async function has(guest: Guest, name: string): Promise<void> {
  const list = await guest.steward("user", "list");
  guest.check(`the account ${name} is there`, list.stdout.includes(name), list);
}

/** Counts how often the agent has begun to listen. */
async function starts(guest: Guest): Promise<number> {
  const { stdout } = await guest.run("journalctl", ["--unit", "steward", "--no-pager"]);
  return stdout.split("listening (mode").length - 1;
}

/** A file that an administrator has written into /etc/steward. */
const own = "/etc/steward/steward.json";
const written = '{ "names": ["pump.example"] }\n';

export async function upgradedAndBack(guest: Guest): Promise<void> {
  writeFileSync(own, written);
  const place = "/etc/systemd/system/steward-helper.service.d";
  await guest.run("sh", [
    "-c",
    `mkdir ${place} && printf '[Service]\\nTasksMax=15\\n' >${place}/override.conf`,
  ]);
  const before = await starts(guest);
  const first = await guest.steward("--version");
  const up = await apt(guest, "install", packageOf("steward", "next"));
  guest.check("the next version is installed", up.status === 0 && !/warning/i.test(up.stderr), up);
  const second = await guest.steward("--version");
  guest.check("and runs", first.stdout !== second.stdout, second);
  guest.check("without a question about files in /etc", !/conffile|Configuration file/i.test(up.stdout), up);
  await has(guest, "root-admin");
  guest.check("after one start of the agent", (await starts(guest)) === before + 1, await starts(guest));
  const down = await apt(guest, "install", "--allow-downgrades", packageOf("steward"));
  guest.check("a downgrade is installed", down.status === 0, down);
  guest.check("and runs", (await guest.steward("--version")).stdout === first.stdout);
  guest.check("the host file is as it was written", readFileSync(own, "utf8") === written);
  await has(guest, "root-admin");
}

/** `systemctl disable` lasts over an upgrade. */
export async function keptDisabled(guest: Guest): Promise<void> {
  await guest.run("systemctl", ["disable", "--now", "steward.service"]);
  await apt(guest, "install", packageOf("steward", "next"));
  const active = await guest.run("systemctl", ["is-active", "steward.service"]);
  const enabled = await guest.run("systemctl", ["is-enabled", "steward.service"]);
  guest.check("a disabled agent stays so", enabled.stdout === "disabled\n", enabled);
  guest.check("and is not started by an upgrade", active.stdout === "inactive\n", active);
  await guest.run("systemctl", ["enable", "--now", "steward.service"]);
  await guest.stewardAnswers();
}

/** A new runtime makes its own caches, and is what the agent runs on. */
export async function newRuntime(guest: Guest): Promise<void> {
  const before = await mainProcess(guest);
  const again = await apt(guest, "install", "--reinstall", packageOf("steward-runtime"));
  guest.check("the runtime is installed again", again.status === 0, again);
  await guest.stewardAnswers();
  guest.check("the agent is started by it", (await mainProcess(guest)) !== before, before);
  await confined(guest);
}

/** One program sets a clock. */
export async function timekeeper(guest: Guest): Promise<void> {
  const ran = await apt(guest, "install", packageOf("steward-timekeeper", "next"));
  guest.check("apt install steward-timekeeper", ran.status === 0, ran);
  const timesyncd = await guest.run("dpkg", ["--status", "systemd-timesyncd"]);
  guest.check(
    "it takes the place of systemd-timesyncd",
    !timesyncd.stdout.includes("Status: install ok installed"),
    timesyncd,
  );
  const start = await guest.run("systemctl", ["show", "--property=ExecStart", "steward.service"]);
  guest.check(
    "the agent is started with the right to set the clock",
    start.stdout.includes("--steer-clock"),
    start,
  );
  const back = await apt(guest, "purge", "steward-timekeeper");
  const without = await guest.run("systemctl", ["show", "--property=ExecStart", "steward.service"]);
  guest.check(
    "which goes with the package",
    back.status === 0 && !without.stdout.includes("--steer-clock"),
    without,
  );
}

/** Steward makes these files in directories of others, some of them only on request. */
async function leftOutside(guest: Guest): Promise<void> {
  // These files show that avahi-daemon and systemd-resolved are installed.
  await guest.run("mkdir", ["--parents", "/etc/avahi/services"]);
  await guest.run("touch", ["/usr/lib/systemd/systemd-resolved"]);
  const enabled = await guest.steward("tls", "enable");
  guest.check("HTTPS is on", enabled.status === 0, enabled);
  const announced = ["/etc/systemd/dnssd/steward.dnssd", "/etc/avahi/services/steward.service"];
  const found = announced.filter((path) => existsSync(path));
  guest.check("and announced on the LAN", found.length === announced.length, found);
  const journals = ["/var/log/journal", "/run/log/journal"].filter((path) => existsSync(path));
  const names = journals.flatMap((path) => readdirSync(path));
  guest.check(
    "its audit lines have a journal of their own",
    names.some((name) => name.endsWith(".steward")),
    names,
  );
}

const state = ["/etc/steward", "/var/lib/steward", "/var/lib/steward-releases", "/var/lib/steward-trust"];

export async function removedAndPurged(guest: Guest): Promise<void> {
  await leftOutside(guest);
  await apt(guest, "remove", "steward");
  guest.check("remove ends the agent", (await mainProcess(guest)) === "0");
  guest.check("and keeps its state", existsSync("/var/lib/steward/users.json"));
  const again = await apt(guest, "install", packageOf("steward"));
  guest.check("which the package finds when it comes back", again.status === 0, again);
  await guest.stewardAnswers();
  await has(guest, "root-admin");
  const purged = await apt(guest, "purge", "steward", "steward-runtime");
  guest.check("apt purge steward", purged.status === 0, purged);
  const left = state.filter((path) => existsSync(path));
  guest.check("leaves no state", left.length === 0, left);
  const files = await guest.run("find", [
    "/usr",
    "/etc",
    "/var",
    "/run",
    "-xdev",
    "-iname",
    "*steward*",
    "!",
    "-path",
    "*steward-vm*",
  ]);
  guest.check("and no file", files.stdout === "", files.stdout);
  const user = await guest.run("getent", ["passwd", "steward"]);
  guest.check("and no user", user.status !== 0, user);
}
