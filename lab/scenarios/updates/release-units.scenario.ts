import { createRunCommand } from "../../../src/host/linux/commands.ts";
import { createHealthCheck } from "../../../src/host/linux/releases/health-check.ts";
import { createRunForRelease } from "../../../src/host/linux/releases/release-programs.ts";
import { createActivation } from "../../../src/host/linux/systemd/activation.ts";
import { createUnits, type LinuxUnits } from "../../../src/host/linux/systemd/units.ts";
import type { ApplyPlan, ReleaseAtWork } from "../../../src/host/release-ports.ts";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";

type UnitState = Awaited<ReturnType<LinuxUnits["state"]>>;

const health = { http: [], command: null, successes: 6, intervalSeconds: 5, withinSeconds: 300 };
const plan: ApplyPlan = { unit: "pump.service", activate: null, selfTest: null, health };
const binary: ReleaseAtWork = { kind: "binary", version: "1.0.0", directory: "/opt/pump" };
const rules: ReleaseAtWork = { ...binary, kind: "rules" };

async function run(guest: Guest): Promise<void> {
  const units = createUnits(createRunCommand());
  await activations(guest, units);
  await crashes(guest, units);
  await refusals(guest, units);
}

async function activations(guest: Guest, units: LinuxUnits): Promise<void> {
  const program = createRunForRelease();
  const activate = createActivation({ units, run: program });
  const ask = createHealthCheck({ units, run: program });
  await activate(plan, binary);
  const first = await units.state("pump.service");
  guest.check("a unit that never ran is started", first.isActive && first.uncleanExits === 0, first);
  guest.check("and is well", (await ask(plan, binary)).isHealthy);
  await activate(plan, rules);
  const reloaded = await units.state("pump.service");
  guest.check("rules reload it: the same start", reloaded.invocation === first.invocation, reloaded);
  await activate(plan, binary);
  const second = await units.state("pump.service");
  guest.check("a binary restarts it: another start", second.invocation !== first.invocation, second);
  const log = await units.log("pump.service", 0, 4);
  const isRestart = ["Stopped pump.service.", "Started pump.service."].every((one) => log.includes(one));
  guest.check("its log ends with the last restart", log.length === 4 && isRestart, log);
  const said = "pump again";
  guest.check("what it says itself is in there", (await units.log("pump.service", 0, 50)).includes(said));
}

async function crashes(guest: Guest, units: LinuxUnits): Promise<void> {
  const untilItIs = (what: string, unit: string, isSo: (state: UnitState) => boolean) =>
    guest.until(what, 30, async () => isSo(await units.state(unit)));
  const pump = "pump.service";
  await guest.types(`systemctl kill --signal=KILL ${pump}`);
  await untilItIs("the exit shows before the restart", pump, (it) => !it.isActive && it.uncleanExits === 1);
  await untilItIs(
    "systemd starts it, and it still counts one",
    pump,
    (it) => it.isActive && it.uncleanExits === 1,
  );
  await guest.types(`systemctl restart ${pump}`);
  const after = await units.state(pump);
  guest.check("a restart by hand counts as nothing, and forgets", after.uncleanExits === 0, after);
  await units.begin("crash.service");
  await untilItIs(
    "one that dies again and again is given up",
    "crash.service",
    (it) => it.isFailed && it.uncleanExits >= 3,
  );
  const { words } = await units.state("crash.service");
  guest.check("and its end has words", words === "failed, exit status 3", words);
  await units.restart("crash.service");
  const again = await units.state("crash.service");
  guest.check("a restart of ours is not held up by systemd's limit", again.uncleanExits <= 1, again);
}

async function refusals(guest: Guest, units: LinuxUnits): Promise<void> {
  for (const [what, failing, code] of [
    ["a unit that is not there has no state", () => units.state("nowhere.service"), "not_found"],
    ["and is not restarted", () => units.restart("nowhere.service"), "not_found"],
    ["nor reloaded", () => units.reload("nowhere.service"), "not_found"],
    ["one that dies at its start is told", () => units.restart("dead.service"), "internal_error"],
  ] as const) {
    const found = await failing().then(
      () => "done",
      (error: { code?: string }) => error.code ?? String(error),
    );
    guest.check(`${what}: ${code}`, found === code, found);
  }
}

const service = (body: string) => `[Service]\n${body}\n`;
const units = "/etc/systemd/system";

export const scenario: TieredScenario = {
  title: "units are restarted, reloaded and judged as systemd has them",
  tiers: { container: {} },
  timeoutSeconds: 240,
  files: {
    [`${units}/pump.service`]: service(
      "ExecStart=/bin/sh -c 'echo pump again; exec sleep 1000'\nExecReload=/bin/true\nRestart=on-failure\nRestartSec=3",
    ),
    [`${units}/crash.service`]: `[Unit]\nStartLimitBurst=3\nStartLimitIntervalSec=60\n${service(
      "ExecStart=/bin/sh -c 'exit 3'\nRestart=on-failure\nRestartSec=1",
    )}`,
    [`${units}/dead.service`]: service("Type=notify\nExecStart=/bin/false"),
  },
  boots: [{ units: [], run }],
};
