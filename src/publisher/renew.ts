import type { SigningKey } from "../publishing/keys/private-keys.ts";
import { describeLack, type KeyHolders, keyName } from "../publishing/keys/signing.ts";
import { makeNewKeys } from "../publishing/new-keys.ts";
import { renewOnline } from "../publishing/publish.ts";
import { type KeyChanges, type RenewResult, renewRole } from "../publishing/renew.ts";
import { type DraftedRole, draftedRoles, isDraftedRole, isRoleName, roleNames } from "../publishing/roles.ts";
import type { Workspace } from "../publishing/workspace.ts";
import { CommandError } from "../terminal/command-error.ts";
import type { Command, Invocation } from "../terminal/commands/command.ts";
import { escapeText, joinLines } from "../terminal/escape.ts";
import { readPublicKeys } from "./init.ts";
import { reportPublished } from "./publish.ts";
import {
  byRole,
  clockIsRightOption,
  directoryPositional,
  marginOption,
  marginSecondsOf,
  onWorkspace,
  signingOptions,
  thresholdOption,
  thresholdsOf,
} from "./repository.ts";

export const renewCommand: Command = {
  path: ["renew"],
  summary: "Renew the timestamp (for cron), or draft the next version of roles, even with other keys",
  positionals: [
    directoryPositional,
    { name: "ROLE", isOptional: true, isRepeated: true, values: draftedRoles },
  ],
  options: [
    ...signingOptions,
    { name: "add-key", value: "ROLE=FILE", summary: "a public key (PEM) to add to a role; may be repeated" },
    {
      name: "new-key",
      value: "ROLE[=FILE]",
      summary:
        "make a key in DIR/keys that replaces the role's key, for example a stolen one; with FILE, that public key (PEM) replaces it; may be repeated",
    },
    { name: "keep-old", summary: "with --new-key: add the new key, and keep the existing ones valid" },
    { name: "remove-key", value: "ROLE=ID", summary: "a key to remove from a role; may be repeated" },
    thresholdOption,
    marginOption,
    clockIsRightOption,
  ],
  async run(invocation) {
    const [, ...roles] = invocation.positionals;
    requireFitting(invocation, roles);
    if (roles.length > 0) return draftRoles(invocation);
    const marginSeconds = marginSecondsOf(invocation);
    const result = await onWorkspace(invocation, (workspace, keys) =>
      renewOnline(workspace, keys, marginSeconds),
    );
    await reportPublished(invocation, result);
  },
};

function requireFitting({ options }: Invocation, roles: readonly string[]): void {
  const changesKeys = ["add-key", "new-key", "remove-key", "threshold"].some((name) => options.has(name));
  if (changesKeys && roles.length !== 1) {
    throw new CommandError(
      2,
      "Change the keys of one role at a time: name root, or targets, which holds the keys of rules and binary.",
    );
  }
  if (options.has("keep-old") && !options.has("new-key"))
    throw new CommandError(2, "--keep-old is for --new-key.");
  if (options.has("margin") && roles.length > 0) {
    throw new CommandError(2, "--margin looks at published metadata: leave ROLE out, or give it to publish.");
  }
}

async function draftRoles(invocation: Invocation): Promise<void> {
  const { results, files, holders } = await onWorkspace(invocation, async (workspace, keys) => {
    return { ...(await renewRoles(invocation, workspace, keys)), holders: workspace };
  });
  const { directory, owners } = holders;
  const lines = results.flatMap((one) => [draftLine(one, holders), ...keyLines(one, files, owners)]);
  await invocation.output.changed(
    results,
    joinLines([...lines, `Next: steward-publisher publish ${directory}`]),
  );
}

async function renewRoles(invocation: Invocation, workspace: Workspace, atHand: readonly SigningKey[]) {
  const [, ...words] = invocation.positionals;
  const roles = words.filter(isRoleName).filter(isDraftedRole);
  const { made, changes } = await keyChanges(invocation, workspace, roles);
  const keys = [...atHand, ...made];
  const all = new Map<DraftedRole, RenewResult>();
  for (const role of roles)
    for (const one of await renewRole(workspace, role, { keys, changes })) all.set(one.role, one);
  return { results: [...all.values()], files: new Map(keys.map(({ id, file }) => [id, file])) };
}

async function keyChanges(
  invocation: Invocation,
  workspace: Workspace,
  [role = "root"]: readonly DraftedRole[],
) {
  const { options, output } = invocation;
  const changes: KeyChanges = {
    add: await readPublicKeys(byRole(invocation, "add-key")),
    remove: byRole(invocation, "remove-key"),
    thresholds: thresholdsOf(invocation),
  };
  const { named, given } = await newKeysOf(invocation);
  if (named.length === 0 && Object.keys(given).length === 0) return { made: [], changes };
  const made = await makeNewKeys(workspace, role, {
    roles: named,
    given,
    keepsOld: options.has("keep-old"),
    changes,
  });
  for (const [index, { file }] of made.made.entries())
    await output.remark(escapeText(`A new key of ${named[index]} is in ${file}.`));
  return made;
}

/** Reads `--new-key`: the roles whose keys are made here, and the public keys of the others. Throws CommandError(2). */
async function newKeysOf(invocation: Invocation) {
  const texts = byRole(invocation, "new-key", "ROLE, or ROLE=FILE,");
  const files = roleNames.map((role) => [role, texts[role]?.filter((file) => file !== "") ?? []] as const);
  const named = roleNames.flatMap((role) =>
    (texts[role] ?? []).flatMap((file) => (file === "" ? [role] : [])),
  );
  return { named, given: await readPublicKeys(Object.fromEntries(files)) };
}

function draftLine({ role, version, expires, lacking }: RenewResult, holders: KeyHolders): string {
  const drafted = `${role} version ${version}, good until ${expires}, is drafted`;
  return lacking.length === 0
    ? `${drafted} and signed.`
    : `${drafted}; ${describeLack(role, lacking, holders)}`;
}

/** The keys that count from then on, and those that no longer do, so that a stolen one is noticed. */
function keyLines(
  { keys }: RenewResult,
  files: ReadonlyMap<string, string>,
  owners: KeyHolders["owners"],
): string[] {
  const named = (id: string): string =>
    `${keyName(id, owners)} (${files.get(id) ?? "its private half is elsewhere"})`;
  return keys.flatMap(({ role, keyids, threshold, removed, still_in }) => [
    `Once this is published, ${threshold} of these keys must sign ${role}: ${keyids.map(named).join(", ")}.`,
    ...(removed.length === 0 ? [] : [`  No longer counts for ${role}: ${removed.map(named).join(", ")}.`]),
    ...still_in.map(
      (other) => `  It still counts for ${other}: replace it there too, with --new-key ${other}.`,
    ),
  ]);
}
