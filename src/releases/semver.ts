import compare from "semver/functions/compare.js";

/** Characters of a version; longer than any that people write, and short enough for a file name. */
export const longestVersion = 64;

/** 15 digits: every such number is exact in JavaScript. */
const number = "(?:0|[1-9][0-9]{0,14})";
const prereleaseIdentifier = `(?:${number}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)`;
const buildIdentifier = "[0-9A-Za-z-]+";
/** A version of Semantic Versioning 2.0.0, without regard to its length; also in the published schema of releases. */
export const versionPattern = new RegExp(
  `^${number}\\.${number}\\.${number}` +
    `(?:-${prereleaseIdentifier}(?:\\.${prereleaseIdentifier})*)?` +
    `(?:\\+${buildIdentifier}(?:\\.${buildIdentifier})*)?$`,
);

/** Strict: no leading `v`, no blanks, nothing left out, at most 64 characters; the package itself would allow these. */
export function isVersion(text: string): boolean {
  return text.length <= longestVersion && versionPattern.test(text);
}

/** Precedence (SemVer 2.0.0 §11), negative: `a` is older; build metadata do not count. What is no version is oldest. */
export function compareVersions(a: string, b: string): number {
  const [isLeft, isRight] = [isVersion(a), isVersion(b)];
  return isLeft && isRight ? compare(a, b) : Number(isLeft) - Number(isRight);
}
