import { existsSync, readFileSync } from "node:fs";
import { askerFiles, askRoot, floodOrders, floodRoot } from "../../machines/guest/root-helper.ts";
import { auditSocket, sendAsAgent } from "../../machines/guest/send-as-agent.ts";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import { type TieredScenario, walk } from "../../machines/scenario.ts";

const seconds = 60;
const auditGroup = "system.slice/system-systemd\\x2djournald.slice/systemd-journald@steward.service";

/** An agent orders as often as it can, while the product needs the whole processor: root spends a bounded share on it. */
export const scenario: TieredScenario = {
  title:
    "a flood of orders and audit lines costs the product no more than a bounded share of processor and disk",
  tiers: { vm: {} },
  timeoutSeconds: 400,
  files: {
    ...askerFiles,
    "/usr/lib/systemd/system/product.service":
      "[Service]\nExecStart=/bin/sh -c 'while :; do :; done'\nCPUAccounting=yes\n",
    "/etc/systemd/system.conf.d/accounting.conf": "[Manager]\nDefaultIOAccounting=yes\n",
    "/var/log/journal/.keep": "",
  },
  boots: [{ units: ["steward.service", "product.service"], run: walk(flooding) }],
};

async function flooding(guest: Guest): Promise<void> {
  const before = usage();
  const counts = await floodRoot(guest, "steward", floodOrders, seconds);
  const after = usage();
  const share = (of: keyof typeof before) => ((after[of] - before[of]) / (after.wall - before.wall)) * 100;
  guest.note(`answers in ${seconds} s: ${JSON.stringify(counts)}`);
  for (const of of ["product", "root", "helper", "systemd", "journald"] as const)
    guest.figure(`${of} of the processor`, share(of), "%");
  const done = (counts.ok ?? 0) + (counts.failed ?? 0);
  guest.check("no more was done than the buckets hold", (counts.limited ?? 0) > 0 && done <= 60, counts);
  // 20 of 220 shares for root, beside the product and the agent; 10 % of it all for the helper.
  guest.check("the helper keeps to its quota", share("helper") <= 11, share("helper"));
  guest.check(
    "what the agent has root do takes a tenth where others need the processor",
    share("root") <= 15,
    share("root"),
  );
  guest.check("systemd and the journal are not flooded", share("systemd") + share("journald") <= 10, after);
  await audited(guest);
  await guest.run("systemctl", ["stop", "product.service"]);
  // Eight at once are under way at most, and each ends within a minute.
  await guest.until("the next order is taken", 90, async () => {
    const [answer] = await askRoot(guest, "steward", ["time-zone Etc/UTC\n"]);
    return answer === "ok";
  });
}

/** A second of noise is megabytes: journald counts only lines, and the unit's bound on its disk counts bytes. */
async function audited(guest: Guest): Promise<void> {
  const lines = { count: 1e9, seconds, text: "audit", user: "steward", noise: 150_000 };
  // It runs from here on: a group that ends takes its counts with it.
  await sendAsAgent(guest, { socket: auditSocket, ...lines, count: 1 });
  const limit = readFileSync(`/sys/fs/cgroup/${auditGroup}/io.max`, "utf8");
  guest.check("the kernel bounds what it writes to the disk of the journal", /wbps=\d+/.test(limit), limit);
  const before = usage();
  const sent = await sendAsAgent(guest, { socket: auditSocket, ...lines });
  // Data that waits in memory is written.
  await guest.run("sync", [], { timeoutSeconds: 120 });
  const after = usage();
  guest.check("a flood of long audit lines is sent", sent.status === 0, sent);
  const [wall, bytes] = [after.wall - before.wall, after.auditBytes - before.auditBytes];
  const rate = ((bytes / wall) * 60) / (1 << 20);
  const share = ((after.audit - before.audit) / wall) * 100;
  guest.figure("the journal of audit lines, written to the disk", rate, "MiB a minute");
  guest.figure("the journal of audit lines, of the processor", share, "%");
  guest.check("it is written to", bytes > 0, after);
  // 1 MB a second; what is in memory when the flood ends is written too, of 16 MiB at most.
  guest.check("it keeps to its share of the disk", rate <= 80, rate);
  guest.check("and of the processor", share <= 22, share);
}

/** Seconds of processor time by the control groups (cgroup v2), and of the wall; `root`: all that the agent can have root do. */
function usage() {
  const slice = "system.slice";
  return {
    wall: performance.now() / 1_000,
    product: secondsOf(`${slice}/product.service`),
    root: secondsOf(`${slice}/system-steward.slice`),
    helper: secondsOf(`${slice}/system-steward.slice/steward-helper.service`),
    systemd: secondsOf("init.scope"),
    journald: secondsOf(`${slice}/systemd-journald.service`),
    audit: secondsOf(auditGroup),
    // Bytes written to all disks count when the kernel writes, not when the process does.
    auditBytes: sumIn(auditGroup, "io.stat", / wbytes=(\d+)/g),
  };
}

const secondsOf = (group: string): number => sumIn(group, "cpu.stat", /^usage_usec (\d+)$/gm) / 1e6;

function sumIn(group: string, file: string, figure: RegExp): number {
  const path = `/sys/fs/cgroup/${group}/${file}`;
  // Nothing may have run in it yet.
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  return [...text.matchAll(figure)].reduce((sum, [, value]) => sum + Number(value), 0);
}
