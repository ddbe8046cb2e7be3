import { type HeldKey, heldKeys, nameOwners } from "../publishing/keys/owners.ts";
import { CommandError } from "../terminal/command-error.ts";
import type { Command, Invocation } from "../terminal/commands/command.ts";
import { escapeText } from "../terminal/escape.ts";
import { directoryPositional, keyOption, onWorkspace } from "./repository.ts";

export const keysCommand: Command = {
  path: ["keys"],
  summary: "List the keys of each role with their owners, or record who holds one",
  positionals: [directoryPositional],
  options: [
    keyOption,
    {
      name: "owner",
      value: "ID=NAME",
      summary:
        "the holder of the key whose ID begins like this, such as a1b2c3d4=Anna; without NAME: unknown; may be repeated",
    },
  ],
  async run(invocation) {
    const given = ownersOf(invocation);
    const keys = await onWorkspace(invocation, async (workspace, atHand) => {
      const named = given.length === 0 ? workspace : await nameOwners(workspace, given);
      return heldKeys(named, new Map(atHand.map(({ id, file }) => [id, file])));
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
