import type { StateEntry, StateTools } from "../store/inspection.ts";
import type { Command, Invocation, Option } from "./command.ts";
import { requireConsent } from "./consent.ts";
import { formatBytes } from "./facts-view.ts";
import { afterOtherCommands } from "./patience.ts";
import { requireLocal } from "./places.ts";
import type { Fields } from "./table.ts";

/** For completion; the agent's documents are looked up by the tools themselves. */
export const documentNames = [
  "users",
  "settings",
  "sessions",
  "attempts",
  "tokens",
  "used-codes",
  "clock",
  "updates",
] as const;

const fromOption: Option = {
  name: "from",
  value: "FILE",
  summary: "a kept file as `state list` names it, or good for the last good copy",
};

const list: Command = {
  path: ["state", "list"],
  summary: "List the agent's documents and their condition",
  positionals: [],
  options: [],
  async run(invocation) {
    const entries = await (await openTools(invocation, "state list")).list();
    await invocation.output.table(entries, {
      heads: ["NAME", "CONDITION", "SIZE", "CHANGED", "GOOD COPY", "KEPT", "DETAIL"],
      rows: entries.map((entry) => entryFields(entry).map(([, value]) => value)),
    });
  },
};

const show: Command = {
  path: ["state", "show"],
  summary: "Show a document as JSON, its secrets masked",
  positionals: [{ name: "NAME", suggestions: documentNames }],
  options: [fromOption],
  async run(invocation) {
    const tools = await openTools(invocation, "state show");
    const [name = ""] = invocation.positionals;
    await invocation.output.document(await tools.show(name, invocation.options.text("from")));
  },
};

const restore: Command = {
  path: ["state", "restore"],
  summary: "Put the last good copy, or a kept file, in a document's place",
  positionals: [{ name: "NAME", suggestions: documentNames }],
  options: [fromOption],
  async run(invocation) {
    const tools = await openTools(invocation, "state restore");
    const [name = ""] = invocation.positionals;
    const from = invocation.options.text("from");
    const source = from === undefined || from === "good" ? "its last good copy" : from;
    await requireConsent(
      invocation,
      `Replace the document "${name}" by ${source}? The present file is kept.`,
    );
    const entry = await alone(invocation, () => tools.restore(name, from));
    await invocation.output.changed(entry, `The document "${name}" is restored from ${source}.`);
  },
};

const reset: Command = {
  path: ["state", "reset"],
  summary: "Put the defaults in a document's place",
  positionals: [{ name: "NAME", suggestions: documentNames }],
  options: [],
  async run(invocation) {
    const tools = await openTools(invocation, "state reset");
    const [name = ""] = invocation.positionals;
    await requireConsent(
      invocation,
      `Replace the document "${name}" by its defaults? The present file is kept.`,
    );
    const entry = await alone(invocation, () => tools.reset(name));
    await invocation.output.changed(entry, `The document "${name}" has its defaults.`);
  },
};

export const stateCommands: readonly Command[] = [list, show, restore, reset];

function openTools({ places, context }: Invocation, command: string): Promise<StateTools> {
  requireLocal(places, command);
  return context.openState(places.stateDirectory);
}

/** Waits for another command that writes the state, not for an agent that keeps it. */
function alone<T>({ places, output }: Invocation, work: () => Promise<T>): Promise<T> {
  return afterOtherCommands({ places, remark: output.remark }, work);
}

function entryFields(entry: StateEntry): Fields {
  return [
    ["name", entry.name],
    ["condition", entry.condition],
    ["size", entry.size_bytes === null ? null : formatBytes(entry.size_bytes)],
    ["changed", entry.modified_at],
    ["good copy", entry.good_copy_at],
    ["kept", entry.kept],
    ["detail", entry.detail],
  ];
}
