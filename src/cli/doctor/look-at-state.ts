import { lstat, readlink, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { StewardError } from "../../contract/errors.ts";
import { finding, line } from "../../contract/finding.ts";
import type { StateEntry, StateTools } from "../../store/documents/inspection.ts";
import { readRegister } from "../../store/documents/register.ts";
import { findLock } from "../../store/files/lock.ts";
import { reinstall } from "../../system/program-parts.ts";
import { type Answer, type DoctorContext, outputOf } from "./doctor-context.ts";
import { type Entry, entriesOf, entryOf } from "./finding.ts";

const { ok, failing, attention, unseen } = entriesOf("state");

/** Documents that are never made up: without a good copy of one the agent goes into rescue. */
const precious = ["users", "settings"];

/** A reset loses these: the damaged file is kept, and nothing reads it. */
const contentsOf: Readonly<Record<string, string>> = {
  users: "all accounts, with their sign-ins and second factors",
};

/** The documents on the disk, what was found at earlier starts, and the lock. From here on this process is the owner of the state. */
export async function lookAtState(context: DoctorContext, answer: Answer): Promise<Entry[]> {
  const { stateDirectory } = context.places;
  const trouble = await directoryTrouble(context, answer);
  if (trouble !== null) return [trouble];
  const holder = (await findLock(stateDirectory))?.holder;
  let tools: StateTools;
  try {
    tools = await context.openState(stateDirectory);
  } catch (error) {
    return unopened(error);
  }
  const known = (await readRegister(stateDirectory))?.documents ?? [];
  const entries = await tools.list();
  const documents = (await Promise.all(entries.map((entry) => documentEntries(tools, entry, known)))).flat();
  const held =
    holder?.role === "command"
      ? [attention("locked", `Process ${holder.pid} is changing the state. Commands wait for it.`)]
      : [];
  const sound = ok("sound", `Each of the ${entries.length} documents can be read.`);
  const found = [...documents, ...held];
  return found.length === 0 ? [sound] : found;
}

function unopened(error: unknown): Entry[] {
  if (!(error instanceof StewardError)) throw error;
  const { code, message } = error;
  if (code === "forbidden") return [unseen("state_closed", message)];
  // The state is its owner's, whom every command and the installer become before they touch it.
  if (code === "internal_error") {
    return [entryOf(finding("program_broken", { parts: ["rights"] }, message, reinstall))];
  }
  if (code !== "not_found") throw error;
  const detail = `${message} It is made at the first start.`;
  return [attention("no_state", detail, "systemctl start steward.service")];
}

async function documentEntries(
  tools: StateTools,
  entry: StateEntry,
  known: readonly string[],
): Promise<Entry[]> {
  const { name, condition, detail, findings } = entry;
  const isLost = condition === "damaged" || (condition === "absent" && known.includes(name));
  if (isLost && precious.includes(name)) return [await loss(tools, entry)];
  if (isLost) {
    const what = detail || `${name}.json is missing`;
    const sequel =
      "At its next start the agent keeps the damaged file and continues with the good copy, or with the defaults.";
    return [attention("document_damaged", `${what}. ${sequel}`, "systemctl restart steward.service")];
  }
  const [newest] = findings.slice(-1);
  if (newest === undefined) return [];
  const facts = { document: name, found_at: "", damage: "unrecorded", replacement: "unrecorded" } as const;
  const accept = line(`steward state accept ${name}`);
  return [entryOf(finding("document_damage_found", facts, newest, accept))];
}

/** The agent is in rescue, or will be at its next start: what the document can be restored from. */
async function loss(tools: StateTools, { name, detail, is_newer }: StateEntry): Promise<Entry> {
  const what = `${detail || `${name}.json is missing`}.`;
  const [copy] = (await tools.copies(name)).filter(
    (one) => one.condition === "ok" && one.what !== "could not be used",
  );
  const restore =
    copy && `steward state restore ${name}${copy.from === "good" ? "" : ` --from ${copy.from}`}`;
  if (is_newer) {
    const otherwise = restore
      ? `as they were at ${copy.at ?? "an unknown time"}: \`${restore}\``
      : resetWords(name);
    const meaning = `The agent is in rescue until the release that wrote it is installed again, which the line below does where the package sources have it. To go on with this release instead, ${otherwise}.`;
    return failing("document_newer", `${what} ${meaning}`, "apt-get install steward");
  }
  if (restore) {
    const meaning = `The agent is in rescue until ${name} is restored. The newest usable copy is of ${copy.at ?? "an unknown time"}.`;
    return failing("document_lost", `${what} ${meaning}`, restore);
  }
  const meaning = `The agent is in rescue, and no copy of ${name} can be used: ${resetWords(name)}. The damaged file is kept.`;
  const remedy = { line: `steward state reset ${name}`, deletes: contentsOf[name] ?? `all of ${name}` };
  return { ...failing("document_lost", `${what} ${meaning}`), remedy };
}

function resetWords(name: string): string {
  const rest = name === "users" ? "without a user" : "with the defaults";
  return `\`steward state reset ${name}\` begins ${rest}`;
}

const restart = "systemctl restart steward.service";

/** A state directory in which systemd starts no agent, or the agent cannot write; null: there is none, or it serves. */
async function directoryTrouble(context: DoctorContext, answer: Answer): Promise<Entry | null> {
  const path = context.places.stateDirectory;
  const unusable = (detail: string, line: string) =>
    entriesOf("state").failing("state_unusable", `${path} ${detail}`, `${line}; ${restart}`);
  const [own, behind] = await Promise.all([lstat, stat].map((look) => look(path).catch(() => null)));
  if (behind && !behind.isDirectory())
    return unusable(
      "is not a directory. If it is moved aside, the state begins empty.",
      `mv ${path} ${path}.unusable`,
    );
  if (own?.isSymbolicLink() && answer instanceof Error) {
    const to = resolve(dirname(path), await readlink(path));
    const absence = behind
      ? ""
      : ", which is not there: connect the disk that has it, or the state begins empty";
    const detail = `is a link to ${to}${absence}. systemd does not start an agent whose state directory is a link; use a mount instead.`;
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
