import type { Version } from "../../contract/types.ts";
import { CommandError } from "../../terminal/command-error.ts";
import type { Command } from "../client/command.ts";

export const version: Command = {
  path: ["version"],
  summary: "Show the running agent's version",
  async run({ client, output, context }) {
    const document = await client.call("getVersion", {}).catch((error: unknown) => {
      if (!(error instanceof CommandError) || error.exitCode !== 8) throw error;
      throw new CommandError(8, `${error.message}\nThis program is version ${context.program.version}.`);
    });
    const fields = Object.entries(document).map(
      ([name, value]) =>
        [
          name.replaceAll("_", " "),
          typeof value === "object" && value ? productWords(value) : value,
        ] as const,
    );
    await output.fields(document, fields);
  },
};

/** The product that the host file names, in a row of its own. */
export function productWords({ name, version }: NonNullable<Version["product"]>): string {
  return version === null ? name : `${name} ${version}`;
}
