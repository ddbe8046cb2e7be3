/** Reads a fingerprint in any notation of publishers: in groups, with colons, in capitals, named SHA256. */
export function fingerprintIn(text: string): string {
  return text
    .replace(/^\s*sha-?256\s*[:=]?/i, "")
    .replace(/[\s:]/g, "")
    .toLowerCase();
}

/** The same from a code that was scanned, which may hold more than that, such as an address; null: it holds none. */
export function fingerprintInCode(text: string): string | null {
  return /(?:^|[^0-9a-f])([0-9a-f]{64})(?:$|[^0-9a-f])/.exec(fingerprintIn(text))?.[1] ?? null;
}
