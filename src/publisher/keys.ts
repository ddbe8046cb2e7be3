import { requireClock } from "../publishing/clock.ts";
import { type HeldKey, heldKeys, nameOwners } from "../publishing/keys/owners.ts";
import { readKeysAtHand } from "../publishing/keys/private-keys.ts";
import { readState } from "../publishing/state.ts";
import { withWorkspace } from "../publishing/workspace.ts";
import { CommandError } from "../terminal/command-error.ts";
import type { Command, Invocation } from "../terminal/commands/command.ts";
import { escapeText } from "../terminal/escape.ts";
import { directoryPositional, surroundingsOf } from "./repository.ts";

export const keysCommand: Command = {
  path: ["keys"],
  summary: "List the keys of each role with their owners, or note who holds one",
  positionals: [directoryPositional],
  options: [
    {
      name: "owner",
      value: "ID=NAME",
      summary:
        "who holds the key that begins so, such as a1b2c3d4=Anna; without NAME: unknown; may be repeated",
    },
  ],
  async run(invocation) {
    const [directory = ""] = invocation.positionals;
    const given = ownersOf(invocation);
    const keys = await withWorkspace(directory, surroundingsOf(invocation), async (workspace) => {
      requireClock(workspace, await readState(workspace));
      const files = (await readKeysAtHand(workspace.keys)).keys.map(({ id, file }) => [id, file] as const);
      const named = given.length === 0 ? workspace : await nameOwners(workspace, given);
      return heldKeys(named, new Map(files));
    });
    await invocation.output.table(keys, {
      heads: ["ROLE", "NEEDED", "KEY", "OWNER", "STATE", "PRIVATE HALF"],
      rows: keys.map(rowOf),
    });
  },
};

function rowOf({ role, threshold, key_id, owner, state, file }: HeldKey): readonly unknown[] {
  return [role, threshold, key_id.slice(0, 16), owner, state, file ?? "elsewhere"];
}

function ownersOf({ options }: Invocation): { keyId: string; owner: string }[] {
  return options.texts("owner").map((text) => {
    const [, keyId = "", owner = ""] = /^([0-9a-f]+)=(.*)$/s.exec(text) ?? [];
    if (keyId !== "") return { keyId, owner: owner.trim() };
    throw new CommandError(
      2,
      escapeText(`--owner expects ID=NAME with the first 8 or more digits of a key id, not "${text}".`),
    );
  });
}
