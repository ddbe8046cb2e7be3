import { StewardError } from "../contract/errors.ts";
import { updateKinds } from "../contract/update-kinds.ts";
import { caps } from "../tuf/caps.ts";
import type { FoundTarget } from "../tuf/client.ts";
import {
  architectures,
  channelPattern,
  customForm,
  filePattern,
  maximumNotes,
  maximumSteps,
  maximumText,
  maximumWaveSeconds,
  namePattern,
  unprintable,
} from "./release-format.ts";
import { compareVersions, isVersion } from "./semver.ts";
import { readSignedPayload } from "./signed-payload.ts";
import type { WaveSchedule, WaveStep } from "./waves.ts";

export type UpdateKind = (typeof updateKinds)[number];

/** The publisher's signed description of a release. */
export interface Release {
  /** The first 128 bits of the payload's SHA-512, or of its SHA-256 if only that is signed; in hex. */
  readonly id: string;
  readonly kind: UpdateKind;
  readonly name: string;
  readonly version: string;
  readonly channel: string;
  readonly product: string;
  /** `any`, or as Node names it. */
  readonly arch: string;
  /** The oldest agent that can apply it. */
  readonly minAgent: string | null;
  /** No version of this kind and name below it may ever be installed again. */
  readonly floor: string | null;
  /** null: for all devices at once. */
  readonly waves: WaveSchedule | null;
  readonly urgent: boolean;
  /** The reason why the publisher withdrew it. */
  readonly withdrawn: string | null;
  /** For people; empty: none. */
  readonly notes: string;
  /** Further lines of them, as Markdown. */
  readonly moreNotes: readonly string[];
  readonly lengthBytes: number;
  readonly target: FoundTarget;
}

/** A target that is no release for this device, with the reason as words that follow its path in a sentence. */
export interface NoRelease {
  readonly path: string;
  readonly reason: string;
  /** True for most of a repository's targets: older, or for others. */
  readonly isOrdinary: boolean;
}

/** Reads a target as a release. `custom` may hold any JSON; this never throws. */
export function readRelease(target: FoundTarget): Release | NoRelease {
  try {
    return readCustom(target);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { path: target.path, reason: error.message, isOrdinary: false };
  }
}

class Unreadable extends Error {}

function readCustom(target: FoundTarget): Release {
  const { path, file } = target;
  const custom = objectOf(file.custom, "custom");
  const form = integer(custom, "steward", { least: 1, most: Number.MAX_SAFE_INTEGER });
  if (form > customForm) throw new Unreadable("is for a newer agent than this one");
  const [pathChannel, pathKind, fileName, ...rest] = path.split("/");
  if (!fileName || rest.length > 0 || !filePattern.test(fileName)) {
    throw new Unreadable("is not below <channel>/<kind>/");
  }
  const kind = updateKinds.find((one) => one === member(custom, "kind"));
  if (kind === undefined) throw new Unreadable("its kind is neither rules nor binary");
  const channel = matching(custom, "channel", channelPattern);
  if (kind !== pathKind) throw new Unreadable(`says that it is of kind ${kind}, but its path says another`);
  if (channel !== pathChannel)
    throw new Unreadable(`says that it is of the channel ${channel}, but its path says another`);
  const arch = architectures.find((one) => one === member(custom, "arch"));
  if (arch === undefined) throw new Unreadable(`its arch is none of ${architectures.join(", ")}`);
  const release: Release = {
    id: idOf(target),
    kind,
    name: matching(custom, "name", namePattern),
    version: versionOf(custom, "version"),
    channel,
    product: matching(custom, "product", namePattern),
    arch,
    minAgent: optional(custom, "min_agent", versionOf),
    floor: optional(custom, "floor", versionOf),
    waves: optional(custom, "waves", wavesOf),
    urgent: optional(custom, "urgent", booleanOf) ?? false,
    withdrawn: optional(custom, "withdrawn", textOf),
    notes: optional(custom, "notes", textOf) ?? "",
    moreNotes: optional(custom, "more_notes", linesOf) ?? [],
    lengthBytes: lengthOf(target),
    target,
  };
  if (release.floor !== null && compareVersions(release.floor, release.version) > 0) {
    throw new Unreadable("its floor is above its own version");
  }
  return release;
}

/** TUF §4.5 asks for at least one hash; python-tuf and tuf-on-ci give only SHA-256. */
function idOf({ file }: FoundTarget): string {
  try {
    return readSignedPayload(file).id;
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    throw new Unreadable("is signed without a usable SHA-512 or SHA-256");
  }
}

