import { readFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { rules } from "./demo-product.ts";
import * as updates from "./update-scenario.ts";

const patience = { successes: 2, interval: "1s", within: "25s" };
const decisions = {
  product: "demo",
  update: {
    rules: {
      activate: ["/usr/lib/demo/put to work", "{release}", 'it\'s "$HOME" & more'],
      health: { command: ["/usr/lib/demo/healthy", "{release}"], ...patience },
    },
  },
};

/** Notes what it is given and what it may do, and then refuses rules that are broken. */
const putToWork = `#!/bin/sh
{
  env | sort; echo "second=$2"; grep ^Cap /proc/self/status; cat /proc/self/cgroup
  echo changed >>/etc/demo-of-nobody && echo "wrote to a file of another user"
  setpriv --reuid nobody true && echo "became another user"
  touch "$1/probe" /var/lib/steward-releases/probe && echo "changed installed releases"
  ls /var/lib/steward-trust/* /var/lib/steward/* && echo "saw what is not its own"
  cat /etc/demo-of-nobody >/dev/null && echo "read a file of another user"
  kill -0 "$(pgrep -u steward | head -1)" && echo "signalled another user's process"
} >>/run/demo-noted 2>&1
! grep broken "$1/base.rules" >/dev/null || { echo "rule 7 is not known here"; exit 3; }
`;

/** Rules that hang leave a process behind as well. */
const healthy = `#!/bin/sh
echo "looking at $1"
! grep hangs "$1/base.rules" >/dev/null || { sleep 987 & sleep 986; }
`;

/** Capabilities by their numbers (linux/capability.h). */
const numbers = { CAP_DAC_OVERRIDE: 1n, CAP_SETGID: 6n, CAP_SETUID: 7n, CAP_SYS_ADMIN: 21n } as const;

export const scenario: TieredScenario = {
  title: "the product's programs run in a unit of their own, and their ends and last words reach the history",
  tiers: { container: {} },
  timeoutSeconds: 400,
  ...updates.updateScenario("demo"),
  files: {
    ...updates.updateSettings({ enabled: true }),
    "/etc/steward/steward.json": JSON.stringify(decisions),
    "/usr/lib/demo/put to work": putToWork,
    "/usr/lib/demo/healthy": healthy,
    "/etc/demo-of-nobody": "",
  },
  asks: updates.publishing(rules("1.0.0"), rules("1.1.0", "broken"), rules("1.2.0", "hangs")),
  boots: [{ run: running }],
};

async function running(guest: Guest): Promise<void> {
  await guest.types(
    "chmod 755 /usr/lib/demo/*; chown nobody /etc/demo-of-nobody; chmod 600 /etc/demo-of-nobody",
  );
  await updates.trusting(guest);
  const entry = await updates.outcomeOf(guest, await updates.offered(guest, "rules", "1.0.0"), 60);
  const isBySaying = entry.cause?.last_answer?.includes("ended with status 0") === true;
  guest.check("rules that a program puts to work are good", entry.outcome === "good" && isBySaying, entry);
  confined(guest);
  const broken = await updates.outcomeOf(guest, await updates.offered(guest, "rules", "1.1.0"), 60);
  const isUndone = broken.outcome === "failed" && broken.restored_healthy === true;
  const said = /put to work failed with status 3: rule 7 is not known here/.test(broken.detail);
  guest.check(
    "rules that it refuses have failed, with its status and its last line",
    isUndone && said,
    broken,
  );
  const hangs = await updates.offered(guest, "rules", "1.2.0");
  await guest.until("the health check was too slow once", 40, () => {
    const { trial } = updates.releaseJournal().slots.rules;
    return trial?.health.last?.includes("healthy took longer than 9.5 s: looking at") === true;
  });
  const ended = await updates.outcomeOf(guest, hangs, 120);
  guest.check("rules under which the health check hangs have failed", ended.outcome === "failed", ended);
  await guest.types("! pgrep -fx 'sleep 98[67]'", { what: "the program was ended with its children" });
  await guest.types('[ -z "$(systemctl --failed --no-legend --no-pager)" ]');
}

function confined(guest: Guest): void {
  const noted = readFileSync("/run/demo-noted", "utf8");
  const bounding = BigInt(`0x${/^CapBnd:\s*([0-9a-f]+)$/m.exec(noted)?.[1] ?? "ffffffffffffffff"}`);
  for (const [name, number] of Object.entries(numbers))
    guest.check(`it runs without ${name}`, (bounding & (1n << number)) === 0n, bounding.toString(16));
  for (const word of ["wrote to", "became", "changed installed", "saw what"])
    guest.check(`of what it tries, nothing "${word}…"`, !noted.includes(word), noted);
  for (const word of ["read a file", "signalled", "/steward-product@activate.service"])
    guest.check(`but it "${word}", as before`, noted.includes(word), noted);
  const words = noted.includes(`second=it's "$HOME" & more\n`);
  guest.check("with its words as the host file has them", words, noted);
  const names = [...noted.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name).filter((name) => name !== "PWD");
  const wanted = ["PATH", "STEWARD_KIND", "STEWARD_RELEASE", "STEWARD_VERSION"];
  guest.check("and with the environment that it always had", names.join() === wanted.join(), names);
}
