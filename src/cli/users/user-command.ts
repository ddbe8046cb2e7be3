import { roleNames } from "../../contract/shapes.ts";
import type { Role } from "../../contract/types.ts";
import type { GivenOptions, Option } from "../../terminal/commands/command.ts";
import type { Command, Invocation } from "../client/command.ts";
import { countTokens } from "./user-view.ts";

export const roleOption: Option = {
  name: "role",
  value: "ROLE",
  values: roleNames,
  summary: "what the user may do: everything, operate the device, or only read logs and status",
};

export const displayNameOption: Option = {
  name: "display-name",
  value: "TEXT",
  summary: "the name that is shown to people",
};

export const keepTokensOption: Option = {
  name: "keep-tokens",
  summary: "keep the user's API tokens valid; without this option they are deleted",
};

/** As the request has it; absent: they end. */
export function keptTokens(options: GivenOptions): { keep_tokens?: true } {
  return options.has("keep-tokens") ? { keep_tokens: true } : {};
}

/** The sentence about the API tokens of a user who was let in again. */
export function tokensSentence(
  { username, tokens, tokens_ended }: { username: string; tokens: number; tokens_ended: number },
  options: GivenOptions,
): string {
  if (!options.has("keep-tokens")) return `${countTokens(tokens_ended)} ended.`;
  return tokens === 0
    ? "There is no API token to keep."
    : `${countTokens(tokens)} kept: steward token list --user ${username}`;
}

/** The role that was given; the parser has already refused any other word. */
export function readRole(options: GivenOptions): Role | undefined {
  return roleNames.find((role) => role === options.text("role"));
}

/** A command `user VERB NAME`; a verb may have several words. */
export function onUser(
  verb: string,
  summary: string,
  act: (invocation: Invocation, name: string) => Promise<void>,
): Command {
  return {
    path: ["user", ...verb.split(" ")],
    summary,
    positionals: [{ name: "NAME", live: "users" }],
    worksOffline: true,
    run: (invocation) => act(invocation, invocation.positionals[0] ?? ""),
  };
}
