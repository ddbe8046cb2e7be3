import { type ExportResult, exportRepository } from "../publishing/export/export.ts";
import { CommandError } from "../terminal/command-error.ts";
import type { Command } from "../terminal/commands/command.ts";
import { joinLines } from "../terminal/escape.ts";
import {
  deviceKindOf,
  deviceOptions,
  directoryPositional,
  onWorkspace,
  secondsIn,
  signingOptions,
} from "./repository.ts";

/** Days: a device that is shown nothing else cannot know for so long that there is something newer. */
const mostDays = 366;

export const exportCommand: Command = {
  path: ["export"],
  summary:
    "Write everything that one kind of device needs into an archive, for a stick or for a laptop beside the device",
  positionals: [directoryPositional, { name: "OUT" }],
  options: [
    ...deviceOptions,
    {
      name: "for",
      value: "DURATION",
      summary:
        "sign a timestamp for this archive that is valid for this long, such as 90d; if not given, the published one, which is valid for days",
    },
    ...signingOptions,
  ],
  async run(invocation) {
    const { options, positionals, output } = invocation;
    const [directory = "", file = ""] = positionals;
    const wanted = `a duration from 1m to ${mostDays}d, such as 90d`;
    const text = options.text("for");
    const seconds = text === undefined ? undefined : secondsIn(text, "for", wanted, [60, mostDays * 86_400]);
    const result = await onWorkspace(invocation, (workspace, keys) =>
      exportRepository(workspace, { file, keys, seconds, ...deviceKindOf(invocation) }),
    );
    await output.changed(result, sentences(result, directory));
    if (seconds !== undefined && result.is_shorter)
      throw new CommandError(10, shortSentence(result, directory));
  },
};

function sentences(result: ExportResult, directory: string): string {
  const { file, bytes, releases, signed, good_until, remarks } = result;
  const megabytes = (bytes / 1e6).toFixed(1);
  const lines = [
    `${file} has ${releases.length} ${releases.length === 1 ? "release" : "releases"}, and all that a device verifies by: ${megabytes} MB.`,
    ...releases.map((path) => `  ${path}`),
    `Devices take it until ${good_until}: steward update check --repo ${file}`,
    "Until then it keeps a device that sees nothing else from noticing newer releases. Let it last as long as the way there, not longer.",
  ];
  if (signed.length > 0) {
    const named = signed.map(({ role, version }) => `${role} ${version}`).join(" and ");
    lines.push(
      `It has its own ${named}; ${directory}/public is as it was. A device that has read it takes only later ones from a server: steward-publisher renew ${directory}, and upload.`,
    );
  }
  return joinLines([...lines, ...remarks]);
}

function shortSentence({ limited_by, good_until, signed }: ExportResult, directory: string): string {
  if (signed.length === 0)
    return `${directory}: the key of timestamp is not at hand, so the archive has the published one, and is good until ${good_until} only. Give the key with --key or --signer.`;
  const renewal =
    limited_by === "snapshot"
      ? "Give the key of snapshot with --key or --signer"
      : `First: steward-publisher renew ${directory} ${limited_by} && steward-publisher publish ${directory}`;
  return `The archive is good until ${good_until} only, because the published metadata of ${limited_by} expire then. ${renewal}. Then export again.`;
}
