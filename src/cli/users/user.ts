import type { User } from "../../contract/types.ts";
import { UsageError } from "../../terminal/command-error.ts";
import { whereGiven } from "../../terminal/commands/command.ts";
import { agreesTo, dryRunOption } from "../../terminal/commands/consent.ts";
import type { Command, Invocation } from "../client/command.ts";
import { displayNameOption, onUser, readRole, roleOption } from "./user-command.ts";
import { diagnose } from "./user-diagnosis.ts";
import { findUser, listAllUsers, type UserFilter } from "./user-lookup.ts";
import { addUser, rescueUser, resetUserPassword } from "./user-password.ts";
import { sessionCommands } from "./user-sessions.ts";
import { twoFactorCommands } from "./user-two-factor.ts";
import { countTokens, userFields, userTable } from "./user-view.ts";

const list: Command = {
  path: ["user", "list"],
  summary: "List the users",
  options: [
    roleOption,
    { name: "locked", summary: "only users who are locked now" },
    { name: "disabled", summary: "only users who are disabled" },
    { name: "former-provider", summary: "only users of a provider that the host file no longer names" },
    { name: "without-two-factor", summary: "only users without a second factor" },
    { name: "never-signed-in", summary: "only users who have never signed in" },
    { name: "q", value: "TEXT", summary: "only users with this text in their user name or display name" },
  ],
  worksOffline: true,
  async run({ options, client, output }) {
    const filter: UserFilter = {
      ...whereGiven({ role: readRole(options) }),
      ...(options.has("locked") && { locked: true }),
      ...(options.has("disabled") && { enabled: false }),
      ...(options.has("former-provider") && { origin: "former_provider" as const }),
      ...(options.has("without-two-factor") && { two_factor: false }),
      ...(options.has("never-signed-in") && { signed_in: false }),
      ...whereGiven({ q: options.text("q") }),
    };
    const users = await listAllUsers(client, filter);
    await output.table(users, userTable(users.items));
    const former = users.items.filter(({ origin }) => origin === "former_provider").length;
    if (former > 0)
      await output.remark(
        `${former} of these users signed in at a provider that the host file does not name: no one can sign in with their accounts.`,
      );
  },
};

const show: Command = onUser("show", "Show a user", async ({ client, output }, name) => {
  const user = await findUser(client, name);
  await output.fields(user, userFields(user));
});

const set: Command = {
  ...onUser("set", "Change a user's role or display name", async ({ client, output, options }, name) => {
    const body = {
      ...whereGiven({ role: readRole(options), display_name: options.text("display-name") }),
      ...(options.has("require-new-password") && { must_change_password: true as const }),
    };
    if (Object.keys(body).length === 0) {
      throw new UsageError("There is nothing to set: give --role, --display-name or --require-new-password.");
    }
    const { id } = await findUser(client, name);
    const user = await client.call("updateUser", { params: { id }, body });
    await output.changed(user, `User ${name} is changed.`);
  }),
  aliases: ["modify"],
  options: [
    roleOption,
    displayNameOption,
    { name: "require-new-password", summary: "make the user choose a new password at the next sign-in" },
  ],
};

const enable: Command = onUser("enable", "Enable a disabled user", (invocation, name) =>
  setEnabled(invocation, { name, enabled: true }),
);

const disable: Command = onUser("disable", "Disable a user, and end their sessions", (invocation, name) =>
  setEnabled(invocation, { name, enabled: false }),
);

const unlock: Command = onUser("unlock", "End every lock on a user", async ({ client, output }, name) => {
  const { id } = await findUser(client, name);
  const user = await client.call("unlockUser", { params: { id } });
  await output.changed(user, `User ${name} is not locked.`);
});

const remove: Command = {
  ...onUser("rm", "Delete a user", async (invocation, name) => {
    const { client, output } = invocation;
    const user = await findUser(client, name);
    if (!(await agreesTo(invocation, { says: goneWith(user), question: `Delete the user "${name}"?` })))
      return;
    await client.call("deleteUser", { params: { id: user.id } });
    await output.remark(`User ${name} is deleted.`);
  }),
  aliases: ["delete"],
  options: [dryRunOption],
};

function goneWith({ username, display_name, role, origin, issuer, two_factor }: User): string[] {
  const person = display_name === "" ? role : `${display_name}, ${role}`;
  if (origin !== "local") {
    const back = `They come back as a new, enabled user at their next sign-in at ${issuer}, while a group of theirs has a role. To keep them out, change their groups there, or disable them instead of deleting: steward user disable ${username}`;
    return [
      `User ${username} (${person}) is deleted, with the sessions.`,
      origin === "provider"
        ? back
        : `No one can sign in with this account: the host file does not name ${issuer}.`,
    ];
  }
  const factor = two_factor.enabled ? ", the second factor" : "";
  return [
    `User ${username} (${person}) is deleted, with the sessions, the API tokens${factor} and the password.`,
    `Only a new account brings them back: steward user add ${username} --role ${role}`,
  ];
}

export const userCommands: readonly Command[] = [
  addUser,
  list,
  show,
  set,
  enable,
  disable,
  unlock,
  remove,
  resetUserPassword,
  diagnose,
  rescueUser,
  ...twoFactorCommands,
  ...sessionCommands,
];

async function setEnabled(
  { client, output }: Invocation,
  { name, enabled }: { name: string; enabled: boolean },
): Promise<void> {
  const { id } = await findUser(client, name);
  const user = await client.call("updateUser", { params: { id }, body: { enabled } });
  const tokens = user.tokens === 0 ? "" : ` ${tokensOf(user)}`;
  await output.changed(user, `User ${name} is ${enabled ? "enabled" : "disabled"}.${tokens}`);
}

/** A user who is disabled for a while comes back with the tokens; whether an intruder had one of them, a person must say. */
function tokensOf({ username, enabled, tokens }: User): string {
  const [are, they] = tokens === 1 ? ["is", "it is"] : ["are", "they are"];
  return enabled
    ? `${countTokens(tokens)} ${are} valid again: steward token list --user ${username}`
    : `${countTokens(tokens)} ${are} refused until the user is enabled; then ${they} valid again.`;
}
