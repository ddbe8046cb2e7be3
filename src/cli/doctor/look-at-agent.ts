import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { helperTrouble } from "../../system/program-parts.ts";
import { AgentAbsent } from "../client/agent-connection.ts";
import { type Answer, type DoctorContext, outputOf, unitOf } from "./doctor-context.ts";
import { type Entry, entriesOf, entryOf } from "./finding.ts";

const { ok, failing, attention, unseen } = entriesOf("agent");

const unit = "steward.service";

/** The unit of the agent, whether it answers over the socket, and the other units of Steward. */
export async function lookAtAgent(context: DoctorContext, answer: Answer): Promise<Entry[]> {
  const [state, failed] = await Promise.all([unitOf(context, unit), failedUnits(context)]);
  const isSilent = answer instanceof Error;
  const first = isSilent
    ? await silent(context, answer, state)
    : ok("answers", `It answers over its socket; version ${answer.version}.`);
  return [first, ...offAtBoot(state), ...(await helperEntries(context)), ...failed];
}

type Unit = Awaited<ReturnType<typeof unitOf>>;

function offAtBoot(state: Unit): Entry[] {
  const file = state?.UnitFileState;
  if (file !== "disabled" && file !== "masked") return [];
  const verb = file === "masked" ? "unmask" : "enable";
  return [
    attention(
      "not_enabled",
      `${unit} is ${file}: it is not started at the next boot.`,
      `systemctl ${verb} ${unit}`,
    ),
  ];
}

/** The agent is not asked: it may be down, or of a release that does not say. */
async function helperEntries(context: DoctorContext): Promise<Entry[]> {
  const state = await unitOf(context, "steward-helper.socket");
  const absence = context.host.helper.absence();
  if (state === null || state.LoadState === "not-found" || absence === null) return [];
  return [entryOf(helperTrouble(absence))];
}

/** The agent does not answer: the reason, as far as systemd and the socket show it. */
async function silent(context: DoctorContext, error: Error, state: Unit): Promise<Entry> {
  const { socketPath } = context.places;
  if (!(error instanceof AgentAbsent) && /may not open/.test(error.message))
    return unseen("socket_closed", error.message);
  if (state === null)
    return failing("not_running", `No agent answers at ${socketPath}, and systemd does not answer either.`);
  if (state.LoadState === "not-found")
    return failing(
      "not_installed",
      `There is no ${unit} on this device.`,
      "apt-get install --reinstall steward",
    );
  const found = `${unit} is ${state.ActiveState} (${state.SubState}), and no agent answers at ${socketPath}.`;
  if (state.LoadState === "masked") return failing("masked", found, `systemctl unmask ${unit}`);
  if (state.ActiveState === "active") {
    const why = existsSync(socketPath) ? "It hangs." : "Its socket was removed.";
    return failing("no_answer", `${found} ${why}`, `systemctl restart ${unit}`);
  }
  if (state.ActiveState === "inactive") return failing("not_running", found, `systemctl start ${unit}`);
  const hasFailed = state.SubState?.startsWith("auto-restart") || (state.NRestarts ?? "0") !== "0";
  // As just after a boot. The line ends when it is up, or has failed.
  if (state.ActiveState === "activating" && !hasFailed)
    return attention("starting", `${found} It is being started.`, `systemctl start ${unit}`);
  const detail = `${found} It was started again ${state.NRestarts ?? "0"} times; its last lines say why it ends.`;
  return failing("does_not_start", detail, `journalctl -u ${unit} -n 20 --no-pager`);
}

/** The other units of Steward that have failed, but for the backup's, which is looked at for its cause. */
async function failedUnits(context: DoctorContext): Promise<Entry[]> {
  const list = ["list-units", "--all", "--plain", "--no-legend", "--state=failed", "steward-*"];
  const names = ((await outputOf(context, "systemctl", list)) ?? "")
    .split("\n")
    .flatMap((line) => /^(steward-(?!backup)\S+)/.exec(line)?.[1] ?? []);
  const isUnderWay = existsSync(join(context.places.releasesDirectory, "under-way"));
  return names.map((name) =>
    (isUnderWay && name.startsWith("steward-guard") ? failing : attention)(
      "unit_failed",
      `${name} has failed. Its last lines say why. It counts as failed until it is started again.`,
      `journalctl -u ${name} -n 20 --no-pager; systemctl reset-failed ${name}`,
    ),
  );
}

const device = entriesOf("device");

const [timer, service] = ["steward-backup.timer", "steward-backup.service"];

const again = `systemctl start ${service}`;

/** The daily backup, where it is switched on: why it fails, which only systemd knows. */
export async function lookAtBackup(context: DoctorContext, answer: Answer): Promise<Entry[]> {
  const [ofTimer, last] = await Promise.all([unitOf(context, timer), unitOf(context, service)]);
  const needs = answer instanceof Error ? [] : answer.needs;
  const need = needs.find(({ facts }) => (facts as { reason?: string }).reason === "backup_overdue");
  const runs = ofTimer?.ActiveState === "active";
  const hasFailed = last?.ActiveState === "failed";
  const isIdle = ofTimer?.UnitFileState === "enabled" && !runs;
  if (need === undefined && !hasFailed && !isIdle)
    return runs
      ? [device.ok("backed_up", "The daily backup is switched on, and the last one did not fail.")]
      : [];
  const found = need?.detail ?? (hasFailed ? "The last run of the daily backup failed." : "");
  const [cause, typed] = isIdle
    ? [`${timer} is enabled, but not started.`, `systemctl start ${timer}${need ? `; ${again}` : ""}`]
    : await causeOf(context, last?.Result ?? "");
  return [device.attention(need ? "backup_overdue" : "backup_failed", `${found} ${cause}`.trim(), typed)];
}

/** The cause of the last failure, and the line that mends it. */
async function causeOf(context: DoctorContext, result: string): Promise<[cause: string, typed: string]> {
  const command = (await outputOf(context, "systemctl", ["show", "--property=ExecStart", service])) ?? "";
  const file = / --recipients-file ([^ ;]+)/.exec(command)?.[1];
  if (file !== undefined) {
    if (!existsSync(join(context.root, file)))
      return [
        `${file} does not exist: write public keys of age into it, one on each line.`,
        `editor ${file}; ${again}`,
      ];
    // Public keys are no secret; a umask of 077 keeps the file to root.
    const asAgent = ["-u", "steward", "--", "test", "-r", file];
    if (context.program.userId() === 0 && (await outputOf(context, "runuser", asAgent)) === null)
      return [
        `The user steward cannot read ${file}.`,
        `chmod a+rx ${dirname(file)}; chmod a+r ${file}; ${again}`,
      ];
  }
  const newest = ["-n", "1", "-o", "cat", "--no-pager", `_SYSTEMD_UNIT=${service}`];
  const line = ((await outputOf(context, "journalctl", newest)) ?? "").trim();
  const said = line === "" ? `It ended with ${result || "no result"}.` : `It said last: ${line}`;
  return [said, `${again}; journalctl -u ${service} -n 20 --no-pager`];
}
