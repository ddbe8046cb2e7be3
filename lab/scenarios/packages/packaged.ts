import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Guest, Ran } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { addUser, password } from "../people.ts";
import { openConsole, type Seen } from "./browser.ts";
import { buildPackages, putNamedPackages } from "./built.ts";

/** The hash of everyone's password: what a factory puts beside the packages. */
const passwordHash =
  "$argon2id$v=19$m=19456,t=2,p=1$w1NguCBThr7KpO1XM0Iqng$9yMYGWvnRx7UwDnc86vJ/zVfcRgoRO0UWpGVgADGzuw";
const administrator = "anna";
const reader = "rita";

const port = 8_443;
const packages = "/root/packages";
const nextPackages = "/root/packages-next";

/** A stranger's Debian, from the lines of docs/install.md to the purge. */
export function packaged(machine: "bookworm" | "trixie"): TieredScenario {
  return {
    title: `from a bare ${machine}: installed, reached over HTTPS, watched, upgraded, downgraded and purged`,
    tiers: { vm: {} },
    ...(machine === "trixie" && { slowMinutes: 10 }),
    timeoutSeconds: 1_500,
    machine,
    keepsDisk: true,
    forwards: [port],
    memory: 768,
    prepare: buildPackages,
    folders: { [packages]: putNamedPackages("now"), [nextPackages]: putNamedPackages("next") },
    asks: {
      "the lines": installationLines,
      "the console": () => openConsole(port, administrator, password),
      "the console of the reader": () => openConsole(port, reader, password),
    },
    boots: [
      { units: [], run: (guest) => installing(guest) },
      { units: [], run: (guest) => afterReboot(guest) },
    ],
  };
}

