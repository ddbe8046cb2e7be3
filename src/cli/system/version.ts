import type { Version } from "../../contract/types.ts";
import { CommandError } from "../../terminal/command-error.ts";
import type { Fields } from "../../terminal/table.ts";
import type { Command } from "../client/command.ts";

export const version: Command = {
  path: ["version"],
  summary: "Show the running agent's version",
  async run({ client, output, context }) {
    let document: Version;
    try {
      document = await client.call("getVersion", {});
    } catch (error) {
      if (!(error instanceof CommandError) || error.exitCode !== 8) throw error;
      throw new CommandError(8, `${error.message}\nThis program is version ${context.program.version}.`);
    }
    await output.fields(document, versionFields(document));
  },
};

function versionFields(document: Version): Fields {
  return Object.entries(document).map(([name, value]) => [name.replaceAll("_", " "), value]);
}
