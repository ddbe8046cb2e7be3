import { type Discarded, discardDrafts, planDiscard } from "../publishing/drafts/discard.ts";
import { roleNames } from "../publishing/roles.ts";
import { readState } from "../publishing/state.ts";
import type { Command } from "../terminal/commands/command.ts";
import { agreesTo, dryRunOption } from "../terminal/commands/consent.ts";
import { joinLines } from "../terminal/escape.ts";
import { directoryPositional, onWorkspace } from "./repository.ts";
import { draftLines, draftsOf } from "./view.ts";

export const discardCommand: Command = {
  path: ["discard"],
  summary: "Discard the draft of a role, or all drafts; published files are not changed",
  positionals: [directoryPositional, { name: "ROLE", isOptional: true, values: roleNames }],
  options: [dryRunOption],
  async run(invocation) {
    const { positionals, options, output } = invocation;
    const [, role] = positionals;
    await onWorkspace(invocation, async (workspace, keys) => {
      const state = await readState(workspace);
      const discarded = planDiscard(
        workspace,
        state,
        roleNames.find((one) => one === role),
      );
      const says = discarded.map(describe);
      const question = discarded.length === 1 ? "Discard it?" : `Discard these ${discarded.length}?`;
      if (!(await agreesTo(invocation, { says, question }))) return;
      const drafts = draftsOf(await discardDrafts(workspace, state, { discarded, keys }));
      const done = `Discarded: ${discarded.map((one) => `${one.role} version ${one.version}`).join(", ")}. Published files were not changed.`;
      const left = drafts.length === 0 ? [] : [`Still drafted: ${drafts.map((one) => one.role).join(", ")}.`];
      const lines = [...(options.has("yes") ? says : []), done, ...left, ...draftLines(drafts, workspace)];
      await output.changed({ discarded, drafts }, joinLines(lines));
    });
  },
};

function describe({ role, version, targets, dropped, keys, is_emptied }: Discarded): string {
  const brings = [
    ...targets,
    ...(dropped > 0 ? [`${dropped} dropped ${dropped === 1 ? "release" : "releases"}`] : []),
    ...keys.flatMap(({ role: name, added, removed }) => [
      ...added.map((id) => `the key ${id.slice(0, 16)} for ${name}`),
      ...removed.map((id) => `the removal of the key ${id.slice(0, 16)} for ${name}`),
    ]),
  ];
  const emptied = is_emptied ? " An empty draft takes its place." : "";
  return brings.length === 0
    ? `The draft of ${role} version ${version}, which changes only dates.${emptied}`
    : `The draft of ${role} version ${version}, with: ${brings.join(", ")}.${emptied}`;
}