function lengthOf({ file }: FoundTarget): number {
  if (file.length < 1 || file.length > caps.payloadBytes) {
    throw new Unreadable(`its length is not between 1 and ${caps.payloadBytes} bytes`);
  }
  return file.length;
}

type Members = Readonly<Record<string, unknown>>;

function objectOf(value: unknown, name: string): Members {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Unreadable(`its ${name} is not an object`);
  }
  return value as Members;
}

/** Own members only: `__proto__` and the like were not signed. */
function member(members: Members, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

function optional<T>(members: Members, name: string, read: (members: Members, name: string) => T): T | null {
  return member(members, name) === undefined ? null : read(members, name);
}

function stringOf(members: Members, name: string): string {
  const value = member(members, name);
  if (typeof value !== "string") throw new Unreadable(`its ${name} is not a text`);
  return value;
}

function textOf(members: Members, name: string): string {
  const text = stringOf(members, name);
  if (text.length > maximumText) throw new Unreadable(`its ${name} is longer than ${maximumText} characters`);
  if (unprintable.test(text)) throw new Unreadable(`its ${name} holds control characters`);
  return text;
}

function linesOf(members: Members, name: string): string[] {
  const value = member(members, name);
  if (!Array.isArray(value) || value.length > maximumNotes.lines)
    throw new Unreadable(`its ${name} are not at most ${maximumNotes.lines} lines`);
  const lines = value.map((line: unknown) => textOf({ [name]: line }, name));
  const isLong = lines.some((line) => line.length > maximumNotes.line);
  if (isLong || lines.join("").length > maximumNotes.all) throw new Unreadable(`its ${name} are too long`);
  return lines;
}

function matching(members: Members, name: string, pattern: RegExp): string {
  const text = stringOf(members, name);
  if (!pattern.test(text))
    throw new Unreadable(
      `its ${name} is empty, too long, or has other characters than a–z, 0–9, dot, underscore and hyphen`,
    );
  return text;
}

function versionOf(members: Members, name: string): string {
  const text = stringOf(members, name);
  if (!isVersion(text)) throw new Unreadable(`its ${name} is not a semantic version`);
  return text;
}

function booleanOf(members: Members, name: string): boolean {
  const value = member(members, name);
  if (typeof value !== "boolean") throw new Unreadable(`its ${name} is neither true nor false`);
  return value;
}

function integer(members: Members, name: string, bounds: { least: number; most: number }): number {
  const value = member(members, name) as number;
  if (!Number.isSafeInteger(value)) throw new Unreadable(`its ${name} is no integer`);
  if (value < bounds.least || value > bounds.most) {
    throw new Unreadable(`its ${name} is not between ${bounds.least} and ${bounds.most}`);
  }
  return value;
}

function wavesOf(members: Members, name: string): WaveSchedule {
  const waves = objectOf(member(members, name), name);
  const start = stringOf(waves, "start");
  const startMilliseconds = Date.parse(start);
  // Date.parse also takes 24:00 and 30 February: a time is valid only if it comes back unchanged. A time a year later
  // must still have a year of four digits.
  const isMoment =
    /^[0-8]\d{3}-/.test(start) &&
    !Number.isNaN(startMilliseconds) &&
    [start, start.replace("Z", ".000Z")].includes(new Date(startMilliseconds).toISOString());
  if (!isMoment) throw new Unreadable("its waves do not start at a time such as 2026-11-20T12:00:00Z");
  const list = member(waves, "steps");
  if (!Array.isArray(list) || list.length === 0 || list.length > maximumSteps) {
    throw new Unreadable(`its waves do not have 1 to ${maximumSteps} steps`);
  }
  const steps = list.map((one: unknown) => stepOf(objectOf(one, "wave")));
  const isRising = steps.every((step, index) => {
    const before = steps[index - 1];
    return !before || (step.percent > before.percent && step.afterSeconds >= before.afterSeconds);
  });
  if (!isRising || steps.at(-1)?.percent !== 100)
    throw new Unreadable("its waves do not rise to 100 percent");
  return { startSeconds: startMilliseconds / 1_000, steps };
}

function stepOf(step: Members): WaveStep {
  return {
    percent: integer(step, "percent", { least: 1, most: 100 }),
    afterSeconds: integer(step, "after_seconds", { least: 0, most: maximumWaveSeconds }),
  };
}
