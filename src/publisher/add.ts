import { readRfc3339 } from "../contract/timestamps.ts";
import { type AddResult, addRelease, type Selection, withdrawRelease } from "../publishing/add.ts";
import { readText } from "../publishing/files.ts";
import { fillingSentence } from "../publishing/fullness.ts";
import type { SigningKey } from "../publishing/keys/private-keys.ts";
import type { KeyHolders } from "../publishing/keys/signing.ts";
import { likelyMistakes } from "../publishing/likely-mistakes.ts";
import {
  type Architecture,
  architectureNamed,
  architectureNames,
  type ReleaseEntry,
} from "../publishing/release-entry.ts";
import { type ReleaseRole, releaseRoles } from "../publishing/roles.ts";
import { rfc3339Seconds } from "../publishing/state.ts";
import { readSteps, usualSteps, type Waves } from "../publishing/wave-plan.ts";
import type { Workspace } from "../publishing/workspace.ts";
import { CommandError } from "../terminal/command-error.ts";
import type { Command, Invocation, Option } from "../terminal/commands/command.ts";
import { joinLines } from "../terminal/escape.ts";
import { patchFromOf, patchFromOption, patchSentences } from "./patch-from.ts";
import { directoryPositional, onWorkspace, signingOptions } from "./repository.ts";
import { nextSentence } from "./view.ts";

const usualChannel = "stable";

const kindOption: Option = {
  name: "kind",
  value: "KIND",
  values: releaseRoles,
  summary: "the kind of the release; required",
};
const nameOption: Option = {
  name: "name",
  value: "TEXT",
  summary: "its name; for a binary the product if not given",
};
const channelOption: Option = { name: "channel", value: "CHANNEL", summary: "stable if not given" };

/** The options that name published releases, as selectionOf reads them. */
export const selectionOptions: readonly Option[] = [
  kindOption,
  { name: "release", value: "VERSION", summary: "its version; required" },
  nameOption,
  channelOption,
  {
    name: "arch",
    value: "ARCH",
    values: architectureNames,
    summary: "the architecture, by any of its names; all if not given",
  },
];

export const addCommand: Command = {
  path: ["add"],
  summary: "Put a release into the draft of its kind, or withdraw one, and sign with the keys at hand",
  positionals: [directoryPositional, { name: "FILE", isOptional: true }],
  options: [
    kindOption,
    { name: "release", value: "VERSION", summary: "its semantic version, such as 1.4.0; required" },
    nameOption,
    channelOption,
    { name: "product", value: "NAME", summary: "the product it is for; that of `init` if not given" },
    {
      name: "arch",
      value: "ARCH",
      values: architectureNames,
      summary:
        "the architecture, by any of its names (amd64 is x64); required for a binary, rules are for any",
    },
    { name: "floor", value: "VERSION", summary: "no lower version may ever be installed again" },
    {
      name: "security",
      summary: "it fixes a vulnerability: its floor is its own version, unless --floor gives another",
    },
    {
      name: "no-floor",
      excludes: "floor",
      summary: "with --security: devices may still go back to older versions",
    },
    { name: "min-agent", value: "VERSION", summary: "the oldest version of Steward that may install it" },
    { name: "waves", value: "FILE", summary: "a staged rollout: `default` (a week), or steps as JSON" },
    { name: "start", value: "TIME", summary: "when the waves begin; now if not given" },
    { name: "urgent", summary: "do not wait for waves and update windows" },
    { name: "notes", value: "TEXT", excludes: "notes-file", summary: "one line for people" },
    {
      name: "notes-file",
      value: "FILE",
      summary: "several lines for people, as Markdown; the first is the title",
    },
    { name: "withdraw", value: "REASON", summary: "without FILE: devices no longer install this release" },
    patchFromOption,
    {
      name: "allow",
      value: "MISTAKE",
      values: likelyMistakes,
      summary: "accept this warning: a new product, an older version, …; may be repeated",
    },
    ...signingOptions,
  ],
  async run(invocation) {
    const change = invocation.options.has("withdraw") ? withdraw : add;
    const { result, holders } = await onWorkspace(invocation, async (workspace, keys) => {
      return { result: await change(invocation, workspace, keys), holders: workspace };
    });
    await invocation.output.changed(result, sentences(result, holders));
  },
};

async function add(
  invocation: Invocation,
  workspace: Workspace,
  keys: readonly SigningKey[],
): Promise<AddResult> {
  const file = invocation.positionals[1];
  if (file === undefined) throw new CommandError(2, "FILE is missing: give the release as a .tar.gz.");
  const given = invocation.options.texts("allow");
  const allowed = likelyMistakes.filter((mistake) => given.includes(mistake));
  const patchFrom = patchFromOf(invocation);
  return addRelease(workspace, {
    file,
    keys,
    allowed,
    patchFrom,
    entry: await entryOf(invocation, workspace),
  });
}