/** The lines of docs/install.md for a bare Debian: the first block of commands with apt in it. */
function installationLines(): readonly string[] {
  const text = readFileSync(join(import.meta.dirname, "../../../docs/install.md"), "utf8");
  const blocks = [...text.matchAll(/^```sh[ \w]*\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  const block = blocks.find((one) => /^(sudo )?apt(-get)? /m.test(one));
  if (block === undefined) throw new Error("docs/install.md has no block of commands with apt");
  return block
    .replaceAll("\\\n", " ")
    .split("\n")
    .map((line) => line.replace(/(^|\s)#.*$/, "").trim())
    .filter((line) => line !== "");
}

async function installing(guest: Guest): Promise<void> {
  writeFileSync("/root/before", (await files(guest)).join("\n"));
  provisioned();
  for (const line of (await guest.ask("the lines")) as string[]) await typed(guest, line);
  guest.mark("the last line is typed");
  await answersAs(guest, versionIn(packages));
  await consoleOutside(guest);
  await reading(guest);
  await stopped(guest);
  const named = await guest.steward("system", "set", "device.name=edge 7");
  guest.check("a setting is made", named.status === 0, named);
  writeFileSync("/root/fingerprint", await fingerprint(guest));
}

/** The first administrator, as a factory provides them (docs/install.md). */
function provisioned(): void {
  mkdirSync("/etc/steward", { recursive: true });
  const account = { username: administrator, password_hash: passwordHash };
  writeFileSync("/etc/steward/first-admin.json", JSON.stringify(account), { mode: 0o600 });
}

/** A line as a person types it, at a terminal that answers questions with a password and with yes. */
async function typed(guest: Guest, line: string): Promise<void> {
  // The account is there already, from the factory.
  if (/^(sudo )?steward user add /.test(line)) return;
  const command = line.replace(/^sudo /, "").replaceAll("NAME", administrator);
  const words = ["--quiet", "--return", "--command", `cd ${packages} && ${command}`, "/dev/null"];
  const ran = await guest.run("script", words, { timeoutSeconds: 400, input: "y\n" });
  guest.check(`${line}`, ran.status === 0, ran);
}

/** The version of the program's package in a folder. */
function versionIn(folder: string): string {
  const names = readdirSync(folder).map((name) => /^steward_([^_]+)_/.exec(name)?.[1]);
  return names.find((version) => version !== undefined) ?? "none";
}

async function answersAs(guest: Guest, version: string): Promise<void> {
  await guest.until(`Steward ${version} answers`, 120, async () => {
    const { body } = await guest.http("/api/version");
    if (body.version === version) return true;
    throw new Error(JSON.stringify(body));
  });
  guest.check(`Steward ${version} answers`, true);
}

async function consoleOutside(guest: Guest): Promise<void> {
  const seen = (await guest.ask("the console")) as Seen;
  guest.check("a browser outside of the machine signs in over HTTPS", seen.logLines > 0, seen);
  guest.check("its pages are without errors", seen.failures.length === 0, seen.failures);
}

async function reading(guest: Guest): Promise<void> {
  const added = await addUser(guest, reader, "readonly");
  guest.check("a readonly user is added", added.status === 0, added);
  const seen = (await guest.ask("the console of the reader")) as Seen;
  guest.check("who reads the journal in the console", seen.logLines > 3, seen);
}

/** As if it were stuck: the watchdog starts it again. */
async function stopped(guest: Guest): Promise<void> {
  const restarts = async () => Number(await guest.property("NRestarts"));
  const before = await restarts();
  const begun = performance.now();
  await guest.run("systemctl", ["kill", "--kill-whom=main", "--signal=STOP", "steward.service"]);
  await guest.until("the watchdog starts it again", 150, async () => (await restarts()) > before);
  await answersAs(guest, versionIn(packages));
  guest.figure("from SIGSTOP to an answer", Math.round((performance.now() - begun) / 1_000), "s");
}

async function afterReboot(guest: Guest): Promise<void> {
  await kept(guest, "after a reboot", packages);
  await installed(guest, nextPackages, "upgrade");
  await kept(guest, "after the upgrade", nextPackages);
  await installed(guest, packages, "downgrade");
  await kept(guest, "after the downgrade", packages);
  await purged(guest);
}

async function kept(guest: Guest, when: string, folder: string): Promise<void> {
  await answersAs(guest, versionIn(folder));
  const users = await guest.steward("-o", "json", "user", "list");
  const isThere = [administrator, reader].every((name) => users.stdout.includes(name));
  guest.check(`${when} the accounts are there`, isThere, users);
  const settings = await guest.steward("-o", "json", "system", "get");
  guest.check(`${when} the setting is there`, settings.stdout.includes("edge 7"), settings);
  const present = await fingerprint(guest);
  guest.check(
    `${when} the certificate is the same`,
    present === readFileSync("/root/fingerprint", "utf8"),
    present,
  );
  const verified = await guest.steward("events", "--verify");
  guest.check(`${when} the event log is unbroken`, verified.status === 0, verified);
}

async function fingerprint(guest: Guest): Promise<string> {
  const { status, stdout, stderr } = await guest.steward("tls", "fingerprint");
  guest.check("`steward tls fingerprint` says it", status === 0, stderr);
  return stdout.trim();
}

/** The program's package of another version; the other packages stay. */
async function installed(guest: Guest, folder: string, what: string): Promise<void> {
  const packaged = readdirSync(folder).filter((name) => /^steward(-timekeeper)?_/.test(name));
  const args = ["install", "--yes", "--allow-downgrades", ...packaged.map((name) => `${folder}/${name}`)];
  const ran = await guest.run("apt-get", args, { timeoutSeconds: 400, environment: quiet });
  guest.check(`the ${what} of the packages`, ran.status === 0, ran);
}

const quiet = { DEBIAN_FRONTEND: "noninteractive", PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };

async function purged(guest: Guest): Promise<void> {
  const all = ["steward", "steward-runtime", "steward-timekeeper"];
  const there = all.filter((name) => existsSync(`/var/lib/dpkg/info/${name}.list`));
  const ran: Ran = await guest.run("apt-get", ["purge", "--yes", ...there], {
    timeoutSeconds: 400,
    environment: quiet,
  });
  guest.check("the purge", ran.status === 0, ran);
  const before = new Set(readFileSync("/root/before", "utf8").split("\n"));
  const left = (await files(guest)).filter((path) => !before.has(path) && !isOthers(path));
  guest.check("leaves nothing", left.length === 0, left);
  const processes = await guest.run("pgrep", ["-a", "-u", "steward"]);
  guest.check("and no process", processes.stdout === "", processes.stdout);
}

/** Every file of the disk. */
async function files(guest: Guest): Promise<string[]> {
  const { stdout } = await guest.run("find", [
    "/",
    "-xdev",
    "!",
    "-type",
    "d",
    "-o",
    "-xdev",
    "-name",
    "*steward*",
  ]);
  return stdout.trim().split("\n");
}

/** Files that systemd, dpkg, apt and this scenario have written meanwhile; and /etc/passwd's backups. */
function isOthers(path: string): boolean {
  return (
    /^\/(root|var\/(log|lib\/(systemd|dpkg|apt|private)|cache\/(apt|ldconfig|debconf)|tmp)|tmp|usr\/lib\/steward-vm)\b/.test(
      path,
    ) || /^\/etc\/(passwd|group|shadow|gshadow|subuid|subgid|machine-id|adjtime)-?$/.test(path)
  );
}
