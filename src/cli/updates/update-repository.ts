import { createReadStream, statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Updates, Upload } from "../../contract/types.ts";
import { CommandError } from "../../terminal/command-error.ts";
import type { Option } from "../../terminal/commands/command.ts";
import { escapeText } from "../../terminal/escape.ts";
import { fileFailure } from "../../terminal/failure.ts";
import type { Invocation } from "../client/command.ts";
import { requireLocal } from "../client/places.ts";
import { formatBytes } from "../system/facts-view.ts";
import { createProgressLine, shareOf } from "./progress-line.ts";

export const repositoryOption: Option = {
  name: "repo",
  value: "DIR",
  summary: "use a repository on this device, such as on a USB stick",
};

export const repositoryOrFileOption: Option = {
  ...repositoryOption,
  value: "DIR|FILE",
  summary:
    "use a repository on this device, such as on a USB stick, or a tar of one, which is sent to the device",
};

/** The option's directory. Throws CommandError(2) for a file, and beside `--url`: it would be on another device. */
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

/** A file to send. `onSent` gets the bytes read so far. Throws CommandError (3, 4, 6), also while it is read. */
async function sentFile(path: string, onSent: (bytes: number) => void): Promise<Upload> {
  const failed = (error: unknown): never => {
    throw fileFailure(error, path);
  };
  const { size } = await stat(path).catch(failed);
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    try {
      // A file may grow meanwhile: no more is sent than was announced.
      for await (const piece of createReadStream(path, {
        end: Math.max(0, size - 1),
      }) as AsyncIterable<Buffer>) {
        yield piece;
        bytes += piece.length;
        onSent(bytes);
      }
    } catch (error) {
      failed(error);
    }
  };
  return { lengthBytes: size, [Symbol.asyncIterator]: pieces };
}
