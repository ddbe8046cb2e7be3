import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Answer, type DoctorContext, outputOf, unitOf } from "./doctor-context.ts";
import { type Entry, entriesOf } from "./finding.ts";

const { ok, attention } = entriesOf("device");

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
    return runs ? [ok("backed_up", "The daily backup is switched on, and the last one did not fail.")] : [];
  const found = need?.detail ?? (hasFailed ? "The last run of the daily backup failed." : "");
  const [cause, typed] = isIdle
    ? [`${timer} is enabled, but not started.`, `systemctl start ${timer}${need ? `; ${again}` : ""}`]
    : await causeOf(context, last?.Result ?? "");
  return [attention(need ? "backup_overdue" : "backup_failed", `${found} ${cause}`.trim(), typed)];
}

/** The cause of the last failure, and the line that mends it. */
async function causeOf(context: DoctorContext, result: string): Promise<[cause: string, typed: string]> {
  const command = (await outputOf(context, "systemctl", ["show", "--property=ExecStart", service])) ?? "";
  const file = / --recipients-file ([^ ;]+)/.exec(command)?.[1];
  if (file !== undefined && !existsSync(join(context.root, file)))
    return [`${file} does not exist: it has a public key of age's in each line.`, `editor ${file}; ${again}`];
  // Public keys are no secret; a umask of 077 makes the file root's alone.
  const asAgent = ["-u", "steward", "--", "test", "-r", file ?? "/"];
  if (context.program.userId() === 0 && (await outputOf(context, "runuser", asAgent)) === null)
    return [
      `The user steward may not read ${file}.`,
      `chmod a+rx ${dirname(file ?? "/")}; chmod a+r ${file}; ${again}`,
    ];
  const newest = ["-n", "1", "-o", "cat", "--no-pager", `_SYSTEMD_UNIT=${service}`];
  const line = ((await outputOf(context, "journalctl", newest)) ?? "").trim();
  const said = line === "" ? `It ended with ${result || "no result"}.` : `It said last: ${line}`;
  return [said, `${again}; journalctl -u ${service} -n 20 --no-pager`];
}
