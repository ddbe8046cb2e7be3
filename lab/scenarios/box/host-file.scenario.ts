import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";

const hostFile = "/etc/steward/steward.json";
const kept = "/var/lib/steward-host/steward.json";
const name = "edge-7.example.net";
const dropIns = "/run/systemd/system/steward.service.d";

/** Mistakes in the host file, and a unit that does not come up: neither shuts the owner out, or makes a command wait. */
export const scenario: TieredScenario = {
  title:
    "the host file: an unknown member, a missing comma, no accepted one; a read-only /etc; and an agent that does not come up",
  tiers: { container: {} },
  timeoutSeconds: 300,
  boots: [
    {
      run: async (guest) => {
        await guest.stewardAnswers();
        const enabled = await guest.steward("tls", "enable");
        guest.check("HTTPS is on", enabled.status === 0 && existsSync(kept), enabled);
        await unknownMember(guest);
        await missingComma(guest);
        await withoutCopy(guest);
        await readOnly(guest);
        await crashLoop(guest);
      },
    },
  ],
};

interface Need {
  readonly code: string;
  readonly level: string;
  readonly facts: { readonly reason?: string };
}

async function needOf(guest: Guest): Promise<{ first: string | undefined; need: Need | undefined }> {
  const { stdout } = await guest.steward("-o", "json", "status");
  const { needs } = JSON.parse(stdout) as { needs: readonly Need[] };
  return { first: needs[0]?.code, need: needs.find(({ code }) => code === "host_file") };
}

async function restarted(guest: Guest): Promise<void> {
  await guest.run("systemctl", ["restart", "steward.service"]);
  await guest.stewardAnswers();
}

/** The status of an answer over HTTPS on the LAN; "000": none. */
async function overLan(guest: Guest): Promise<string> {
  const words = ["--silent", "--insecure", "--output", "/dev/null", "--write-out", "%{http_code}"];
  return (await guest.run("curl", [...words, "https://10.0.2.15:8443/api/version"])).stdout;
}

/** As a newer release, or a person who mistypes, writes one; an older package is installed over it. */
async function unknownMember(guest: Guest): Promise<void> {
  const file = { ...JSON.parse(readFileSync(hostFile, "utf8")), names: [name], colour: "red" };
  writeFileSync(hostFile, JSON.stringify(file, undefined, 2));
  await restarted(guest);
  const { need } = await needOf(guest);
  const isAttention = need?.level === "attention" && need.facts.reason === "host_file_members_unknown";
  guest.check("an unknown member is a need", isAttention, need);
  guest.check("and the rest is in force", (await overLan(guest)) === "200");
  const check = await guest.steward("host-file", "check");
  guest.check(
    "steward host-file check names it",
    check.status === 10 && check.stdout.includes("/colour"),
    check,
  );
}

async function missingComma(guest: Guest): Promise<void> {
  const broken = readFileSync(hostFile, "utf8").replace(",\n", "\n");
  writeFileSync(hostFile, broken);
  const reloaded = await guest.run("systemctl", ["reload", "steward.service"]);
  guest.check("systemctl reload fails with a missing comma", reloaded.status !== 0, reloaded);
  const { first } = await needOf(guest);
  guest.check("and the status begins with it", first === "host_file", first);
  await restarted(guest);
  guest.check("after a restart HTTPS on the LAN answers all the same", (await overLan(guest)) === "200");
  const { need } = await needOf(guest);
  guest.check("by the accepted file", need?.facts.reason === "host_file_refused", need);
  const owner = (await guest.run("stat", ["-c", "%U %a", kept, "/var/lib/steward-host"])).stdout;
  guest.check("which is root's", owner === "root 644\nroot 755\n", owner);
  const line = await lastLine(guest);
  guest.check("the doctor's last line puts it back", line === "steward host-file restore", line);
  await guest.run("sh", ["-c", line]);
  const { need: after } = await needOf(guest);
  const isMended = after?.facts.reason === "host_file_members_unknown";
  guest.check(
    "by which the device is mended",
    isMended && readFileSync(`${hostFile}.refused`, "utf8") === broken,
    after,
  );
}

async function lastLine(guest: Guest): Promise<string> {
  return (await guest.steward("doctor")).stdout.trim().split("\n").at(-1)?.trim() ?? "";
}

async function withoutCopy(guest: Guest): Promise<void> {
  writeFileSync(hostFile, "{");
  rmSync(kept);
  await restarted(guest);
  const { first, need } = await needOf(guest);
  const isTold = first === "host_file" && need?.facts.reason === "host_file_without_copy";
  guest.check("without an accepted file the socket answers, and says so first", isTold, need);
  guest.check("and nothing listens on the LAN", (await overLan(guest)) === "000");
  const rescue = await guest.steward("setup-token");
  guest.check("a first administrator can be made", rescue.status === 0, rescue);
  rmSync(hostFile);
  await restarted(guest);
}

/** As on an image whose root file system is mounted read-only. */
async function readOnly(guest: Guest): Promise<void> {
  const directory = dirname(hostFile);
  const mounted = await guest.run("sh", [
    "-c",
    `mount --bind ${directory} ${directory} && mount -o remount,bind,ro ${directory}`,
  ]);
  const enabled = await guest.steward("tls", "enable");
  const isSaid = /mounted read-only/.test(enabled.stderr) && /read-only-root\.md/.test(enabled.stderr);
  const isRefused = mounted.status === 0 && enabled.status !== 0;
  guest.check("tls enable on a read-only /etc says so in words", isRefused && isSaid, [mounted, enabled]);
  guest.check("and changes nothing", !existsSync(hostFile) && (await overLan(guest)) === "000");
  await guest.run("umount", [directory]);
}

/** The program cannot be read, as after a bad disk: each start fails. */
async function crashLoop(guest: Guest): Promise<void> {
  await guest.run("mkdir", ["-p", dropIns]);
  const failing = "echo the program is damaged; exit 1";
  writeFileSync(`${dropIns}/loop.conf`, `[Service]\nExecStart=\nExecStart=/bin/sh -c '${failing}'\n`);
  await guest.run("systemctl", ["daemon-reload"]);
  await guest.run("systemctl", ["restart", "--no-block", "steward.service"]);
  await guest.until("systemd has started it again some times", 120, async () => {
    const listened = Number(await guest.property("ActiveExitTimestampMonotonic"));
    const changed = Number(await guest.property("StateChangeTimestampMonotonic"));
    return Number(await guest.property("NRestarts")) >= 2 && changed - listened > 30_000_000;
  });
  // A command that cannot work on the state itself.
  const asked = await guest.steward("tls", "reload");
  guest.check("a command ends with 8", asked.status === 8, asked);
  const isSaid =
    /steward\.service does not come up/.test(asked.stderr) && /the program is damaged/.test(asked.stderr);
  guest.check("says that the unit does not come up, and its last line", isSaid, asked.stderr);
  guest.check("names the doctor", asked.stderr.includes("steward doctor"), asked.stderr);
  guest.check("and has not waited for it", !asked.stderr.includes("Waiting for"), asked.stderr);
  rmSync(`${dropIns}/loop.conf`);
  await guest.run("systemctl", ["daemon-reload"]);
  await restarted(guest);
}
