import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { password, signIn } from "../people.ts";
import { probe, readProbe } from "./confinement.ts";

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
        await facts(guest);
        await logs(guest);
        await stopping(guest);
        await events(guest);
        await confinement(guest);
      },
    },
    {
      run: async (guest) => {
        await answers(guest);
        const { stdout } = await guest.steward("-o", "json", "user", "list");
        guest.check("the administrator is there after a power cut", stdout.includes("root-admin"), stdout);
        const verified = await guest.steward("events", "--verify");
        guest.check("so is an unbroken event log", verified.status === 0, verified);
      },
    },
  ],
};

async function answers(guest: Guest): Promise<void> {
  const health = await guest.stewardAnswers();
  guest.mark("the agent answers");
  // It is degraded only by the clock, which has no server here; the rest is looked at with a token.
  guest.check("it is not in rescue", health.status === 200 && health.body.status !== "rescue", health.body);
  const version = await guest.steward("version");
  guest.check(
    "`steward version` works",
    version.status === 0 && /\d+\.\d+\.\d+/.test(version.stdout),
    version,
  );
}

async function process(guest: Guest): Promise<void> {
  const id = await guest.property("MainPID");
  const user = (await guest.run("ps", ["-o", "user=", "-p", id])).stdout.trim();
  guest.check("it runs as the user steward", user === "steward", user);
  const status = (await guest.run("cat", [`/proc/${id}/status`])).stdout;
  // CAP_SYS_TIME is number 25 (linux/capability.h).
  for (const set of ["CapPrm", "CapEff", "CapBnd", "CapAmb"]) {
    const found = new RegExp(`^${set}:\\s*([0-9a-f]+)$`, "m").exec(status)?.[1];
    guest.check(`${set} is CAP_SYS_TIME alone`, BigInt(`0x${found}`) === 1n << 25n, found);
  }
  guest.figure("resident memory of the agent", Number(/^VmRSS:\s*(\d+)/m.exec(status)?.[1]) / 1_024, "MiB");
  const { stdout } = await guest.run("systemd-analyze", ["security", "--no-pager", "steward.service"]);
  const exposure = Number(/Overall exposure level for steward.service: ([\d.]+)/.exec(stdout)?.[1]);
  guest.figure("exposure by systemd-analyze security", exposure, "of 10");
  guest.check("the exposure is at most 2.0", exposure <= 2, exposure);
}

async function setUp(guest: Guest): Promise<void> {
  const { stdout } = await guest.run("stat", ["-c", "%U %a", "/run/steward/setup-token"]);
  guest.check("the setup token is its user's alone", stdout.trim() === "steward 600", stdout);
  const token = (await guest.steward("setup-token")).stdout.trim();
  const made = await guest.http("/api/setup", {
    body: { setup_token: token, username: "root-admin", password },
  });
  guest.check("the token makes the first administrator", made.status === 201, made.body);
  const session = await signIn(guest);
  guest.check("who can sign in over TCP", session.status === 200, session.body);
  const read = await guest.http("/api/system/facts", { token: String(session.body.access_token) });
  guest.check("and read", read.status === 200, read.body);
  const { body } = await guest.http("/api/health", { token: String(session.body.access_token) });
  const checks = body.checks as { name: string; status: string }[];
  const troubles = checks.filter(({ name, status }) => name !== "time" && status !== "ok");
  guest.check("nothing but the clock is in trouble", checks.length > 1 && troubles.length === 0, checks);
}

async function facts(guest: Guest): Promise<void> {
  const { status, stdout, stderr } = await guest.steward("-o", "json", "system", "facts");
  guest.check("`steward system facts` works", status === 0, stderr);
  const said = JSON.parse(stdout) as { hostname: string; uptime_seconds: number };
  const uptime = Number((await guest.run("cat", ["/proc/uptime"])).stdout.split(" ")[0]);
  guest.check("with the host's name", said.hostname === "appliance", said.hostname);
  guest.check("and its uptime", Math.abs(said.uptime_seconds - uptime) < 10, [said.uptime_seconds, uptime]);
}

/** Compares the journal that the agent shows with journalctl's output. */
async function logs(guest: Guest): Promise<void> {
  const shown = await guest.steward("-o", "json", "logs", "--unit", "steward.service", "--limit", "200");
  guest.check("`steward logs` reads the live journal", shown.status === 0, shown.stderr);
  const { items } = JSON.parse(shown.stdout) as { items: { message: string; priority: unknown }[] };
  const levels = ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"];
  const journal = await guest.run("journalctl", ["--unit=steward.service", "--output=json", "--no-pager"]);
  const entries = journal.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { MESSAGE: string; PRIORITY: string });
  const listening = entries.find(({ MESSAGE }) => MESSAGE.includes("listening"));
  guest.check(
    "the journal has the agent's severities, not its marks",
    listening?.PRIORITY === "5",
    listening,
  );
  const known = new Set(entries.map(({ PRIORITY }) => levels[Number(PRIORITY)]));
  const shownLevels = new Set(items.map(({ priority }) => String(priority)));
  guest.check(
    "and the log shows the same ones",
    items.length > 2 && [...shownLevels].every((level) => known.has(level)) && shownLevels.has("notice"),
    { shown: [...shownLevels], journal: [...known], first: items[0] },
  );
}

async function stopping(guest: Guest): Promise<void> {
  const begun = performance.now();
  await guest.run("systemctl", ["stop", "steward.service"]);
  const seconds = (performance.now() - begun) / 1_000;
  guest.figure("time to stop", Math.round(seconds * 100) / 100, "s");
  guest.check("it stops within its 5 s", (await guest.property("Result")) === "success" && seconds < 6);
  const offline = await guest.steward("-o", "json", "user", "list");
  guest.check(
    "`steward user list` works with the agent down",
    offline.stdout.includes("root-admin"),
    offline,
  );
  await guest.run("systemctl", ["start", "steward.service"]);
  await guest.stewardAnswers();
  const session = await signIn(guest);
  guest.check("and the administrator signs in after a restart", session.status === 200, session.body);
}

async function events(guest: Guest): Promise<void> {
  const verified = await guest.steward("events", "--verify", "--against-journal");
  guest.check("the event log reaches what the journal says", verified.status === 0, verified);
  guest.note(verified.stdout.trim().replaceAll("\n", "; "));
}

/** The agent's work must succeed inside its unit, not only as its user. */
async function confinement(guest: Guest): Promise<void> {
  for (const [name, passed, detail] of readProbe(await probe(guest))) guest.check(name, passed, detail);
  await guest.stewardAnswers();
}
