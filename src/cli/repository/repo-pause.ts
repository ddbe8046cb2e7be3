import type { AddResult } from "../../publishing/add.ts";
import { describeLack } from "../../publishing/keys/signing.ts";
import { pauseRelease, resumeRelease } from "../../publishing/rollout/pause.ts";
import type { Command, Invocation } from "../framework/command.ts";
import { joinLines } from "../terminal/escape.ts";
import { selectionOf, selectionOptions } from "./repo-add.ts";
import { directoryPositional, onWorkspace, signingOptions } from "./repo-command.ts";

export const repoPause: Command = {
  path: ["repo", "pause"],
  summary: "Stop a roll-out for now: devices without the release wait, those that have it keep it",
  positionals: [directoryPositional],
  options: [...selectionOptions, ...signingOptions],
  run: (invocation) => change(invocation, "repo pause", pauseRelease, "is paused"),
};

export const repoResume: Command = {
  path: ["repo", "resume"],
  summary: "Continue a paused roll-out where it was: its waves come as much later as it was paused",
  positionals: [directoryPositional],
  options: [...selectionOptions, ...signingOptions],
  run: (invocation) => change(invocation, "repo resume", resumeRelease, "continues"),
};

async function change(
  invocation: Invocation,
  command: string,
  make: typeof pauseRelease,
  what: string,
): Promise<void> {
  const [directory = ""] = invocation.positionals;
  const result = await onWorkspace(invocation, command, (workspace, keys) =>
    make(workspace, { selection: selectionOf(invocation, workspace), keys }),
  );
  await invocation.output.changed(result, sentences(result, directory, what));
}

function sentences({ role, version, targets, lacking }: AddResult, directory: string, what: string): string {
  const lines = targets.map(({ path }) => `${path} ${what} in the draft of ${role} version ${version}.`);
  const next =
    lacking.length > 0
      ? `Before it is published, ${describeLack(role, lacking, directory)}`
      : `It is signed. Next: steward repo publish ${directory}`;
  return joinLines([...lines, next]);
}
