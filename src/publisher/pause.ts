import type { AddResult } from "../publishing/add.ts";
import type { KeyHolders } from "../publishing/keys/signing.ts";
import { pauseRelease, resumeRelease } from "../publishing/rollout/pause.ts";
import type { Command, Invocation } from "../terminal/commands/command.ts";
import { joinLines } from "../terminal/escape.ts";
import { selectionOf, selectionOptions } from "./add.ts";
import { directoryPositional, onWorkspace, signingOptions } from "./repository.ts";
import { nextSentence } from "./view.ts";

const shape = {
  positionals: [directoryPositional],
  options: [...selectionOptions, ...signingOptions],
} as const;

export const pauseCommand: Command = {
  ...shape,
  path: ["pause"],
  summary: "Stop a roll-out for now: devices without the release wait, those that have it keep it",
  run: (invocation) => change(invocation, pauseRelease, "is paused"),
};

export const resumeCommand: Command = {
  ...shape,
  path: ["resume"],
  summary: "Continue a paused roll-out: its waves are delayed by as long as it was paused",
  run: (invocation) => change(invocation, resumeRelease, "continues"),
};

async function change(invocation: Invocation, make: typeof pauseRelease, what: string): Promise<void> {
  const { result, holders } = await onWorkspace(invocation, async (workspace, keys) => {
    const selection = selectionOf(invocation, workspace);
    return { result: await make(workspace, { selection, keys }), holders: workspace };
  });
  await invocation.output.changed(result, sentences(result, holders, what));
}

function sentences(
  { role, version, targets, lacking }: AddResult,
  holders: KeyHolders,
  what: string,
): string {
  const lines = targets.map(({ path }) => `${path} ${what} in the draft of ${role} version ${version}.`);
  return joinLines([...lines, nextSentence(role, lacking, holders)]);
}
