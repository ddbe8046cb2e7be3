import { writeFile } from "node:fs/promises";
import { newFirstToken } from "../../accounts/tokens/first-token.ts";
import { messageOf, rethrown } from "../../contract/errors.ts";
import { userScopes } from "../../contract/scopes.ts";
import { UsageError } from "../../terminal/command-error.ts";
import type { GivenOptions, Option } from "../../terminal/commands/command.ts";
import { newFileFailure } from "../../terminal/failure.ts";
import type { Command } from "../client/command.ts";

export const tokenOptions: readonly Option[] = [
  {
    name: "user",
    value: "NAME",
    live: "users",
    summary: "the owner; the token can do no more than that user",
  },
  { name: "name", value: "TEXT", summary: "what the token is for, as people read it" },
  { name: "scope", value: "SCOPE", values: userScopes, summary: "what the token may do; can be repeated" },
  { name: "expires-in", value: "DURATION", summary: "1h to 366d, such as 30d; 90d if not given" },
];

/** The members that each token must have. Throws UsageError. */
export function requestedToken<Scope extends string>(options: GivenOptions, known: readonly Scope[]) {
  const [user, name] = [options.text("user"), options.text("name")];
  const scopes = known.filter((scope) => options.texts("scope").includes(scope));
  if (user && name && scopes.length > 0) return { user, name, scopes };
  throw new UsageError("A token needs --user, --name and at least one --scope.");
}

/** The token is known to the person who types this, its hash to the file: the image of a device gives nothing away. */
export const tokenPrepare: Command = {
  path: ["token", "prepare"],
  summary:
    "Make an API token for devices that are to be provisioned: print it, and write the file that brings it there",
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
