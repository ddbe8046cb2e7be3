/** The life of the packages on a bare Debian: installation, upgrade, downgrade, removal, purge. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { Guest, Ran } from "../../machines/guest/vocabulary.ts";
import { addUser } from "../people.ts";

const packageOf = (name: string, folder = "now"): string => `/root/${folder}/${name}.deb`;

/** Runs apt without questions. */
export function apt(guest: Guest, ...words: readonly string[]): Promise<Ran> {
  const environment = { DEBIAN_FRONTEND: "noninteractive" };
  return guest.run("apt-get", ["--yes", "--quiet", ...words], { environment, timeoutSeconds: 180 });
}

/** The same, checked; returns what it has printed. */
async function done(guest: Guest, ...words: readonly string[]): Promise<string> {
  const ran = await apt(guest, ...words);
  guest.check(`apt ${words.join(" ")}`, ran.status === 0, ran);
  return ran.stdout + ran.stderr;
}

export async function installed(guest: Guest, ...names: readonly string[]): Promise<void> {
  const said = await done(guest, "install", ...names.map((name) => packageOf(name)));
  const next =
    /Make its first administrator:\s+steward user add NAME --role admin[\s\S]*^ +steward tls enable\s*$/m;
  guest.check(
    "ends with the next line to type, and with the one for HTTPS",
    next.test(said),
    said.slice(-600),
  );
  await guest.stewardAnswers();
  await addUser(guest);
  await guest.types("systemctl is-enabled steward.service steward-guard.service", {
    says: "enabled\nenabled\n",
  });
}

/** The program on which the agent runs. */
export async function nodeOf(guest: Guest): Promise<string> {
  return readlinkSync(`/proc/${await guest.property("MainPID")}/exe`);
}

/** The agent is the user steward, without a capability, and has code caches of this machine's V8. */
export async function confined(guest: Guest): Promise<void> {
  const status = readFileSync(`/proc/${await guest.property("MainPID")}/status`, "utf8");
  const sets = [...status.matchAll(/^Cap\w+:\t(\w+)$/gm)].map(([, set = ""]) => Number.parseInt(set, 16));
  const isBare = sets.length === 5 && sets.every((one) => one === 0) && !/^Uid:\t0\t/m.test(status);
  guest.check("the agent is not root, has no capability, and can get none", isBare, status);
  const caches = readdirSync("/usr/lib/steward/parts").filter((name) => name.endsWith(".cache"));
  guest.check("code caches were made on the machine", caches.length > 3, caches);
}

/** Asks the API and the command line, which the launcher starts each for itself. */
export async function answersAs(guest: Guest, version: string): Promise<void> {
  await guest.until(`Steward ${version} answers`, 120, async () => {
    const { body } = await guest.http("/api/version");
    if (body.version === version) return true;
    throw new Error(JSON.stringify(body));
  });
  await guest.types("steward --version", { says: version });
}

/** The account of the beginning is there. */
export const hasAccount = (guest: Guest): Promise<string> =>
  guest.types("steward user list", { says: "root-admin" });

const starts = "journalctl -u steward --no-pager | grep -c 'listening (mode'";

export async function upgradedAndBack(guest: Guest): Promise<void> {
  // Files that an administrator has written.
  const written = '{ "names": ["pump.example"] }';
  const place = "/etc/systemd/system/steward-helper.service.d";
  await guest.types(
    `echo '${written}' >/etc/steward/steward.json; mkdir ${place}; printf '[Service]\\nTasksMax=15\\n' >${place}/override.conf`,
  );
  const before = Number((await guest.run("sh", ["-c", starts])).stdout);
  const { stdout: first } = await guest.steward("--version");
  const said = await done(guest, "install", packageOf("steward", "next"));
  const isQuiet = !/warning|conffile|Configuration file/i.test(said);
  guest.check("without a warning or a question about files in /etc", isQuiet, said);
  const { stdout: second } = await guest.steward("--version");
  guest.check("the next version runs", first !== second, second);
  await guest.types(starts, { says: `${before + 1}\n`, what: "after one start of the agent" });
  await done(guest, "install", "--allow-downgrades", packageOf("steward"));
  await guest.types("steward --version", { says: first });
  await guest.types("cat /etc/steward/steward.json", { says: written, what: "the host file is as it was" });
  await hasAccount(guest);
}

/** `systemctl disable` lasts over an upgrade. */
export async function keptDisabled(guest: Guest): Promise<void> {
  await guest.types("systemctl disable --now steward");
  await done(guest, "install", packageOf("steward", "next"));
  const words = { says: "disabled\ninactive\n", what: "a disabled agent stays so, and is not started" };
  await guest.types("systemctl is-enabled steward; systemctl is-active steward; true", words);
  await guest.types("systemctl enable --now steward");
  await guest.stewardAnswers();
}

/** A new runtime makes its own caches, and is what the agent runs on. */
export async function newRuntime(guest: Guest): Promise<void> {
  const before = await guest.property("MainPID");
  await done(guest, "install", "--reinstall", packageOf("steward-runtime"));
  await guest.stewardAnswers();
  guest.check("the agent is started by it", (await guest.property("MainPID")) !== before, before);
  await confined(guest);
}

/** One program sets a clock. */
export async function timekeeper(guest: Guest): Promise<void> {
  await done(guest, "install", packageOf("steward-timekeeper", "next"));
  await guest.types("! dpkg --status systemd-timesyncd | grep 'install ok installed'");
  const start = "systemctl show --property=ExecStart steward.service";
  await guest.types(start, { says: "--steer-clock", what: "the agent may set the clock" });
  await done(guest, "purge", "steward-timekeeper");
  await guest.types(`! ${start} | grep -e --steer-clock`, { what: "and no more" });
}

/** Steward makes these files in directories of others, some of them only on request. */
async function leftOutside(guest: Guest): Promise<void> {
  // These files show that avahi-daemon and systemd-resolved are installed.
  await guest.types(
    "mkdir -p /etc/avahi/services; touch /usr/lib/systemd/systemd-resolved; steward tls enable",
  );
  await guest.types("ls /etc/systemd/dnssd/steward.dnssd /etc/avahi/services/steward.service");
  await guest.types("ls -d /var/log/journal/*.steward /run/log/journal/*.steward 2>/dev/null | grep .");
}

export async function removedAndPurged(guest: Guest): Promise<void> {
  await leftOutside(guest);
  await done(guest, "remove", "steward");
  await guest.types("ls /var/lib/steward/users.json && ! pgrep -u steward", {
    what: "ends the agent, and keeps its state",
  });
  await done(guest, "install", packageOf("steward"));
  await guest.stewardAnswers();
  await hasAccount(guest);
  await done(guest, "purge", "steward", "steward-runtime");
  const find = "find /usr /etc /var /run -xdev -iname '*steward*' ! -path '*steward-vm*'";
  await guest.types(`[ -z "$(${find})" ] || { ${find}; exit 1; }`, { what: "leaves no file" });
  await guest.types("getent passwd steward", { status: 2, what: "and no user" });
}
