import { writeFile } from "node:fs/promises";
import { newFirstToken } from "../../accounts/tokens/first-token.ts";
import { messageOf, rethrown } from "../../contract/errors.ts";
import { scopeNames, userScopes } from "../../contract/scopes.ts";
import type { ApiToken, TokenList } from "../../contract/types.ts";
import { CommandError, UsageError } from "../../terminal/command-error.ts";
import { type GivenOptions, type Option, whereGiven } from "../../terminal/commands/command.ts";
import { agreesTo, dryRunOption } from "../../terminal/commands/consent.ts";
import { suggestion } from "../../terminal/commands/near-miss.ts";
import { newFileFailure } from "../../terminal/failure.ts";
import type { Table } from "../../terminal/table.ts";
import { allPages } from "../client/all-pages.ts";
import type { Command, Invocation } from "../client/command.ts";
import type { Client } from "../client/context.ts";
import { asUser } from "./as-user.ts";
import { answersOption } from "./questions.ts";
import { findUser } from "./user-lookup.ts";

const tokenOptions: readonly Option[] = [
  {
    name: "user",
    value: "NAME",
    live: "users",
    summary: "the owner; the token can do no more than that user",
  },
  { name: "name", value: "TEXT", summary: "a name that says what the token is for" },
  { name: "scope", value: "SCOPE", values: userScopes, summary: "what the token may do; can be repeated" },
  { name: "expires-in", value: "DURATION", summary: "1h to 366d, such as 30d; 90d if not given" },
];

/** The members that each token must have. Throws UsageError. */
function requestedToken<Scope extends string>(options: GivenOptions, known: readonly Scope[]) {
  const [user, name] = [options.text("user"), options.text("name")];
  const scopes = known.filter((scope) => options.texts("scope").includes(scope));
  if (user && name && scopes.length > 0) return { user, name, scopes };
  throw new UsageError("A token needs --user, --name and at least one --scope.");
}

/** The token is known to the person who types this, its hash to the file: the image of a device gives nothing away. */
const tokenPrepare: Command = {
  path: ["token", "prepare"],
  summary:
    "Create an API token for devices that are still to be provisioned: print it, and write the file that installs it",
  examples: [
    {
      line: "steward token prepare first-token.json --user anna --name fleet --scope system:read",
      what: "for /etc/steward/first-token.json of an image; anna is its first administrator",
    },
  ],
  positionals: [{ name: "FILE" }],
  options: tokenOptions,
  isWithoutAgent: true,
  async run({ options, positionals, output }) {
    const [path = ""] = positionals;
    const { user: username, name, scopes } = requestedToken(options, userScopes);
    const { token, file } = made({ username, name, scopes, expires_in: options.text("expires-in") });
    await writeFile(path, file, { flag: "wx", mode: 0o600 }).catch(
      rethrown((error) => newFileFailure(error, path)),
    );
    await output.value({ token, file: path }, token);
    await output.remark(
      `The token "${name}" of ${username} is shown only once. ${path} has its hash: put it on each device as /etc/steward/first-token.json, mode 0600, before the first start.`,
    );
  },
};

function made(plan: Parameters<typeof newFirstToken>[0]): ReturnType<typeof newFirstToken> {
  try {
    return newFirstToken(plan);
  } catch (error) {
    const fault = messageOf(error);
    throw new UsageError(`This token cannot be made: ${fault}.`);
  }
}

const add: Command = {
  path: ["token", "add"],
  summary:
    "Create an API token for a user, and print it, only once. Root needs no password; others are asked for the user's",
  examples: [
    {
      line: "steward token add --user anna --name fleet --scope system:read",
      what: "for a program that reads settings and status",
    },
  ],
  options: [
    ...tokenOptions.map((option) => (option.name === "scope" ? { ...option, values: scopeNames } : option)),
    {
      name: "fleet",
      summary:
        "as root: a fleet token, which also writes administrators' settings (system:write) and users (users:write); needs --from",
    },
    {
      name: "from",
      value: "RANGES",
      summary: "as root: addresses and CIDR ranges from which it is valid, separated by commas",
    },
    {
      name: "page",
      value: "NAME",
      summary:
        "a page of the product for which it is valid (product:use), all if none is given; can be repeated",
    },
    {
      name: "no-expiry",
      excludes: "expires-in",
      summary: "as root: it never expires; for scopes that only read",
    },
    answersOption,
  ],
  worksOffline: true,
  async run(invocation) {
    const { options, output } = invocation;
    const { user, name, scopes } = requestedToken(options, scopeNames);
    const expiry = whereGiven({ expires_in: options.text("expires-in") });
    const pages = [...options.texts("page")];
    const body = { name, scopes, ...expiry, ...(pages.length > 0 && { pages }), ...rootsPart(options) };
    const make = async (client: Client, owner: { user_id?: string }) => {
      const made = await client.call("createToken", { body: { ...body, ...owner } });
      await output.value(made, made.token);
      await output.remark(
        `The token "${name}" of ${user} is shown only once. It is valid ${made.no_expiry ? "without an end" : `until ${made.expires_at}`}, or until: steward token rm ${made.id}`,
      );
    };
    if (!isLocalRoot(invocation)) return asUser(invocation, user, ({ client }) => make(client, {}));
    const { id } = await findUser(invocation.client, user);
    await make(invocation.client, { user_id: id });
  },
};

/** The members that only root may set; the agent refuses them to others. */
function rootsPart(options: Invocation["options"]) {
  const sources = options
    .text("from")
    ?.split(",")
    .map((source) => source.trim());
  return {
    ...(options.has("fleet") && { is_fleet: true }),
    ...(sources !== undefined && { sources }),
    ...(options.has("no-expiry") && { no_expiry: true }),
  };
}

