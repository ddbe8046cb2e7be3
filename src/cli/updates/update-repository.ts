import { statSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Updates } from "../../contract/types.ts";
import { CommandError } from "../../terminal/command-error.ts";
import type { Option } from "../../terminal/commands/command.ts";
import { escapeText } from "../../terminal/escape.ts";
import type { Invocation } from "../client/command.ts";
import { requireLocal } from "../client/places.ts";
import { formatBytes } from "../system/facts-view.ts";
import { createProgressLine, shareOf } from "./progress-line.ts";
import { sentFile } from "./sent-file.ts";

export const repositoryOption: Option = {
  name: "repo",
  value: "DIR",
  isFile: true,
  summary: "a repository on this device instead, such as a USB stick",
};

export const repositoryOrFileOption: Option = {
  ...repositoryOption,
  value: "DIR|FILE",
  summary:
    "a repository on this device instead, such as a USB stick, or a tar of one, which is sent to the device",
};

/** The option's directory as the API takes it. Throws CommandError(2) for a file, and beside `--url`. */
export function repositoryOf({ options, places }: Invocation, command: string): { repository?: string } {
  const directory = options.text("repo");
  if (directory === undefined) return {};
  if (isFile(directory))
    throw new CommandError(
      2,
      escapeText(
        `${directory} is a file: \`steward update check --repo ${directory}\` stages what it has, then \`steward update apply\` applies it.`,
      ),
    );
  requireLocal(places, command);
  return { repository: pathToFileURL(resolve(directory)).href };
}

/** Begins a check of the directory or file of the option, or of the server; a file is sent, with its progress on a terminal. */
export async function checkRepository(invocation: Invocation): Promise<Updates> {
  const { client, options } = invocation;
  const path = options.text("repo");
  if (path === undefined || !isFile(path))
    return client.call("checkForUpdates", { body: repositoryOf(invocation, "update check --repo DIR") });
  const show = createProgressLine(invocation);
  const { size } = statSync(path);
  const body = await sentFile(path, (bytes) =>
    show(`Sending ${path}: ${formatBytes(bytes)}${shareOf(bytes, size)}`),
  );
  try {
    return await client.call("checkUploadedRepository", { body });
  } finally {
    show("");
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
