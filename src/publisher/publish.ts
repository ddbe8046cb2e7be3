import type { Expiring } from "../publishing/expiry.ts";
import { fillingSentence } from "../publishing/fullness.ts";
import { type PublishResult, publish } from "../publishing/publish.ts";
import { draftedRoles, isDraftedRole, isRoleName } from "../publishing/roles.ts";
import { CommandError } from "../terminal/command-error.ts";
import type { Command, Invocation } from "../terminal/commands/command.ts";
import { joinLines } from "../terminal/escape.ts";
import { fingerprintGroups } from "../terminal/fingerprint.ts";
import { formatSpan } from "../terminal/time-figures.ts";
import {
  directoryPositional,
  marginOption,
  marginSecondsOf,
  onWorkspace,
  signingOptions,
} from "./repository.ts";

export const publishCommand: Command = {
  path: ["publish"],
  summary: "Verify the drafts as devices do, and publish them to DIR/public",
  positionals: [directoryPositional],
  options: [
    ...signingOptions,
    {
      name: "only",
      value: "ROLE",
      values: draftedRoles,
      summary: "publish only the draft of this role or kind; may be repeated",
    },
    marginOption,
  ],
  async run(invocation) {
    const only = invocation.options.texts("only").filter(isRoleName).filter(isDraftedRole);
    const marginSeconds = marginSecondsOf(invocation);
    const result = await onWorkspace(invocation, (workspace, keys, signers) =>
      publish(workspace, keys, { signers, marginSeconds, ...(only.length > 0 && { only }) }),
    );
    await reportPublished(invocation, result);
  },
};

/** Prints what was published; exits with 10 if published metadata expire soon. */
export async function reportPublished(
  { output, positionals }: Invocation,
  result: PublishResult,
): Promise<void> {
  const [directory = ""] = positionals;
  const { published, payloads, dropped, floors, last, fingerprint, remarks, waiting, expiring, fillings } =
    result;
  const isFirst = published.some(({ role, version }) => role === "root" && version === 1);
  const roles = published.map(({ role, version, expires }) => `${role} ${version} (until ${expires})`);
  const lines =
    published.length === 0
      ? [`Nothing is new in ${directory}. To renew the timestamp: steward-publisher renew ${directory}`]
      : [
          `Published in ${directory}/public: ${roles.join(", ")}.`,
          ...listed("New for devices", payloads),
          ...listed("No longer on offer", dropped),
          ...floors.map(
            ({ name, floor }) => `The floor of ${name} is ${floor} now: no device goes back below it.`,
          ),
          `Upload ${directory}/public: targets/ first, and at the end ${last.map((name) => `metadata/${name}`).join(" and then ")}.`,
          ...(isFirst
            ? [
                `Devices must trust ${directory}/public/metadata/1.root.json, whose fingerprint is`,
                "",
                ...fingerprintGroups(fingerprint).split("\n"),
              ]
            : []),
        ];
  const waits = waiting.length === 0 ? [] : [`Still drafted: ${waiting.join(", ")}.`];
  const full = fillings.map(fillingSentence);
  await output.changed(result, joinLines([...lines, ...remarks, ...waits, ...full]));
  if (expiring.length > 0) throw new CommandError(expiringExitCode, expiringSentence(expiring));
}

/** Paths that are named one by one; more are counted. */
const mostListed = 20;

function listed(what: string, paths: readonly string[]): string[] {
  const named = paths.slice(0, mostListed).map((path) => `${what}: ${path}`);
  return paths.length <= mostListed
    ? named
    : [...named, `${what}: ${paths.length - mostListed} more, all of them with -o json`];
}

/** For cron: nothing failed, but people have to sign soon. */
export const expiringExitCode = 10;

export function expiringSentence(all: readonly Expiring[]): string {
  const lines = all.map(({ role, version, expires, expires_in_seconds: left, command }) => {
    const when = left > 0 ? `expires at ${expires}, in ${formatSpan(left)}` : `has expired at ${expires}`;
    return `  ${role} version ${version} ${when}. Type: ${command}`;
  });
  return joinLines(["Published metadata expire soon. Devices install nothing under expired ones.", ...lines]);
}
