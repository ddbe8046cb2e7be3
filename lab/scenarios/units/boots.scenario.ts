import { readFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { password, signIn } from "../people.ts";
import { probe } from "./confinement.ts";

/** The unit as a package installs it, on a machine without an administrator; then the same disk after a power cut. */
export const scenario: TieredScenario = {
  title: "the unit starts, works as it is confined, stops, and keeps its state",
  tiers: { vm: {} },
  timeoutSeconds: 240,
  keepsDisk: true,
  boots: [
    {
      powerCut: true,
      run: async (guest) => {
        await answers(guest);
        await process(guest);
        await setUp(guest);
        await logs(guest);
        await stopping(guest);
        await guest.types("steward events --verify --against-journal");
        // The agent's work must succeed inside its unit, not only as its user.
        await probe(guest);
        await guest.stewardAnswers();
      },
    },
    {
      run: async (guest) => {
        await answers(guest);
        await guest.types("steward user list", { says: "root-admin" });
        await guest.types("steward events --verify", { what: "an unbroken event log after a power cut" });
      },
    },
  ],
};

async function answers(guest: Guest): Promise<void> {
  const health = await guest.stewardAnswers();
  guest.mark("the agent answers");
  // It is degraded only by the clock, which has no server here; the rest is looked at with a token.
  guest.check("it is not in rescue", health.status === 200 && health.body.status !== "rescue", health.body);
}

async function process(guest: Guest): Promise<void> {
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
  const token = (await guest.steward("setup-token")).stdout.trim();
  const body = { setup_token: token, username: "root-admin", password };
  const made = await guest.http("/api/setup", { body });
  guest.check("the token makes the first administrator", made.status === 201, made.body);
  const session = await signIn(guest);
  guest.check("who can sign in over TCP", session.status === 200, session.body);
  const health = await guest.http("/api/health", { token: String(session.body.access_token) });
  const checks = health.body.checks as { name: string; status: string }[];
  const troubles = checks.filter(({ name, status }) => name !== "time" && status !== "ok");
  guest.check("nothing but the clock is in trouble", checks.length > 1 && troubles.length === 0, checks);
}

/** Compares the journal that the agent shows with journalctl's output. */
async function logs(guest: Guest): Promise<void> {
  const shown = await guest.steward("-o", "json", "logs", "--unit", "steward.service", "--limit", "200");
  const { items } = JSON.parse(shown.stdout) as { items: { priority: unknown }[] };
  const levels = ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"];
  const { stdout } = await guest.run("journalctl", ["--unit=steward.service", "--output=json", "--no-pager"]);
  const entries = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { MESSAGE: string; PRIORITY: string });
  const listening = entries.find(({ MESSAGE }) => MESSAGE.includes("listening"));
  guest.check("the journal has severities, not their marks", listening?.PRIORITY === "5", listening);
  const known = new Set(entries.map(({ PRIORITY }) => levels[Number(PRIORITY)]));
  const seen = new Set(items.map(({ priority }) => String(priority)));
  const isSame = seen.has("notice") && [...seen].every((level) => known.has(level));
  guest.check("and the log shows the same ones", isSame, [[...seen], [...known]]);
}

async function stopping(guest: Guest): Promise<void> {
  const begun = performance.now();
  await guest.types("systemctl stop steward");
  const seconds = (performance.now() - begun) / 1_000;
  guest.figure("time to stop", Math.round(seconds * 100) / 100, "s");
  guest.check("it stops within its 5 s", (await guest.property("Result")) === "success" && seconds < 6);
  await guest.types("steward -o json user list", { says: "root-admin", what: "with the agent down" });
  await guest.types("systemctl start steward");
  await guest.stewardAnswers();
}
