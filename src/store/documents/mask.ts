/** A document as it may be shown: hashes, secrets and tokens are of no use to a reader, and of some to an onlooker. */
export function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== "object" || value === null) return value;
  const secret = /hash|secret|sealed|token|refresh_key/;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      secret.test(key) && isText(member) ? "(hidden)" : masked(member),
    ]),
  );
}

function isText(value: unknown): boolean {
  return typeof value === "string" || (Array.isArray(value) && value.some((one) => typeof one === "string"));
}
