import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import { type TieredScenario, walk } from "../../machines/scenario.ts";

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
  boots: [{ run: walk(environment, executables, bounds, reload, races, keptHostFile, watchdog) }],
};

/** Adds a drop-in, under which the agent is started again. */
async function restartWith(guest: Guest, settings: string): Promise<void> {
  mkdirSync(dropIns, { recursive: true });
  writeFileSync(`${dropIns}/probe.conf`, `[Service]\n${settings}\n`);
  await guest.run("systemctl", ["daemon-reload"]);
  await guest.restarts();
}

async function environment(guest: Guest): Promise<void> {
  const set = `NODE_OPTIONS=--require=${uninvited} LD_LIBRARY_PATH=/opt NODE_TLS_REJECT_UNAUTHORIZED=0`;
  await guest.types(`systemctl set-environment ${set} HARMLESS=1`);
  await guest.restarts();
  const names = readFileSync(`/proc/${await guest.property("MainPID")}/environ`, "utf8")
    .split("\0")
    .map((one) => one.split("=")[0] ?? "");
  guest.check("the manager's environment reaches the agent", names.includes("HARMLESS"), names);
  const worst = names.filter((name) =>
    /^(NODE_OPTIONS|LD_LIBRARY_PATH|NODE_TLS_REJECT_UNAUTHORIZED)$/.test(name),
  );
  guest.check("but not what would load code into it or change whom it trusts", worst.length === 0, worst);
  guest.check("the uninvited code has not run", !existsSync(noted));
  await guest.types(`systemctl unset-environment ${set.replaceAll(/=\S+/g, "")} HARMLESS`);
}

/** A program of Debian's, copied to each place that the agent can write to. 126: found, and not executable (POSIX). */
async function executables(guest: Guest): Promise<void> {
  const places = ["$STATE_DIRECTORY", "/run/steward", "/run/steward-product", "/tmp", "/var/tmp", "/dev/shm"];
  const script = `for place in ${places.join(" ")}; do cp /bin/true "$place/probe" && "$place/probe"; echo "ended $?"; rm -f "$place/probe"; done >/run/steward/probed 2>&1; /bin/true; echo "usr $?" >>/run/steward/probed`;
  await restartWith(guest, `ExecStartPre=/bin/sh -c '${script.replaceAll("$", "$$")}'`);
  const said = readFileSync("/run/steward/probed", "utf8");
  const refused = said.match(/^ended 126$/gm) ?? [];
  guest.check("the agent can execute nothing where it can write", refused.length === places.length, said);
  guest.check("and what Debian has installed it can", /^usr 0$/m.test(said), said);
}

async function bounds(guest: Guest): Promise<void> {
  const limits = readFileSync(`/proc/${await guest.property("MainPID")}/limits`, "utf8");
  guest.check("it leaves no core dump", /^Max core file size\s+0\s+0\s/m.test(limits), limits);
  const found = [await guest.property("MemoryMax"), await guest.property("TasksMax")].join();
  guest.check("memory and tasks have a bound", /^\d+,\d+$/.test(found), found);
  await guest.types("systemctl show -P StatusText steward", {
    says: ["Serving (", "version ", "; no administrator yet; clock "],
  });
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
  for (const how of ["systemctl restart", "systemctl --no-block restart"])
    for (const round of [1, 2, 3, 4])
      await guest.types(`${how} steward; ${add(`during-${how.length}-${round}`)}`);
  await guest.stewardAnswers();
  await guest.types(
    `systemctl stop steward; ${add("down-1")} & one=$!; ${add("down-2")}; two=$?; wait $one && exit $two`,
  );
  await guest.types("systemctl start steward; steward user list | grep -cE '(during|down)-'", {
    says: /^10$/m,
    what: "each of these ten users is there",
  });
}

async function watchdog(guest: Guest): Promise<void> {
  const usual = await guest.property("WatchdogUSec");
  guest.check("an agent that hangs is noticed within a minute", usual === "1min", usual);
  await restartWith(guest, "WatchdogSec=6");
  const stopped = await guest.property("MainPID");
  const begun = performance.now();
  await guest.types(`kill -STOP ${stopped}`);
  await guest.until("another agent runs", 60, async () => {
    const isOther = ![stopped, "0"].includes(await guest.property("MainPID"));
    return isOther && (await guest.property("ActiveState")) === "active";
  });
  guest.figure("from SIGSTOP to another agent, at WatchdogSec=6", (performance.now() - begun) / 1_000, "s");
  await guest.stewardAnswers();
  await guest.types("systemctl show -P NRestarts steward", {
    says: /^1$/m,
    what: "systemd has restarted it once",
  });
  await guest.types("journalctl -u steward --grep=atchdog --no-pager", { says: "Watchdog timeout" });
}
