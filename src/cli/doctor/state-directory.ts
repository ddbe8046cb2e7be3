import { lstat, readlink, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type Answer, type DoctorContext, outputOf } from "./doctor-context.ts";
import { type Entry, entriesOf } from "./finding.ts";

const restart = "systemctl restart steward.service";

/** A state directory in which systemd starts no agent, or the agent cannot write; null: there is none, or it serves. */
export async function directoryTrouble(context: DoctorContext, answer: Answer): Promise<Entry | null> {
  const path = context.places.stateDirectory;
  const unusable = (detail: string, line: string) =>
    entriesOf("state").failing("state_unusable", `${path} ${detail}`, `${line}; ${restart}`);
  const [own, behind] = await Promise.all([lstat, stat].map((look) => look(path).catch(() => null)));
  if (behind && !behind.isDirectory())
    return unusable(
      "is no directory. The state begins empty where it is moved aside.",
      `mv ${path} ${path}.unusable`,
    );
  if (own?.isSymbolicLink() && answer instanceof Error) {
    const to = resolve(dirname(path), await readlink(path));
    const absence = behind
      ? ""
      : ", which is not there: connect the disk that has it, or the state begins empty";
    const detail = `is a link to ${to}${absence}. systemd starts no agent whose state directory is a link; a mount serves.`;
    const mount = `echo '${to} ${path} none bind' >>/etc/fstab; systemctl daemon-reload; mount ${path}`;
    return unusable(detail, `mount -a; rm ${path}; mkdir -p ${to} ${path}; ${mount}`);
  }
  const owner = await outputOf(context, "id", ["-u", "steward"]);
  if (!behind || owner === null || behind.uid === Number(owner)) return null;
  return unusable(
    `belongs to user ${behind.uid}, and steward cannot write there.`,
    `chown -hR steward: ${path}`,
  );
}
