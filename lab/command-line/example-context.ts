import { appendFileSync, existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { CommandContext } from "../../src/cli/client/context.ts";
import { StewardError } from "../../src/contract/errors.ts";
import type { OperationId } from "../../src/contract/operations.ts";
import type { Output } from "../../src/contract/types.ts";
import { openExaminedHost } from "../../src/programs/command-line/examined-host.ts";
import type { CopyChoice, StateCopy, StateEntry } from "../../src/store/documents/inspection.ts";
import { CommandError } from "../../src/terminal/command-error.ts";
import { readRootOfTrust } from "../../src/tuf/root-of-trust.ts";
import type { Streams } from "../basics/captured-streams.ts";

/**
 * The world of the command line for the tests of this room. A directory replaces what is below it: offline answers come
 * from offline.json, documents from documents.json, and each call is noted in calls.jsonl.
 */
export const exampleContext = (
  streams: Streams,
  environment: CommandContext["environment"],
): CommandContext => ({
  ...streams,
  environment,
  program: {
    version: "0.1.0",
    builtAt: new Date("2026-11-01T00:00:00Z"),
    node: process.execPath,
    nodeVersion: process.version,
    selfCheck: join(import.meta.dirname, "../../dist/self-check.js"),
    userId: () => process.geteuid?.(),
  },
  openHost: async () => openExaminedHost(() => process.geteuid?.()),
  async openOffline(stateDirectory) {
    const answers = readJson(join(stateDirectory, "offline.json")) as Record<string, unknown>;
    return {
      async call<Id extends OperationId>(id: Id, input: object) {
        note(stateDirectory, { id, ...input });
        return answers[id] as Output<Id>;
      },
      async close() {
        note(stateDirectory, { id: "close" });
      },
    };
  },
  async runInstaller(words, places) {
    note(places.stateDirectory, { installer: words, ...places });
    // As the installer would: the journal that it leaves, and its exit code.
    const journal = join(places.stateDirectory, "journal-after.json");
    if (existsSync(journal)) renameSync(journal, join(places.releasesDirectory, "journal.json"));
    return Number(environment.INSTALLER_EXIT ?? 0);
  },
  async prepareImage(places) {
    note(places.stateDirectory, { image: true });
  },
  openAge: async () => {
    const { age } = await import("../agents/backup-file.ts");
    return age;
  },
  readRootOfTrust: async (bytes) => readRootOfTrust(bytes),
  async openState(stateDirectory) {
    const entries = readJson(join(stateDirectory, "documents.json")) as StateEntry[];
    const act = (verb: string, name: string, { from, at }: CopyChoice = {}) => {
      note(stateDirectory, { verb, name, from, at });
      const entry = entries.find((candidate) => candidate.name === name);
      if (entry === undefined) throw new StewardError("not_found", `There is no document "${name}".`);
      return entry;
    };
    return {
      list: async () => entries,
      copies: async (name) => {
        act("copies", name);
        return readJson(join(stateDirectory, "copies.json")) as StateCopy[];
      },
      show: async (name, choice) => ({ shown: act("show", name, choice).name }),
      restore: async (name, choice) => act("restore", name, choice),
      reset: async (name) => act("reset", name),
    };
  },
});

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new CommandError(99, `the test gave no ${path}: ${String(error)}`);
  }
}

function note(directory: string, entry: object): void {
  appendFileSync(join(directory, "calls.jsonl"), `${JSON.stringify(entry)}\n`);
}
