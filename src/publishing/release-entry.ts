import { StewardError } from "../contract/errors.ts";
import {
  architectures,
  channelPattern,
  maximumNotes,
  maximumText,
  namePattern,
} from "../releases/release-format.ts";
import { compareVersions, isVersion } from "../releases/semver.ts";
import type { TargetFile, Targets } from "../tuf/metadata.ts";
import type { ReleaseRole } from "./roles.ts";
import type { Waves } from "./wave-plan.ts";

export type Architecture = (typeof architectures)[number];

/** Other names of them: Debian's, and those of `uname -m`. */
export const architectureAliases: Readonly<Record<string, Architecture>> = {
  amd64: "x64",
  x86_64: "x64",
  aarch64: "arm64",
  armhf: "arm",
  armv7l: "arm",
};

/** The names of processors that options take. */
export const architectureNames = [...architectures, ...Object.keys(architectureAliases)];

/** Finds a processor by either name; undefined: there is none. */
export function architectureNamed(text: string | undefined): Architecture | undefined {
  if (text === undefined) return undefined;
  return Object.hasOwn(architectureAliases, text)
    ? architectureAliases[text]
    : architectures.find((one) => one === text);
}

/** The signed facts by which devices decide. */
export interface ReleaseEntry {
  readonly steward: 1;
  readonly kind: ReleaseRole;
  readonly name: string;
  readonly version: string;
  readonly channel: string;
  readonly product: string;
  readonly arch: Architecture;
  readonly min_agent?: string;
  readonly floor?: string;
  readonly waves?: Waves;
  readonly urgent?: true;
  /** It fixes a vulnerability: its floor is its own version, unless the publisher gives another. Devices use the floor. */
  readonly security?: true;
  readonly withdrawn?: string;
  /** For the publisher: what `waves` and `urgent` were, before a pause put the release off. Devices ignore it. */
  readonly paused?: Pause;
  readonly notes?: string;
  /** Further lines of the notes, as Markdown. */
  readonly more_notes?: readonly string[];
}

export interface Pause {
  /** RFC 3339, whole seconds, UTC. */
  readonly at: string;
  readonly waves?: Waves;
  readonly urgent?: true;
}

/** Throws `validation_failed` for an entry that devices would refuse. */
export function checkEntry(entry: ReleaseEntry): ReleaseEntry {
  requireName("name", entry.name);
  requireName("product", entry.product);
  requireName("channel", entry.channel, channelPattern, 32);
  requireVersion("version", entry.version);
  if (entry.min_agent !== undefined) requireVersion("min_agent", entry.min_agent);
  if (entry.floor !== undefined) {
    requireVersion("floor", entry.floor);
    if (compareVersions(entry.floor, entry.version) > 0) {
      throw invalid(
        `The floor ${entry.floor} is above the version ${entry.version} itself: a device could never install it again. The highest possible floor is this version.`,
      );
    }
  }
  if (entry.notes !== undefined) requireText("notes", entry.notes);
  if (entry.more_notes !== undefined) requireNotes(entry.more_notes);
  if (entry.withdrawn !== undefined) requireText("withdrawn", entry.withdrawn);
  return entry;
}

/** `<channel>/rules/<name>-<version>.tar.gz`, `<channel>/binary/<name>-<version>-linux-<arch>.tar.gz`. */
export function targetPath({ channel, kind, name, version, arch }: ReleaseEntry): string {
  const platform = kind === "binary" ? `-linux-${arch}` : "";
  return `${channel}/${kind}/${name}-${version}${platform}.tar.gz`;
}

/** The path of the file under targets/ (TUF §6.2, consistent snapshots). */
export function hashedPath(path: string, sha512: string): string {
  return path.replace(/[^/]+$/, (name) => `${sha512}.${name}`);
}

/** A release in the metadata of its kind. */
export interface ReleaseTarget {
  readonly path: string;
  readonly file: TargetFile;
  readonly entry: ReleaseEntry;
}

/** The releases among targets. Those of other tools are left out: their entries are not understood. */
export function releasesIn(targets: Targets["targets"] = {}): ReleaseTarget[] {
  return Object.entries(targets).flatMap(([path, file]) => {
    const entry = readEntry(file.custom);
    return entry === undefined ? [] : [{ path, file, entry }];
  });
}

/** The entry in `custom`, if this program can have written it; undefined: another tool did. */
export function readEntry(custom: unknown): ReleaseEntry | undefined {
  if (typeof custom !== "object" || custom === null || !("steward" in custom)) return undefined;
  const entry = custom as ReleaseEntry;
  const texts = [entry.kind, entry.name, entry.version, entry.channel, entry.product, entry.arch];
  return entry.steward === 1 && texts.every((text) => typeof text === "string") ? entry : undefined;
}

/** Throws `validation_failed`. */
export function requireName(what: string, name: string, pattern = namePattern, most = 64): void {
  if (pattern.test(name)) return;
  throw invalid(
    `The ${what} "${name}" is not valid: use 1 to ${most} small letters, digits, points, underscores and hyphens, beginning with a letter or a digit.`,
  );
}

function requireVersion(what: string, version: string): void {
  if (isVersion(version) && !version.includes("+")) return;
  const plain = version.replace(/(^|\.)0+(?=\d)/g, "$1");
  const hint = version.includes("+")
    ? " Build metadata (+…) make no difference to a device, and object stores read the plus as a blank: leave them out."
    : plain !== version && isVersion(plain)
      ? ` A number in it has a leading zero: write ${plain}.`
      : "";
  throw invalid(
    `The ${what} "${version}" is not a semantic version such as 1.4.0 or 2.0.0-rc.1 (semver.org).${hint}`,
  );
}

function requireText(what: string, text: string): void {
  if (text === "" || text.length > maximumText)
    throw invalid(`The ${what} must have 1 to ${maximumText} characters.`);
  requirePrintable(what, text);
}

function requirePrintable(what: string, text: string): void {
  if (/[\p{Cc}\p{Bidi_Control}\p{Surrogate}\u2028\u2029]/u.test(text)) {
    throw invalid(
      `The ${what} contain a line end, a control character or one that reorders text. Devices show one line of plain text.`,
    );
  }
}

function requireNotes(lines: readonly string[]): void {
  const { lines: most, line: longest, all } = maximumNotes;
  const isLong = lines.length > most || lines.join("").length > all;
  if (isLong || lines.some((line) => line.length > longest))
    throw invalid(
      `The notes are too long: after the first line, at most ${most} lines of ${longest} characters each and ${all} in all.`,
    );
  for (const line of lines) requirePrintable("notes", line);
}

function invalid(message: string): StewardError {
  return new StewardError("validation_failed", `${message} Nothing was changed.`);
}
