import { describeLack, type KeyHolders } from "../publishing/keys/signing.ts";
import { type PrunedDraft, type Pruning, planPruning, prune } from "../publishing/prune/prune.ts";
import type { KeepReason, PlannedRelease, PruneRequest } from "../publishing/prune/prune-plan.ts";
import { releaseRoles } from "../publishing/roles.ts";
import { compareVersions } from "../releases/semver.ts";
import type { Command, Invocation } from "../terminal/commands/command.ts";
import { agreesTo, dryRunOption } from "../terminal/commands/consent.ts";
import { joinLines } from "../terminal/escape.ts";
import { directoryPositional, onWorkspace, signingOptions, wholeNumberIn } from "./repository.ts";

/** Each line keeps so many releases: enough to go back over a bad month, and a hundredth of the limit of devices. */
const usualKeep = 10;

export const pruneCommand: Command = {
  path: ["prune"],
  summary: "Remove old releases from the metadata, and files that devices no longer need",
  positionals: [directoryPositional],
  options: [
    { name: "kind", value: "KIND", values: releaseRoles, summary: "of this kind only" },
    {
      name: "keep",
      value: "N",
      summary: `keep this many of the newest releases of each name, channel, product and architecture; ${usualKeep} if not given`,
    },
    { name: "keep-release", value: "VERSION", summary: "keep this version too; may be repeated" },
    dryRunOption,
    ...signingOptions,
  ],
  async run(invocation) {
    const request = requestOf(invocation);
    await onWorkspace(invocation, async (workspace, keys) => {
      const plan = await planPruning(workspace, request);
      const { dropped, finished, files } = plan;
      const { output, options } = invocation;
      const says = planLines(plan, workspace.directory);
      if (dropped.length + finished.length + files.length === 0)
        return output.changed(
          { ...documentOf(plan), drafts: [] },
          joinLines([...says, "Nothing is dropped."]),
        );
      if (options.has("dry-run")) {
        const list = [...says, ...dropped.map(({ path }) => `  ${path}`)];
        return output.values({ dry_run: true, ...documentOf(plan) }, list);
      }
      if (!(await agreesTo(invocation, { says, question: "Drop them?" }))) return;
      const drafts = await prune(workspace, plan, keys);
      const lines = [...(options.has("yes") ? says : []), ...draftLines(drafts, workspace)];
      await output.changed({ ...documentOf(plan), drafts }, joinLines(lines));
    });
  },
};

/** Throws CommandError(6). */
function requestOf({ options }: Invocation): PruneRequest {
  const kind = options.text("kind");
  return {
    kinds: releaseRoles.filter((role) => kind === undefined || role === kind),
    keep: wholeNumberIn(options.text("keep") ?? String(usualKeep), "keep", 1, 9_999),
    keepVersions: options.texts("keep-release"),
  };
}

function documentOf({ dropped, spared, finished, files, kept }: Pruning) {
  return {
    dropped: dropped.map(({ path }) => path),
    spared: spared.map(({ path, why }) => ({ path, why })),
    finished_waves: finished.map(({ path }) => path),
    files,
    kept,
  };
}

const reasons: Readonly<Record<KeepReason, string>> = {
  asked: "--keep-release asks for it",
  drafted: "it is in the draft, and not published as it is there",
  floor: "it has the highest floor, which new devices learn from it",
  older_agents: "an older Steward can install it, and nothing newer (min_agent)",
};

function planLines({ dropped, spared, finished, files, kept }: Pruning, directory: string): string[] {
  const megabytes = files.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6;
  return [
    ...groupLines(dropped),
    ...(dropped.length === 0 ? [] : [`Releases that stay: ${kept}.`]),
    ...spared.map(({ path, why }) => `  ${path} stays: ${reasons[why]}.`),
    ...(finished.length === 0
      ? []
      : [`Waves that have been over for a week are dropped, of ${finished.length} releases that stay.`]),
    ...(files.length === 0
      ? []
      : [
          `Files that devices no longer need are removed from ${directory}/public: ${files.length}, ${megabytes.toFixed(1)} MB.`,
        ]),
  ];
}

/** One line for what a device chooses from. */
function groupLines(dropped: readonly PlannedRelease[]): string[] {
  const groups = new Map<string, string[]>();
  for (const { entry } of dropped) {
    const { kind, name, channel, product, arch } = entry;
    const key = `${kind} ${name} for ${product}, ${channel}, ${arch}`;
    groups.set(key, [...(groups.get(key) ?? []), entry.version]);
  }
  return [...groups].map(([key, versions]) => {
    const [first, ...rest] = versions.toSorted(compareVersions);
    const range = rest.length === 0 ? first : `${first} to ${rest.at(-1)}`;
    return `${key}: ${versions.length} old ${versions.length === 1 ? "release is" : "releases are"} dropped, ${range}.`;
  });
}

function draftLines(drafts: readonly PrunedDraft[], holders: KeyHolders): string[] {
  const { directory } = holders;
  const lines = drafts.flatMap(({ role, version, bytes, bytes_before, lacking }) => [
    `The draft of ${role} version ${version} has ${bytes} bytes, ${bytes_before - bytes} fewer.`,
    ...(lacking.length > 0 ? [`Before it is published, ${describeLack(role, lacking, holders)}`] : []),
  ]);
  if (drafts.length === 0) return [`Upload ${directory}/public, and remove there what was removed here.`];
  return [
    ...lines,
    `Next: steward-publisher publish ${directory}. The payloads stay in ${directory}/public for devices that are fetching them; a prune after the timestamp of today has expired removes them.`,
  ];
}
