import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Option } from "../../terminal/commands/command.ts";
import type { Invocation } from "../client/command.ts";
import { requireLocal } from "../client/places.ts";

export const repositoryOption: Option = {
  name: "repo",
  value: "DIR",
  isFile: true,
  summary: "a repository on this device instead, such as a USB stick",
};

/** The directory of the option as the API takes it. Throws CommandError(2) together with `--url`: the directory would be of another device. */
export function repositoryOf({ options, places }: Invocation, command: string): { repository?: string } {
  const directory = options.text("repo");
  if (directory === undefined) return {};
  requireLocal(places, command);
  return { repository: pathToFileURL(resolve(directory)).href };
}
