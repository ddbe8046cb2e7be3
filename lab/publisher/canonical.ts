/**
 * Canonical JSON (OLPC's form, TUF 1.0.34 §4.2), written only for the lab: tests compare the product's form of the same
 * value with this one. Integers only; only `"` and `\` are escaped; keys in the order of their code points.
 */
export function canonical(value: unknown): Buffer {
  return Buffer.from(text(value), "utf8");
}

function text(value: unknown): string {
  if (value === null || typeof value === "boolean") return String(value);
  // Also beyond 2^53 and with fractions: a hostile publisher signs what it likes.
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return `[${value.map(text).join(",")}]`;
  if (typeof value !== "object") throw new TypeError(`a ${typeof value} has no canonical form`);
  const members = Object.entries(value).sort(([one], [other]) =>
    Buffer.compare(Buffer.from(one), Buffer.from(other)),
  );
  return `{${members.map(([name, member]) => `${quoted(name)}:${text(member)}`).join(",")}}`;
}

function quoted(value: string): string {
  return `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
