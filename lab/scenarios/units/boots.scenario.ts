import { readFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import { type TieredScenario, walk } from "../../machines/scenario.ts";
import { password, signIn } from "../people.ts";
import { probe } from "./confinement.ts";

/** The unit as a package installs it, on a machine without an administrator; then the same disk after a power cut. */
export const scenario: TieredScenario = {
  title: "the unit starts, works as it is confined, stops, and keeps its state",
  tiers: { vm: {} },
  timeoutSeconds: 240,
  keepsDisk: true,
  boots: [
    // The agent's work must succeed inside its unit, not only as its user.
    { powerCut: true, run: walk(process, setUp, logs, stopping, probe, (guest) => guest.stewardAnswers()) },
    {
      run: walk(async (guest) => {
        await guest.types("steward user list", { says: "root-admin" });
        await guest.types("steward events --verify", { what: "an unbroken event log after a power cut" });
      }),
    },
  ],
};

async function process(guest: Guest): Promise<void> {
  guest.mark("the agent answers");
  const id = await guest.property("MainPID");
  await guest.types(`ps -o user= -p ${id}`, { says: /^steward\s*$/, what: "it runs as the user steward" });
  const status = readFileSync(`/proc/${id}/status`, "utf8");
  // CAP_SYS_TIME is number 25 (linux/capability.h).
  for (const set of ["CapPrm", "CapEff", "CapBnd", "CapAmb"]) {
    const found = new RegExp(`^${set}:\\s*([0-9a-f]+)$`, "m").exec(status)?.[1];
    guest.check(`${set} is CAP_SYS_TIME alone`, BigInt(`0x${found}`) === 1n << 25n, found);
  }
  guest.figure("resident memory of the agent", Number(/^VmRSS:\s*(\d+)/m.exec(status)?.[1]) / 1_024, "MiB");
}

async function setUp(guest: Guest): Promise<void> {
  await guest.types("stat -c '%U %a' /run/steward/setup-token", { says: /^steward 600$/m });
  const setup_token = (await guest.steward("setup-token")).stdout.trim();
  const made = await guest.http("/api/setup", { body: { setup_token, username: "root-admin", password } });
  guest.check("the token makes the first administrator", made.status === 201, made.body);
  const session = await signIn(guest);
  guest.check("who can sign in over TCP", session.status === 200, session.body);
  const health = await guest.http("/api/health", { token: String(session.body.access_token) });
  const checks = health.body.checks as { name: string; status: string }[];
  // The clock has no server here.
  const troubles = checks.filter(({ name, status }) => name !== "time" && status !== "ok");
  guest.check("nothing but the clock is in trouble", checks.length > 1 && troubles.length === 0, checks);
}

/** The journal has severities and not their marks, and the log that the agent shows has the same ones. */
async function logs(guest: Guest): Promise<void> {
  await guest.types("journalctl -u steward -o json --no-pager | grep listening", { says: '"PRIORITY":"5"' });
  await guest.types("steward -o json logs --unit steward.service --limit 200 | grep -A9 -B9 listening", {
    says: '"priority": "notice"',
  });
}

async function stopping(guest: Guest): Promise<void> {
  const begun = performance.now();
  await guest.types("systemctl stop steward");
  const seconds = (performance.now() - begun) / 1_000;
  guest.figure("time to stop", seconds, "s");
  guest.check("it stops within its 5 s", (await guest.property("Result")) === "success" && seconds < 6);
  await guest.types("steward -o json user list", { says: "root-admin", what: "with the agent down" });
  await guest.types("systemctl start steward");
  await guest.stewardAnswers();
  await guest.types("steward events --verify --against-journal");
}
