/** Programs and their first bytes in hex. */
const forms: readonly [name: string, first: RegExp][] = [
  ["gzip", /^1f8b/],
  ["zstd", /^28b52ffd/],
  ["bzip2", /^425a68/],
  ["xz", /^fd377a58/],
  ["zip", /^504b0304/],
  ["7-Zip", /^377abcaf/],
  ["lz4", /^04224d18/],
];

/** The program that has packed a file, by its first bytes; null: none of those that people use for archives. */
export function packedForm(bytes: Uint8Array): string | null {
  const first = Buffer.from(bytes.subarray(0, 4)).toString("hex");
  return forms.find(([, pattern]) => pattern.test(first))?.[0] ?? null;
}
