import { StewardError } from "../contract/errors.ts";
import { atOnce, writtenInSteps } from "./steps.ts";

/**
 * The canonical JSON form of a value, which signatures cover: OLPC's, as TUF names it (specification §4.1). Members in
 * the order of their code points, no blanks, only integers, and in strings only `"` and `\` escaped. Throws
 * `update_metadata_malformed` for a value without such a form.
 */
export function canonicalJson(value: unknown): Uint8Array {
  return atOnce(writtenInSteps(canonicalTexts(value)));
}

/** The same as texts of any length, to be joined. */
export function* canonicalTexts(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) return yield scalar(value);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  let sign = open;
  for (const [name, one] of Array.isArray(value) ? value.entries() : inOrder(value)) {
    yield typeof name === "number" ? sign : `${sign}${scalar(name)}:`;
    yield* canonicalTexts(one);
    sign = ",";
  }
  yield sign === open ? open + close : close;
}

function inOrder(value: object): [name: string, member: unknown][] {
  const members: [string, unknown][] = Object.entries(value);
  // Below U+D800 JavaScript's own order is the same, and much faster.
  const isLow = members.every(([name]) => !/[\ud800-\uffff]/.test(name));
  const compare = isLow ? (left: string, right: string) => (left < right ? -1 : 1) : byCodePoint;
  return members.sort(([left], [right]) => compare(left, right));
}

function scalar(value: unknown): string {
  if (typeof value === "string") return `"${value.replace(/["\\]/g, "\\$&")}"`;
  if (typeof value === "boolean" || value === null || Number.isSafeInteger(value)) return String(value);
  const what = typeof value === "number" ? value : `A ${typeof value}`;
  throw new StewardError("update_metadata_malformed", `${what} has no canonical form: only integers do.`);
}

/** JavaScript compares UTF-16, with U+FFFF after U+10000. Unit by unit, for half a million unverified names. */
function byCodePoint(left: string, right: string): number {
  let index = 0;
  while (index < left.length && left[index] === right[index]) index += 1;
  return rank(left.charCodeAt(index)) - rank(right.charCodeAt(index));
}

/** The end of a name (NaN) comes first, and halves of characters above U+FFFF after all others. */
function rank(unit: number): number {
  if (Number.isNaN(unit)) return -1;
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
