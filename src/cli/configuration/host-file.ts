import { rethrown, StewardError } from "../../contract/errors.ts";
import type { Tls } from "../../contract/types.ts";
import { CommandError, OnlyExitCode } from "../../terminal/command-error.ts";
import { fileFailure } from "../../terminal/failure.ts";
import { givenText } from "../../terminal/given-text.ts";
import { type Command, type Invocation, needsPerson } from "../client/command.ts";
import type { CheckedText, Client, ExaminedHost } from "../client/context.ts";
import { requireLocal } from "../client/places.ts";

/** As of a refused request. */
const invalidInput = 6;

const check: Command = {
  path: ["host-file", "check"],
  summary:
    "List every fault of the host file, or of a draft of it; exit code 6: it would be refused, 10: some members have no effect",
  examples: [
    {
      line: "steward host-file check",
      what: "this device's host file, its owner, and the files that it names",
    },
    { line: "steward host-file check ./steward.json", what: "only the content of a file, on any machine" },
  ],
  positionals: [{ name: "FILE", isOptional: true }],
  isWithoutAgent: true,
  async run({ positionals: [file], places, context, output }) {
    const { hostFile } = await context.openHost();
    const path = file ?? places.hostFile;
    const { faults, unknown } = await (file === undefined ? hostFile.check(path) : checkFile(file, hostFile));
    const rows = [
      ...faults.map(({ pointer, detail }) => [pointer || path, detail]),
      ...unknown.map((pointer) => [pointer, "is not known to this release, and has no effect"]),
    ];
    const document = { file: path, faults, unknown_members: unknown };
    if (rows.length > 0) await output.table(document, { heads: ["place", "fault"], rows });
    else await output.changed(document, `${path} has no fault.`);
    if (faults.length > 0) throw new OnlyExitCode(invalidInput);
    if (unknown.length > 0) throw new OnlyExitCode(needsPerson);
  },
};

async function checkFile(
  path: string,
  { checkText }: Pick<ExaminedHost["hostFile"], "checkText">,
): Promise<CheckedText> {
  return checkText(await givenText(path));
}

const restore: Command = {
  path: ["host-file", "restore"],
  summary: "Bring back the last accepted host file; the one that cannot be used is set aside",
  async run(invocation) {
    const { places, context, output } = invocation;
    requireLocal(places, "host-file restore");
    const { hostFile } = await context.openHost();
    const { faults } = await hostFile.check(places.hostFile);
    if (faults.length === 0)
      throw new CommandError(5, `${places.hostFile} has no fault, so it stays. Nothing was changed.`);
    const aside = await hostFile
      .restore(places.hostFile)
      .catch(
        rethrown((error) => (error instanceof StewardError ? error : fileFailure(error, places.hostFile))),
      );
    if (aside === null) {
      throw new CommandError(
        3,
        `No accepted host file is kept. Correct ${places.hostFile}: \`steward host-file check\` names its faults. Nothing was changed.`,
      );
    }
    await reread(invocation.client);
    await output.changed(
      { file: places.hostFile, set_aside: aside },
      `The last accepted host file is in force. The other one is ${aside}.`,
    );
  },
};

/** For the unit, as root: at each start before the agent reads the file. */
const keep: Command = {
  path: ["host-file", "keep"],
  isHidden: true,
  summary: "Keep the host file as the last accepted one, if it can be used",
  isWithoutAgent: true,
  run: keepAccepted,
};

export const hostFileCommands: readonly Command[] = [check, restore, keep];

/** Keeps a host file that can be used; the remark says why another is not kept. */
export async function keepAccepted({ context, places, output }: Invocation): Promise<void> {
  const { hostFile } = await context.openHost();
  await hostFile.keep(places.hostFile).catch((error: unknown) => {
    if (!(error instanceof StewardError)) throw error;
    return output.remark(error.message);
  });
}

/** The agent's reading of the host file; null: no agent runs. Throws its refusal. */
export async function reread(client: Client): Promise<Tls | null> {
  try {
    return (await client.call("reloadHostFile", {})).tls;
  } catch (error) {
    if (error instanceof CommandError && error.exitCode === 8) return null;
    throw error;
  }
}
