import { StewardError } from "../../contract/errors.ts";
import type { StateEntry, StateTools } from "../../store/documents/inspection.ts";
import { readRegister } from "../../store/documents/register.ts";
import { findLock } from "../../store/files/lock.ts";
import { type Finding, findingsOf } from "./finding.ts";
import type { Ground } from "./ground.ts";

const { ok, failing, attention, unseen } = findingsOf("state");

/** Documents that are never made up: without a good copy of one the agent goes into rescue. */
const precious = ["users", "settings"];

/** The documents on the disk, what was found at earlier starts, and the lock. From here on this process is the owner of the state. */
export async function lookAtState(ground: Ground): Promise<Finding[]> {
  const { stateDirectory } = ground.places;
  const holder = (await findLock(stateDirectory))?.holder;
  let tools: StateTools;
  try {
    tools = await ground.openState(stateDirectory);
  } catch (error) {
    return unopened(error);
  }
  const known = (await readRegister(stateDirectory))?.documents ?? [];
  const entries = await tools.list();
  const found = await Promise.all(entries.map((entry) => documentFindings(tools, entry, known)));
  const held =
    holder?.role === "command"
      ? [
          attention({
            code: "locked",
            what: `Process ${holder.pid} is changing the state.`,
            meaning: "Commands wait for it.",
          }),
        ]
      : [];
  const findings = [...found.flat(), ...held, ...(await accountFindings(tools))];
  const isSound = findings.every(({ area }) => area !== "state");
  return isSound
    ? [ok({ code: "sound", what: `Each of the ${entries.length} documents can be read.` }), ...findings]
    : findings;
}

function unopened(error: unknown): Finding[] {
  if (!(error instanceof StewardError)) throw error;
  const { code, message: what } = error;
  if (code === "forbidden") return [unseen({ code: "state_closed", what })];
  if (code === "internal_error") return [rightsKept(what)];
  if (code !== "not_found") throw error;
  return [
    attention({
      code: "no_state",
      what,
      meaning: "It is made at the first start.",
      command: "systemctl start steward.service",
    }),
  ];
}

/** The state is its owner's, whom every command and the installer become before they touch it. */
function rightsKept(what: string): Finding {
  return failing({
    code: "rights_kept",
    what,
    meaning: "No update is installed, and commands fail while the agent is down.",
    command: "apt-get install --reinstall steward",
  });
}

async function documentFindings(
  tools: StateTools,
  entry: StateEntry,
  known: readonly string[],
): Promise<Finding[]> {
  const { name, condition, detail, findings } = entry;
  const isLost = condition === "damaged" || (condition === "absent" && known.includes(name));
  if (isLost && precious.includes(name)) return [await loss(tools, entry)];
  if (isLost) {
    return [
      attention({
        code: "document_damaged",
        what: detail || `${name}.json is missing.`,
        meaning:
          "At its next start the agent keeps the damaged file and goes on with the good copy, or with the defaults.",
        command: "systemctl restart steward.service",
      }),
    ];
  }
  const [newest] = findings.slice(-1);
  if (newest === undefined) return [];
  const meaning = "It was mended at a start; check what may be missing.";
  return [attention({ code: "finding", what: newest, meaning, command: `steward state accept ${name}` })];
}

/** The agent is in rescue, or will be at its next start: what the document can be restored from. */
async function loss(tools: StateTools, { name, detail }: StateEntry): Promise<Finding> {
  const copies = (await tools.copies(name)).filter(
    ({ what, condition }) => condition === "ok" && what !== "could not be used",
  );
  const [copy] = copies;
  const from = copy === undefined || copy.from === "good" ? "" : ` --from ${copy.from}`;
  const verb = copy === undefined ? "reset" : "restore";
  const meaning =
    copy === undefined
      ? `The agent is in rescue, and no copy of ${name} can be used: it begins again with its defaults${name === "users" ? ", without a user" : ""}. The damaged file is kept.`
      : `The agent is in rescue until ${name} is restored. The newest usable copy is of ${copy.at ?? "an unknown time"}.`;
  return failing({
    code: "document_lost",
    what: detail || `${name}.json is missing.`,
    meaning,
    command: `steward state ${verb} ${name}${from}`,
  });
}

interface ShownAccount {
  readonly role: string;
  readonly enabled: boolean;
}

/** Whether an administrator can sign in. */
async function accountFindings(tools: StateTools): Promise<Finding[]> {
  const said = findingsOf("accounts");
  const shown = (await tools.show("users").catch(() => null)) as {
    accounts?: readonly ShownAccount[];
  } | null;
  if (shown?.accounts === undefined)
    return [said.unseen({ code: "no_users", what: "There are no users to look at." })];
  const { accounts } = shown;
  const administrators = accounts.filter(({ role, enabled }) => role === "admin" && enabled);
  if (administrators.length > 0) {
    const what = `${accounts.length} users, ${administrators.length} of them administrators.`;
    return [said.ok({ code: "administrator", what })];
  }
  return [
    said.failing({
      code: "no_administrator",
      what: "This device has no administrator.",
      meaning:
        "Until there is one, the API and the console only offer to make one. Choose another name than admin if you like.",
      command: "steward user add admin --role admin --generate",
    }),
  ];
}
