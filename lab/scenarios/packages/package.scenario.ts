import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { password } from "../people.ts";
import { packagesOf, putPackages } from "./built.ts";

/** The hash of everyone's password: what a factory puts beside the packages. */
const password_hash =
  "$argon2id$v=19$m=19456,t=2,p=1$w1NguCBThr7KpO1XM0Iqng$9yMYGWvnRx7UwDnc86vJ/zVfcRgoRO0UWpGVgADGzuw";
const username = "anna";

const port = 8_443;
const packages = "/root/packages";
const nextPackages = "/root/packages-next";

/** A stranger's Debian, from the lines of docs/install.md to the purge, with a disk and a network of its own. */
export const scenario: TieredScenario = {
  title: "from a bare Debian: installed, reached over HTTPS, upgraded, downgraded and purged",
  tiers: { vm: {} },
  timeoutSeconds: 1_500,
  machine: "bookworm",
  keepsDisk: true,
  forwards: [port],
  memory: 768,
  prepare: packagesOf("now", "next"),
  files: { "/etc/steward/first-admin.json": JSON.stringify({ username, password_hash }) },
  folders: { [packages]: putPackages("now", true), [nextPackages]: putPackages("next", true) },
  asks: { "the lines": installationLines, "the console": openConsole },
  boots: [
    { units: [], run: installing },
    { units: [], run: afterReboot },
  ],
};

/** The lines of docs/install.md for a bare Debian: the first block of commands with apt in it. */
function installationLines(): readonly string[] {
  const text = readFileSync(join(import.meta.dirname, "../../../docs/install.md"), "utf8");
  const blocks = [...text.matchAll(/^```sh[ \w]*\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  const block = blocks.find((one) => /^(sudo )?apt(-get)? /m.test(one));
  if (block === undefined) throw new Error("docs/install.md has no block of commands with apt");
  const lines = block.replaceAll("\\\n", " ").split("\n");
  return lines.map((line) => line.replace(/(^|\s)#.*$/, "").trim()).filter((line) => line !== "");
}

/** The console in Debian's browser, of the computer that runs the machine: its lines of the journal, and the pages' errors. */
async function openConsole(): Promise<{ lines: number; failures: readonly string[] }> {
  const programs = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
  const executablePath = programs.find((path) => existsSync(path)) ?? "no browser: install Debian's chromium";
  // The name that a person types in the LAN; here it leads to the machine's forwarded port.
  const names = "--host-resolver-rules=MAP appliance.local 127.0.0.1";
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-quic", names] });
  try {
    // The certificate is of the machine's own making; an emulated machine answers slowly.
    const page = await browser.newPage({ ignoreHTTPSErrors: true, locale: "en" });
    page.setDefaultTimeout(120_000);
    const failures: string[] = [];
    page.on("pageerror", (error) => failures.push(error.message));
    await page.goto(`https://appliance.local:${port}/`);
    await page.getByLabel("User name").fill(username);
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByLabel("Password", { exact: true }).waitFor({ state: "detached" });
    await page.goto(`https://appliance.local:${port}/system/logs`);
    const lines = page.getByRole("log").locator("summary");
    await lines.first().waitFor();
    return { lines: await lines.count(), failures };
  } finally {
    await browser.close();
  }
}

async function installing(guest: Guest): Promise<void> {
  writeFileSync("/root/before", (await files(guest)).join("\n"));
  for (const line of (await guest.ask("the lines")) as string[]) {
    // The account is there already, from the factory.
    if (/^(sudo )?steward user add /.test(line)) continue;
    // As a person types it, at a terminal that answers questions with yes.
    const command = `cd ${packages} && ${line.replace(/^sudo /, "").replaceAll("NAME", username)}`;
    const words = ["--quiet", "--return", "--command", command, "/dev/null"];
    const ran = await guest.run("script", words, { timeoutSeconds: 400, input: "y\n" });
    guest.check(line, ran.status === 0, ran);
  }
  guest.mark("the last line is typed");
  await answersAs(guest, packages);
  const seen = (await guest.ask("the console")) as Awaited<ReturnType<typeof openConsole>>;
  const isSeen = seen.lines > 3 && seen.failures.length === 0;
  guest.check("a browser outside of the machine signs in over HTTPS, and reads the journal", isSeen, seen);
  await guest.types("steward system set 'device.name=edge 7'; steward tls fingerprint >/root/fingerprint");
}

/** The version of the program's package in a folder is the one that answers. */
async function answersAs(guest: Guest, folder: string): Promise<void> {
  const versions = readdirSync(folder).map((name) => /^steward_([^_]+)_/.exec(name)?.[1]);
  await guest.until(`Steward of ${folder} answers`, 120, async () => {
    const { body } = await guest.http("/api/version");
    if (versions.includes(body.version)) return true;
    throw new Error(JSON.stringify(body));
  });
}

const apt = "DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin apt-get --yes";

async function afterReboot(guest: Guest): Promise<void> {
  await kept(guest, "after a reboot", packages);
  for (const [what, folder] of [
    ["upgrade", nextPackages],
    ["downgrade", packages],
  ] as const) {
    const line = `cd ${folder}; ${apt} install --allow-downgrades $(ls -d ./steward_* ./steward-timekeeper_*)`;
    await guest.types(line, { what: `the ${what} of the packages`, timeoutSeconds: 400 });
    await kept(guest, `after the ${what}`, folder);
  }
  await purged(guest);
}

async function kept(guest: Guest, when: string, folder: string): Promise<void> {
  await answersAs(guest, folder);
  const lines = [`user list | grep ${username}`, "system get | grep 'edge 7'", "events --verify"];
  lines.push("tls fingerprint | cmp - /root/fingerprint");
  for (const line of lines) await guest.types(`steward ${line}`, { what: `${when}: steward ${line}` });
}

async function purged(guest: Guest): Promise<void> {
  const all = ["steward", "steward-runtime", "steward-timekeeper"];
  const there = all.filter((name) => existsSync(`/var/lib/dpkg/info/${name}.list`));
  await guest.types(`${apt} purge ${there.join(" ")}`, { timeoutSeconds: 400 });
  const before = new Set(readFileSync("/root/before", "utf8").split("\n"));
  const left = (await files(guest)).filter((path) => !before.has(path) && !isOthers(path));
  guest.check("leaves nothing", left.length === 0, left);
  await guest.types("pgrep -a -u steward", { status: "fails", what: "and no process" });
}

/** Every file of the disk. */
async function files(guest: Guest): Promise<string[]> {
  const words = ["/", "-xdev", "!", "-type", "d", "-o", "-xdev", "-name", "*steward*"];
  return (await guest.run("find", words)).stdout.trim().split("\n");
}

/** Files that systemd, dpkg, apt and this scenario have written meanwhile; and /etc/passwd's backups. */
const isOthers = (path: string): boolean =>
  /^\/(root|var\/(log|lib\/(systemd|dpkg|apt|private)|cache\/(apt|ldconfig|debconf)|tmp)|tmp|usr\/lib\/steward-vm)\b/.test(
    path,
  ) || /^\/etc\/(passwd|group|shadow|gshadow|subuid|subgid|machine-id|adjtime)-?$/.test(path);
