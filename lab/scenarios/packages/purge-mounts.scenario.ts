import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { packagesIn } from "./built.ts";
import { apt, installed } from "./life.ts";

const state = "/var/lib/steward";
const backup = "/var/lib/steward-backups/edge.age";
const host = "/var/lib/steward-host";
const photo = "of the family";

/** The directories of docs/read-only-root.md on partitions of their own, and behind links. */
export const scenario: TieredScenario = {
  title:
    "a purge empties mount points and what links lead to, deletes nothing of others, and names what stays",
  tiers: { container: {} },
  timeoutSeconds: 400,
  machine: "trixie",
  ...packagesIn("now"),
  boots: [{ units: [], run: onPartitions }],
};

async function purged(guest: Guest, stays: readonly string[]): Promise<void> {
  const ran = await apt(guest, "purge", "steward");
  guest.check("apt purge steward", ran.status === 0, ran);
  const [, text = ""] = ran.stdout.replaceAll("\r", "").split("This stays:\n");
  const named = text.split("\n").filter((line) => line.startsWith("    "));
  const isNamed = (path: string) => named.some((line) => line.startsWith(`    ${path}`));
  guest.check(
    "it names what stays, and nothing else",
    stays.every(isNamed) && named.length === stays.length,
    { named, stays },
  );
  await guest.types("! dpkg-query -W steward && ! getent passwd steward && ! getent group steward");
  await guest.types("dpkg --purge steward", { what: "a second purge finds nothing to do" });
}

/** State, releases and /etc/steward are mounted, and others' things below the state. */
async function onPartitions(guest: Guest): Promise<void> {
  await installed(guest, "steward");
  await guest.types("steward tls enable; systemctl stop steward; cp -a /var/lib/steward /root/state");
  await guest.types("mkdir -p /data/photos /data/etc; cp -a /etc/steward/. /data/etc");
  writeFileSync("/data/photos/one", photo);
  await guest.types(
    `mount -t tmpfs none ${state} -o mode=0700; cp -a /root/state/. ${state}; chown steward: ${state}`,
  );
  await guest.types("mount -t tmpfs none /var/lib/steward-releases; mount --bind /data/etc /etc/steward");
  const inState = (name: string): string => `${state}/${name}`;
  await guest.types(`mkdir -p '${inState("a [b]")}' ${inState("lost+found")} ${host}/photos`);
  // The second one is of the same file system as what surrounds it: no device number tells them apart.
  await guest.types(
    `mount --bind /data/photos '${inState("a [b]")}'; mount --bind /data/photos ${host}/photos`,
  );
  await guest.types("systemctl start steward && steward user list | grep root-admin");
  await purged(guest, [
    inState("a [b]"),
    `${host}/photos, where something`,
    `${host}, which is a mount point`,
    `${state}, which is a mount point`,
    "/var/lib/steward-releases, which is a mount point",
    "/etc/steward, which is a mount point",
  ]);
  const left = `${readdirSync(state).sort()};${readdirSync("/data/etc")}`;
  guest.check("state and configuration are empty", left === "a [b],lost+found;", left);
  guest.check("the photos are there", readFileSync("/data/photos/one", "utf8") === photo);
  await guest.types(`! ls ${host}/steward.json && ! ls -d /var/lib/steward-trust`, {
    what: "the rest is gone",
  });
  await behindLinks(guest);
}

/** The package comes back on the same partitions; then its directories are links, with which no agent starts. */
async function behindLinks(guest: Guest): Promise<void> {
  await guest.types(
    `umount '${state}/a [b]' ${host}/photos; rmdir '${state}/a [b]' ${state}/lost+found ${host}/photos`,
  );
  await installed(guest, "steward");
  await guest.types("steward tls enable && systemctl stop steward");
  for (const [path, target] of Object.entries(links)) {
    await guest.types(
      `mkdir -p ${target}; cp -a ${path}/. ${target}; umount -q ${path}; rm -rf ${path}; ln -s ${target} ${path}`,
    );
    writeFileSync(`${target}/other`, photo);
  }
  const brought = Object.keys(links).filter((path) => readdirSync(path).length > 1);
  guest.check("there is something to delete", brought.length >= 3, brought);
  await guest.types(`install -d -m 700 -o steward -g steward /var/lib/steward-backups; echo x >${backup}`);
  await guest.types(`chown steward: ${links[state]}; chown nobody ${links[state]}/other`);
  await purged(guest, [
    ...Object.values(links).map((target) => `${target}, to which`),
    "/var/lib/steward-backups",
  ]);
  for (const [path, target] of Object.entries(links)) {
    const what = `${target} has only what others put there`;
    await guest.types(`[ "$(ls -A ${target})" = other ] && ! test -L ${path}`, { what });
  }
  await guest.types(`[ "$(stat -c %U-%a /var/lib/steward-backups)" = root-700 ] && [ -s ${backup} ]`);
  await installed(guest, "steward");
}

const links: Readonly<Record<string, string>> = {
  [state]: "/data/disk/state",
  "/var/lib/steward-releases": "/data/disk/releases",
  "/var/lib/steward-trust": "/data/disk/trust",
  "/var/lib/steward-host": "/data/disk/host",
  "/etc/steward": "/data/disk/etc",
};
