import type { Guest, Ran } from "../guest/vocabulary.ts";
import type { Scenario } from "../scenario.ts";
import { impossible, installation, requests } from "./polkit/requests.ts";

/** What the agent's user may ask of systemd: two patterns of units and one restart, and nothing else at all. */
export const scenario: Scenario = {
  title: "polkit lets the agent's user start its own units and do nothing else",
  timeoutSeconds: 300,
  servers: [{ port: 11_123 }, { port: 11_124 }],
  files: {
    "/etc/chrony/chrony.conf": "server 10.0.2.2 port 11123 iburst\nserver 10.0.2.2 port 11124 iburst\n",
    // Another ordinary user, and units that exist, so that a refused unit is not merely absent.
    "/usr/lib/sysusers.d/vm-visitor.conf": "u visitor - Visitor /var/empty /bin/sh\n",
    "/usr/lib/systemd/system/steward-install@.service":
      "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/touch /run/installed-%i\n",
    "/usr/lib/systemd/system/steward-chronyx@.service":
      "[Service]\nType=oneshot\nExecStart=/bin/touch /run/x-%i\n",
    "/usr/lib/systemd/system/other.service": "[Service]\nExecStart=/bin/sleep infinity\n",
  },
  boots: [
    {
      units: ["steward.service", "chrony.service", "other.service"],
      run: async (guest) => {
        await guest.stewardAnswers();
        await guest.until(
          "chronyd has its servers",
          60,
          async () => (await guest.run("chronyc", ["waitsync", "1", "1", "0", "1"])).status === 0,
        );
        await letThrough(guest);
        await verbs(guest);
        const before = await state(guest);
        await refused(guest, "steward");
        await refused(guest, "visitor");
        await ofTheVisitor(guest);
        const after = await state(guest);
        guest.check("nothing of the machine has changed by all that", before === after, { before, after });
        await timesyncd(guest);
        await settingTheTime(guest);
      },
    },
  ],
};

/** A command as that user, with the user's groups and without any capability. */
function as(guest: Guest, user: string, [command = "", ...args]: readonly string[]): Promise<Ran> {
  const identity = [
    `--reuid=${user}`,
    `--regid=${user}`,
    "--init-groups",
    "--inh-caps=-all",
    "--bounding-set=-all",
  ];
  return guest.run("setpriv", [...identity, command, ...args], { environment: { SYSTEMD_COLORS: "0" } });
}

const denial =
  /access denied|interactive authentication|permission denied|not permitted|not authorized|must be root/i;

async function letThrough(guest: Guest): Promise<void> {
  for (const verb of ["reselect", "burst", "makestep"]) {
    const ran = await as(guest, "steward", ["systemctl", "start", `steward-chrony@${verb}.service`]);
    guest.check(`steward has chronyd ${verb}`, ran.status === 0, ran);
  }
  const install = await as(guest, "steward", ["systemctl", "start", installation]);
  guest.check("steward starts an installation", install.status === 0, install);
  const byBus = await as(guest, "steward", start("steward-chrony@reselect.service", "replace"));
  guest.check("over the bus as well", byBus.status === 0, byBus);
}

/** A verb that is not chronyd's: polkit lets any word through, the unit itself refuses it. */
async function verbs(guest: Guest): Promise<void> {
  for (const verb of ["shutdown", "offline", "dump", "settime"]) {
    const unit = `steward-chrony@${verb}.service`;
    const ran = await as(guest, "steward", ["systemctl", "start", unit]);
    const journal = (await guest.run("journalctl", ["--unit", unit, "--output=cat", "--no-pager"])).stdout;
    guest.check(`the verb ${verb} ends with 2`, ran.status !== 0 && /status=2/.test(journal), {
      ran,
      journal,
    });
  }
  const odd = String.raw`steward-chrony@makestep\x20--help.service`;
  const ran = await guest.run("systemctl", ["start", odd]);
  guest.check("so does, even for root, a verb with more behind it", ran.status !== 0, ran);
  const active = (await guest.run("systemctl", ["is-active", "chrony.service"])).stdout.trim();
  guest.check("chronyd is still there", active === "active", active);
}

