import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { device, inNeighbour, lan, otherBox } from "../https/neighbour.ts";
import { packagesOf, putNamedPackages } from "../packages/built.ts";
import { debiansPackages, putDebiansPackages } from "../packages/debian-packages.ts";
import { mainProcess } from "../packages/life.ts";
import { oldNode, putNode, typed } from "./other-node.ts";

const hostFile = "/etc/steward/steward.json";
const recipient = "age1wv2pk2p3dnfrzp0tccnzcqnjdz89y82wag95pwh3mvkvcrytp9yswk437z";
const password = "seven quiet owls at dusk";

/** Needs of a device that is new, with their reasons: they are true of this one. */
const expected = ["device_unnamed", "https", "no_receiver", "second_factor_advised", "updates_not_set_up"];

/**
 * Each of these is in a report of its own; here they meet: another project's Nodes, the umask of a hardened host, and a second
 * box of the same name on the LAN.
 */
export const scenario: TieredScenario = {
  title: "on a bare Debian 13 with others' Nodes, umask 077 and a box of the same name the device is at home",
  tiers: { container: {} },
  timeoutSeconds: 400,
  machine: "trixie",
  prepare: async () => {
    await packagesOf("now")();
    await debiansPackages("trixie", "avahi-daemon", "avahi-utils")();
  },
  folders: { "/root/now": putNamedPackages("now"), "/root/debian": putDebiansPackages("trixie") },
  boots: [
    {
      units: [],
      run: async (guest) => {
        putNode("/root/.nvm/versions/node/v18.20.4/bin/node", "18.20.4");
        putNode(oldNode, "16.20.2");
        const name = readFileSync("/proc/sys/kernel/hostname", "utf8").trim();
        await works(guest, "dpkg --install /root/debian/*.deb");
        await lan(guest);
        const renamed = await otherBox(guest, name);
        await isInstalled(guest);
        await serves(guest, name, renamed);
        await backsUp(guest);
        await obeysItsHostFile(guest);
        await saysNothingUntrue(guest, name);
        await hasANameOfItsOwn(guest, renamed);
      },
    },
  ],
};

/** As root types it there. */
async function works(guest: Guest, line: string, input = "") {
  const ran = await typed(guest, `umask 077; ${line}`, { input });
  guest.check(`${line} works`, ran.status === 0, ran);
  return ran;
}

async function isInstalled(guest: Guest): Promise<void> {
  const ran = await works(guest, "apt-get install --yes --quiet ./steward_*.deb");
  guest.check("the agent runs at its end", /^Steward is running\.$/m.test(ran.stdout), ran);
  await guest.stewardAnswers();
  const node = readlinkSync(`/proc/${await mainProcess(guest)}/exe`);
  guest.check("on Debian's Node", node === "/usr/bin/node", node);
  await works(guest, "steward user add anna --role admin --password-stdin", `${password}\n`);
}

async function serves(guest: Guest, name: string, renamed: string): Promise<void> {
  const { stderr: printed } = await works(guest, "steward tls enable");
  guest.check("the address is the one that leads here", printed.includes(`https://${renamed}:8443`), printed);
  guest.check("and not the other box's", !printed.includes(`https://${name}.local`), printed);
  const body = JSON.stringify({ username: "anna", password });
  const request = ["--header", "Content-Type: application/json", "--data", body];
  const options = ["--silent", "--show-error", "--insecure", "--resolve", `${renamed}:8443:${device}`];
  const url = `https://${renamed}:8443/api/auth/login`;
  const answer = await inNeighbour(guest, "curl", ...options, ...request, url);
  guest.check("the administrator signs in there", answer.stdout.includes('"access_token"'), answer);
}

