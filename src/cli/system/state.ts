import { setTimeout as delay } from "node:timers/promises";
import { documentNames, lateDocumentNames } from "../../contract/document-names.ts";
import type { CopyChoice, StateCopy, StateEntry, StateTools } from "../../store/documents/inspection.ts";
import type { GivenOptions, Option } from "../../terminal/commands/command.ts";
import { requireConsent } from "../../terminal/commands/consent.ts";
import type { Fields } from "../../terminal/table.ts";
import { wholeList } from "../client/all-pages.ts";
import { createHttpClient } from "../client/client.ts";
import type { Command, Invocation } from "../client/command.ts";
import { afterOtherCommands } from "../client/patience.ts";
import { type Places, requireLocal } from "../client/places.ts";
import { formatBytes } from "./facts-view.ts";

const names = [...documentNames, ...lateDocumentNames];

const fromOption: Option = {
  name: "from",
  value: "FILE|good",
  excludes: "at",
  summary: "a kept file from `state list NAME`, or good for the last good copy",
};

const atOption: Option = {
  name: "at",
  value: "WHEN",
  summary: "a version of users or settings: its number, or a time at which it was in use",
};

const list: Command = {
  path: ["state", "list"],
  summary: "List the agent's documents and their condition, or the copies that NAME can be restored from",
  positionals: [{ name: "NAME", isOptional: true, suggestions: names }],
  async run(invocation) {
    const tools = await openTools(invocation, "state list");
    const [name] = invocation.positionals;
    if (name !== undefined) return listCopies(invocation, await tools.copies(name));
    const entries = await tools.list();
    await invocation.output.table(wholeList(entries), {
      heads: ["NAME", "CONDITION", "SIZE", "CHANGED", "GOOD COPY", "KEPT", "DETAIL"],
      rows: entries.map((entry) => entryFields(entry).map(([, value]) => value)),
    });
  },
};

const show: Command = {
  path: ["state", "show"],
  summary: "Show a document as JSON, with its secrets masked",
  positionals: [{ name: "NAME", suggestions: names }],
  options: [fromOption, atOption],
  async run(invocation) {
    const tools = await openTools(invocation, "state show");
    const [name = ""] = invocation.positionals;
    await invocation.output.document(await tools.show(name, choiceOf(invocation.options)));
  },
};

const restore: Command = {
  path: ["state", "restore"],
  summary: "Replace a document with its last good copy, a version or a kept file",
  positionals: [{ name: "NAME", suggestions: names }],
  options: [fromOption, atOption],
  async run(invocation) {
    const tools = await openTools(invocation, "state restore");
    const [name = ""] = invocation.positionals;
    const choice = choiceOf(invocation.options);
    const source = sourceOf(choice);
    const entry = await replaced(invocation, source, () => tools.restore(name, choice));
    await invocation.output.changed(entry, `The document "${name}" is restored from ${source}.`);
  },
};

const reset: Command = {
  path: ["state", "reset"],
  summary: "Replace a document with its defaults",
  positionals: [{ name: "NAME", suggestions: names }],
  async run(invocation) {
    const tools = await openTools(invocation, "state reset");
    const [name = ""] = invocation.positionals;
    const entry = await replaced(invocation, "its defaults", () => tools.reset(name));
    await invocation.output.changed(entry, `The document "${name}" has its defaults.`);
  },
};

const accept: Command = {
  path: ["state", "accept"],
  summary: "Accept the findings about a document, so that health no longer reports them",
  positionals: [{ name: "NAME", suggestions: names }],
  worksOffline: true,
  async run({ positionals, client, output }) {
    const [name = ""] = positionals;
    const answer = await client.call("acceptDamage", { params: { name } });
    const found = answer.accepted.map(({ at, detail }) => `${at}: ${detail}`).join("\n");
    await output.changed(answer, `Accepted; health no longer reports:\n${found}`);
  },
};

export const stateCommands: readonly Command[] = [list, show, restore, reset, accept];

function openTools({ places, context }: Invocation, command: string): Promise<StateTools> {
  requireLocal(places, command);
  return context.openState(places.stateDirectory);
}

/** Asks, and replaces a document once the state is unlocked. Returns when an agent that was in rescue for it serves. */
async function replaced(
  invocation: Invocation,
  source: string,
  replace: () => Promise<StateEntry>,
): Promise<StateEntry> {
  const { positionals, places, output } = invocation;
  await requireConsent(
    invocation,
    `Replace the document "${positionals[0]}" by ${source}? The current file is kept.`,
  );
  const entry = await afterOtherCommands({ places, remark: output.remark }, replace);
  await untilOutOfRescue(places);
  return entry;
}

/** Milliseconds: the agent checks every two seconds if its state was repaired, and needs some more to restart. */
const longestWait = 20_000;
const pause = 200;

/** Returns when an agent in rescue has found its state repaired; at once where none answers; after a while otherwise. */
async function untilOutOfRescue(places: Places): Promise<void> {
  const client = createHttpClient(places, { timeoutMilliseconds: 5_000 });
  const end = performance.now() + longestWait;
  while (performance.now() < end) {
    const health = await client.call("getHealth", {}).catch(() => null);
    if (health?.status !== "rescue") return;
    await delay(pause);
  }
}

function choiceOf(options: GivenOptions): CopyChoice {
  return { from: options.text("from"), at: options.text("at") };
}

function sourceOf({ from, at }: CopyChoice): string {
  if (at !== undefined) return /^\d+$/.test(at) ? `its version ${at}` : `its version as of ${at}`;
  return from === undefined || from === "good" ? "its last good copy" : from;
}

async function listCopies({ output }: Invocation, copies: readonly StateCopy[]): Promise<void> {
  await output.table(wholeList(copies), {
    heads: ["FROM", "WHAT", "VERSION", "AT", "FORMAT", "SIZE", "CONDITION", "DETAIL"],
    rows: copies.map((copy) => [
      copy.from,
      copy.what,
      copy.number,
      copy.at,
      copy.format,
      formatBytes(copy.size_bytes),
      copy.condition,
      copy.detail,
    ]),
  });
}

function entryFields(entry: StateEntry): Fields {
  return [
    ["name", entry.name],
    ["condition", entry.condition],
    ["size", entry.size_bytes === null ? null : formatBytes(entry.size_bytes)],
    ["changed", entry.modified_at],
    ["good copy", entry.good_copy_at],
    ["kept", entry.kept],
    ["detail", [entry.detail, ...entry.findings].filter((text) => text !== "").join(" ")],
  ];
}
