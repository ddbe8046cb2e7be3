/** A box on which others have put their own programs first: in /usr/local/bin, and by nvm in root's PATH. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Expected, Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { packagesOf, putPackages } from "../packages/built.ts";
import { nodeOf } from "../packages/life.ts";
import { addUser } from "../people.ts";

/** Programs that root types here, and that apt starts, are looked for in this order. */
const PATH =
  "/root/.nvm/versions/node/v18.20.4/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Each leaves a mark in the journal, which programs in a sandbox reach as well, and then does what it is asked to. */
const others =
  "cat chronyc cmp cut deb-systemd-helper deb-systemd-invoke dpkg-query env find flock getent grep hostname journalctl openssl readlink sed setpriv sh sleep steward sync systemctl systemd-sysusers systemd-tmpfiles timedatectl timeout unshare";

const unit = "steward.service";
const recipient = "age1wv2pk2p3dnfrzp0tccnzcqnjdz89y82wag95pwh3mvkvcrytp9yswk437z";

/** Another project's README has had its own programs put before Debian's. */
export const scenario: TieredScenario = {
  title:
    "on a Debian 13 with old Nodes and other programs first in PATH the agent serves, and none of them runs",
  tiers: { container: {} },
  timeoutSeconds: 600,
  machine: "trixie",
  prepare: packagesOf("now"),
  folders: { "/root/now": putPackages("now", true) },
  boots: [
    {
      units: [],
      run: async (guest) => {
        putNode("/root/.nvm/versions/node/v18.20.4/bin/node", "18.20.4");
        putNode("/usr/local/bin/node", "16.20.2");
        for (const name of others.split(" "))
          put(`/usr/local/bin/${name}`, `${leaving(name)}\nexec /usr/bin/${name} "$@"`);
        await typed(guest, "apt-get install --yes --quiet ./steward_*.deb", {
          says: /^Steward is running\.$/m,
        });
        await guest.stewardAnswers();
        const node = await nodeOf(guest);
        guest.check("the agent runs on Debian's Node", node === "/usr/bin/node", node);
        await typed(guest, "ls /usr/lib/steward/parts/agent-*.cache");
        await atWork(guest);
        await afterFailures(guest);
        // Not for the person, and this scenario, who type by names.
        const marks = "/usr/bin/journalctl --identifier=hostile --output=cat --no-pager --quiet";
        const isTyped = "' for ((/usr)?/bin/sh -c cd |/usr/lib/steward-vm/)'";
        await guest.types(`! ${marks} | /usr/bin/grep -Ev ${isTyped}`, {
          what: "no program of others has run",
        });
      },
    },
  ],
};

const leaving = (name: string): string =>
  `/usr/bin/logger -t hostile "${name} for $(/usr/bin/tr '\\0' ' ' </proc/$PPID/cmdline)"`;

function put(path: string, script: string): void {
  mkdirSync(dirname(path), { recursive: true });
  // A file of which a process runs cannot be written.
  rmSync(path, { force: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** A runtime of others that is too old for Steward, and says so of itself where it is started. */
function putNode(path: string, version: string): void {
  const starts = `[ "$1" != --version ] || exec echo v${version}\necho "SyntaxError: of v${version}" >&2; exit 1`;
  put(path, `${leaving("node")}\n${starts}`);
}

/** A line as root types it, in the folder of the packages. */
function typed(guest: Guest, line: string, expected: Expected = {}): Promise<string> {
  const environment = { PATH, DEBIAN_FRONTEND: "noninteractive" };
  return guest.types(`cd /root/now && ${line}`, {
    what: line,
    timeoutSeconds: 180,
    ...expected,
    environment,
  });
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
  for (const line of lines) await typed(guest, line);
}

async function afterFailures(guest: Guest): Promise<void> {
  for (let count = 0; count < 4; count += 1) {
    await guest.stewardAnswers();
    await typed(guest, `systemctl kill --signal=KILL ${unit}; while systemctl is-active ${unit}; do :; done`);
  }
  await typed(
    guest,
    `until journalctl -u ${unit} -o cat | grep 'row: waiting 5 s'; do /usr/bin/sleep 0.2; done`,
  );
  await guest.stewardAnswers();
}
