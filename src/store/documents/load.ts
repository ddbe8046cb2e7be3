import { readdirSync, statSync } from "node:fs";
import { StewardError } from "../../contract/errors.ts";
import type { DamageKind, Replacement } from "../../contract/types.ts";
import { rejoined } from "../validation/members.ts";
import {
  type DocumentKind,
  documentPath,
  type Form,
  goodCopyName,
  largeBytes,
  validatorOf,
} from "./document-kind.ts";
import { formCopyName, formVersions, keptNames, markOf, versionsIn } from "./kept-files.ts";
import { readForm, type Unusable, type Usable } from "./read-form.ts";

export interface Loaded<T> {
  readonly value: T;
  /** `good`: the last good copy. `former`: the bytes of a former form. `defaults`: nothing could be read. */
  readonly origin: "file" | "good" | "former" | "defaults";
  /** The finding for a person; null: it is the file itself, or a first start. */
  readonly finding: Found | null;
  readonly form: Form;
  /** The form that it was migrated from; null: it was not. */
  readonly former: Usable<T>["former"];
  /** The content of a newer release's file is in the value again. */
  readonly isRejoined?: true;
  /** There is a file that could not be used: it is set aside before anything is written in its place. */
  readonly isFileInTheWay: boolean;
}

export interface Found {
  readonly damage: Exclude<DamageKind, "unrecorded">;
  readonly replacement: Exclude<Replacement, "unrecorded">;
  /** The same in English. */
  readonly detail: string;
  /** Something is missing now, or may be. */
  readonly isLoss: boolean;
}

/**
 * Reads a document: the file; otherwise, if a newer release has written it, the newest bytes of a form that is known
 * here; otherwise its last good copy, or its defaults if that is allowed. Writes nothing. Throws `state_damaged`.
 */
export async function loadDocument<T extends object>(
  directory: string,
  kind: DocumentKind<T>,
  isFirstStart: boolean,
): Promise<Loaded<T>> {
  const validate = validatorOf(kind);
  const read = (name: string) => readForm(directory, kind, name, validate);
  const file = await read(kind.name);
  if ("value" in file) {
    const back =
      kind.rejoins && file.former ? await broughtBack(directory, kind.name, file, read) : undefined;
    const isSound = back !== undefined && validate(back).length === 0;
    const whole = isSound ? { ...file, value: back as T, isRejoined: true as const } : file;
    return { ...whole, origin: "file", finding: null, isFileInTheWay: false };
  }
  const good = await read(goodCopyName(kind.name));
  const isAbsent = file.why === "absent" && "why" in good && good.why === "absent";
  if (isAbsent && isFirstStart) return { ...madeUp(kind), finding: null, isFileInTheWay: false };
  const isNewer = file.why === "newer" || ("why" in good && good.why === "newer");
  const former = isNewer ? await formerForm(directory, kind, file, read) : null;
  const found =
    former ??
    ("value" in good ? { ...good, origin: "good" as const, ...goodTaken(directory, kind.name) } : null);
  if (found === null && kind.onLoss === "rescue")
    throw await lost(directory, kind.name, { file, good: good as Unusable, read });
  const { taken, isLoss, ...loaded } = found ?? { ...madeUp(kind), ...defaultsTaken(good as Unusable) };
  const isFileInTheWay = file.why !== "absent";
  const replacement = replacementOf[loaded.origin];
  const finding = { damage: damageOf[file.why], replacement, detail: findingOf(kind, file, taken), isLoss };
  return { ...loaded, isFileInTheWay, finding };
}

const damageOf = { absent: "missing", damaged: "unreadable", newer: "newer" } as const;
const replacementOf = { good: "good_copy", former: "former_form", defaults: "defaults" } as const;

/** The good copy of a large document may be some minutes behind. */
function goodTaken(directory: string, name: string): { taken: string; isLoss: boolean } {
  const { size, mtime } = statSync(documentPath(directory, goodCopyName(name)));
  const missing =
    size < largeBytes
      ? "a change of the seconds before the damage may be missing"
      : `changes made since ${mtime.toISOString()} may be missing`;
  return { taken: `Its last good copy was taken; ${missing}.`, isLoss: true };
}

