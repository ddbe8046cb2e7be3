/** Letters of the Latin script that do not decompose, or not into what a passport makes of them (ICAO Doc 9303-3 §6). */
const letters: Readonly<Record<string, string>> = {
  ...{ ä: "ae", ö: "oe", ü: "ue", ß: "ss", å: "aa", æ: "ae", ø: "oe", œ: "oe" },
  ...{ ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" },
};

/** A user name for a person, such as `ana.mueller` for Ana Müller; "": too short, or of another script. */
export function suggestedUsername(displayName: string): string {
  const plain = displayName
    .normalize("NFC")
    .toLowerCase()
    .replace(/./gu, (letter) => letters[letter] ?? letter)
    .normalize("NFKD")
    .replace(/[\p{M}'’.]/gu, "");
  if (/[^\p{Script=Latin}\p{Script=Common}]/u.test(plain)) return "";
  const name = plain
    .replace(/[^a-z0-9-]+/g, ".")
    .replace(/^[^a-z]+/, "")
    .slice(0, 32)
    .replace(/[^a-z0-9]+$/, "");
  return name.length < 3 ? "" : name;
}
