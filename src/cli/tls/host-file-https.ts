import { lstat, realpath, stat } from "node:fs/promises";
import { type InputError, StewardError, systemErrorCode } from "../../contract/errors.ts";
import { jsonOf } from "../../contract/text/json-of.ts";
import type { Owner } from "../../store/files/durable-file.ts";
import { isObject } from "../../store/validation/members.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { givenText, noText } from "../../terminal/given-text.ts";
import type { ExaminedHost } from "../client/context.ts";
import { rootFileFailure, writeRootFile } from "../client/root-file.ts";

interface HttpsMember {
  readonly enabled?: boolean;
  readonly port?: number;
  readonly redirect_port?: number;
}

/** The change of each member. undefined: it stays; null: it is removed. */
type HttpsChange = { readonly [K in keyof HttpsMember]: HttpsMember[K] | null | undefined };

/** The mode of a new host file: every user may read it. */
const usualMode = 0o644;

/**
 * Changes the member `https`, which only root does. `isAsked`: by the agent, so that nothing is changed where root has decided
 * (docs/design/threat-model.md, "HTTPS from the browser"). Throws `validation_failed`, CommandError 1, 4 or 5.
 */
export async function changeHttps(
  path: string,
  change: HttpsChange,
  { hostFile }: Pick<ExaminedHost, "hostFile">,
  isAsked = false,
): Promise<HttpsMember> {
  const { members, ...place } = await read(path);
  const former = typeof members.https === "object" && members.https !== null ? members.https : {};
  if (isAsked) await requireUndecided(path, place, former);
  const https: HttpsMember & Record<string, unknown> = { ...former };
  for (const [name, value] of Object.entries(change)) {
    if (value === null) delete https[name];
    else if (value !== undefined) https[name] = value;
  }
  const text = `${JSON.stringify({ ...members, https }, null, 2)}\n`;
  // The agent would go on with the former one.
  const { faults } = hostFile.checkText(text);
  if (faults.length > 0) throw refusal(path, faults);
  const isSame = JSON.stringify(members.https) === JSON.stringify(https);
  if (!isSame) await writeRootFile(place.file, { ...place, content: text });
  return https;
}

async function requireUndecided(path: string, { mode }: Place, https: object): Promise<void> {
  const isKept = (mode & 0o200) === 0 || (await lstat(path).catch(() => null))?.isSymbolicLink() === true;
  if (!isKept && !("enabled" in https)) return;
  const why = isKept ? "is a link or read-only, as an image or a tool keeps it" : "has https.enabled";
  const text = `${path} ${why}, so only root changes it: steward tls enable. Nothing was changed.`;
  throw new CommandError(5, text);
}

/** The path of the host file, with its owner and mode. */
interface Place {
  /** Without links: one that leads to the host file stays. */
  readonly file: string;
  readonly mode: number;
  readonly owner?: Owner;
}

async function read(path: string): Promise<Place & { members: Record<string, unknown> }> {
  try {
    const file = await realpath(path);
    const members = jsonOf(await givenText(file), (why) => noText(path, why));
    if (!isObject(members)) throw noText(path, "is not a JSON object");
    const { mode, uid, gid } = await stat(file);
    return { file, members, mode: mode & 0o777, owner: { uid, gid } };
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return { file: path, members: {}, mode: usualMode };
    throw error instanceof CommandError ? error : rootFileFailure(error, path);
  }
}

function refusal(path: string, faults: readonly InputError[]): StewardError {
  const text = `The agent would not take ${path} as it would be. Nothing was changed.`;
  return new StewardError("validation_failed", text, { details: { errors: faults } });
}