function defaultsTaken({ problem, why }: Unusable): { taken: string; isLoss: boolean } {
  const copy =
    why === "absent" ? "There is no good copy" : `Its good copy cannot be used either (${problem})`;
  return {
    taken: `${copy}: it starts over with its defaults, and its former content is lost.`,
    isLoss: true,
  };
}

function madeUp<T extends object>(kind: DocumentKind<T>) {
  const form = { version: kind.formatVersion, newest: kind.formatVersion };
  return { value: structuredClone(kind.defaults), origin: "defaults" as const, form, former: null };
}

/** The newest kept bytes of a form that is known here; null: there are none. */
async function formerForm<T extends object>(
  directory: string,
  kind: DocumentKind<T>,
  { unchangedSince }: Unusable,
  read: Read<T>,
) {
  for (const version of formVersions(readdirSync(directory), kind.name)) {
    const name = formCopyName(kind.name, version);
    const found = await read(name);
    // It is damaged, or in a form that only a newer release knows.
    if (!("value" in found)) continue;
    const isLoss = version !== unchangedSince;
    const since = statSync(documentPath(directory, name)).mtime.toISOString();
    const missing = isLoss
      ? `changes made since ${since} are missing`
      : "the newer release had changed nothing in it";
    return {
      ...found,
      origin: "former" as const,
      isLoss,
      taken: `The copy kept in format ${version} was taken; ${missing}.`,
    };
  }
  return null;
}

/**
 * An older release took the bytes that were kept of its form, and set the newer file aside. Of the present value only what
 * differs from those bytes was changed since. Undefined: there was no such downgrade.
 */
async function broughtBack<T extends object>(
  directory: string,
  name: string,
  { value, former }: Usable<T>,
  read: Read<T>,
): Promise<unknown> {
  const aside = (await keptNames(directory, name)).at(-1)?.replace(/\.json$/, "");
  if (aside === undefined || former === null) return undefined;
  const kept = formCopyName(name, former.version);
  const [base, newer] = await Promise.all([read(kept), read(aside)]);
  if (!("value" in base && "value" in newer) || newer.former?.version === former.version) return undefined;
  const changedAt = (file: string) => statSync(documentPath(directory, file)).mtimeMs;
  // Otherwise the bytes are those of the next upgrade, which was cut short.
  return changedAt(kept) <= changedAt(aside) ? rejoined(base.value, value, newer.value) : undefined;
}

type Kind = Pick<DocumentKind<object>, "name" | "rejoins">;

function findingOf({ name, rejoins }: Kind, { problem, why }: Unusable, taken: string): string {
  const list = `\`steward state list ${name}\``;
  if (why === "absent") return `${problem}. ${taken}`;
  if (why === "damaged") return `${problem}. ${taken} The file is kept: ${list}.`;
  const back = rejoins
    ? "takes it back when it is installed again"
    : `can have it back by \`steward state restore ${name} --from\``;
  return `${problem}. ${taken} The newer file is kept (${list}): the release that wrote it ${back}.`;
}

async function lost(
  directory: string,
  name: string,
  { file, good, read }: { file: Unusable; good: Unusable; read: Read<object> },
): Promise<StewardError> {
  const isNewer = file.why === "newer" || good.why === "newer";
  const first = isNewer ? "Install the release that wrote it again, or s" : "S";
  const newest = await newestUsable(versionsIn(readdirSync(directory), name), read);
  const mark = newest === undefined ? null : markOf(newest);
  const version = mark === null ? "" : ` --at ${mark.number}\` (its version of ${mark.at})`;
  const restore = `\`steward state restore ${name}${version || "`"}`;
  return new StewardError(
    "state_damaged",
    `${file.problem}; ${good.problem}. Nothing was deleted. ${first}ee what there is with \`steward state list ${name}\`, then ${restore} or, to start over, \`steward state reset ${name}\`.`,
  );
}

/** The newest of a large document's versions may be damaged with it, since they can be one file. */
async function newestUsable(versions: readonly string[], read: Read<object>): Promise<string | undefined> {
  for (const version of versions.toReversed())
    if ("value" in (await read(version.replace(/\.json$/, "")))) return version;
  return undefined;
}

/** Reads one file of the document's form, by its name without `.json`. */
type Read<T> = (name: string) => Promise<Usable<T> | Unusable>;
