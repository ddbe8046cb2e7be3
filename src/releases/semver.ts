/** A version as Semantic Versioning 2.0.0 reads it; numbers stay digits, since the specification sets them no limit. */
export interface SemanticVersion {
  /** Major, minor and patch, as decimal digits without leading zeros. */
  readonly core: readonly [string, string, string];
  /** Identifiers of the pre-release, in their order; none for a release. */
  readonly prerelease: readonly string[];
}

/** Characters of a version; longer than any that people write, and short enough to stand in a file name. */
export const longestVersion = 64;

const number = "(0|[1-9][0-9]*)";
const prereleaseIdentifier = "(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)";
const buildIdentifier = "[0-9A-Za-z-]+";
/** Of one, without regard to its length. */
export const versionPattern = new RegExp(
  `^${number}\\.${number}\\.${number}` +
    `(?:-(${prereleaseIdentifier}(?:\\.${prereleaseIdentifier})*))?` +
    `(?:\\+${buildIdentifier}(?:\\.${buildIdentifier})*)?$`,
);

/** Reads a version strictly: no leading `v`, no blanks, nothing left out; null: it is none, or longer than 64 characters. */
function parseVersion(text: string): SemanticVersion | null {
  if (text.length > longestVersion) return null;
  const match = versionPattern.exec(text);
  if (!match) return null;
  const [, major = "", minor = "", patch = "", prerelease] = match;
  return { core: [major, minor, patch], prerelease: prerelease?.split(".") ?? [] };
}

/** Whether the text is a version of Semantic Versioning 2.0.0. */
export function isVersion(text: string): boolean {
  return parseVersion(text) !== null;
}

/**
 * Precedence (SemVer 2.0.0 §11): negative: `a` is older; build metadata do not count. A text that is no version is
 * older than any version, so that nothing malformed is ever taken for newer.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  if (left === null || right === null) return Number(left !== null) - Number(right !== null);
  // §11.2
  for (const place of [0, 1, 2] as const) {
    const order = compareNumbers(left.core[place], right.core[place]);
    if (order !== 0) return order;
  }
  return comparePrereleases(left.prerelease, right.prerelease);
}

/** §11.3 and §11.4: a release is newer than its pre-releases; more identifiers are newer than fewer. */
function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return Number(a.length === 0) - Number(b.length === 0);
  for (const [index, left] of a.entries()) {
    const right = b[index];
    if (right === undefined) return 1;
    const order = compareIdentifiers(left, right);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** §11.4.1–3: numbers by value, other identifiers in ASCII order, numbers below the others. */
function compareIdentifiers(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [isDigits(a), isDigits(b)];
  if (isNumber && isOtherNumber) return compareNumbers(a, b);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return compareTexts(a, b);
}

/** By value, whatever their size: neither has leading zeros. */
function compareNumbers(a: string, b: string): number {
  return a.length - b.length || compareTexts(a, b);
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function isDigits(text: string): boolean {
  return /^[0-9]+$/.test(text);
}
