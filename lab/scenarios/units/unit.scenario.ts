import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";

const dropIns = "/etc/systemd/system/steward.service.d";

/** Code that a variable of the manager's environment would load into each process of the unit. */
const uninvited = "/opt/uninvited.cjs";
const noted = "/run/uninvited-was-here";

export const scenario: TieredScenario = {
  title:
    "the agent's unit: its environment, what it may execute, a reload, and a watchdog that recovers a stopped agent",
  tiers: { container: {} },
  timeoutSeconds: 240,
  files: { [uninvited]: `require("node:fs").writeFileSync(${JSON.stringify(noted)}, "");\n` },
  boots: [
    {
      run: async (guest) => {
        await guest.stewardAnswers();
        await environment(guest);
        await executables(guest);
        await bounds(guest);
        await status(guest);
        await reload(guest);
        await races(guest);
        await keptHostFile(guest);
        await watchdog(guest);
      },
    },
  ],
};

/** Adds a drop-in, under which the agent is started again. */
async function restartWith(guest: Guest, name: string, settings: string): Promise<void> {
  mkdirSync(dropIns, { recursive: true });
  writeFileSync(`${dropIns}/${name}.conf`, `[Service]\n${settings}\n`);
  await guest.run("systemctl", ["daemon-reload"]);
  await guest.restarts();
}

async function environment(guest: Guest): Promise<void> {
  const meant = [
    `NODE_OPTIONS=--require=${uninvited}`,
    "LD_LIBRARY_PATH=/opt",
    "NODE_TLS_REJECT_UNAUTHORIZED=0",
  ];
  await guest.run("systemctl", ["set-environment", ...meant, "HARMLESS=1"]);
  await guest.restarts();
  const names = readFileSync(`/proc/${await guest.property("MainPID")}/environ`, "utf8")
    .split("\0")
    .map((one) => one.split("=")[0] ?? "");
  guest.check("the manager's environment reaches the agent", names.includes("HARMLESS"), names);
  const found = names.filter((name) => meant.some((one) => one.startsWith(`${name}=`)) && name !== "");
  guest.check("but not what would load code into it or change whom it trusts", found.length === 0, found);
  guest.check("the uninvited code has not run", !existsSync(noted));
  const set = meant.map((one) => one.replace(/=.*/, ""));
  await guest.run("systemctl", ["unset-environment", ...set, "HARMLESS"]);
}

/** A program of Debian's, copied to each place that the agent can write to. */
async function executables(guest: Guest): Promise<void> {
  const places = ["$STATE_DIRECTORY", "$RUNTIME_DIRECTORY", "/tmp", "/var/tmp", "/dev/shm"];
  const script = `for place in ${places.join(" ")}; do cp /bin/true "$place/probe" && "$place/probe"; echo "$place $?"; rm -f "$place/probe"; done >/run/steward/probed 2>&1; /bin/true; echo "usr $?" >>/run/steward/probed`;
  await restartWith(guest, "probe", `ExecStartPre=/bin/sh -c '${script.replaceAll("$", "$$")}'`);
  const said = readFileSync("/run/steward/probed", "utf8");
  const ends = [...said.matchAll(/^(\/\S+|usr) (\d+)$/gm)].map(([, place, status]) => [place, status]);
  // 126: found, and not executable (POSIX).
  const refused = ends.filter(([place, status]) => place !== "usr" && status === "126");
  guest.check("the agent can execute nothing where it can write", refused.length === places.length, said);
  guest.check(
    "and what Debian has installed it can",
    ends.some(([place, status]) => place === "usr" && status === "0"),
    said,
  );
  rmSync(`${dropIns}/probe.conf`);
}

async function bounds(guest: Guest): Promise<void> {
  const limits = readFileSync(`/proc/${await guest.property("MainPID")}/limits`, "utf8");
  guest.check("it leaves no core dump", /^Max core file size\s+0\s+0\s/m.test(limits), limits);
  const found = [await guest.property("MemoryMax"), await guest.property("TasksMax")];
  guest.check(
    "memory and tasks have a bound",
    found.every((one) => /^\d+$/.test(one)),
    found,
  );
}

/** The addon says it: no program is started for it. */
async function status(guest: Guest): Promise<void> {
  const said = await guest.property("StatusText");
  const parts = ["Serving (", "version ", "; no administrator yet; clock "];
  const isSaid = parts.every((part) => said.includes(part));
  guest.check("systemctl status says what the agent does", isSaid, said);
}

async function reload(guest: Guest): Promise<void> {
  const before = await guest.property("MainPID");
  await guest.types("systemctl reload steward");
  await guest.stewardAnswers();
  guest.check("and the same agent goes on", before === (await guest.property("MainPID")), before);
}

/** As releases kept it before: with the mode of root's file, which the agent could not read. */
async function keptHostFile(guest: Guest): Promise<void> {
  const kept = "/var/lib/steward-host/steward.json";
  await guest.types(`echo '{}' >/etc/steward/steward.json; systemctl reload steward; chmod 600 ${kept}`);
  await guest.restarts();
  await guest.types(`stat -c %a ${kept}`, {
    says: "644\n",
    what: "a closed copy of the host file is opened",
  });
}

/** In the midst of a restart, with the agent down, and two at once: commands wait for it and for each other. */
async function races(guest: Guest): Promise<void> {
  const add = (name: string) => `steward user add ${name} --role readonly --generate`;
  await guest.types(
    "systemctl restart steward && curl -s --unix-socket /run/steward/steward.sock http://localhost/api/health/ready",
  );
  for (const round of [1, 2, 3, 4])
    await guest.types(`systemctl restart steward; ${add(`restarted-${round}`)}`);
  for (const round of [1, 2, 3, 4])
    await guest.types(`systemctl --no-block restart steward; ${add(`beside-${round}`)}`);
  await guest.stewardAnswers();
  await guest.types(
    `systemctl stop steward; ${add("down-1")} & one=$!; ${add("down-2")}; two=$?; wait $one && exit $two`,
  );
  await guest.types("systemctl start steward; steward user list | grep -cE '(restarted|beside|down)-'", {
    says: /^10$/m,
    what: "each of these ten users is there",
  });
}

async function watchdog(guest: Guest): Promise<void> {
  const usual = await guest.property("WatchdogUSec");
  guest.check("an agent that hangs is noticed within a minute", usual === "1min", usual);
  await restartWith(guest, "watchdog", "WatchdogSec=6");
  const stopped = await guest.property("MainPID");
  const begun = performance.now();
  await guest.types(`kill -STOP ${stopped}`);
  await guest.until("another agent runs", 60, async () => {
    const isOther = ![stopped, "0"].includes(await guest.property("MainPID"));
    return isOther && (await guest.property("ActiveState")) === "active";
  });
  const seconds = Math.round((performance.now() - begun) / 100) / 10;
  guest.figure("from SIGSTOP to another agent, at WatchdogSec=6", seconds, "s");
  await guest.stewardAnswers();
  const restarts = await guest.property("NRestarts");
  guest.check("systemd has restarted it once", restarts === "1", restarts);
  await guest.types("journalctl -u steward --grep=atchdog --no-pager", { says: "Watchdog timeout" });
}