async function refused(guest: Guest, user: string): Promise<void> {
  let asked = 0;
  for (const request of requests) {
    const ran = await as(guest, user, request);
    asked += 1;
    const isRefused = ran.status !== 0 && denial.test(ran.stderr + ran.stdout);
    guest.check(`refused to ${user}: ${request.join(" ")}`, isRefused, ran);
  }
  for (const request of impossible) {
    const ran = await as(guest, user, request);
    asked += 1;
    guest.check(`impossible for ${user}: ${JSON.stringify(request.join(" "))}`, ran.status !== 0, ran);
  }
  guest.figure(`things asked for as ${user}, and refused`, asked, "");
}

async function ofTheVisitor(guest: Guest): Promise<void> {
  for (const request of [
    ["systemctl", "start", "steward-chrony@reselect.service"],
    ["systemctl", "start", "steward-install@0123456789abcdef.service"],
    ["systemctl", "restart", "systemd-timesyncd.service"],
  ]) {
    const ran = await as(guest, "visitor", request);
    guest.check(`refused to visitor: ${request.join(" ")}`, ran.status !== 0 && denial.test(ran.stderr), ran);
  }
}

/** What the requests would have changed, as text. */
async function state(guest: Guest): Promise<string> {
  const parts = await Promise.all([
    guest.run("systemctl", [
      "list-units",
      "--no-pager",
      "--plain",
      "--no-legend",
      "--state=active",
      "--type=service",
    ]),
    guest.run("systemctl", ["list-unit-files", "--no-pager", "--no-legend"]),
    guest.run("systemctl", ["show-environment"]),
    guest.run("systemctl", [
      "show",
      "--property=MainPID",
      "steward.service",
      "chrony.service",
      "other.service",
    ]),
    guest.run("hostname"),
    guest.run("sh", [
      "-c",
      "ls -l /etc/localtime /etc/locale.conf /run/installed-* /run/x-* /etc/machine-info 2>&1",
    ]),
  ]);
  // These two exist only while they are asked.
  const passing = /^(systemd-(hostnamed|timedated|localed)|polkit)\.service.*\n/gm;
  return parts
    .map(({ stdout }) => stdout)
    .join("")
    .replaceAll(passing, "");
}

async function timesyncd(guest: Guest): Promise<void> {
  const ran = await as(guest, "steward", ["systemctl", "restart", "systemd-timesyncd.service"]);
  guest.check("steward restarts systemd-timesyncd", ran.status === 0, ran);
  for (const verb of ["stop", "start", "kill", "reload-or-restart", "try-restart"]) {
    const other = await as(guest, "steward", ["systemctl", verb, "systemd-timesyncd.service"]);
    guest.check(`and may not ${verb} it`, other.status !== 0 && denial.test(other.stderr), other);
  }
}

/** timedated asks polkit only while no time daemon runs. */
async function settingTheTime(guest: Guest): Promise<void> {
  await guest.run("systemctl", ["stop", "chrony.service", "systemd-timesyncd.service"]);
  for (const user of ["steward", "visitor"]) {
    const ran = await as(guest, user, [
      "timedatectl",
      "--no-ask-password",
      "set-time",
      "2030-01-01 00:00:00",
    ]);
    guest.check(`${user} may not set the time`, ran.status !== 0 && denial.test(ran.stderr), ran);
  }
}

function start(unit: string, mode: string): readonly string[] {
  const manager = [
    "org.freedesktop.systemd1",
    "/org/freedesktop/systemd1",
    "org.freedesktop.systemd1.Manager",
  ];
  return ["busctl", "call", ...manager, "StartUnit", "ss", unit, mode];
}
