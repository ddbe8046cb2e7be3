import { type Discarded, discardDrafts, planDiscard } from "../../publishing/drafts/discard.ts";
import { readState } from "../../publishing/drafts/drafts.ts";
import { isRoleName, roleNames } from "../../publishing/roles.ts";
import type { Command } from "../framework/command.ts";
import { agreesTo, dryRunOption } from "../framework/consent.ts";
import { joinLines } from "../terminal/escape.ts";
import { directoryPositional, onWorkspace } from "./repo-command.ts";
import { draftLines, draftsOf } from "./repo-view.ts";

export const repoDiscard: Command = {
  path: ["repo", "discard"],
  summary: "Give up the draft of a role, or all drafts; published files stay as they are",
  positionals: [directoryPositional, { name: "ROLE", isOptional: true, values: roleNames }],
  options: [dryRunOption],
  async run(invocation) {
    const { positionals, options, output } = invocation;
    const [directory = "", role] = positionals;
    await onWorkspace(invocation, "repo discard", async (workspace, keys) => {
      const state = await readState(workspace);
      const discarded = planDiscard(
        workspace,
        state,
        role !== undefined && isRoleName(role) ? role : undefined,
      );
      const says = discarded.map(describe);
      const question = discarded.length === 1 ? "Give it up?" : `Give these ${discarded.length} up?`;
      if (!(await agreesTo(invocation, { says, question }))) return;
      const drafts = draftsOf(await discardDrafts(workspace, state, { discarded, keys }));
      const done = `Discarded: ${discarded.map((one) => `${one.role} version ${one.version}`).join(", ")}. Published files are as they were.`;
      const left = drafts.length === 0 ? [] : [`Still drafted: ${drafts.map((one) => one.role).join(", ")}.`];
      const lines = [...(options.has("yes") ? says : []), done, ...left, ...draftLines(drafts, directory)];
      await output.changed({ discarded, drafts }, joinLines(lines));
    });
  },
};

function describe({ role, version, targets, keys, is_emptied }: Discarded): string {
  const brings = [
    ...targets,
    ...keys.flatMap(({ role: name, added, removed }) => [
      ...added.map((id) => `the key ${id.slice(0, 16)} for ${name}`),
      ...removed.map((id) => `the end of the key ${id.slice(0, 16)} for ${name}`),
    ]),
  ];
  const emptied = is_emptied ? " An empty draft takes its place." : "";
  return brings.length === 0
    ? `The draft of ${role} version ${version}, which changes dates alone.${emptied}`
    : `The draft of ${role} version ${version}, with: ${brings.join(", ")}.${emptied}`;
}