/** The lines of docs/backup.md, and the one of before, which a umask of 077 spoils. */
async function backsUp(guest: Guest): Promise<void> {
  const file = "/etc/steward/backup-recipients";
  await works(guest, `echo ${recipient} > ${file}; systemctl enable --now steward-backup.timer`);
  const spoiled = await typed(guest, "systemctl start steward-backup.service");
  guest.check("a closed file of keys is no success", spoiled.status !== 0, spoiled);
  await works(guest, (await remedyOf(guest, "backup_failed")) ?? "false");
  const made = readdirSync("/var/lib/steward-backups");
  guest.check("a backup is there", made.length === 1 && /-1\.age$/.test(made[0] ?? ""), made);
  await works(guest, `rm ${file}; echo ${recipient} | install -m 644 /dev/stdin ${file}`);
}

async function obeysItsHostFile(guest: Guest): Promise<void> {
  const content = JSON.stringify({ names: ["edge-7.example.net"], https: { enabled: true } });
  await works(guest, `rm -f ${hostFile}; echo '${content}' > ${hostFile}`);
  const checked = await typed(guest, "steward host-file check");
  const [, line = "false"] = /As root: (.+?)\.?$/m.exec(checked.stdout + checked.stderr) ?? [];
  guest.check("a closed host file has a fault, with the line to type", checked.status !== 0, checked);
  const refused = await typed(guest, "systemctl reload steward.service");
  guest.check("and a reload refuses it", refused.status !== 0, refused);
  await works(guest, `${line} && systemctl reload steward.service && steward host-file check`);
  await works(guest, "systemctl restart steward.service");
  await guest.stewardAnswers();
  const shown = await works(guest, "steward tls show");
  guest.check("HTTPS is open, and has the further name", /edge-7\.example\.net/.test(shown.stdout), shown);
}

async function saysNothingUntrue(guest: Guest, name: string): Promise<void> {
  const { needs } = await guest.api("/api/status");
  const codes = needs.map(({ code }: { code: string }) => code).filter((code: string) => code !== "clock");
  guest.check("it needs what a new device needs, and no more", `${codes.sort()}` === `${expected}`, needs);
  const https = needs.find(({ code }: { code: string }) => code === "https");
  guest.check("of HTTPS the name", https?.facts.reason === "https_name_taken", https);
  guest.check("which is the other box's", JSON.stringify(https).includes(`${name}.local`), https);
  const { stdout } = await typed(guest, "steward doctor");
  guest.check("doctor finds nothing that fails", !/FAILING/.test(stdout), stdout);
}

/** By doctor's own line, as far as a container of Debian 13 goes: /proc/sys is read-only in it, for systemd 257 as well. */
async function hasANameOfItsOwn(guest: Guest, renamed: string): Promise<void> {
  const line = (await remedyOf(guest, "https_name_taken")) ?? "false";
  guest.check(
    "doctor has the line for it",
    line === `steward system host-name ${renamed.split(".")[0]}`,
    line,
  );
  const ran = await typed(guest, line);
  guest.check(
    "which says what stands in its way here",
    /read-only or, in a container, \/proc\/sys/.test(ran.stderr),
    ran,
  );
  const kept = readFileSync("/etc/hostname", "utf8").trim();
  guest.check("and changes nothing", kept !== renamed.split(".")[0], kept);
  await works(
    guest,
    `${line.replace("steward system host-name", "hostname")}; systemctl restart steward.service`,
  );
  await guest.stewardAnswers();
  const { needs } = await guest.api("/api/status");
  const isOver = !needs.some(({ code }: { code: string }) => code === "https");
  guest.check("under a name of its own it needs nothing of HTTPS", isOver, needs);
  const shown = await works(guest, "steward tls show");
  guest.check("its address is still the one that leads here", shown.stdout.includes(renamed), shown);
}

/** The line that doctor advises for what it finds. */
async function remedyOf(guest: Guest, code: string): Promise<string | undefined> {
  const { stdout } = await typed(guest, "steward doctor -o json");
  const { findings } = JSON.parse(stdout) as {
    findings: { code: string; remedy?: { line: string } | null }[];
  };
  return findings.find((one) => one.code === code)?.remedy?.line;
}