/** Over the socket without a token, unless the user's own password is given. */
function isLocalRoot({ places, options }: Invocation): boolean {
  return places.url === undefined && places.tokenFile === undefined && !options.has("password-stdin");
}

const list: Command = {
  path: ["token", "list"],
  summary: "List the API tokens; the secrets are not shown",
  options: [{ name: "user", value: "NAME", live: "users", summary: "only those of this user" }],
  worksOffline: true,
  async run({ options, client, output }) {
    const name = options.text("user");
    const user_id = name === undefined ? undefined : (await findUser(client, name)).id;
    const tokens = await listAllTokens(client, user_id);
    await output.table(tokens, tokenTable(tokens));
  },
};

const remove: Command = {
  path: ["token", "rm"],
  aliases: ["delete"],
  summary: "Delete an API token; it becomes invalid at once",
  positionals: [{ name: "ID", live: "tokens" }],
  options: [dryRunOption],
  worksOffline: true,
  async run(invocation) {
    const { positionals, options, client, output } = invocation;
    const [id = ""] = positionals;
    if (!options.has("yes") || options.has("dry-run")) {
      const token = await findToken(client, id);
      const question = `Delete the token "${token.name}" of ${token.username}?`;
      if (!(await agreesTo(invocation, { says: goneWith(token), question }))) return;
    }
    await client.call("deleteToken", { params: { id } });
    await output.remark(`The token ${id} is deleted.`);
  },
};

const rotate: Command = {
  path: ["token", "rotate"],
  summary:
    "Replace an API token with a new one of the same rights, and print it; the old one stays valid for a while. Root can rotate any token, a program its own: `self`, with --token-file",
  examples: [
    {
      line: "steward token rotate self --token-file token --url https://edge-7:8443",
      what: "a program rotates its own token",
    },
  ],
  positionals: [{ name: "ID", live: "tokens" }],
  options: [
    { name: "overlap", value: "DURATION", summary: "how long both are valid: 0s to 30d; 24h if not given" },
  ],
  worksOffline: true,
  async run({ positionals, options, client, output }) {
    const [id = ""] = positionals;
    const overlap = options.text("overlap") ?? "24h";
    const made =
      id === "self"
        ? await client.call("rotateOwnToken", { body: { overlap } })
        : await client.call("rotateToken", { params: { id }, body: { overlap } });
    await output.value(made, made.token);
    await output.remark(
      `The token "${made.name}" of ${made.username} is shown only once. The former one ends after ${overlap}, or at once: steward token rm ${id}`,
    );
  },
};

const resume: Command = {
  path: ["token", "resume"],
  summary: "Resume API tokens that were suspended because they came with another device's backup",
  examples: [{ line: "steward token resume --all", what: "all of them" }],
  positionals: [{ name: "ID", live: "tokens", isOptional: true }],
  options: [{ name: "all", summary: "every suspended token" }],
  worksOffline: true,
  async run({ positionals: [id], options, client, output }) {
    if ((id === undefined) !== options.has("all")) throw new UsageError("Give the ID of a token, or --all.");
    const ids = id === undefined ? await suspendedIds(client) : [id];
    for (const one of ids) {
      const { name, username } = await client.call("resumeToken", { params: { id: one } });
      await output.remark(`The token "${name}" of ${username} is valid again.`);
    }
    if (ids.length === 0) await output.remark("No token is suspended.");
  },
};

async function suspendedIds(client: Client): Promise<string[]> {
  const { items } = await listAllTokens(client, undefined);
  return items.filter(({ is_suspended, is_expired }) => is_suspended && !is_expired).map(({ id }) => id);
}

async function findToken(client: Client, id: string): Promise<ApiToken> {
  const { items } = await listAllTokens(client, undefined);
  const token = items.find((one) => one.id === id);
  if (token !== undefined) return token;
  const ids = items.map((one) => one.id);
  throw new CommandError(3, `There is no token "${id}"${suggestion(id, ids)} See: steward token list`);
}

function goneWith({ name, username, scopes, pages = [], last_used_at }: ApiToken): string[] {
  const used = last_used_at === null ? "it was never used" : `it was last used ${last_used_at}`;
  const options = [...scopes.map((scope) => `--scope ${scope}`), ...pages.map((page) => `--page ${page}`)];
  return [
    `The token "${name}" of ${username} ends at once, and the program that uses it loses its access; ${used}.`,
    `To let the program in again: steward token add --user ${username} --name TEXT ${options.join(" ")}`,
  ];
}

export const tokenCommands: readonly Command[] = [add, list, rotate, resume, remove, tokenPrepare];

/** All pages as one, in the API's shape. */
export async function listAllTokens(client: Client, userId: string | undefined): Promise<TokenList> {
  return allPages((page) =>
    client.call("listTokens", { query: { ...whereGiven({ user_id: userId }), ...page } }),
  );
}

function tokenTable({ items }: TokenList): Table {
  return {
    heads: ["ID", "USER", "NAME", "SCOPES", "ENDS", "LAST USED", "FROM", "COUNTS FROM"],
    rows: items.map((token) => [
      token.id,
      token.username,
      token.name,
      [...token.scopes, ...(token.pages ?? []), ...(token.is_fleet ? ["(fleet)"] : [])],
      endOf(token),
      token.last_used_at,
      token.last_used_from,
      token.sources.length === 0 ? "anywhere" : token.sources,
    ]),
  };
}

function endOf({ is_expired, is_suspended, no_expiry, expires_at }: ApiToken): string {
  if (is_expired) return "expired";
  if (is_suspended) return "suspended";
  return no_expiry ? "never" : expires_at;
}
