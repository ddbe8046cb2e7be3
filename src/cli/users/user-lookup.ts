import { StewardError } from "../../contract/errors.ts";
import { isUsername } from "../../contract/shapes.ts";
import { asUsername } from "../../contract/text/names.ts";
import type { User, UserList, UserQuery } from "../../contract/types.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { suggestion } from "../../terminal/commands/near-miss.ts";
import { allPages } from "../client/all-pages.ts";
import type { Client } from "../client/context.ts";

/** The filters; the order is always by user name. */
export type UserFilter = Partial<
  Pick<UserQuery, "role" | "origin" | "enabled" | "locked" | "two_factor" | "signed_in" | "q">
>;

/** All pages as one, in the API's shape. */
export function listAllUsers(client: Client, filter: UserFilter): Promise<UserList> {
  return allPages((page) => client.call("listUsers", { query: { ...filter, sort: "username", ...page } }));
}

/** The user of this name as it was typed; users who may not list others find themselves. Throws CommandError(3) that names similar ones. */
export async function findUser(client: Client, typed: string): Promise<User> {
  const name = asUsername(typed);
  try {
    return await findAmongAll(client, name);
  } catch (error) {
    if (!(error instanceof StewardError) || error.code !== "forbidden") throw error;
    const self = await client.call("getMe", {});
    if (self.username !== name) throw error;
    return self;
  }
}

/** Throws `forbidden` for callers who may not list users. */
export async function userNamed(client: Client, name: string): Promise<User | undefined> {
  const found = isUsername(name) ? (await listAllUsers(client, { q: name })).items : [];
  return found.find((candidate) => candidate.username === name);
}

async function findAmongAll(client: Client, name: string): Promise<User> {
  const user = await userNamed(client, name);
  if (user !== undefined) return user;
  const everyone = (await listAllUsers(client, {})).items.map((candidate) => candidate.username);
  throw new CommandError(3, `There is no user "${name}"${suggestion(name, everyone)}`);
}
