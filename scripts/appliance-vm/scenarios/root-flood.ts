import { readFileSync } from "node:fs";
import { askerFiles, askRoot, floodRoot } from "../guest/root-helper.ts";
import type { Guest } from "../guest/vocabulary.ts";
import type { Scenario } from "../scenario.ts";

const id = "0123456789abcdef".repeat(2);
const seconds = 60;

/** How much of the processor root spends on an agent that orders as often as it can, while the product needs it all. */
export const scenario: Scenario = {
  title: "a flood of orders costs the product no more than a bounded share of the processor",
  timeoutSeconds: 240,
  files: {
    ...askerFiles,
    "/usr/lib/systemd/system/product.service":
      "[Service]\nExecStart=/bin/sh -c 'while :; do :; done'\nCPUAccounting=yes\n",
  },
  boots: [{ units: ["steward.service", "product.service"], run: flooding }],
};

async function flooding(guest: Guest): Promise<void> {
  await guest.stewardAnswers();
  const orders = [
    `install ${id}\n`,
    "rollback binary\n",
    "chrony burst\n",
    "restart-timesyncd\n",
    "nonsense\n",
  ];
  const before = usage();
  const counts = await floodRoot(guest, "steward", orders, seconds);
  const after = usage();
  const share = (of: keyof Usage) => ((after[of] - before[of]) / (after.wall - before.wall)) * 100;
  guest.note(`answers in ${seconds} s: ${JSON.stringify(counts)}`);
  for (const of of ["product", "root", "helper", "systemd", "journald"] as const)
    guest.figure(`${of} of the processor`, Number(share(of).toFixed(1)), "%");
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
  await guest.run("systemctl", ["stop", "product.service"]);
  // Eight at once are under way at most, and each ends within a minute.
  await guest.until("the next order is taken", 90, async () => {
    const [answer] = await askRoot(guest, "steward", ["time-zone Etc/UTC\n"]);
    return answer === "ok";
  });
}

interface Usage {
  readonly wall: number;
  readonly product: number;
  /** All that the agent can have root do: the helper, the installer, chronyc. */
  readonly root: number;
  readonly helper: number;
  readonly systemd: number;
  readonly journald: number;
}

/** Seconds of processor time by the control groups (cgroup v2), and of the wall. */
function usage(): Usage {
  const slice = "system.slice";
  return {
    wall: performance.now() / 1_000,
    product: secondsOf(`${slice}/product.service`),
    root: secondsOf(`${slice}/system-steward.slice`),
    helper: secondsOf(`${slice}/system-steward.slice/steward-helper.service`),
    systemd: secondsOf("init.scope"),
    journald: secondsOf(`${slice}/systemd-journald.service`),
  };
}

function secondsOf(group: string): number {
  try {
    const text = readFileSync(`/sys/fs/cgroup/${group}/cpu.stat`, "utf8");
    return Number(/^usage_usec (\d+)$/m.exec(text)?.[1]) / 1e6;
  } catch {
    // Nothing has run in it yet.
    return 0;
  }
}
