import { type InputError, messageOf } from "../../contract/errors.ts";
import { hostFile } from "../../contract/host-file/host-file.ts";
import { jsonOf } from "../../contract/text/json-of.ts";
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
    document = withProduct(jsonOf(text, (why) => new Error(why)));
  } catch (error) {
    return { document: null, faults: [{ pointer: "", code: "json", detail: messageOf(error) }], unknown: [] };
  }
  const ofForm = judgeForm(document);
  const unknown = unknownMembers(hostFile, document);
  // The only place at which a host file gets its type.
  const typed = document as HostFileDocument;
  const faults = [...ofForm, ...ruleFaults(typed, ofForm)];
  return { document: faults.length === 0 ? typed : null, faults, unknown };
}

/** Before a product had pages, `product` was its name. */
function withProduct(document: unknown): unknown {
  if (typeof document !== "object" || document === null || !("product" in document)) return document;
  const { product } = document;
  return typeof product === "string" ? { ...document, product: { name: product } } : document;
}
