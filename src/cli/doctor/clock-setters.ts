import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Answer, type DoctorContext, filesIn, isClosed, outputOf, textOf } from "./doctor-context.ts";
import { type Entry, entriesOf } from "./finding.ts";

const { ok, failing, attention, unseen } = entriesOf("clock");

/** Another program than Steward that sets this clock. */
interface Setter {
  readonly what: string;
  /** The line that ends it. */
  readonly command: string;
}

/** Units that set clocks, under the names of Debian, Fedora and their authors. */
const units = [
  "chrony.service",
  "chronyd.service",
  "systemd-timesyncd.service",
  "ntp.service",
  "ntpd.service",
  "ntpsec.service",
  "openntpd.service",
  "ntpd-rs.service",
];

/** Programs that set a clock outside of such a unit, by the name of their process (proc_pid_comm(5)), with what ends them. */
const processes: Readonly<Record<string, Setter>> = {
  vmtoolsd: { what: "the tools of VMware (vmtoolsd)", command: "vmware-toolbox-cmd timesync disable" },
  VBoxService: {
    what: "the tools of VirtualBox (VBoxService)",
    command: "systemctl disable --now virtualbox-guest-utils.service",
  },
  prltoolsd: {
    what: "the tools of Parallels (prltoolsd)",
    command: "systemctl disable --now prltoolsd.service",
  },
  ptp4l: { what: "ptp4l", command: "systemctl disable --now ptp4l.service" },
  phc2sys: { what: "phc2sys", command: "systemctl disable --now phc2sys.service" },
};

/** Programs that set a clock when a script or a crontab calls them. */
const call =
  /^[^#\n]*\b(ntpdate(-debian)?|ntpdig|sntp|rdate|htpdate|tlsdate|chronyd\s+-[qQ]|ntpd\s+-[qg]|busybox\s+ntpd|hwclock\s+(-s|--hctosys)|date\s+(-s|--set)|timedatectl\s+set-time)\b/m;

/** Directories of scripts that run at times, or when an interface comes up. */
const scriptPlaces = [
  "/etc/cron.d",
  "/etc/cron.hourly",
  "/etc/cron.daily",
  "/etc/cron.weekly",
  "/etc/cron.monthly",
  "/var/spool/cron/crontabs",
  "/etc/network/if-up.d",
  "/etc/NetworkManager/dispatcher.d",
  "/etc/dhcp/dhclient-exit-hooks.d",
];

/** Exactly one program may set a clock; Steward leaves it to a time daemon that runs. */
export async function lookForClockSetters(context: DoctorContext, answer: Answer): Promise<Entry[]> {
  const [daemons, others, isHidden] = await Promise.all([
    runningDaemons(context),
    Promise.all([runningTools(context), callingScripts(context)]).then((found) => found.flat()),
    isAnyHidden(context),
  ]);
  const found = [...conflictOf(daemons), ...others.map((setter) => unheeded(setter))];
  if (found.length > 0) return found;
  if (!isHidden) return [ok("one_setter", setterWords(daemons[0], answer))];
  const known = daemons[0] === undefined ? "" : `Set by ${daemons[0]}. `;
  const detail = `${known}This user cannot see whether another program sets this clock. Run it as root.`;
  return [unseen("setters_hidden", detail)];
}

/** True where this user does not see the processes of others, as within the agent's unit, or some of the scripts. */
async function isAnyHidden({ root }: DoctorContext): Promise<boolean> {
  // The first process is root's, and everyone may read its name unless processes are hidden.
  if ((await textOf(join(root, "/proc/1/comm"))) === null) return true;
  const closed = await Promise.all(scriptPlaces.map((place) => isClosed(join(root, place))));
  return closed.includes(true);
}

function setterWords(daemon: string | undefined, answer: Answer): string {
  if (daemon !== undefined) return `Set by ${daemon}.`;
  if (answer instanceof Error) return "Set by no program now; the agent, which may set it, does not answer.";
  const { mode, summary } = answer.clock;
  if (mode === "discipline") return "Set by Steward, and by no other program.";
  return `Set by no program. ${summary.not_set?.detail ?? "Steward only measures it."}`;
}

function conflictOf(daemons: readonly string[]): Entry[] {
  const [first, second] = daemons;
  if (first === undefined || second === undefined) return [];
  return [
    failing(
      "two_daemons",
      `${daemons.join(" and ")} run at the same time. Each undoes the other's work. Keep the one that you have configured.`,
      `systemctl disable --now ${second}`,
    ),
  ];
}

function unheeded({ what, command }: Setter): Entry {
  const detail = `This clock is also set by ${what}. The other program that sets it then sees a clock that jumps.`;
  return attention("second_setter", detail, command);
}

async function runningDaemons(context: DoctorContext): Promise<string[]> {
  // Its exit code says whether all of them are active.
  const { stdout } = await context.host
    .run("systemctl", ["is-active", ...units], { timeoutMilliseconds: 10_000 })
    .catch(() => ({ stdout: "" }));
  const states = stdout.trim().split("\n");
  const active = units.filter((_, index) => states[index] === "active");
  // Two names of one unit are one program.
  const ids = await Promise.all(
    active.map(
      async (unit) =>
        (await outputOf(context, "systemctl", ["show", "--property=Id", "--value", unit]))?.trim() || unit,
    ),
  );
  return [...new Set(ids)];
}

async function runningTools({ root, ...context }: DoctorContext): Promise<Setter[]> {
  const proc = join(root, "/proc");
  const ids = (await readdir(proc).catch(() => [])).filter((name) => /^\d+$/.test(name));
  const names = await Promise.all(
    ids.map(async (id) => (await textOf(join(proc, id, "comm")))?.trim() ?? ""),
  );
  const found = [...new Set(names)].flatMap((name) => {
    const setter = processes[name];
    return setter === undefined ? [] : [{ name, ...setter }];
  });
  const isOff = (await outputOf(context, "vmware-toolbox-cmd", ["timesync", "status"]))?.includes("Disabled");
  return found.filter(({ name }) => name !== "vmtoolsd" || isOff !== true);
}

async function callingScripts({ root }: DoctorContext): Promise<Setter[]> {
  const listed = await Promise.all(scriptPlaces.map((place) => filesIn(join(root, place))));
  const paths = [join(root, "/etc/crontab"), ...listed.flat()];
  const found = await Promise.all(
    paths.map(async (path): Promise<Setter[]> => {
      const program = call.exec((await textOf(path)) ?? "")?.[1];
      if (program === undefined) return [];
      // A copy in a directory that no program runs.
      return [{ what: `${program} in ${path}`, command: `mv ${path} /root/${basename(path)}.off` }];
    }),
  );
  return found.flat();
}