async function withdraw(
  { options, positionals }: Invocation,
  workspace: Workspace,
  keys: readonly SigningKey[],
): Promise<AddResult> {
  if (positionals[1] !== undefined) {
    throw new CommandError(2, "--withdraw takes no FILE: it is about a release that already exists.");
  }
  const selection = selectionOf({ options }, workspace);
  return withdrawRelease(workspace, { selection, reason: options.text("withdraw") ?? "", keys });
}

/** Throws CommandError(2) where an option is missing. */
export function selectionOf({ options }: Options, workspace: Workspace): Selection {
  const kind = kindOf({ options });
  return {
    kind,
    name: nameOf({ options }, kind, workspace),
    version: required({ options }, "release"),
    channel: options.text("channel") ?? usualChannel,
    arch: architectureNamed(options.text("arch")),
  };
}

async function entryOf({ options }: Invocation, workspace: Workspace): Promise<ReleaseEntry> {
  const kind = kindOf({ options });
  const min_agent = options.text("min-agent");
  const floor = floorOf({ options });
  const notes = await notesOf({ options });
  const waves = await wavesOf({ options }, workspace);
  return {
    steward: 1,
    kind,
    name: nameOf({ options }, kind, workspace),
    version: required({ options }, "release"),
    channel: options.text("channel") ?? usualChannel,
    product: options.text("product") ?? workspace.product,
    arch: architectureOf({ options }, kind),
    ...(min_agent !== undefined && { min_agent }),
    ...(floor !== undefined && { floor }),
    ...notes,
    ...(waves && { waves }),
    ...(options.has("urgent") && { urgent: true as const }),
    ...(options.has("security") && { security: true as const }),
  };
}

/** The first line of a file is the title; older agents show only that. */
async function notesOf({ options }: Options): Promise<Pick<ReleaseEntry, "notes" | "more_notes">> {
  const path = options.text("notes-file");
  const line = options.text("notes");
  if (path === undefined) return line === undefined ? {} : { notes: line };
  const [first = "", ...rest] = (await readText(path)).trim().replaceAll("\t", "    ").split("\n");
  const more_notes = rest.map((one) => one.trimEnd());
  const notes = first.replace(/^#+\s*/, "").trimEnd();
  return more_notes.length === 0 ? { notes } : { notes, more_notes };
}

/** A device with a security release must not go back to a vulnerable one. */
function floorOf({ options }: Options): string | undefined {
  if (options.has("no-floor") && !options.has("security"))
    throw new CommandError(
      2,
      "--no-floor is for --security: other releases have no floor unless --floor says so.",
    );
  const own = options.has("security") && !options.has("no-floor") ? options.text("release") : undefined;
  return options.text("floor") ?? own;
}

type Options = Pick<Invocation, "options">;

function kindOf(given: Options): ReleaseRole {
  const kind = required(given, "kind");
  return kind === "binary" ? "binary" : "rules";
}

function nameOf(given: Options, kind: ReleaseRole, { product }: Workspace): string {
  if (kind === "binary") return given.options.text("name") ?? given.options.text("product") ?? product;
  return required(given, "name");
}

function architectureOf(given: Options, kind: ReleaseRole): Architecture {
  const text = kind === "binary" ? required(given, "arch") : given.options.text("arch");
  return architectureNamed(text) ?? "any";
}

async function wavesOf({ options }: Options, { now }: Workspace): Promise<Waves | undefined> {
  const waves = options.text("waves");
  const start = options.text("start");
  if (waves === undefined && start !== undefined) throw new CommandError(2, "--start is for --waves.");
  if (waves === undefined) return undefined;
  const time = start === undefined ? now() : readRfc3339(start);
  if (time === null) {
    throw new CommandError(6, `"${start}" is not a time in RFC 3339 format, such as 2026-11-20T14:03:00Z.`);
  }
  return {
    start: rfc3339Seconds(time.getTime()),
    steps: waves === "default" ? usualSteps : await readSteps(waves),
  };
}

function required({ options }: Options, name: string): string {
  const text = options.text(name);
  if (text) return text;
  throw new CommandError(2, `--${name} is missing. More: steward-publisher --help`);
}

function sentences(
  { role, version, targets, lacking, fillings, patches, remarks = [] }: AddResult,
  holders: KeyHolders,
): string {
  const verb = targets.some(({ entry }) => entry.withdrawn !== undefined) ? "withdrawn in" : "in";
  const lines = targets.flatMap(({ path, entry }) => [
    `${path} is ${verb} the draft of ${role} version ${version}.`,
    ...floorSentences(entry),
  ]);
  lines.push(...remarks.map((remark) => `Note: ${remark}`));
  lines.push(...(patches ? patchSentences(patches) : []), ...fillings.map(fillingSentence));
  return joinLines([...lines, nextSentence(role, lacking, holders)]);
}

function floorSentences({ name, security, floor, withdrawn }: ReleaseEntry): string[] {
  if (withdrawn !== undefined || (floor === undefined && security === undefined)) return [];
  const what = security ? "It is a security release" : "It has a floor";
  if (floor === undefined)
    return [`${what} without a floor: devices may still go back to a vulnerable version.`];
  const without = security ? " (--no-floor leaves that out)" : "";
  return [`${what}: once published, no device goes back to ${name} below ${floor}${without}.`];
}
