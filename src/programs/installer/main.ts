import { parseArgs } from "node:util";
import { updateKinds } from "../../contract/update-kinds.ts";
import { openCredentials } from "../../host/linux/credentials.ts";
import { usualDirectories } from "../../installer/files/release-directories.ts";
import { install, rollBack } from "../../installer/install.ts";
import { forgive, guard, order, withReleases } from "../../installer/trial/guard.ts";
import type { UpdateKind } from "../../releases/release.ts";
import { end, fail } from "../../terminal/ending.ts";
import { assetsDirectory, build, clockAddon } from "../build.ts";
import { usualHostFile } from "../host-file/host-file.ts";
import { type OpenedInstaller, openInstaller } from "./wiring.ts";

const usage = `usage: installer.js install RELEASE | install rollbackKIND | rollback KIND | guard [--boot]
                    | confirm KIND | abort KIND | forgive RELEASE
RELEASE: 32 hex digits. KIND: ${updateKinds.join(" or ")}. rollbackKIND is how the agent asks, within its limits.
The installer of updates, which runs as root. systemd units and \`steward update\` start it.
`;

/** Seconds that the guard waits for the installer that has started it to end. */
const patienceSeconds = 60;

/** The installer is a program of its own: the agent, which faces the network, has neither its code nor its rights. */
async function main(argv: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      releases: { type: "string" },
      trust: { type: "string", default: usualDirectories.trust },
      state: { type: "string", default: "/var/lib/steward" },
      "host-file": { type: "string", default: usualHostFile },
      boot: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const [verb = "", what = "", ...others] = positionals;
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  if (others.length > 0) return refuseUsage();
  const installer = await openInstaller({
    directories: { releases: values.releases ?? usualDirectories.releases, trust: values.trust },
    // Without the option systemd runs the units; with it this is a trial run, which starts its own processes.
    isUnderSystemd: values.releases === undefined,
    stateDirectory: values.state,
    hostFile: values["host-file"],
    credentials: openCredentials(clockAddon(assetsDirectory), process),
    build,
    say: (line: string) => void process.stdout.write(`${line}\n`),
  });
  return perform(installer, { verb, what, isBoot: values.boot });
}

async function perform(
  installer: OpenedInstaller,
  { verb, what, isBoot }: { verb: string; what: string; isBoot: boolean },
): Promise<number> {
  const kind = updateKinds.find((one) => one === what || (verb === "install" && what === `rollback${one}`));
  const isRelease = /^[0-9a-f]{32}$/.test(what);
  if (verb === "install" && isRelease)
    await change(installer, (open) => install(open, what, installer.verifyAndCopy));
  // The agent's unit runs `install rollbackKIND`; root types `rollback KIND`.
  else if (["install", "rollback"].includes(verb) && kind)
    await goBack(installer, kind, verb === "install" ? "agent" : "root");
  else if (verb === "guard" && what === "")
    await withReleases(installer, patienceSeconds, (open) => guard(open, { isBoot }));
  else if ((verb === "confirm" || verb === "abort") && kind) {
    const how = await order(installer, { kind, order: verb });
    if (how === "given")
      installer.say(`The guard is at work on this trial, and will ${verb} it before its next step.`);
  } else if (verb === "forgive" && isRelease) await withReleases(installer, 0, (open) => forgive(open, what));
  else return refuseUsage();
  return 0;
}

function goBack(installer: OpenedInstaller, kind: UpdateKind, by: "agent" | "root"): Promise<void> {
  return change(installer, async (open) => rollBack(open, kind, { by, floors: await installer.floors() }));
}

/** Puts a release on trial, and then runs the guard: a unit of its own under systemd, this process without it. */
async function change(
  installer: OpenedInstaller,
  work: (open: Parameters<typeof guard>[0]) => Promise<void>,
): Promise<void> {
  const { units } = installer.host;
  await withReleases(installer, 0, async (open) => {
    await work(open);
    if (units === null) await guard(open, { isBoot: false });
  });
  if (units !== null) await units.begin("steward-guard.service");
}

function refuseUsage(): number {
  process.stderr.write(usage);
  return 2;
}

// Other users, especially the agent, may read these files; a secret one gets its own mode.
process.umask(0o022);
// A rollback continues when the terminal is closed, or Ctrl-C is pressed.
for (const signal of ["SIGHUP", "SIGINT", "SIGPIPE"] as const) process.on(signal, () => undefined);

main(process.argv.slice(2)).then(end, fail);
