import { mkdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { packagesOf, putNamedPackages } from "../packages/built.ts";
import { mainProcess } from "../packages/life.ts";
import { addUser } from "../people.ts";
import {
  answers,
  marks,
  mendedBy,
  oldNode,
  putNode,
  putOthers,
  putProgram,
  refusedEverywhere,
  typed,
} from "./other-node.ts";

const unit = "steward.service";
const debians = "/usr/bin/node";
const recipient = "age1wv2pk2p3dnfrzp0tccnzcqnjdz89y82wag95pwh3mvkvcrytp9yswk437z";

/** Another project's README has had its own programs put before Debian's. */
export const scenario: TieredScenario = {
  title:
    "on a Debian 13 with old Nodes and other programs first in PATH the agent serves, and none of them runs",
  tiers: { container: {} },
  timeoutSeconds: 600,
  machine: "trixie",
  prepare: packagesOf("now"),
  folders: { "/root/now": putNamedPackages("now") },
  boots: [
    {
      units: [],
      run: async (guest) => {
        await offersNode(guest);
        putOthers();
        await installed(guest);
        await atWork(guest);
        await afterFailures(guest);
        const left = await marks(guest);
        guest.check("no program of others has run", left === "", left);
        await withoutRuntime(guest);
      },
    },
  ],
};

async function installed(guest: Guest): Promise<void> {
  const ran = await answers(guest, "apt-get install --yes --quiet ./steward_*.deb");
  guest.check(
    "the agent runs at the end of the installation",
    /^Steward is running\.$/m.test(ran.stdout),
    ran,
  );
  await guest.stewardAnswers();
  const node = readlinkSync(`/proc/${await mainProcess(guest)}/exe`);
  guest.check("on Debian's Node", node === debians, node);
  const caches = await typed(guest, "ls /usr/lib/steward/parts/agent-*.cache");
  guest.check("with code caches of its own", caches.status === 0, caches);
}

/** Commands that start other programs. */
async function atWork(guest: Guest): Promise<void> {
  await addUser(guest);
  const lines = ["steward tls enable", "steward user list", "steward events --verify"];
  lines.push("steward logs --limit 5", "steward time status || true", "steward host-file check");
  lines.push("steward tls request >/root/request.pem", "steward doctor --bundle /root/bundle.tar.gz || true");
  lines.push(`steward backup /root/box.age --recipient ${recipient}`);
  lines.push(`echo ${recipient} >/etc/steward/backup-recipients; systemctl start steward-backup.service`);
  lines.push(`systemctl reload ${unit}`, "steward setup-token --new || true");
  lines.push(`systemctl stop ${unit}; steward state list; steward user rescue root-admin --yes`);
  lines.push(`systemctl start ${unit}`, "steward update status", "steward status || [ $? = 10 ]");
  for (const line of lines) await answers(guest, line);
}

async function afterFailures(guest: Guest): Promise<void> {
  for (let count = 0; count < 4; count += 1) {
    await guest.stewardAnswers();
    await typed(guest, `systemctl kill --signal=KILL ${unit}`);
    await guest.until(
      "it has ended",
      20,
      async () => (await typed(guest, `systemctl is-active ${unit}`)).status !== 0,
    );
  }
  await guest.until("the unit waits before its next start", 60, async () => {
    const { stdout } = await typed(guest, `journalctl -u ${unit} -o cat --no-pager`);
    return stdout.includes("starts failed in a row: waiting 5 s");
  });
  await guest.stewardAnswers();
}

/** Debian's own Node is replaced as well. */
async function withoutRuntime(guest: Guest): Promise<void> {
  putNode(debians, "16.20.2");
  await refusedEverywhere(
    guest,
    `Steward needs Node.js 20.19 or later: ${debians} is version 16.20.2, ${oldNode} is version 16.20.2. As root: apt install -f --reinstall nodejs`,
  );
  const missing = "error while loading shared libraries: libatomic.so.1: cannot open shared object file";
  putProgram(debians, `echo "$0: ${missing}" >&2; exit 127`);
  rmSync(oldNode);
  writeFileSync(oldNode, "no program", { mode: 0o644 });
  const sentence = `Steward needs Node.js 20.19 or later: ${debians} does not start (${missing}), ${oldNode} does not start (Permission denied). As root: apt install -f --reinstall nodejs`;
  await refusedEverywhere(guest, sentence);
  await mendedBy(guest, sentence);
}

/** A source of packages on the disk with Debian's nodejs as it is here: no network leads to Debian's own. */
async function offersNode(guest: Guest): Promise<void> {
  mkdirSync("/root/source/tree/DEBIAN", { recursive: true });
  const lines = [
    "set -e; cd /root/source",
    "printf 'Description: Node.js\\nDepends: libnode115\\n' >tree/DEBIAN/control",
    "dpkg --status nodejs | grep -E '^(Package|Version|Architecture|Multi-Arch|Maintainer): ' >>tree/DEBIAN/control",
    "mkdir -p tree/usr/bin; cp /usr/bin/node tree/usr/bin; dpkg-deb --root-owner-group -Znone --build tree nodejs.deb",
    "{ cat tree/DEBIAN/control; echo Filename: ./nodejs.deb; stat -c 'Size: %s' nodejs.deb",
    "  sha256sum nodejs.deb | sed 's/^\\([0-9a-f]*\\).*/SHA256: \\1/'; } >Packages",
    "echo 'deb [trusted=yes] file:/root/source ./' >/etc/apt/sources.list; apt-get update --quiet",
  ];
  const ran = await guest.run("/bin/sh", ["-c", lines.join("\n")], { timeoutSeconds: 120 });
  guest.check("Debian's nodejs can be installed again", ran.status === 0, ran);
}
