import { roleNames } from "../contract/shapes.ts";
import type { Role } from "../contract/types.ts";
import type { Command, GivenOptions, Invocation, Option } from "./command.ts";

export const roleOption: Option = {
  name: "role",
  value: "ROLE",
  values: roleNames,
  summary: "what the user may do: all, operate, or read logs and status",
};

export const displayNameOption: Option = {
  name: "display-name",
  value: "TEXT",
  summary: "the name that people read",
};

/** The role that was given; the parser has already refused any other word. */
export function readRole(options: GivenOptions): Role | undefined {
  return roleNames.find((role) => role === options.text("role"));
}

/** A command `user VERB NAME`. */
export function onUser(
  verb: string,
  summary: string,
  act: (invocation: Invocation, name: string) => Promise<void>,
): Command {
  return {
    path: ["user", verb],
    summary,
    positionals: [{ name: "NAME", live: "users" }],
    options: [],
    worksOffline: true,
    run: (invocation) => act(invocation, invocation.positionals[0] ?? ""),
  };
}
