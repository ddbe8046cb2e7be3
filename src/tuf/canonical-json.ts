import { StewardError } from "../contract/errors.ts";

/**
 * The canonical JSON form of a value, which signatures cover: OLPC's, as TUF names it (specification §4.1). Members in
 * the order of their code points, no blanks, only integers, and in strings only `"` and `\` escaped. Throws
 * `update_metadata_malformed` for a value without such a form.
 */
export function canonicalJson(value: unknown): Uint8Array {
  return Buffer.from(written(value), "utf8");
}

function written(value: unknown): string {
  switch (typeof value) {
    case "string":
      return `"${value.replace(/["\\]/g, "\\$&")}"`;
    case "boolean":
      return String(value);
    case "number":
      if (Number.isSafeInteger(value)) return String(value);
      throw new StewardError(
        "update_metadata_malformed",
        `${value} has no canonical form: only integers do.`,
      );
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? `[${value.map(written).join(",")}]` : writtenObject(value);
    default:
      throw new StewardError("update_metadata_malformed", `A ${typeof value} has no canonical form.`);
  }
}

function writtenObject(value: object): string {
  const members = Object.entries(value).sort(([left], [right]) => byCodePoint(left, right));
  return `{${members.map(([name, member]) => `${written(name)}:${written(member)}`).join(",")}}`;
}

/**
 * JavaScript compares UTF-16, in which U+FFFF comes after U+10000. This compares unit by unit, since there may be half
 * a million names that are not verified yet.
 */
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
