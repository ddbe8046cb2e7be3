/**
 * A copy of `original` with `value` at `place`, member names between blanks (`*`: the first member there); undefined:
 * without that member.
 */
// biome-ignore lint/suspicious/noExplicitAny: documents that are to be spoilt in any place
export function spoilt(original: any, place: string, value?: unknown): any {
  const copy = structuredClone(original);
  const names = place.split(" ");
  const last = names.pop() ?? "";
  const holder = names.reduce((at, name) => at[name === "*" ? (Object.keys(at)[0] ?? "") : name], copy);
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return copy;
}
