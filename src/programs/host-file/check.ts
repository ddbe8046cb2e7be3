import type { InputError } from "../../contract/errors.ts";
import { messageOf } from "../../contract/errors.ts";
import { hostFile } from "../../contract/host-file/host-file.ts";
import type { HostFileDocument } from "../../contract/types.ts";
import { tolerant, unknownMembers } from "../../store/validation/members.ts";
import { createValidator } from "../../store/validation/schemas.ts";
import { ruleFaults } from "./rules.ts";

/** The validator's name; the build compiles it. */
export const hostFileValidatorName = "host file";

/** Unknown members are no fault: a newer or an older release knows them. */
export const hostFileForm = () => tolerant(hostFile);

const judgeForm = createValidator(hostFileValidatorName, hostFileForm);

export interface CheckedHostFile {
  /** The file with its defaults; null if there are faults. */
  readonly document: HostFileDocument | null;
  /** All of them, each with its JSON pointer. */
  readonly faults: readonly InputError[];
  /** JSON pointers of members that this release does not know, and which have no effect. */
  readonly unknown: readonly string[];
}

/** Checks the text of a host file: its form by the schema, and the rules that no schema can express. */
export function checkHostFile(text: string): CheckedHostFile {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    return { document: null, faults: [notJson(text, error)], unknown: [] };
  }
  const ofForm = judgeForm(document);
  const unknown = unknownMembers(hostFile, document);
  // The only place at which a host file gets its type.
  const typed = document as HostFileDocument;
  const faults = [...ofForm, ...ruleFaults(typed, ofForm)];
  return { document: faults.length === 0 ? typed : null, faults, unknown };
}

/** V8 gives the character of most mistakes; people look for a line. */
function notJson(text: string, error: unknown): InputError {
  const why = messageOf(error);
  const [, position] = /at position (\d+)/.exec(why) ?? [];
  const end = /end of JSON input/.test(why) ? text.trimEnd().length : undefined;
  const at = position === undefined ? end : Number(position);
  if (at === undefined) return { pointer: "", code: "json", detail: `is not JSON: ${why}` };
  const before = text.slice(0, at).split("\n");
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  const what = why.replace(/ in JSON at position .*/, "");
  return { pointer: "", code: "json", detail: `is not JSON at ${place}: ${what}` };
}
